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
    private static final int DIGITS = 20;

    /** From when to when it was full, in milliseconds since 1970. */
    record Outage(long from, long to) {}

    private final Path folder;
    private final Path record;
    private long fullSince;

    private Disk(Path folder, Path record, long fullSince) {
        this.folder = folder;
        this.record = record;
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

    /** The answer is an outage that has just ended; it is remembered until {@link #over} is called. */
    Optional<Outage> look(long now) throws IOException {
        long usable = Files.getFileStore(folder).getUsableSpace();
        if (fullSince == 0 && usable < FULL) {
            full(now);
        } else if (fullSince != 0 && usable > ROOM_AGAIN) {
            return Optional.of(new Outage(fullSince, now));
        }
        return Optional.empty();
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

    /** Gives back the room of a part of a file. What is around it stays where it is. The answer is whether the file system can. */
    boolean punch(Path file, long offset, long length) throws IOException {
        // the task's own log can not be opened for writing, lest the task does
        var before = Files.getPosixFilePermissions(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try {
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
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.setPosixFilePermissions(file, before);
        }
    }
}
