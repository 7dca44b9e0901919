package io.sluice.logs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * When a log had which size: notes of 16 bytes, offset and milliseconds since 1970, both never falling. What a gateway left half written when
 * it was killed is overwritten.
 */
public final class TimeIndex {
    private static final int NOTE = 16;
    private static final int MOST_POINTS = 2_000;

    /** At that time the log had so many bytes. */
    public record Point(long offset, long time) {}

    /** When a byte was printed: after {@code from} and not after {@code until}; null where nobody knows. */
    public record Span(@Nullable Long from, @Nullable Long until) {}

    private final Path file;

    TimeIndex(Path file) {
        this.file = file;
    }

    public void note(long offset, long time) throws IOException {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long notes = channel.size() / NOTE;
            Point last = notes == 0 ? new Point(0, 0) : point(channel, notes - 1);
            if (offset < last.offset() || (notes > 0 && offset == last.offset() && time <= last.time())) {
                return;
            }
            ByteBuffer note = ByteBuffer.allocate(NOTE)
                    .putLong(offset)
                    .putLong(Math.max(time, last.time())) // a clock that was set back
                    .flip();
            while (note.hasRemaining()) {
                channel.write(note, notes * NOTE + note.position());
            }
        }
    }

    /** The newest note; null: there is none. */
    public @Nullable Point last() throws IOException {
        try (var channel = FileChannel.open(file)) {
            long notes = channel.size() / NOTE;
            return notes == 0 ? null : point(channel, notes - 1);
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    /** Where what was printed after that time begins. */
    public long offsetAt(long time) throws IOException {
        return read(0L, (channel, notes) -> {
            long after = first(channel, notes, point -> point.time() > time);
            return after == 0 ? 0L : point(channel, after - 1).offset();
        });
    }

    /** When the byte at this offset was printed. */
    public Span timeOf(long offset) throws IOException {
        return read(new Span(null, null), (channel, notes) -> {
            long after = first(channel, notes, point -> point.offset() > offset);
            return new Span(
                    after == 0 ? null : Long.valueOf(point(channel, after - 1).time()),
                    after == notes ? null : Long.valueOf(point(channel, after).time()));
        });
    }

    /** Notes for offsets from {@code from} to {@code to} and one on either side, thinned out evenly to at most {@code most}. */
    public List<Point> points(long from, long to, int most) throws IOException {
        return read(List.of(), (channel, notes) -> {
            long begin = Math.max(0, first(channel, notes, point -> point.offset() > from) - 1);
            long end = Math.min(notes, first(channel, notes, point -> point.offset() > to) + 1);
            long wanted = Math.max(2, Math.min(Math.min(most, MOST_POINTS), end - begin));
            List<Point> points = new ArrayList<>();
            long previous = -1;
            for (long number = 0; number < wanted && end > begin; number++) {
                long note = begin + number * (end - begin - 1) / (wanted - 1);
                if (note != previous) {
                    points.add(point(channel, note));
                }
                previous = note;
            }
            return points;
        });
    }

    private interface Reading<T> {
        T read(FileChannel channel, long notes) throws IOException;
    }

    private <T> T read(T none, Reading<T> reading) throws IOException {
        try (var channel = FileChannel.open(file)) {
            return reading.read(channel, channel.size() / NOTE);
        } catch (NoSuchFileException e) {
            return none;
        }
    }

    /** The number of the first note for which the test holds, as it does for all after it. */
    private static long first(FileChannel channel, long notes, Predicate<Point> test) throws IOException {
        long low = 0;
        long high = notes;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (test.test(point(channel, middle))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private static Point point(FileChannel channel, long number) throws IOException {
        ByteBuffer note = ByteBuffer.allocate(NOTE);
        while (note.hasRemaining()) {
            if (channel.read(note, number * NOTE + note.position()) < 0) {
                throw new IOException("a note has vanished from an index of times");
            }
        }
        return new Point(note.flip().getLong(), note.getLong());
    }
}
