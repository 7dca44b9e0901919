package io.sluice.jobs;

import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Subscription;
import io.sluice.engines.Task;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An engine whose tasks do what a test says: what can not be had from a real one at will are lost answers, refusals and exact ends. */
public final class ScriptedEngine implements Engine {
    final Map<String, Run> runs = new ConcurrentHashMap<>();
    final Map<String, Task> tasks = new ConcurrentHashMap<>();
    final List<String> starts = new CopyOnWriteArrayList<>();
    final List<String> stops = new CopyOnWriteArrayList<>();
    final List<String> removed = new CopyOnWriteArrayList<>();
    private final List<Consumer<Run>> watchers = new CopyOnWriteArrayList<>();
    private volatile List<Node> nodes;
    volatile boolean silent;
    volatile boolean away;
    /** Asked, it never answers. */
    volatile boolean hangs;
    /** Answers to all stops, once it is given. */
    volatile @Nullable Promise<Void> stopping;
    /** Tasks that are told to stop save their state first, for as long as the test likes. */
    volatile boolean lingers;
    /** The task whose stop fails in the engine itself; null: none does. */
    volatile @Nullable String unstoppable;
    /** Why a start fails in the engine itself; null: it does not. */
    volatile @Nullable Exception fault;

    /** Of a crowd: what each of its tasks is told of all others is more than fits into memory together. */
    volatile boolean forgetful;
    /** What is over stays, as when a gateway is killed before it could say that it may go. */
    volatile boolean keeps;
    /** Whose start fails in the engine itself. */
    volatile Predicate<Task> broken = task -> false;

    volatile Function<Task, Started.@Nullable Refused> refusal = task -> null;

    private final boolean ascend;

    public ScriptedEngine(int nodes, int cpus, int devices) {
        this(nodes, cpus, devices, false);
    }

    /** @param ascend whether the devices are NPUs on boards of eight */
    ScriptedEngine(int nodes, int cpus, int devices, boolean ascend) {
        this.ascend = ascend;
        this.nodes = IntStream.range(0, nodes)
                .mapToObj(number -> new Node(
                        "node" + number,
                        "10.0.0." + (number + 1),
                        cpus,
                        1_000_000,
                        IntStream.range(0, devices)
                                .mapToObj(index -> device(index, null))
                                .toList(),
                        new Node.Ports(20_000, 29_999),
                        true,
                        "",
                        true,
                        "",
                        null))
                .toList();
    }

    private Device device(int index, @Nullable String fault) {
        if (ascend) {
            String half = index / 8 + (index % 8 < 4 ? "a" : "b");
            return new Device("d" + index, "Ascend910B", "ascend", index, null, half, true, fault);
        }
        return new Device("d" + index, "H100", "nvidia", index, null, null, true, fault);
    }

    /** What somebody found out about a device of every node; null: it is well again. */
    void tell(int index, @Nullable String fault) {
        nodes = nodes.stream().map(node -> with(node, index, fault)).toList();
    }

    /** A machine is gone, and what ran there with it. */
    void vanish(String node) {
        nodes = nodes.stream().filter(one -> !one.name().equals(node)).toList();
        runs.keySet().removeIf(run -> task(run).node().equals(node));
    }

    /** When somebody saw last that there is no process on any device. */
    void checked(Instant at) {
        nodes = nodes.stream()
                .map(node -> node.of(node.devices().stream()
                        .map(device -> device.judged(device.fault(), at))
                        .toList()))
                .toList();
    }

    private Node with(Node node, int index, @Nullable String fault) {
        var devices = new ArrayList<>(node.devices());
        devices.set(index, device(index, fault));
        return new Node(
                node.name(),
                node.address(),
                node.cpus(),
                node.memoryMB(),
                devices,
                node.ports(),
                true,
                "",
                true,
                "",
                node.unready());
    }

    @Override
    public String kind() {
        return "scripted";
    }

    @Override
    public Future<Inventory> inventory() {
        return hangs ? never() : Future.succeededFuture(new Inventory(nodes));
    }

    @Override
    public synchronized Future<Started> start(Task task) {
        if (hangs) {
            return never();
        }
        if (away) {
            return Future.failedFuture(new Unavailable("away", null));
        }
        Exception failure = fault;
        if (failure != null || broken.test(task)) {
            return Future.failedFuture(failure != null ? failure : new IOException("can not be started"));
        }
        Started.Refused refused = refusal.apply(task);
        if (refused != null) {
            return Future.succeededFuture(refused);
        }
        Run before = runs.get(task.name());
        if (before != null) {
            return Future.succeededFuture(new Started.Running(before, true));
        }
        var run = new Run(task.name(), task.labels(), Run.State.RUNNING, null, null, false, Instant.now(), null, null);
        starts.add(task.name());
        tasks.put(task.name(), forgetful ? without(task) : task);
        runs.put(task.name(), run);
        return Future.succeededFuture(new Started.Running(run, false));
    }

    private static Task without(Task task) {
        return new Task(
                task.name(),
                task.labels(),
                task.node(),
                task.script(),
                Map.of(),
                task.image(),
                task.cpus(),
                task.memoryMB(),
                task.shmMB(),
                task.devices(),
                task.ports(),
                task.mounts(),
                task.output());
    }

    @Override
    public Future<Void> stop(String name, Duration grace) {
        if (hangs) {
            return never();
        }
        stops.add(name);
        if (name.equals(unstoppable)) {
            return Future.failedFuture(new IOException("can not be stopped"));
        }
        Promise<Void> later = stopping;
        if (later != null) {
            return later.future();
        }
        Run run = runs.get(name);
        if (run != null && !run.isOver() && !lingers) {
            end(name, 143);
        }
        return Future.succeededFuture();
    }

    /** Says of a run what it has said before. */
    void repeat(String name) {
        watchers.forEach(watcher -> watcher.accept(Objects.requireNonNull(runs.get(name))));
    }

    void end(String name, int code) {
        end(name, code, "");
    }

    void end(String name, int code, String output) {
        Run run = runs.computeIfPresent(
                name,
                (key, before) -> new Run(
                        key,
                        before.labels(),
                        Run.State.ENDED,
                        code,
                        code > 128 ? code - 128 : null,
                        false,
                        before.started(),
                        Instant.now(),
                        null));
        try {
            Files.writeString(task(name).output(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!silent && run != null) {
            watchers.forEach(watcher -> watcher.accept(run));
        }
    }

    Task task(String name) {
        return Objects.requireNonNull(tasks.get(name));
    }

    /** The node was restarted, and everything on it is gone. */
    void lose(String name) {
        runs.remove(name);
    }

    /** It is there, and its engine can not see it. */
    void hide(String name, Run.State state) {
        runs.computeIfPresent(
                name,
                (key, run) -> new Run(
                        key, run.labels(), state, null, null, false, run.started(), null, "The node is silent."));
    }

    private static <T> Future<T> never() {
        return Promise.<T>promise().future();
    }

    @Override
    public Future<List<Run>> list() {
        if (hangs) {
            return never();
        }
        return away
                ? Future.failedFuture(new Unavailable("away", null))
                : Future.succeededFuture(new ArrayList<>(runs.values()));
    }

    @Override
    public Subscription watch(Consumer<Run> changed) {
        watchers.add(changed);
        return () -> watchers.remove(changed);
    }

    @Override
    public Future<Void> remove(String name) {
        if (keeps) {
            return Future.failedFuture(new Unavailable("away", null));
        }
        removed.add(name);
        runs.remove(name);
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }
}
