package io.sluice.jobs.ports;

import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.gang.Place;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.placement.Waiting.Outage;
import io.sluice.jobs.placement.Waiting.Why;
import io.sluice.jobs.protocol.JobSpec;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The ports that nodes have left, as of one moment, and what a job is told that can not have those it asks for. */
public final class Ports {
    private final List<Node> all;
    private final Map<String, Node> nodes;
    private final Map<String, Set<Integer>> taken;
    private final Map<String, String> links;

    public Ports(Inventory inventory, Map<String, Set<Integer>> taken) {
        this(inventory, taken, Map.of());
    }

    /** @param links addresses of devices, as {@link io.sluice.jobs.gang.Links} has them */
    public Ports(Inventory inventory, Map<String, Set<Integer>> taken, Map<String, String> links) {
        this.links = links;
        this.all = inventory.nodes();
        this.nodes = all.stream().collect(Collectors.toMap(Node::name, Function.identity()));
        this.taken = new HashMap<>(taken);
    }

    /** What is missing: {@link Why#PORT}, {@link Why#PORTS} or {@link Why#NEVER_PORTS}. */
    public record Lack(Why why, Outage outage) {
        public Waiting waiting(String job, String cluster) {
            return new Waiting(job, cluster, 0, why, List.of(), List.of(), null, null, List.of(outage));
        }
    }

    /** A job can not have its ports. */
    public static final class Missing extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient JobSpec spec;
        private final transient Lack lack;

        private Missing(JobSpec spec, Lack lack) {
            super(lack.outage().reason(), null, false, false);
            this.spec = spec;
            this.lack = lack;
        }

        public Blocked blocked(long job, Demand demand) {
            return new Blocked(spec, lack.waiting(Long.toString(job), demand.cluster()));
        }
    }

    /** A job that is left out of the passes until there are ports for it: what it can not have is for others. */
    public record Blocked(JobSpec spec, Waiting waiting) {}

    public String address(String node) {
        return node(node).address();
    }

    /** What a task has there that is given these devices. */
    public Place place(String node, List<String> devices) {
        return Place.of(node(node), devices, links);
    }

    /** So many, in a row from the first where that is asked for. */
    public synchronized List<Integer> take(JobSpec spec, String name, JobSpec.Port port) {
        var range = node(name).ports();
        var used = taken.computeIfAbsent(name, node -> new HashSet<>());
        int begin = ThreadLocalRandom.current().nextInt(range.size());
        var found = port.beginAt() > 0
                ? fixed(port).boxed().toList()
                : IntStream.range(0, range.size())
                        .map(step -> range.first() + (begin + step) % range.size())
                        .filter(number -> !used.contains(number))
                        .limit(port.count())
                        .boxed()
                        .toList();
        var twice = found.stream().filter(used::contains).findFirst();
        if (twice.isPresent() || found.size() < port.count()) {
            throw new Missing(
                    spec,
                    never(spec)
                            .orElseGet(() -> twice.map(number -> taken(name, number))
                                    .orElseGet(() -> few(name, port.count(), found.size()))));
        }
        used.addAll(found);
        return found;
    }

    /** Why these machines have not the ports for a job, be it alone or beside the others; empty: they have. */
    public synchronized Optional<Lack> lack(JobSpec spec) {
        return all.isEmpty()
                ? Optional.empty()
                : never(spec).or(() -> fixedLack(spec)).or(() -> countLack(spec));
    }

    private Optional<Lack> never(JobSpec spec) {
        long largest = all.stream().mapToLong(node -> node.ports().size()).max().orElse(0);
        long whole = all.stream().mapToLong(node -> node.ports().size()).sum();
        long needed = needed(spec, largest, whole);
        if (needed > 0) {
            boolean ofOne = spec.roles().stream().anyMatch(role -> each(role) == needed);
            String has = ofOne ? "no machine has more than " + largest : "all machines together have " + whole;
            return Optional.of(new Lack(
                    Why.NEVER_PORTS,
                    new Outage("", Long.toString(needed), "It asks for " + needed + " ports, and " + has + ".")));
        }
        return wanted(spec).entrySet().stream()
                .filter(port -> port.getValue() > all.size())
                .findFirst()
                .map(port -> new Lack(
                        Why.NEVER_PORTS,
                        new Outage(
                                port.getKey().toString(),
                                port.getValue().toString(),
                                "Port " + port.getKey() + " is asked for " + port.getValue()
                                        + " times, and every machine has it once.")));
    }

    /** How many it asks for, where that is more than there are; else 0. */
    private static long needed(JobSpec spec, long largest, long whole) {
        long sum = 0;
        for (JobSpec.Role role : spec.roles()) {
            if (each(role) > largest) {
                return each(role);
            }
            sum += each(role) * role.instances();
        }
        return spec.gang() && sum > whole ? sum : 0;
    }

    private static long each(JobSpec.Role role) {
        return role.ports().stream()
                .filter(port -> port.beginAt() == 0)
                .mapToLong(JobSpec.Port::count)
                .sum();
    }

    private static IntStream fixed(JobSpec.Port port) {
        return port.beginAt() == 0 ? IntStream.empty() : IntStream.range(port.beginAt(), port.beginAt() + port.count());
    }

    /** The ports that it asks for by number, and by how many tasks at once. */
    private static Map<Integer, Integer> wanted(JobSpec spec) {
        Map<Integer, Integer> wanted = new HashMap<>();
        for (JobSpec.Role role : spec.roles()) {
            int tasks = spec.gang() ? role.instances() : 1;
            role.ports().stream().flatMapToInt(Ports::fixed).forEach(port -> wanted.merge(port, tasks, Integer::sum));
        }
        if (!spec.gang()) {
            wanted.replaceAll((port, tasks) -> 1); // its tasks may come one after the other
        }
        return wanted;
    }

    private Optional<Lack> fixedLack(JobSpec spec) {
        for (var port : wanted(spec).entrySet()) {
            var busy = all.stream()
                    .filter(node -> used(node).contains(port.getKey()))
                    .toList();
            if (all.size() - busy.size() < port.getValue()) {
                return Optional.of(taken(busy.getFirst().name(), port.getKey()));
            }
        }
        return Optional.empty();
    }

    private Optional<Lack> countLack(JobSpec spec) {
        var emptiest = all.stream().max(Comparator.comparingLong(this::free));
        long most = emptiest.map(this::free).orElse(0L);
        long whole = all.stream().mapToLong(this::free).sum();
        long needed = needed(spec, most, whole);
        return needed == 0 ? Optional.empty() : emptiest.map(node -> few(node.name(), needed, most));
    }

    private static Lack taken(String node, int port) {
        String reason = "Port " + port + " of " + node
                + ", which it asks for, is another job's. It starts when that one has ended.";
        return new Lack(Why.PORT, new Outage(node, Integer.toString(port), reason));
    }

    private static Lack few(String node, long needed, long free) {
        String reason = "It asks for " + needed + " ports, and " + node + " has " + free
                + " free. It starts when other jobs have given some back.";
        return new Lack(Why.PORTS, new Outage(node, Long.toString(needed), reason));
    }

    private long free(Node node) {
        var range = node.ports();
        long used = used(node).stream()
                .filter(port -> port >= range.first() && port <= range.last())
                .count();
        return range.size() - used;
    }

    private Set<Integer> used(Node node) {
        return taken.getOrDefault(node.name(), Set.of());
    }

    private Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            throw new IllegalStateException("The node " + name + " is gone.");
        }
        return node;
    }
}
