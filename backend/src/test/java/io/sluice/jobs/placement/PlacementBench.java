package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Demand.Role;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Rules;
import io.sluice.jobs.placement.Snapshot.Running;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * How long a pass takes; {@code ./sluice bench} may run it. One line per figure: what, median, processor time and
 * worst of the repeats in milliseconds, what is allowed, and what the pass did, so that a pass that does nothing can not look fast.
 */
public final class PlacementBench {
    private static final Instant NOW = Instant.parse("2026-03-01T08:00:00Z");
    private static final int NODES = 1_000;
    private static final int DEVICES = 10;
    private static final int JOBS = 10_000;
    private static final int WARM_UP = 20;
    private static final int REPEATS = 31;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final PrintStream out;
    private final int repeats;

    private final String only;

    private PlacementBench(PrintStream out, int repeats, String only) {
        this.out = out;
        this.repeats = repeats;
        this.only = only;
    }

    /** The number of repeats may be given, and a word that the names of the figures have in them. */
    public static void main(String[] arguments) {
        int repeats = arguments.length == 0 ? REPEATS : Integer.parseInt(arguments[0]);
        new PlacementBench(System.out, repeats, arguments.length < 2 ? "" : arguments[1]).run();
    }

    private void run() {
        List<Running> full = running(0);
        measure("10,000 waiting, full cluster, 50 shapes, 8 clusters", 50, snapshot(full, queue(50, 8, true)));
        measure("10,000 waiting, full cluster, all shapes different", 50, snapshot(full, queue(JOBS, 8, true)));
        measure("10,000 waiting, full cluster, 64 clusters", 50, snapshot(full, queue(50, 64, true)));
        measure("10,000 waiting, full cluster, ends not known", 50, snapshot(endless(full), queue(50, 8, true)));
        measure("10,000 waiting, 30 % free, 50 shapes", 50, snapshot(running(30), queue(50, 8, true)));
        measure("10,000 waiting, 30 % free, all shapes different", 50, snapshot(running(30), queue(JOBS, 8, true)));
        measure("10,000 waiting, all start, one device each", 50, snapshot(List.of(), queue(1, 8, false)));
        Snapshot endless = snapshot(endless(full), queue(50, 64, true));
        Decisions overdue = onlyTurns(Placement.pass(endless, Decisions.NONE));
        measure("10,000 waiting, 64 clusters collect", 50, () -> Placement.pass(endless, overdue));
        Snapshot same = snapshot(full, queue(50, 8, true));
        Decisions before = Placement.pass(same, Decisions.NONE);
        measure("10,000 waiting, nothing changed", 5, () -> Placement.pass(copy(same), before));
        measure("would it fit, 10,000 waiting, nothing changed", 50, () -> {
            Placement.wouldFit(copy(same), gang(8), before);
            return before;
        });
        measure("64-node gang, 1,000 nodes and 10,000 devices, empty", 20, snapshot(List.of(), List.of(gang(8))));
        measure("64-node gang, 1,000 nodes, 30 % free", 20, snapshot(running(30), List.of(gang(3))));
        measure("64-node gang, full cluster, reserved", 20, snapshot(full, List.of(gang(8))));
        measure("64-node gang takes from preemptible jobs", 20, snapshot(preemptible(full), List.of(urgent(gang(8)))));
    }

    private void measure(String what, int allowed, Snapshot snapshot) {
        measure(what, allowed, () -> Placement.pass(snapshot, Decisions.NONE));
    }

    private void measure(String what, int allowed, Supplier<Decisions> pass) {
        if (!what.contains(only)) {
            return;
        }
        Decisions decisions = Decisions.NONE;
        for (int repeat = 0; repeat < Math.min(repeats, WARM_UP); repeat++) {
            decisions = pass.get();
        }
        double[] times = new double[repeats];
        double[] busy = new double[repeats];
        for (int repeat = 0; repeat < repeats; repeat++) {
            long from = System.nanoTime();
            long busyFrom = THREADS.getCurrentThreadCpuTime();
            decisions = pass.get();
            busy[repeat] = (THREADS.getCurrentThreadCpuTime() - busyFrom) / 1e6;
            times[repeat] = (System.nanoTime() - from) / 1e6;
        }
        Arrays.sort(times);
        Arrays.sort(busy);
        out.printf(
                Locale.ROOT,
                "%-56s median %7.2f ms (processor %7.2f), worst %7.2f, allowed %d; %d start, %d give way, %d wait%n",
                what,
                times[repeats / 2],
                busy[repeats / 2],
                times[repeats - 1],
                allowed,
                decisions.starts().size(),
                decisions.preempts().size(),
                decisions.waiting().size());
    }

