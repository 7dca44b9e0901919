package io.sluice.web.looks;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What many follow is looked at once for all of them; and what takes long to look at is looked at less often, so that it takes no more than a
 * part of the time, however many they are.
 *
 * @param <K> what is looked at
 * @param <V> how it looks
 */
public final class Looks<K, V> {
    private static final int PART = 10;

    private final long nanos;
    private final LongSupplier clock;
    /** Of those that somebody has followed a moment ago. */
    private final Map<K, Look<V>> kept = new ConcurrentHashMap<>();

    private record Look<V>(Future<V> answer, long begun, AtomicLong ended) {
        private boolean isOld(long now, long least) {
            if (!answer.isComplete()) {
                return false;
            }
            return answer.failed() || now - ended.get() >= Math.max(least, PART * (ended.get() - begun));
        }
    }

    /** @param least so long an answer is everybody's */
    public Looks(Duration least) {
        this(least, System::nanoTime);
    }

    Looks(Duration least, LongSupplier clock) {
        this.nanos = least.toNanos();
        this.clock = clock;
    }

    /** @param look where the last answer is too old; what comes of it is given to all who ask meanwhile */
    public synchronized Future<V> at(K key, Supplier<Future<V>> look) {
        long now = clock.getAsLong();
        kept.values().removeIf(one -> one.isOld(now, nanos));
        var known = kept.get(key);
        if (known != null) {
            return known.answer();
        }
        var ended = new AtomicLong();
        Future<V> answer = look.get().map(told -> {
            ended.set(clock.getAsLong());
            return told;
        });
        kept.put(key, new Look<>(answer, now, ended));
        return answer;
    }

    /** Something is known to have changed: whoever asks next looks. */
    public synchronized void forget() {
        kept.clear();
    }
}
