package io.sluice.engines.docker.networks;

import com.github.dockerjava.api.exception.DockerException;
import io.sluice.engines.Engine.Unavailable;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Networks that nobody has: made while no task is being started, held open, and given back. A namespace that a task was in goes to no other; its
 * network does.
 */
final class Ready {

    static final int MOST = 2;

    private static final Logger log = System.getLogger(Ready.class.getName());
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final Subnets subnets;
    private final Holders holders;
    private final BooleanSupplier quiet;
    private final NetworkMetrics metrics;
    private final List<Held> ready = new ArrayList<>();
    /** Those that are being made, or emptied: the names. */
    private final Set<String> between = ConcurrentHashMap.newKeySet();

    private final Set<FutureTask<?>> works = ConcurrentHashMap.newKeySet();
    private boolean preparing;
    private boolean closed;

    /** @param quiet whether no task is being started: what is made ahead must not keep one waiting */
    Ready(Subnets subnets, Holders holders, BooleanSupplier quiet, NetworkMetrics metrics) {
        this.subnets = subnets;
        this.holders = holders;
        this.quiet = quiet;
        this.metrics = metrics;
    }

    /**
     * One that nobody else gets; it may be still on its way.
     *
     * @param alone whether one task will have it: of several each needs a namespace of its own
     */
    synchronized Held take(boolean alone) {
        var fitting = ready.stream()
                .filter(held -> alone == (held.holder() != null))
                .findFirst()
                .or(() -> ready.stream().findFirst());
        if (fitting.isEmpty()) {
            metrics.given("made");
            return subnets.begin();
        }
        var held = fitting.get();
        ready.remove(held);
        metrics.ready(ready);
        metrics.given(alone && held.holder() != null ? "held" : "ready");
        var holder = held.holder();
        if (alone || holder == null) {
            return held;
        }
        remove(holder.id());
        return held.withoutHolder();
    }

    /** Takes away what holds a network open. */
    void remove(String holder) {
        apart(() -> holders.remove(holder));
    }

    synchronized boolean keep(Held held) {
        boolean keeps = !closed && !held.failed() && ready.size() < MOST;
        if (keeps) {
            ready.add(held);
        }
        metrics.ready(ready);
        return keeps;
    }

    /** Nobody has it any more. */
    void giveBack(Held held) {
        var holder = held.holder();
        var bare = held.withoutHolder();
        if (holder == null && keep(bare)) {
            return;
        }
        between.add(held.name());
        apart(() -> {
            try {
                if (holder != null) {
                    holders.remove(holder.id());
                }
                if (holder == null || !keep(bare)) {
                    subnets.remove(held.name());
                }
            } finally {
                between.remove(held.name());
            }
            prepare();
        });
    }

    /** Takes these away, with what holds them. */
    void discard(List<Held> all) {
        for (var held : all) {
            between.add(held.name());
            apart(() -> {
                try {
                    discard(held);
                } finally {
                    between.remove(held.name());
                }
            });
        }
    }

    private void discard(Held held) {
        var holder = held.holder();
        if (holder != null) {
            holders.remove(holder.id());
        }
        subnets.remove(held.name());
    }

    /** Has some ready for the next that come, soon: whoever looks after the engine is not kept by this. */
    void prepare() {
        if (!quiet.getAsBoolean()) {
            return;
        }
        synchronized (this) {
            if (closed || preparing) {
                return;
            }
            preparing = true;
        }
        apart(() -> {
            try {
                while (step()) {
                    log.log(Level.TRACE, "network=ready");
                }
            } finally {
                synchronized (this) {
                    preparing = false;
                }
            }
        });
    }

    /** One piece of what is lacking; false when nothing is. */
    private boolean step() {
        if (!quiet.getAsBoolean()) {
            return false;
        }
        boolean holds = holders.may();
        Held bare;
        synchronized (this) {
            boolean lacks = ready.size() < (holds ? MOST : 1);
            bare = ready.stream()
                    .filter(held -> holds && held.holder() == null)
                    .findFirst()
                    .orElse(null);
            if (closed || (bare == null && !lacks)) {
                return false;
            }
        }
        return bare == null ? makeOne() : holdOpen(bare);
    }

    private boolean makeOne() {
        var next = subnets.begin();
        between.add(next.name());
        try {
            next.await();
            if (!keep(next)) {
                subnets.remove(next.name());
            }
        } finally {
            between.remove(next.name());
        }
        return true;
    }

    private boolean holdOpen(Held bare) {
        var made = holders.make(bare.name()).orElse(null);
        if (made == null) {
            discard(without(List.of(bare))); // whatever is wrong with it
            return true;
        }
        synchronized (this) {
            if (!closed && ready.remove(bare)) {
                ready.add(bare.with(made));
                metrics.ready(ready);
                return true;
            }
        }
        holders.remove(made.id()); // somebody was faster
        return true;
    }

    synchronized List<Held> all() {
        return List.copyOf(ready);
    }

    /** Those of these that nobody has taken meanwhile are nobody's from now on. */
    synchronized List<Held> without(List<Held> some) {
        var out = some.stream().filter(ready::remove).toList();
        metrics.ready(ready);
        return out;
    }

    synchronized boolean has(String name) {
        return between.contains(name)
                || ready.stream().anyMatch(held -> held.name().equals(name));
    }

    /** Those that are ready are of no use to anybody else. What comes later than the limit is left to the next gateway. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        long end = System.nanoTime() + CLOSING.toNanos();
        // who is being held open can not be taken away before
        await(end);
        discard(without(all()));
        await(end);
    }

    private void await(long end) {
        for (var work : List.copyOf(works)) {
            try {
                work.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                log.log(Level.DEBUG, "networks=left cause=\"{0}\"", e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void apart(Runnable work) {
        var task = new FutureTask<@Nullable Void>(
                () -> {
                    try {
                        work.run();
                    } catch (DockerException | Unavailable e) {
                        log.log(Level.DEBUG, "network=later cause=\"{0}\"", e.getMessage());
                    } catch (RuntimeException e) {
                        log.log(Level.WARNING, "network=later cause=\"{0}\"", e.toString());
                    }
                },
                null);
        works.add(task);
        Thread.ofVirtual().name("sluice-docker-network-ready").start(() -> {
            task.run();
            works.remove(task);
        });
    }
}
