package io.sluice.logs.files;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** The log of one task attempt: its bytes, and what lies beside them. What exists says in which state it is. */
public record LogFile(Path plain) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Offsets that somebody may know already beyond those that the keeper knows. */
    private static final long MARGIN = 64L << 10;

    /**
     * What is left of a deleted log.
     *
     * @param at when, in milliseconds since 1970
     * @param reason {@code age} or {@code space}
     */
    public record Gone(long at, String reason, long size) {}

    Path packed() {
        return beside(".gz");
    }

    Path blocks() {
        return beside(".blocks");
    }

    private Path beside(String ending) {
        return plain.resolveSibling(plain.getFileName() + ending);
    }

    public TimeIndex times() {
        return new TimeIndex(beside(".times"));
    }

    /** Of a log that nothing will be added to: what nobody noted while it grew is known from its end. */
    public TimeIndex finishedTimes(long launched, long completed) throws IOException {
        TimeIndex times = times();
        TimeIndex.Point last = times.last();
        if (last == null) {
            times.note(0, launched);
        }
        long size = size(plain);
        if (size > (last == null ? 0 : last.offset())) {
            times.note(
                    size, Math.min(completed, Files.getLastModifiedTime(plain).toMillis()));
        }
        return times;
    }

    public LineIndex lines() {
        return new LineIndex(beside(".lines"), gaps());
    }

    public Gaps gaps() {
        return new Gaps(beside(".gaps"));
    }

    public Optional<Gone> gone() throws IOException {
        try {
            return Optional.of(JSON.readValue(Files.readAllBytes(beside(".gone")), Gone.class));
        } catch (NoSuchFileException stillThere) {
            return Optional.empty();
        }
    }

    /** For reading, however it is kept. A log that does not exist yet is empty, and is seen when it comes to be. */
    public Bytes open() throws IOException {
        try {
            return new PlainBytes(plain, FileChannel.open(plain));
        } catch (NoSuchFileException e) {
            return isPacked() ? PackedBytes.open(packed(), blocks()) : openPlain();
        }
    }

    Bytes openPlain() {
        return new PlainBytes(plain, null);
    }

    /** Whether any of it is on this machine. */
    public boolean exists() {
        return Files.exists(plain) || Files.exists(packed());
    }

    /** The gzip file of the whole log, where there is one. */
    public @Nullable Path compressed() {
        return isPacked() ? packed() : null;
    }

    private boolean isPacked() {
        return !Files.exists(plain) && Files.exists(packed());
    }

    /** Compresses a log that nothing will be added to. */
    public boolean pack(BooleanSupplier goOn, Instants instants) throws IOException {
        return new Packing(instants).pack(this, goOn);
    }

    /**
     * The task has emptied its log, which had {@code known} bytes: what it prints from now on gets offsets that were not given before. What it
     * has printed since stands at the log's beginning.
     */
    public void emptied(long known, long now) throws IOException {
        long size = size(plain);
        var hole = new Gaps.Gap(size, known + MARGIN, Gaps.EMPTIED, now, null);
        Gaps gaps = gaps();
        gaps.add(hole); // before there are zeros that nobody printed
        Files.deleteIfExists(beside(".lines"));
        try (var channel = FileChannel.open(plain, StandardOpenOption.WRITE)) {
            channel.write(
                    ByteBuffer.allocate(1), hole.to() - 1); // never makes it shorter, whatever the task does meanwhile
        }
        try (Bytes bytes = openPlain()) {
            long printed = printed(bytes, size, known);
            if (printed > size) {
                gaps.begins(hole, printed);
            }
        }
    }

    /** Where zeros begin, from {@code from} on. */
    private static long printed(Bytes bytes, long from, long until) throws IOException {
        byte[] block = new byte[4096];
        long end = from;
        long offset = from;
        while (offset < until) {
            int length = bytes.fill(offset, block, (int) Math.min(block.length, until - offset));
            int last = length;
            while (last > 0 && block[last - 1] == 0) {
                last--;
            }
            if (last == 0) {
                return end;
            }
            end = offset + last;
            offset += length;
        }
        return end;
    }

    /** One member of a gzip file that holds these bytes; members stand one after another. */
    public static ByteBuffer gzip(byte[] bytes, int length) throws IOException {
        var deflater = new Deflater(1, true);
        try {
            return Packing.gzip(bytes, length, deflater, new byte[length + length / 100 + 1024]);
        } finally {
            deflater.end();
        }
    }

    /** What the log takes of the disk, with all that lies beside it. Holes take nothing. */
    public long stored() throws IOException {
        long sum = Math.max(0, size(plain) - Gaps.gone(gaps().all()));
        for (Path file : List.of(packed(), blocks(), beside(".times"), beside(".lines"))) {
            sum += size(file);
        }
        return sum;
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }

    /** Deletes it for good. What says so is there first. */
    public void delete(String reason, long now, Instants instants) throws IOException {
        if (gone().isEmpty()) {
            long size;
            try (Bytes bytes = open()) {
                size = bytes.size();
            }
            Path part = part(beside(".gone"));
            Files.write(part, JSON.writeValueAsBytes(new Gone(now, reason, size)));
            instants.pass("delete.said");
            Files.move(part, beside(".gone"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        instants.pass("delete.begun");
        for (Path file : List.of(plain, packed(), blocks(), beside(".times"), beside(".lines"), beside(".gaps"))) {
            Files.deleteIfExists(file);
            Files.deleteIfExists(part(file)); // of a gateway that was killed
            instants.pass("delete.file");
        }
    }

    /** What becomes the file once it is whole. */
    static Path part(Path file) {
        return file.resolveSibling(file.getFileName() + ".part");
    }

    static void sync(@Nullable Path folder) throws IOException {
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder)) {
                channel.force(true);
            }
        }
    }
}
