package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs a vendor's program, one at a time. One that does not end is asked to, then killed, then left alone: in the kernel's uninterruptible
 * sleep it can not be ended by anybody, and while it is there no other is started.
 */
final class Tool {
    static final int MOST_BYTES = 16 << 20;
    private static final Duration GRACE = Duration.ofMillis(500);

    /** What came of a call. */
    sealed interface Outcome {}

    /** @param whole false: something keeps the other end open, and more might have come */
    record Ended(int exitCode, String output, boolean whole) implements Outcome {}

    record Not(Trouble trouble) implements Outcome {}

    private record Left(Process process, Thread reader, Instant since) {
        boolean lives() {
            return process.isAlive() || reader.isAlive();
        }
    }

    private @Nullable Left left;

    Outcome run(List<String> command, Duration limit) throws InterruptedException {
        Left before = left;
        if (before != null && before.lives()) {
            return hangs("It hangs since " + before.since().truncatedTo(ChronoUnit.SECONDS)
                    + " and can not be ended; nothing is asked until it has.");
        }
        left = null;
        Process process;
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("LC_ALL", "C");
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return new Not(Trouble.of(Reason.MISSING, String.valueOf(e.getMessage())));
        }
        var output = new Output(process.getInputStream());
        Thread reader = Thread.ofPlatform().daemon().name("tool-output").start(output);
        var now = new Left(process, reader, Instant.now());
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                end(process);
                return hangs("It did not end within " + limit.toMillis() / 1000.0 + " s.");
            }
            reader.join(GRACE.toMillis());
        } catch (InterruptedException e) {
            process.destroy();
            throw e;
        } finally {
            keepIfAlive(now);
        }
        return output.isTooLong()
                ? new Not(Trouble.of(Reason.LAYOUT, "It printed more than " + (MOST_BYTES >> 20) + " MiB."))
                : new Ended(process.exitValue(), output.text(), !reader.isAlive() && !output.isCut());
    }

    /** Whether a call that was given up still holds the place. */
    boolean isHeldUp() {
        Left now = left;
        return now != null && now.lives();
    }

    private void keepIfAlive(Left now) {
        if (now.lives()) {
            left = now;
        }
    }

    /** Gently first: a driver's own tool that is killed in the middle has been seen to take the device with it. */
    private static void end(Process process) throws InterruptedException {
        List<ProcessHandle> inside = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly().waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        }
        inside.forEach(ProcessHandle::destroyForcibly);
    }

    private static Outcome hangs(String detail) {
        return new Not(Trouble.of(Reason.HANGS, detail));
    }

    /** Read on a thread of its own: a child of the program may hold the pipe for ever. */
    private static final class Output implements Runnable {
        private final InputStream from;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private volatile boolean tooLong;
        private volatile boolean cut;

        Output(InputStream from) {
            this.from = from;
        }

        @Override
        public void run() {
            byte[] piece = new byte[8192];
            try (from) {
                for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
                    tooLong = tooLong || bytes.size() + count > MOST_BYTES;
                    if (!tooLong) {
                        bytes.write(piece, 0, count);
                    }
                }
            } catch (IOException e) {
                cut = true; // it was killed: what came before that is what there is
            }
        }

        boolean isCut() {
            return cut;
        }

        boolean isTooLong() {
            return tooLong;
        }

        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
