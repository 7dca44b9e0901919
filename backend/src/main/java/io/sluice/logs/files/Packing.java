package io.sluice.logs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Makes a finished log smaller. Broken off anywhere it leaves the log as it was, and can be begun again. */
final class Packing {
    private static final int LEVEL = 4;

    private final byte[] plain = new byte[PackedBytes.BLOCK];
    private final byte[] packed = new byte[PackedBytes.BLOCK + 1024];

    private final Instants instants;

    Packing(Instants instants) {
        this.instants = instants;
    }

    /** The answer is whether it was done; not when {@code goOn} said no in between. */
    boolean pack(LogFile file, BooleanSupplier goOn) throws IOException {
        Path members = LogFile.part(file.packed());
        Path blocks = LogFile.part(file.blocks());
        try (FileChannel out = fresh(members);
                FileChannel index = fresh(blocks);
                Bytes log = file.openPlain()) {
            if (!write(log, file.gaps().all(), out, index, goOn)) {
                return false;
            }
            instants.pass("pack.written");
            out.force(true);
            index.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(members);
            Files.deleteIfExists(blocks);
            throw e;
        }
        readBack(members, blocks);
        instants.pass("pack.read");
        Files.move(blocks, file.blocks(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        instants.pass("pack.index");
        Files.move(members, file.packed(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        LogFile.sync(file.plain().toAbsolutePath().getParent());
        instants.pass("pack.moved");
        Files.deleteIfExists(file.plain());
        return true;
    }

    private boolean write(Bytes log, List<Gaps.Gap> gaps, FileChannel out, FileChannel index, BooleanSupplier goOn)
            throws IOException {
        long size = log.size();
        long end = 0;
        var ends = new Numbers(index);
        var deflater = new Deflater(LEVEL, true);
        try {
            for (long offset = 0; offset < size; offset += plain.length) {
                if (!goOn.getAsBoolean()) {
                    return false;
                }
                ends.add(end);
                int length = (int) Math.min(plain.length, size - offset);
                // nobody reads what is gone, so it takes no room: a member of no bytes
                end += Gaps.isGone(gaps, offset, offset + length) ? 0 : member(log, offset, length, deflater, out);
                instants.pass("pack.block");
            }
        } finally {
            deflater.end();
        }
        ends.add(end);
        ends.add(size);
        ends.flush();
        return true;
    }

    /** Longs on their way into a file: a hole of terabytes has millions. */
    private static final class Numbers {
        private final FileChannel file;
        private final ByteBuffer waiting = ByteBuffer.allocate(8 << 10);

        Numbers(FileChannel file) {
            this.file = file;
        }

        void add(long number) throws IOException {
            if (!waiting.hasRemaining()) {
                flush();
            }
            waiting.putLong(number);
        }

        void flush() throws IOException {
            waiting.flip();
            while (waiting.hasRemaining()) {
                file.write(waiting);
            }
            waiting.clear();
        }
    }

    private int member(Bytes log, long offset, int length, Deflater deflater, FileChannel out) throws IOException {
        if (log.fill(offset, plain, length) != length) {
            throw new IOException("A finished log has become shorter.");
        }
        ByteBuffer member = gzip(plain, length, deflater, packed);
        int whole = member.limit();
        while (member.hasRemaining()) {
            out.write(member);
        }
        return whole;
    }

    /** One gzip member of these bytes. */
    static ByteBuffer gzip(byte[] plain, int length, Deflater deflater, byte[] room) throws IOException {
        deflater.reset();
        deflater.setInput(plain, 0, length);
        deflater.finish();
        int count = deflater.deflate(room);
        if (!deflater.finished()) {
            throw new IOException("A block became larger than it may.");
        }
        var sum = new CRC32();
        sum.update(plain, 0, length);
        ByteBuffer member = ByteBuffer.allocate(PackedBytes.HEADER + count + PackedBytes.TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN);
        // gzip: its mark, deflate, no flags, no time, no extra flags, unknown system
        member.put(new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 255})
                .put(room, 0, count);
        return member.putInt((int) sum.getValue()).putInt(length).flip();
    }

    /** Nothing is deleted that has not been read again from its copy. */
    private void readBack(Path members, Path blocks) throws IOException {
        try (PackedBytes copy = PackedBytes.open(members, blocks)) {
            for (long offset = 0; offset < copy.size(); offset += PackedBytes.BLOCK) {
                if (!copy.isHole(offset)) {
                    copy.fill(offset, plain, plain.length); // fails where a sum does not fit
                }
            }
        }
    }

    private static FileChannel fresh(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
