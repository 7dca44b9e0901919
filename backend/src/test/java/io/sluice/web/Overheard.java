package io.sluice.web;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What a class logs, at every level. */
final class Overheard extends Handler implements AutoCloseable {
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Logger logger;

    Overheard(Class<?> who) {
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
        said.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
    }
}
