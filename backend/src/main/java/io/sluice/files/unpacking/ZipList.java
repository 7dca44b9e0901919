package io.sluice.files.unpacking;

import io.sluice.files.unpacking.BadArchive.Why;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** The list at the end of a zip, read piece by piece: it may be of any length. */
final class ZipList {
    private static final int LISTED = 0x02014b50;
    private static final int LISTED_SIZE = 46;
    private static final int END = 0x06054b50;
    private static final int END_SIZE = 22;
    private static final int WIDE_END = 0x06064b50;
    private static final int WIDE_END_SIZE = 56;
    private static final int WIDE_WAY = 0x07064b50;
    private static final int WIDE_WAY_SIZE = 20;
    private static final int LONGEST_REMARK = 65_535;
    private static final long WIDE = 0xffffffffL;
    private static final int WIDE_SIZES = 1;
    private static final int UNIX = 3;

    /**
     * An entry as the list has it.
     *
     * @param raw its name as it stands before its content, too
     * @param name the same in UTF-8, as far as that can be known; bytes
     * @param type as Unix has it; 0: whoever packed it does not say
     * @param packed how many bytes of the archive are its
     */
    record Listed(
            String raw,
            String name,
            int method,
            boolean isLocked,
            int type,
            int mode,
            long changed,
            long sum,
            long packed,
            long size,
            long begin) {}

    private final FileChannel file;
    private final long begin;
    private final long end;
    private final long count;
    private final long promised;
    private final ByteBuffer piece =
            ByteBuffer.allocate(256 << 10).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    /** Where what is not in the piece yet begins. */
    private long at;

    private long met;

    private ZipList(FileChannel file, long begin, long end, long count) throws IOException {
        this.file = file;
        this.begin = begin;
        this.end = end;
        this.count = count;
        this.promised = sized();
    }

    static ZipList of(FileChannel file) throws IOException {
        long size = file.size();
        ByteBuffer tail = read(file, Math.max(0, size - END_SIZE - LONGEST_REMARK), size);
        int found = -1;
        for (int i = tail.capacity() - END_SIZE; i >= 0 && found < 0; i--) {
            boolean here = tail.getInt(i) == END && (tail.getShort(i + 20) & 0xffff) == tail.capacity() - END_SIZE - i;
            found = here ? i : -1;
        }
        if (found < 0) {
            throw new BadArchive(Why.CUT, "");
        }
        long ends = size - tail.capacity() + found;
        long count = tail.getShort(found + 10) & 0xffff;
        long length = tail.getInt(found + 12) & WIDE;
        long begin = tail.getInt(found + 16) & WIDE;
        boolean parted = tail.getShort(found + 4) != 0 && (tail.getShort(found + 4) & 0xffff) != 0xffff;
        ByteBuffer wide = count == 0xffff || length == WIDE || begin == WIDE ? wide(file, ends) : null;
        if (wide != null) {
            count = wide.getLong(32);
            length = wide.getLong(40);
            begin = wide.getLong(48);
            ends = wide.getLong(0); // where it stands itself
        }
        boolean sound = !parted && count >= 0 && length >= 0 && begin >= 0 && begin <= ends && length == ends - begin;
        if (!sound || count > length / LISTED_SIZE) {
            throw new BadArchive(Why.DAMAGED, "");
        }
        return new ZipList(file, begin, ends, count);
    }

    /** Of more than 65,535 entries or 4 GiB. Null: there is none, and the numbers are what they seem. */
    private static @Nullable ByteBuffer wide(FileChannel file, long ends) throws IOException {
        if (ends < WIDE_WAY_SIZE) {
            return null;
        }
        ByteBuffer way = read(file, ends - WIDE_WAY_SIZE, ends);
        if (way.getInt(0) != WIDE_WAY) {
            return null;
        }
        long stands = way.getLong(8);
        if (stands < 0 || stands > ends - WIDE_WAY_SIZE - WIDE_END_SIZE) {
            throw new BadArchive(Why.DAMAGED, "");
        }
        ByteBuffer wide = read(file, stands, stands + WIDE_END_SIZE);
        if (wide.getInt(0) != WIDE_END) {
            throw new BadArchive(Why.DAMAGED, "");
        }
        return wide.putLong(0, stands);
    }

