package io.sluice.jobs.data.care;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Places at work. One person has not all of them, however much they have to do; who has the fewest comes next, and of these who came first. */
public final class Slots {
    private final int most;
    private final int mostOfOne;
    private final Executor threads;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Map<Long, Integer> atWork = new HashMap<>();
    private boolean closed;

    private record Waiting(long user, Runnable work) {}

    /** @param threads as many as there are places, or more */
    public Slots(int most, int mostOfOne, Executor threads) {
        this.most = most;
        this.mostOfOne = mostOfOne;
        this.threads = threads;
    }

    /** When it is its turn. As many wait as jobs hold machines. */
    public synchronized void take(long user, Runnable work) {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        waiting.add(new Waiting(user, work));
        next();
    }

    private void next() {
        int count = atWork.values().stream().mapToInt(Integer::intValue).sum();
        for (; count < most; count++) {
            var first = waiting.stream().filter(one -> has(one) < mostOfOne).min(Comparator.comparingInt(this::has));
            if (first.isEmpty()) {
                return;
            }
            begin(first.get());
        }
    }

    private int has(Waiting one) {
        return atWork.getOrDefault(one.user(), 0);
    }

    private void begin(Waiting one) {
        waiting.remove(one);
        atWork.merge(one.user(), 1, Integer::sum);
        threads.execute(() -> {
            try {
                one.work().run();
            } finally {
                over(one.user());
            }
        });
    }

    private synchronized void over(long user) {
        atWork.computeIfPresent(user, (who, count) -> count == 1 ? null : count - 1);
        next();
    }

    /** Who waits has a turn still, and sees that nobody wants it any more. */
    public synchronized void close() {
        closed = true;
    }
}
