package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.gang.Links;
import io.sluice.jobs.placement.Decisions;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.ports.Ports;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.release.Releases;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The queue in memory, as the gateway that leads follows it, and the passes over it. A pass reads what holds machines, lets {@link
 * Placement} decide, claims, and stores the reasons for waiting that have become others.
 */
final class Queue {
    private static final Logger log = System.getLogger(Queue.class.getName());
    private static final Duration SET = Duration.ofSeconds(10);
    private static final int REASONS_AT_ONCE = 500;
    /** More news than these are a crowd. */
    private static final int FEW = 50;

    private static final long CROWD_NANOS = Duration.ofSeconds(1).toNanos();

    private final QueueStore store;
    private final LifeStore jobs;
    private final TaskStore tasks;
    private final Engine engine;
    private final Releases releases;
    private final Launch launch;
    private final Links links;
    private final Life life;
    private final LifeMetrics metrics;
    private final Runnable seen;
    private final Map<Long, Demand> waiting = new LinkedHashMap<>();
    /** Those of them of which some tasks have their places already. */
    private final Set<Long> partly = new HashSet<>();
    /** Why each job waits as the table has it, without what changes with every pass. */
    private final Map<Long, String> told = new HashMap<>();

    /** Those that the machines have no ports for. */
    private final Map<Long, Ports.Blocked> blocked = new ConcurrentHashMap<>();

    private Instant passed = Instant.now();
    private long passedNanos = System.nanoTime();
    private long crowdTold = System.nanoTime() - CROWD_NANOS;
    private long crowdSeen = crowdTold;
    private long thought;
    private @Nullable String cursor;
    private volatile Map<Long, Waiting> reasons = Map.of();
    private volatile Decisions decisions = Decisions.NONE;

    Queue(
            QueueStore store,
            LifeStore jobs,
            TaskStore tasks,
            Engine engine,
            Releases releases,
            Launch launch,
            Links links,
            Life life,
            LifeMetrics metrics,
            Runnable seen) {
        this.store = store;
        this.jobs = jobs;
        this.tasks = tasks;
        this.engine = engine;
        this.releases = releases;
        this.launch = launch;
        this.links = links;
        this.life = life;
        this.metrics = metrics;
        this.seen = seen;
    }

    /** Why a job waits, as of the last pass. */
    Optional<Waiting> waiting(long job) {
        return Optional.ofNullable(reasons.get(job));
    }

    void forget() {
        cursor = null;
        synchronized (waiting) {
            waiting.clear();
        }
        told.clear();
        partly.clear();
        reasons = Map.of();
    }

    /** Jobs that hold machines. */
    Future<List<Long>> active() {
        return store.active();
    }

    /** Takes in what changed since the last look. */
    void follow() {
        boolean whole = cursor == null;
        var changes = store.changes(cursor).await();
        cursor = changes.cursor();
        synchronized (waiting) {
            if (whole) {
                waiting.clear();
            }
            changes.entries().forEach(this::take);
        }
        for (var entry : changes.entries()) {
            if (entry.active() && entry.leaving()) {
                life.touch(entry.id());
            }
        }
    }

    private void take(QueueStore.Entry entry) {
        Demand demand = entry.demand();
        if (demand == null) {
            waiting.remove(entry.id());
            told.remove(entry.id());
            partly.remove(entry.id());
            return;
        }
        waiting.put(entry.id(), demand);
        if (entry.active()) {
            partly.add(entry.id());
        } else {
            partly.remove(entry.id());
        }
        Waiting reason = entry.waiting();
        if (reason == null) {
            told.remove(entry.id());
        } else {
            told.put(entry.id(), essence(reason));
        }
    }

    void pass(LifeStore.Leadership leads) {
        thought = 0;
        if (waiting.isEmpty()) {
            reasons = Map.of();
            metrics.waiting(0);
            return;
        }
        long began = System.nanoTime();
        var inventory = inventory().await();
        unblock(inventory);
        var snapshot = snapshot(inventory, blocked.keySet()).await();
        long read = System.nanoTime();
        decisions = Placement.pass(snapshot, sinceTheClockWasSet(snapshot.now()));
        long decided = System.nanoTime();
        metrics.passed(Duration.ofNanos(decided - began));
        metrics.waiting(waiting.size());
        claim(leads, inventory);
        preempt(leads);
        long claimed = System.nanoTime();
        List<Waiting> all = new ArrayList<>(decisions.waiting());
        blocked.values().forEach(one -> all.add(one.waiting()));
        reasons = all.stream()
                .collect(Collectors.toUnmodifiableMap(
                        reason -> Long.valueOf(reason.job()), reason -> reason, (one, other) -> one));
        var news = news(all);
        thought = decided - read + System.nanoTime() - claimed;
        tell(news);
    }