    private static Snapshot snapshot(List<Running> running, List<Demand> queue) {
        List<Node> nodes = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            List<Device> devices = new ArrayList<>();
            for (int device = 0; device < DEVICES; device++) {
                devices.add(new Device("GPU-" + device, "NVIDIA H100 80GB HBM3", "nvidia", null, device / 5, null));
            }
            nodes.add(new Node("node-" + node, 128, 1 << 20, devices, null));
        }
        List<Cluster> clusters = new ArrayList<>();
        for (int cluster = 0; cluster < 64; cluster++) {
            clusters.add(new Cluster("vc" + cluster, null, null, Map.of("H100", 2_000), false));
        }
        return new Snapshot(NOW, new Rules(Duration.ZERO, Duration.ofHours(24)), nodes, running, clusters, queue);
    }

    /** As after a pass over another picture. */
    private static Decisions onlyTurns(Decisions from) {
        return new Decisions(Decisions.NONE.of(), Instant.MIN, List.of(), List.of(), List.of(), from.turns());
    }

    /** Equal, but of other objects, as read from a database. */
    private static Snapshot copy(Snapshot from) {
        return new Snapshot(
                from.now().plusMillis(1),
                from.rules(),
                from.nodes(),
                from.running().stream()
                        .map(one -> new Running(
                                copy(one.job()),
                                copy(one.user()),
                                copy(one.cluster()),
                                one.priority(),
                                one.since(),
                                one.expectedEnd(),
                                one.preemptible(),
                                one.leaving(),
                                one.tasks()))
                        .toList(),
                from.clusters(),
                from.queue().stream()
                        .map(one -> new Demand(
                                copy(one.job()),
                                copy(one.user()),
                                copy(one.cluster()),
                                one.priority(),
                                one.submitted(),
                                one.since(),
                                one.maxRun(),
                                one.preemptible(),
                                one.gang(),
                                one.roles()))
                        .toList());
    }

    private static String copy(String text) {
        return new String(text.toCharArray());
    }

    /** Jobs with one or two devices each, on all nodes but some percent of the devices. */
    private static List<Running> running(int freePercent) {
        Random random = new Random(7);
        List<Running> all = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            for (int device = 0; device < DEVICES; device += 2) {
                if (random.nextInt(100) >= freePercent) {
                    Held held = new Held("node-" + node, 8, 16_384, List.of("GPU-" + device, "GPU-" + (device + 1)));
                    all.add(new Running(
                            "running-" + all.size(),
                            "user" + random.nextInt(50),
                            "vc" + random.nextInt(8),
                            10,
                            NOW.minusSeconds(random.nextInt(10_000)),
                            NOW.plusSeconds(60 + random.nextInt(100_000)),
                            false,
                            false,
                            List.of(held)));
                }
            }
        }
        return all;
    }

    private static List<Running> endless(List<Running> running) {
        return running.stream()
                .map(one -> new Running(
                        one.job(),
                        one.user(),
                        one.cluster(),
                        one.priority(),
                        one.since(),
                        null,
                        false,
                        false,
                        one.tasks()))
                .toList();
    }

    private static List<Running> preemptible(List<Running> running) {
        return running.stream()
                .map(one -> new Running(
                        one.job(), one.user(), one.cluster(), -1, one.since(), null, true, false, one.tasks()))
                .toList();
    }

    private static List<Demand> queue(int shapes, int clusters, boolean large) {
        Random random = new Random(11);
        List<Role> roles = new ArrayList<>();
        for (int shape = 0; shape < shapes; shape++) {
            int instances = large && random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 1;
            int devices = large ? random.nextInt(9) : 1;
            roles.add(new Role(
                    "worker", instances, 1 + random.nextInt(100), 1_024 + shape, devices, large ? null : "h100", 64));
        }
        List<Demand> queue = new ArrayList<>();
        for (int job = 0; job < JOBS; job++) {
            Instant submitted = NOW.minusSeconds(JOBS - job);
            queue.add(new Demand(
                    "job-" + job,
                    "user" + random.nextInt(50),
                    "vc" + random.nextInt(clusters),
                    random.nextInt(3) * 10,
                    submitted,
                    submitted,
                    random.nextBoolean() ? Duration.ofSeconds(60 + random.nextInt(100_000)) : null,
                    false,
                    true,
                    List.of(roles.get(random.nextInt(shapes)))));
        }
        return queue;
    }

    private static Demand gang(int devices) {
        return new Demand(
                "gang",
                "user",
                "vc0",
                10,
                NOW,
                NOW,
                null,
                false,
                true,
                List.of(new Role("worker", 64, 32, 65_536, devices, "H100", 64)));
    }

    private static Demand urgent(Demand demand) {
        return new Demand(
                demand.job(),
                demand.user(),
                demand.cluster(),
                120,
                demand.submitted(),
                demand.since(),
                demand.maxRun(),
                false,
                true,
                demand.roles());
    }
}
