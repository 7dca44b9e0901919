package io.sluice.logs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** How many lines end within each MiB of a log, counted when somebody first asks and kept. */
public final class LineIndex {
    public static final int BLOCK = 1 << 20;

    /** The counting was broken off. What it has counted is kept, so that the next attempt gets further. */
    public static final class Unfinished extends IOException {
        private static final long serialVersionUID = 1;
    }

    private final Path file;
    private final Gaps gaps;
    private final byte[] block = new byte[BLOCK];

    LineIndex(Path file, Gaps gaps) {
        this.file = file;
        this.gaps = gaps;
    }

    /** Where line {@code line} begins, counted from 1; the end of the log if it has fewer. */
    public long offset(Bytes log, long line, GoOn goOn) throws IOException {
        long newlines = line - 1;
        if (newlines <= 0) {
            return 0;
        }
        try (FileChannel sums = sums()) {
            long low = 0;
            long high = count(log, sums, Long.MAX_VALUE, newlines, goOn);
            while (low < high) {
                long middle = (low + high) >>> 1;
                if (before(sums, middle + 1) >= newlines) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            long left = newlines - before(sums, low);
            int length = log.fill(low * BLOCK, block, BLOCK);
            for (int at = 0; at < length; at++) {
                if (block[at] == '\n' && --left == 0) {
                    return low * BLOCK + at + 1;
                }
            }
            return low * BLOCK + length;
        }
    }

    /** The number of the line, from 1, in which the byte at {@code offset} is. */
    public long line(Bytes log, long offset, GoOn goOn) throws IOException {
        try (FileChannel sums = sums()) {
            long wanted = Math.min(offset, log.size()) / BLOCK;
            long number = Math.min(wanted, count(log, sums, wanted, Long.MAX_VALUE, goOn));
            int length = log.fill(number * BLOCK, block, (int) Math.min(BLOCK, offset - number * BLOCK));
            return 1 + before(sums, number) + newlines(block, 0, length);
        }
    }

    /** Counts on until {@code wanted} blocks or {@code enough} newlines are known. The answer is how many whole blocks are. */
    private long count(Bytes log, FileChannel sums, long wanted, long enough, GoOn goOn) throws IOException {
        long known = sums.size() / Long.BYTES;
        long sum = before(sums, known);
        long whole = log.size() / BLOCK;
        List<Gaps.Gap> holes = gaps.all();
        ByteBuffer entry = ByteBuffer.allocate(Long.BYTES);
        while (known < Math.min(whole, wanted) && sum < enough) {
            if (!goOn.goesOn()) {
                throw new Unfinished();
            }
            boolean gone = Gaps.isGone(holes, known * BLOCK, (known + 1) * BLOCK);
            sum += gone ? 0 : newlines(block, 0, log.fill(known * BLOCK, block, BLOCK));
            entry.clear().putLong(sum).flip();
            while (entry.hasRemaining()) {
                sums.write(entry, known * Long.BYTES + entry.position());
            }
            known++;
        }
        return known;
    }

    /** Two that count at once write the same numbers to the same places. */
    private FileChannel sums() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static long before(FileChannel sums, long block) throws IOException {
        if (block == 0) {
            return 0;
        }
        ByteBuffer entry = ByteBuffer.allocate(Long.BYTES);
        while (entry.hasRemaining()) {
            if (sums.read(entry, (block - 1) * Long.BYTES + entry.position()) < 0) {
                throw new IOException("an index of lines has become shorter");
            }
        }
        return entry.flip().getLong();
    }

    public static int newlines(byte[] bytes, int from, int to) {
        int count = 0;
        for (int at = from; at < to; at++) {
            count += bytes[at] == '\n' ? 1 : 0;
        }
        return count;
    }
}
