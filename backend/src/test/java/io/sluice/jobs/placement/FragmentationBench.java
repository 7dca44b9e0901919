package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Demand.Role;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Rules;
import io.sluice.jobs.placement.Snapshot.Running;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * How much of what is free is of no use to the next job, over 10,000 random jobs that come and go on boards of two halves:
 * by {@link Placement}, by first fit, by best fit (the node with least left), and by moving everything together, which no
 * scheduler may do and none can beat. {@code ./sluice bench} may run it.
 */
public final class FragmentationBench {
    static final int NODES = 64;
    private static final int[] SIZES = {1, 1, 1, 1, 2, 2, 2, 4, 4, 8};
    private static final double LOAD = 0.85;

    enum Way {
        OURS,
        FIRST_FIT,
        BEST_FIT,
        PACKED
    }

    private record Job(int number, int size, long end, int node, int mask) {}

    /** Of the free devices the part, in percent, that no job of the usual sizes could use; and jobs that found no place. */
    public record Result(double fragmentation, int refused) {}

    private final Way way;
    private final String type;
    private final Random random;
    private final int[] free = new int[NODES];
    private final PriorityQueue<Job> jobs = new PriorityQueue<>(Comparator.comparingLong(Job::end));

    private FragmentationBench(Way way, String type, long seed) {
        this.way = way;
        this.type = type;
        random = new Random(seed);
        Arrays.fill(free, 0xff);
    }

    public static void main(String[] arguments) {
        int count = arguments.length == 0 ? 10_000 : Integer.parseInt(arguments[0]);
        print(System.out, count);
    }

    private static void print(PrintStream out, int count) {
        for (String type : List.of("Ascend910B", "H100")) {
            for (Way way : Way.values()) {
                Result result = simulate(way, type, count, 1);
                out.printf(
                        Locale.ROOT,
                        "%-10s %-9s fragmentation %5.2f %% of the free devices, %d of %d jobs refused%n",
                        type,
                        way,
                        result.fragmentation,
                        result.refused,
                        count);
            }
        }
    }

    /** The same jobs for every way; one that finds no place is gone. */
    public static Result simulate(Way way, String type, int count, long seed) {
        return new FragmentationBench(way, type, seed).run(count);
    }

    private Result run(int count) {
        double perJob = 0;
        for (int size : SIZES) {
            perJob += (double) size / SIZES.length;
        }
        int longest = (int) (2 * NODES * 8 * LOAD / perJob);
        double sum = 0;
        int measured = 0;
        int refused = 0;
        for (int number = 0; number < count; number++) {
            leave(number);
            int size = SIZES[random.nextInt(SIZES.length)];
            long end = number + 1L + random.nextInt(longest);
            refused += place(number, size, end) ? 0 : 1;
            if (number > count / 5) {
                sum += useless();
                measured++;
            }
        }
        return new Result(100 * sum / measured, refused);
    }

    private void leave(long now) {
        boolean left = false;
        while (!jobs.isEmpty() && jobs.peek().end <= now) {
            Job job = jobs.remove();
            free[job.node] |= job.mask;
            left = true;
        }
        if (left && way == Way.PACKED) {
            pack();
        }
    }

    /** Halves and nodes filled one after the other, the large jobs first: no board is open that need not be. */
    private void pack() {
        List<Job> all = new ArrayList<>(jobs);
        all.sort(Comparator.comparingInt(job -> -job.size));
        jobs.clear();
        Arrays.fill(free, 0xff);
        all.forEach(job -> add(job.number, job.size, job.end, tightest(job.size)));
    }

    private boolean place(int number, int size, long end) {
        int node = switch (way) {
            case OURS -> -1;
            case FIRST_FIT -> first(size);
            case BEST_FIT, PACKED -> tightest(size);
        };
        return way == Way.OURS ? ours(number, size, end) : add(number, size, end, node);
    }

    private boolean add(int number, int size, long end, int node) {
        if (node < 0) {
            return false;
        }
        int mask = pick(free[node], size);
        free[node] &= ~mask;
        jobs.add(new Job(number, size, end, node, mask));
        return true;
    }

    private int first(int size) {
        for (int node = 0; node < NODES; node++) {
            if (fits(free[node], size)) {
                return node;
            }
        }
        return -1;
    }

