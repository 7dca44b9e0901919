package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Waiting.Shortage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything a decision depends on.
 *
 * @param running what holds machines: also jobs that are being started or stopped, until nothing of them is left
 * @param queue what waits, in any order; a job that runs in part has the tasks it still lacks here
 */
public record Snapshot(
        Instant now, Rules rules, List<Node> nodes, List<Running> running, List<Cluster> clusters, List<Demand> queue) {

    public Snapshot {
        nodes = List.copyOf(nodes);
        running = List.copyOf(running);
        clusters = List.copyOf(clusters);
        queue = List.copyOf(queue);
    }

    Snapshot only(Set<String> jobs) {
        List<Demand> some =
                queue.stream().filter(demand -> jobs.contains(demand.job())).toList();
        return new Snapshot(now, rules, nodes, running, clusters, some);
    }

    Snapshot with(Demand more) {
        List<Demand> longer = new ArrayList<>(queue);
        longer.add(more);
        return new Snapshot(now, rules, nodes, running, clusters, longer);
    }

    /**
     * @param patience so long the job whose turn it is waits before devices are kept empty for it although nobody knows when
     *     the rest becomes free
     * @param longest after so long in the queue it is a job's turn, whatever share its virtual cluster uses
     */
    public record Rules(Duration patience, Duration longest) {
        public static final Rules USUAL = new Rules(Duration.ofMinutes(5), Duration.ofHours(24));
    }

    /**
     * A machine. Of more than {@value #MOST_DEVICES} devices the first ones count.
     *
     * @param unschedulable why nothing may start here, null: it may
     */
    public record Node(
            String name,
            int cpus,
            int memoryMB,
            List<Device> devices,
            @Nullable String unschedulable) {
        public static final int MOST_DEVICES = 64;

        public Node {
            devices = List.copyOf(devices);
        }
    }

    /**
     * @param id unique on its node
     * @param type as {@code H100} or {@code Ascend910B}
     * @param vendor {@code nvidia}, {@code ascend}, {@code amd}, or empty
     * @param half of the board, null: none or not known
     * @param numaNode null: not known
     * @param fault why it can not be used, null: it is well
     * @param checking why it is not given yet although nobody has it, null: it may be
     */
    public record Device(
            String id,
            String type,
            String vendor,
            @Nullable String half,
            @Nullable Integer numaNode,
            @Nullable String fault,
            @Nullable String checking) {

        public Device(
                String id,
                String type,
                String vendor,
                @Nullable String half,
                @Nullable Integer numaNode,
                @Nullable String fault) {
            this(id, type, vendor, half, numaNode, fault, null);
        }
    }

    /**
     * @param expectedEnd when its time is up, null: it may run for ever
     * @param preemptible it may be ended for a job of higher priority
     * @param leaving it has been told to end, and holds its machines only until it has
     */
    public record Running(
            String job,
            String user,
            String cluster,
            int priority,
            Instant since,
            @Nullable Instant expectedEnd,
            boolean preemptible,
            boolean leaving,
            List<Held> tasks) {

        public Running {
            tasks = List.copyOf(tasks);
        }
    }

    /** What one task has. */
    public record Held(String node, int cpus, int memoryMB, List<String> devices) {
        public Held {
            devices = List.copyOf(devices);
        }

        /** Processors of several tasks, begun ones as whole ones. */
        public static long cpus(Collection<Held> tasks) {
            return Tenths.up(
                    tasks.stream().mapToLong(task -> Tenths.needed(task.cpus())).sum());
        }
    }

    /**
     * A virtual cluster. A quota that is null, or has no word on a type, is unlimited.
     *
     * @param devices by type, in any of its names; {@code any} counts all of them together
     * @param stopped it starts nothing
     */
    public record Cluster(
            String name,
            @Nullable Integer cpus,
            @Nullable Integer memoryMB,
            @Nullable Map<String, Integer> devices,
            boolean stopped) {

        public Cluster {
            devices = devices == null ? null : Map.copyOf(devices);
        }
    }

    /**
     * Processors are counted in tenths: a task that asks for none is given the weight of a tenth, and that is what it takes of its machine and
     * of its quota. So there is a limit to how many of them there can be.
     */
    static final class Tenths {
        private static final int EACH = 10;

        private Tenths() {}

        /** Of what a machine or a quota has. */
        static int of(int cpus) {
            return (int) Math.min(Integer.MAX_VALUE, (long) EACH * cpus);
        }

        /** Of what one task takes. */
        static int needed(int cpus) {
            return Math.max(1, of(cpus));
        }

        /** Whole processors in so many. */
        static long down(long tenths) {
            return tenths / EACH;
        }

        /** So many processors are needed for them. */
        static long up(long tenths) {
            return (tenths + EACH - 1) / EACH;
        }

        /** In whole processors, as people are told. */
        static Shortage told(Shortage shortage) {
            return shortage.resource() != Waiting.Resource.CPU
                    ? shortage
                    : new Shortage(
                            shortage.resource(),
                            shortage.type(),
                            up(shortage.needed()),
                            down(shortage.free()),
                            down(shortage.total()),
                            up(shortage.perTask()),
                            down(shortage.freeOnOne()),
                            down(shortage.totalOnOne()));
        }
    }
}
