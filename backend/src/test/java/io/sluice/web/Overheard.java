package io.sluice.web;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What a class logs, at every level, of some paths: others are tested beside this. */
final class Overheard extends Handler implements AutoCloseable {
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Logger logger;
    private final List<String> paths;

    Overheard(Class<?> who, String... paths) {
        this.paths = List.of(paths);
        logger = Logger.getLogger(who.getName());
        logger.addHandler(this);
        logger.setLevel(Level.ALL);
    }

    @Nullable
    String next() throws InterruptedException {
        return said.poll(5, TimeUnit.SECONDS);
    }

    @Override
    public void publish(LogRecord line) {
        String whole = line.getMessage() + Arrays.toString(line.getParameters());
        if (paths.stream().anyMatch(whole::contains)) {
            said.add(line.getLevel() + " " + line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
    }
}
