package io.sluice.files.tree;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads for what touches somebody's files. They are the platform's: the rights by which these are written are a thread's. */
public final class Threads {
    private Threads() {}

    /** Whoever hands work to them counts what waits there, and has a limit for it. */
    public static ThreadPoolExecutor pool(String name, int count) {
        var pool = new ThreadPoolExecutor(
                count,
                count,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name(name, 0).daemon().factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
