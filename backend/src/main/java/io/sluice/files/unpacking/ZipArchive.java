package io.sluice.files.unpacking;

import io.sluice.files.unpacking.BadArchive.Why;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** As its list at the end has it; what stands before each entry has to say the same. */
final class ZipArchive implements Archive {
    private static final int LOCAL = 0x04034b50;
    private static final int LOCAL_SIZE = 30;
    private static final int STORED = 0;
    private static final int DEFLATED = 8;
    private static final int MOST_TARGET = 4_000;

    private final FileChannel file;
    private final ZipList list;
    private final Inflater inflater = new Inflater(true);
    private final ByteBuffer packed = ByteBuffer.allocate(64 << 10);
    private final CRC32 sum = new CRC32();
    private ZipList.@Nullable Listed open;
    /** Where the next packed byte of it stands. */
    private long at;

    private long end;
    private long left;

    private ZipArchive(FileChannel file, ZipList list) {
        this.file = file;
        this.list = list;
    }

    static ZipArchive of(FileChannel file) throws IOException {
        return new ZipArchive(file, ZipList.of(file));
    }

    @Override
    public long promised() {
        return list.promised();
    }

    @Override
    public @Nullable Entry next() throws IOException {
        ZipList.Listed listed = list.next();
        if (listed == null) {
            return null;
        }
        if (listed.isLocked()) {
            throw new BadArchive(Why.LOCKED, listed.name());
        }
        if (listed.method() != STORED && listed.method() != DEFLATED) {
            throw new BadArchive(Why.METHOD, listed.name());
        }
        begin(listed);
        return switch (listed.type()) {
            case 0, 0100000, 0040000 ->
                entry(listed, listed.name().endsWith("/") || listed.type() == 0040000 ? Kind.FOLDER : Kind.FILE, "");
            case 0120000 -> entry(listed, Kind.LINK, target(listed));
            default -> throw new BadArchive(Why.SPECIAL, listed.name());
        };
    }

    private static Entry entry(ZipList.Listed listed, Kind kind, String target) throws BadArchive {
        if (kind == Kind.FOLDER && listed.size() > 0) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        int usual = kind == Kind.FOLDER ? 0755 : 0644;
        return new Entry(listed.name(), kind, listed.mode() == 0 ? usual : listed.mode(), listed.changed(), target);
    }

    private void begin(ZipList.Listed listed) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(LOCAL_SIZE).order(ByteOrder.LITTLE_ENDIAN);
        list.fill(head, listed.begin(), listed.name());
        int name = head.getShort(26) & 0xffff;
        int extra = head.getShort(28) & 0xffff;
        boolean same = head.getInt(0) == LOCAL
                && (head.getShort(8) & 0xffff) == listed.method()
                && name == listed.raw().length();
        if (!same) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        ByteBuffer words = ByteBuffer.allocate(name);
        list.fill(words, listed.begin() + LOCAL_SIZE, listed.name());
        if (!new String(words.array(), StandardCharsets.ISO_8859_1).equals(listed.raw())) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        at = listed.begin() + LOCAL_SIZE + name + extra;
        end = at + listed.packed();
        if (end > list.begin()) {
            throw new BadArchive(Why.CUT, listed.name());
        }
        left = listed.size();
        open = listed;
        inflater.reset();
        inflater.setInput(packed.clear().limit(0));
        sum.reset();
    }

    private String target(ZipList.Listed listed) throws IOException {
        if (listed.size() > MOST_TARGET) {
            throw new BadArchive(Why.LINK, listed.name());
        }
        byte[] text = new byte[(int) listed.size() + 1];
        byte[] piece = new byte[text.length];
        int length = 0;
        for (int count = read(piece); count >= 0; count = read(piece)) {
            System.arraycopy(piece, 0, text, length, count);
            length += count;
        }
        return new String(text, 0, length, StandardCharsets.ISO_8859_1);
    }

    @Override
    public int read(byte[] into) throws IOException {
        ZipList.Listed listed = open;
        if (listed == null) {
            return -1;
        }
        boolean plain = listed.method() == STORED || listed.packed() == 0;
        int count = plain ? stored(into, listed) : inflated(into, listed);
        left -= Math.max(0, count);
        if (left < 0) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        if (count >= 0) {
            sum.update(into, 0, count);
            return count;
        }
        open = null;
        if (left != 0) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        if (sum.getValue() != listed.sum()) {
            throw new BadArchive(Why.CHECKSUM, listed.name());
        }
        return -1;
    }

    private int stored(byte[] into, ZipList.Listed listed) throws IOException {
        int count = (int) Math.min(into.length, end - at);
        if (count == 0) {
            return -1;
        }
        list.fill(ByteBuffer.wrap(into, 0, count), at, listed.name());
        at += count;
        return count;
    }

    private int inflated(byte[] into, ZipList.Listed listed) throws IOException {
        try {
            while (!inflater.finished()) {
                int count = inflater.inflate(into);
                if (count > 0) {
                    return count;
                }
                if (inflater.finished()) {
                    break;
                }
                if (at == end || inflater.needsDictionary()) {
                    throw new BadArchive(Why.DAMAGED, listed.name());
                }
                int more = (int) Math.min(packed.capacity(), end - at);
                list.fill(packed.clear().limit(more), at, listed.name());
                at += more;
                inflater.setInput(packed);
            }
        } catch (DataFormatException damaged) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        if (at < end || inflater.getRemaining() > 0) {
            throw new BadArchive(Why.DAMAGED, listed.name());
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        file.close();
    }
}