    private static ByteBuffer read(FileChannel file, long from, long to) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) (to - from)).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (file.read(bytes, from + bytes.position()) < 0) {
                throw new BadArchive(Why.CUT, "");
            }
        }
        return bytes.flip();
    }

    /** All that is told is there once: what is packed takes up no more than there is, whoever shares it with whom. */
    private long sized() throws IOException {
        long sizes = 0;
        long packed = 0;
        rewind();
        for (Listed listed = next(); listed != null; listed = next()) {
            sizes = Math.min(Long.MAX_VALUE / 4, sizes) + Math.min(Long.MAX_VALUE / 4, listed.size());
            packed += Math.min(end, listed.packed()) + LISTED_SIZE;
            if (packed > end || listed.begin() > begin) {
                throw new BadArchive(Why.DAMAGED, listed.name());
            }
        }
        rewind();
        return sizes;
    }

    private void rewind() {
        at = begin;
        met = 0;
        piece.limit(0);
    }

    long promised() {
        return promised;
    }

    /** Where what is packed ends. */
    long begin() {
        return begin;
    }

    /** All of it, from there. */
    void fill(ByteBuffer bytes, long from, String entry) throws IOException {
        for (long next = from; bytes.hasRemaining(); ) {
            int count = file.read(bytes, next);
            if (count < 0) {
                throw new BadArchive(Why.CUT, entry);
            }
            next += count;
        }
        bytes.flip();
    }

    @Nullable
    Listed next() throws IOException {
        if (met == count) {
            if (at - piece.remaining() != end) {
                throw new BadArchive(Why.DAMAGED, "");
            }
            return null;
        }
        more(LISTED_SIZE);
        int head = piece.position();
        int name = piece.getShort(head + 28) & 0xffff;
        int extra = piece.getShort(head + 30) & 0xffff;
        int remark = piece.getShort(head + 32) & 0xffff;
        if (piece.getInt(head) != LISTED) {
            throw new BadArchive(Why.DAMAGED, "");
        }
        more(LISTED_SIZE + name + extra + remark);
        Listed listed = listed(piece.slice(piece.position(), LISTED_SIZE + name + extra), name);
        piece.position(piece.position() + LISTED_SIZE + name + extra + remark);
        met++;
        return listed;
    }

    private void more(int wanted) throws IOException {
        if (piece.remaining() >= wanted) {
            return;
        }
        piece.compact();
        piece.limit((int) Math.min(piece.capacity(), piece.position() + end - at));
        int held = piece.position();
        while (piece.hasRemaining()) {
            int count = file.read(piece, at);
            if (count < 0) {
                break;
            }
            at += count;
        }
        assert piece.position() >= held;
        piece.flip();
        if (piece.remaining() < wanted) {
            throw new BadArchive(Why.DAMAGED, "");
        }
    }

    private static Listed listed(ByteBuffer unordered, int length) throws BadArchive {
        ByteBuffer one = unordered.order(ByteOrder.LITTLE_ENDIAN);
        byte[] bytes = new byte[length];
        one.get(LISTED_SIZE, bytes);
        String raw = new String(bytes, StandardCharsets.ISO_8859_1);
        int flags = one.getShort(8);
        int host = (one.getShort(4) >> 8) & 0xff;
        int unix = host == UNIX || host == 19 ? one.getInt(38) >>> 16 : 0;
        long size = one.getInt(24) & WIDE;
        long packed = one.getInt(20) & WIDE;
        long begin = one.getInt(42) & WIDE;
        ByteBuffer wide = wide(one, LISTED_SIZE + length, raw);
        try {
            size = size == WIDE && wide != null ? wide.getLong() : size;
            packed = packed == WIDE && wide != null ? wide.getLong() : packed;
            begin = begin == WIDE && wide != null ? wide.getLong() : begin;
        } catch (java.nio.BufferUnderflowException lying) {
            throw new BadArchive(Why.DAMAGED, raw);
        }
        if (size < 0 || packed < 0 || begin < 0) {
            throw new BadArchive(Why.DAMAGED, raw);
        }
        return new Listed(
                raw,
                ZipNames.utf8(bytes, (flags & 0x800) != 0, host),
                one.getShort(10) & 0xffff,
                (flags & 0x2041) != 0,
                unix & 0170000,
                unix & 07777,
                changed(one.getShort(12) & 0xffff, one.getShort(14) & 0xffff),
                one.getInt(16) & WIDE,
                packed,
                size,
                begin);
    }

    /** The further numbers of an entry that is large, one after another, as far as they are needed. */
    private static @Nullable ByteBuffer wide(ByteBuffer one, int from, String name) throws BadArchive {
        for (int at = from; at + 4 <= one.limit(); ) {
            int length = one.getShort(at + 2) & 0xffff;
            if (at + 4 + length > one.limit()) {
                throw new BadArchive(Why.DAMAGED, name);
            }
            if (one.getShort(at) == WIDE_SIZES) {
                return one.slice(at + 4, length).order(ByteOrder.LITTLE_ENDIAN);
            }
            at += 4 + length;
        }
        return null;
    }

    /** Of the clock of whoever packed it, in a place that nobody tells: taken as here. */
    private static long changed(int time, int date) {
        try {
            return LocalDateTime.of(
                            1980 + (date >> 9),
                            (date >> 5) & 15,
                            date & 31,
                            time >> 11,
                            (time >> 5) & 63,
                            Math.min(59, 2 * (time & 31)))
                    .atZone(ZoneId.systemDefault())
                    .toInstant()
                    .toEpochMilli();
        } catch (DateTimeException none) {
            return 0;
        }
    }
}
