package io.sluice.logs.keep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The disk that logs are on: whether it is full, since when, and how room is made within a file. That it is full is kept in a file that has its
 * place on the disk already.
 */
final class Disk {
    private static final System.Logger LOG = System.getLogger(Disk.class.getName());
    private static final long FULL = 1L << 20;
    private static final long ROOM_AGAIN = 8L << 20;
    private static final long SCARCE = 256L << 20;
    private static final long TIGHT = 1L << 30;
    /** Of a probe: a block, that is, and as much as many logs take in a second. */
    private static final int LITTLE = 4 << 10;

    private static final int MUCH = 1 << 20;
    private static final int DIGITS = 20;

    /** From when to when it was full, in milliseconds since 1970. */
    record Outage(long from, long to) {}

    private final Path folder;
    private final Path record;
    private final Path probe;
    private long fullSince;

    private Disk(Path folder, Path record, long fullSince) {
        this.folder = folder;
        this.record = record;
        this.probe = folder.resolve("disk-probe");
        this.fullSince = fullSince;
    }

    static Disk open(Path data) throws IOException {
        Path folder = Files.createDirectories(data.resolve("jobs"));
        Path record = folder.resolve("disk-full-since");
        if (Files.notExists(record) || Files.size(record) != DIGITS) {
            write(record, 0);
        }
        return new Disk(folder, record, Long.parseLong(Files.readString(record).strip()));
    }

    /** Whether so little is left that finished logs should go before their time. */
    boolean isScarce() throws IOException {
        var store = Files.getFileStore(folder);
        return store.getUsableSpace() < Math.min(SCARCE, store.getTotalSpace() / 20);
    }

    /** Whether so little is left that a fast task fills it between two looks: then one looks often. */
    boolean isTight() throws IOException {
        return fullSince == 0 && usable() < TIGHT;
    }

    /** Only whether it is full now. */
    void glance(long now) throws IOException {
        if (fullSince == 0 && usable() < FULL) {
            full(now);
        }
    }

    /**
     * The answer is an outage that has just ended; it is remembered until {@link #over} is called.
     *
     * @param printing whether anybody prints: then a few bytes are written, as a quota is seen by nothing else
     */
    Optional<Outage> look(long now, boolean printing) throws IOException {
        glance(now);
        if (fullSince == 0 && printing) {
            probe(LITTLE, now);
        } else if (fullSince != 0 && usable() > ROOM_AGAIN && probe(MUCH, now)) {
            return Optional.of(new Outage(fullSince, now));
        }
        return Optional.empty();
    }

    private long usable() throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
    }

    /** Whether so many bytes can be written, as this user. */
    private boolean probe(int bytes, long now) throws IOException {
        try (var channel = FileChannel.open(
                probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer zeros = ByteBuffer.allocate(bytes);
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
            channel.truncate(0);
            return true;
        } catch (IOException e) {
            Files.deleteIfExists(probe);
            if (isFull(e, now)) {
                return false;
            }
            throw e;
        }
    }

    /** The outage has been written down wherever it belongs. */
    void over(Outage outage) throws IOException {
        fullSince = 0;
        write(record, 0);
        LOG.log(System.Logger.Level.INFO, "event=disk-has-room-again seconds=" + (outage.to() - outage.from()) / 1000);
    }

    /** Whether a write failed because there is no room. It is remembered. */
    boolean isFull(IOException failure, long now) throws IOException {
        boolean full = String.valueOf(failure.getMessage()).contains("No space left")
                || String.valueOf(failure.getMessage()).contains("quota exceeded");
        if (full && fullSince == 0) {
            full(now);
        }
        return full;
    }

    private void full(long now) throws IOException {
        fullSince = now;
        write(record, now);
        LOG.log(
                System.Logger.Level.ERROR,
                "event=disk-full folder={0} effect=what tasks print now may be lost; free some space on this disk",
                folder);
    }

    /** Over what is there: that takes no room that has not been taken before. */
    private static void write(Path record, long time) throws IOException {
        try (var channel = FileChannel.open(record, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer text = ByteBuffer.wrap(
                    String.format("%-" + (DIGITS - 1) + "d\n", time).getBytes(StandardCharsets.US_ASCII));
            while (text.hasRemaining()) {
                channel.write(text, text.position());
            }
            channel.force(true);
        }
    }

    interface Writing {
        boolean run() throws IOException;
    }

    /** The task's own log can not be opened for writing, lest the task does. */
    static boolean writable(Path file, Writing writing) throws IOException {
        var before = Files.getPosixFilePermissions(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try {
            return writing.run();
        } finally {
            Files.setPosixFilePermissions(file, before);
        }
    }

    /** Gives back the room of a part of a file. What is around it stays where it is. The answer is whether the file system can. */
    boolean punch(Path file, long offset, long length) throws IOException {
        return writable(file, () -> {
            Process process = new ProcessBuilder(
                            "fallocate",
                            "--punch-hole",
                            "--offset",
                            "" + offset,
                            "--length",
                            "" + length,
                            file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!process.waitFor(30, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            return process.exitValue() == 0;
        });
    }
}