    /** The machines, with what may not be given yet. */
    Future<Inventory> inventory() {
        return engine.inventory().compose(releases::of);
    }

    /** Nanoseconds for which the last pass kept a processor busy: without what it waited for. */
    long thought() {
        return thought;
    }

    /** Whoever the ports are there for now takes part again. */
    private void unblock(Inventory inventory) {
        blocked.keySet().retainAll(waiting.keySet());
        if (!blocked.isEmpty()) {
            var ports = new Ports(inventory, store.ports().await());
            blocked.values().removeIf(one -> ports.lack(one.spec()).isEmpty());
        }
    }

    /** Whose turn it is, and since when, does not change when somebody sets the clock. */
    private Decisions sinceTheClockWasSet(Instant now) {
        long nanos = System.nanoTime();
        var jump = Duration.between(passed, now).minusNanos(nanos - passedNanos);
        passed = now;
        passedNanos = nanos;
        return jump.abs().compareTo(SET) < 0 ? decisions : decisions.setBy(jump);
    }

    Future<Snapshot> snapshot() {
        return inventory().compose(inventory -> snapshot(inventory, Set.of()));
    }

    private Future<Snapshot> snapshot(Inventory inventory, Set<Long> without) {
        var now = Instant.now();
        var running = store.running(now);
        var clusters = store.clusters();
        List<Demand> queue;
        synchronized (waiting) {
            queue = waiting.entrySet().stream()
                    .filter(entry -> !without.contains(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .toList();
        }
        return Future.all(running, clusters)
                .map(read -> new Snapshot(
                        now,
                        Snapshot.Rules.USUAL,
                        inventory.nodes().stream().map(Queue::node).toList(),
                        running.result(),
                        clusters.result().stream()
                                .map(QueueStore.Cluster::quota)
                                .toList(),
                        queue));
    }

    /** What would become of a job that came now. */
    Future<Placement.Fit> fit(String user, JobSpec spec) {
        return inventory()
                .compose(inventory -> snapshot(inventory, Set.copyOf(blocked.keySet()))
                        // not on the event loop that the tables' answer comes on: among thousands of jobs it takes its
                        // time
                        .compose(snapshot -> offTheLoop(
                                () -> Placement.wouldFit(snapshot, demand(user, spec, snapshot.now()), decisions)))
                        .compose(fit ->
                                fit.waiting() == null || !fit.waiting().why().isNever()
                                        ? withPorts(fit, spec, inventory)
                                        : Future.succeededFuture(fit)));
    }

    private static Demand demand(String user, JobSpec spec, Instant now) {
        Integer most = spec.maxRunSeconds();
        return new Demand(
                "new",
                user,
                spec.virtualCluster(),
                spec.priorityNumber(),
                now,
                now,
                most == null ? null : Duration.ofSeconds(most),
                spec.preemptible(),
                spec.gang(),
                Launch.demand(spec));
    }

    /** Who waits for machines is told of ports only if no machine will ever have them. */
    private Future<Placement.Fit> withPorts(Placement.Fit fit, JobSpec spec, Inventory inventory) {
        return store.ports()
                .map(taken -> new Ports(inventory, taken)
                        .lack(spec)
                        .filter(lack -> fit.waiting() == null || lack.why().isNever())
                        .map(lack -> new Placement.Fit(List.of(), lack.waiting("new", spec.virtualCluster())))
                        .orElse(fit));
    }

    private static <T> Future<T> offTheLoop(Supplier<T> work) {
        Context context = Vertx.currentContext();
        return context == null ? Future.succeededFuture(work.get()) : context.executeBlocking(work::get, false);
    }

    private static Snapshot.Node node(Node node) {
        return new Snapshot.Node(
                node.name(),
                node.cpus(),
                node.memoryMB(),
                node.devices().stream()
                        .map(device -> new Snapshot.Device(
                                device.id(),
                                device.type(),
                                device.vendor(),
                                device.half(),
                                device.numaNode(),
                                device.fault(),
                                device.checking()))
                        .toList(),
                node.unready());
    }

    private void claim(LifeStore.Leadership leads, Inventory inventory) {
        if (decisions.starts().isEmpty()) {
            return;
        }
        Map<String, Set<Integer>> taken = store.ports().await();
        var ports = new Ports(inventory, taken, links.of(inventory));
        List<Future<Boolean>> claims = new ArrayList<>();
        for (var start : decisions.starts()) {
            long job = Long.parseLong(start.job());
            claims.add(claim(job, start, ports, leads));
        }
        Future.join(claims).otherwiseEmpty().await();
    }

    private Future<Boolean> claim(long job, Decisions.Start start, Ports ports, LifeStore.Leadership leads) {
        Demand demand = waiting.get(job);
        if (demand == null) {
            return Future.succeededFuture(false);
        }
        var lot = new TaskStore.Lot(partly.contains(job) ? demand.roles() : null, Launch.rest(demand, start.places()));
        return launch.placed(job, demand, start, ports)
                .compose(placed -> tasks.claim(job, leads.epoch(), placed, leads.install(), message(start), lot))
                .onSuccess(claimed -> {
                    if (claimed) {
                        life.touch(job);
                    }
                })
                .onFailure(e -> {
                    if (e instanceof Ports.Missing missing) {
                        blocked.put(job, missing.blocked(job, demand));
                        return;
                    }
                    life.lookAgain(job); // it may be claimed all the same: only the answer is known to be lost
                    log.log(
                            Level.WARNING,
                            "job={0} claim=failed cause=\"{1}\"",
                            Long.toString(job),
                            String.valueOf(e.getMessage()));
                });
    }

    private static String message(Decisions.Start start) {
        var nodes =
                start.places().stream().map(Decisions.Place::node).distinct().toList();
        return nodes.size() == 1 ? "Placed on " + nodes.getFirst() : "Placed on " + nodes.size() + " nodes";
    }

    private void preempt(LifeStore.Leadership leads) {
        for (var preempt : decisions.preempts()) {
            long job = Long.parseLong(preempt.job());
            if (jobs.halt(job, leads.epoch(), Exit.PREEMPTED).await()) {
                life.touch(job);
            }
        }
    }

    private List<Waiting> news(List<Waiting> all) {
        if (all.size() > REASONS_AT_ONCE) {
            if (System.nanoTime() - crowdSeen < CROWD_NANOS) {
                return List.of();
            }
            crowdSeen = System.nanoTime();
        }
        return all.stream()
                .filter(reason -> waiting.containsKey(Long.valueOf(reason.job())))
                .filter(reason -> !essence(reason).equals(told.get(Long.valueOf(reason.job()))))
                .limit(REASONS_AT_ONCE)
                .toList();
    }

    /**
     * Stores the reasons that have become others, some at a time: a long queue moves at every start. Those of a crowd wait for a second: many
     * of it will have started, and to store a reason costs the database as much as to take a job in. Who asks here is told the newest anyway.
     */
    private void tell(List<Waiting> news) {
        if (news.size() > FEW) {
            if (System.nanoTime() - crowdTold < CROWD_NANOS) {
                return;
            }
            crowdTold = System.nanoTime();
        }
        if (!news.isEmpty()) {
            store.wait(news).await();
            for (var reason : news) {
                if (reason.why() == Waiting.Why.PORT) {
                    store.note(
                                    Long.parseLong(reason.job()),
                                    "PortTaken",
                                    reason.outages().getFirst().reason())
                            .await();
                }
            }
            seen.run();
            news.forEach(reason -> told.put(Long.valueOf(reason.job()), essence(reason)));
        }
    }

    /** Without position, amounts in use and estimates, which the reader gets fresh from the last pass. */
    private static String essence(Waiting reason) {
        return reason.why()
                + (reason.why() == Waiting.Why.PORT ? reason.outages().toString() : "")
                + reason.shortages().stream()
                        .map(shortage ->
                                shortage.resource() + shortage.type() + shortage.needed() + "/" + shortage.perTask())
                        .collect(Collectors.joining(","));
    }
}