    private int tightest(int size) {
        int best = -1;
        for (int node = 0; node < NODES; node++) {
            if (fits(free[node], size) && (best < 0 || Integer.bitCount(free[node]) < Integer.bitCount(free[best]))) {
                best = node;
            }
        }
        return best;
    }

    private boolean fits(int mask, int size) {
        return (type.startsWith("Ascend") && size < 8)
                ? Integer.bitCount(mask & 0x0f) >= size || Integer.bitCount(mask & 0xf0) >= size
                : Integer.bitCount(mask) >= size;
    }

    /** The half with least left that is enough, as any sensible driver would. */
    private static int pick(int mask, int size) {
        int low = Integer.bitCount(mask & 0x0f);
        int high = Integer.bitCount(mask & 0xf0);
        int from = mask;
        if (low >= size || high >= size) {
            from = mask & (high < size || (low >= size && low <= high) ? 0x0f : 0xf0);
        }
        while (Integer.bitCount(from) > size) {
            from &= ~Integer.highestOneBit(from);
        }
        return from;
    }

    private boolean ours(int number, int size, long end) {
        Decisions decisions = Placement.pass(snapshot(number, size), Decisions.NONE);
        if (decisions.starts().isEmpty()) {
            return false;
        }
        Decisions.Place place = decisions.starts().getFirst().places().getFirst();
        int node = Integer.parseInt(place.node());
        int mask = place.devices().stream()
                .mapToInt(id -> 1 << Integer.parseInt(id))
                .sum();
        free[node] &= ~mask;
        jobs.add(new Job(number, size, end, node, mask));
        return true;
    }

    private Snapshot snapshot(int number, int size) {
        List<Running> running = jobs.stream()
                .map(job -> new Running(
                        "job" + job.number, "user", "vc", 10, Instant.EPOCH, null, false, false, List.of(held(job))))
                .toList();
        Demand demand = new Demand(
                "job" + number,
                "user",
                "vc",
                10,
                Instant.EPOCH,
                Instant.EPOCH,
                null,
                false,
                true,
                List.of(new Role("task", 1, 1, 1024, size, type, 0)));
        return new Snapshot(
                Instant.EPOCH,
                new Rules(Duration.ofDays(1), Duration.ofDays(1)),
                nodes(),
                running,
                List.of(new Cluster("vc", null, null, null, false)),
                List.of(demand));
    }

    private static Held held(Job job) {
        return new Held(Integer.toString(job.node), 1, 1024, ids(job.mask));
    }

    private static List<String> ids(int mask) {
        List<String> ids = new ArrayList<>();
        for (int bit = 0; bit < 8; bit++) {
            if ((mask >> bit & 1) == 1) {
                ids.add(Integer.toString(bit));
            }
        }
        return ids;
    }

    private @Nullable List<Node> nodes;

    private List<Node> nodes() {
        if (nodes == null) {
            List<Node> all = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                List<Device> devices = new ArrayList<>();
                for (int device = 0; device < 8; device++) {
                    boolean ascend = type.startsWith("Ascend");
                    devices.add(new Device(
                            Integer.toString(device),
                            type,
                            ascend ? "ascend" : "nvidia",
                            ascend ? "half" + device / 4 : null,
                            ascend ? null : device / 4,
                            null));
                }
                all.add(new Node(Integer.toString(node), 64, 1 << 20, devices, null));
            }
            nodes = List.copyOf(all);
        }
        return nodes;
    }

    /** The free devices, by the sizes that are asked for, that are where that size does not fit. */
    private double useless() {
        int total = 0;
        double lost = 0;
        for (int mask : free) {
            total += Integer.bitCount(mask);
            for (int size : SIZES) {
                lost += (double) (Integer.bitCount(mask) - usable(mask, size)) / SIZES.length;
            }
        }
        return total == 0 ? 0 : lost / total;
    }

    private int usable(int mask, int size) {
        boolean halves = type.startsWith("Ascend") && size < 8;
        int low = Integer.bitCount(mask & 0x0f);
        int high = Integer.bitCount(mask & 0xf0);
        return halves ? low / size * size + high / size * size : (low + high) / size * size;
    }
}
