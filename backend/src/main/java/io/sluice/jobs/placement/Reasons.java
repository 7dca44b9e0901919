package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Pass.Entry;
import io.sluice.jobs.placement.Pass.Line;
import io.sluice.jobs.placement.Snapshot.Tenths;
import io.sluice.jobs.placement.Tenant.Claim;
import io.sluice.jobs.placement.Tenant.Stay;
import io.sluice.jobs.placement.Waiting.Holder;
import io.sluice.jobs.placement.Waiting.Outage;
import io.sluice.jobs.placement.Waiting.Resource;
import io.sluice.jobs.placement.Waiting.Shortage;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Says why jobs wait. What is found for one job is kept for all that need the same. */
final class Reasons {
    private static final int MOST_OUTAGES = 20;

    /** Jobs that need the same in the same virtual cluster. */
    private record Need(int shape, Line line) {}

    private record Barred(Why why, Need need) {}

    private final Layout layout;
    private final Room ideal;
    private final Room empty;
    private final Quotas nobody;
    private final Map<Integer, Optional<Why>> never = new HashMap<>();
    private final Map<Need, Boolean> quotaNever = new HashMap<>();

    Reasons(Layout layout) {
        this.layout = layout;
        ideal = Room.empty(layout, true);
        empty = Room.empty(layout, false);
        nobody = Quotas.unlimited("", layout);
    }

    /** Why the job can not start before something else changes than the other jobs; null: it can. */
    @Nullable
    Why barred(Shape shape, Line line) {
        if (!line.known) {
            return Why.CLUSTER_UNKNOWN;
        }
        Optional<Why> machines = never.computeIfAbsent(shape.id, id -> Optional.ofNullable(onMachines(shape)));
        if (machines.isPresent() && machines.get().isNever()) {
            return machines.get();
        }
        if (quotaNever.computeIfAbsent(new Need(shape.id, line), key -> overQuota(shape, line))) {
            return Why.NEVER_IN_QUOTA;
        }
        return line.quotas.stopped ? Why.CLUSTER_STOPPED : machines.orElse(null);
    }

    private @Nullable Why onMachines(Shape shape) {
        if (fitsAlone(shape, empty, nobody)) {
            return null;
        }
        if (fitsAlone(shape, ideal, nobody)) {
            return Why.OUT_OF_SERVICE;
        }
        return shape.breaksBoard(layout) ? Why.NEVER_ON_BOARD : Why.NEVER;
    }

    private boolean overQuota(Shape shape, Line line) {
        return shape.isPlain() ? !line.quotas.allows(shape, true) : !fitsAlone(shape, ideal, line.quotas.emptied());
    }

    /** A gang as a whole, of others one task of every role. */
    private static boolean fitsAlone(Shape shape, Room room, Quotas quotas) {
        if (shape.gang) {
            return Packing.fits(room, shape, quotas);
        }
        for (int role = 0; role < shape.roles; role++) {
            if (shape.instances[role] > 0 && !Packing.fits(room, shape.one(role), quotas)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the quota alone would let it start. */
    boolean hasQuota(Entry entry) {
        return entry.shape.isPlain()
                ? entry.line.quotas.allows(entry.shape, false)
                : Packing.fits(ideal, entry.shape, entry.line.quotas.copy());
    }

    List<Waiting> waiting(Pass pass) {
        List<Waiting> all = new ArrayList<>();
        Report report = new Report(pass);
        for (Line line : pass.lines) {
            int position = 0;
            for (Entry entry : line.entries) {
                if (!entry.isDone()) {
                    boolean never = entry.barred != null && entry.barred.isNever();
                    all.add(report.of(entry, never ? 0 : ++position));
                }
            }
        }
        return all;
    }

    private record Lack(Why why, List<Shortage> shortages, List<Holder> holders, List<Outage> outages) {}

    private static final Lack RESERVED = new Lack(Why.RESERVED, List.of(), List.of(), List.of());

    /** What there is of something on the nodes that have a type of device. */
    private record Stock(long free, long total, long freeOnOne, long totalOnOne) {}

    /** The state of things at the end of a pass. */
    private final class Report {
        private final Machines machines;
        private final Map<Object, Lack> lacks = new HashMap<>();
        private final Map<Object, Stock> stocks = new HashMap<>();
        private final Map<Object, List<Holder>> holders = new HashMap<>();
        private final Map<String, List<Outage>> outages = new HashMap<>();
        private final Map<Integer, Boolean> fitsFree = new HashMap<>();
        private final Map<Need, Boolean> inQuota = new HashMap<>();

        Report(Pass pass) {
            machines = pass.machines;
        }

        Waiting of(Entry entry, int position) {
            Claim claim = entry.claim;
            long expected = claim == null ? entry.expected : claim.start();
            Instant start = expected == Machines.NEVER ? null : Instant.ofEpochMilli(expected);
            String behind = behind(entry);
            Lack lack = lack(entry);
            if (lack.why == Why.RESERVED && behind == null) {
                behind = keeper(entry);
            }
            return new Waiting(
                    entry.demand.job(),
                    entry.demand.cluster(),
                    position,
                    lack.why,
                    lack.shortages,
                    lack.holders,
                    lack.why.isNever() ? null : behind,
                    start,
                    lack.outages);
        }

        private @Nullable String behind(Entry entry) {
            Entry head = entry.line.head;
            return head == null || head == entry || entry.barred != null ? null : head.demand.job();
        }

        /** Whose claim is in the way. */
        private @Nullable String keeper(Entry entry) {
            long binding = machines.binding(entry.demand.priority(), machines.endOf(entry.demand));
            return binding == 0
                    ? null
                    : machines.claims
                            .get(Long.numberOfTrailingZeros(binding))
                            .demand()
                            .job();
        }

        private Lack lack(Entry entry) {
            Claim claim = entry.claim;
            if (entry.barred != null) {
                return lacks.computeIfAbsent(
                        new Barred(entry.barred, new Need(entry.shape.id, entry.line)),
                        key -> barred(entry, entry.barred));
            }
            if (machines.isMakingRoom(claim)) {
                Lack machine = machine(entry);
                return new Lack(Why.MAKING_ROOM, machine.shortages, machine.holders, machine.outages);
            }
            Need key = new Need(entry.shape.id, entry.line);
            if (!inQuota.computeIfAbsent(key, any -> hasQuota(entry))) {
                return lacks.computeIfAbsent(new Barred(Why.QUOTA, key), any -> quota(entry, Why.QUOTA));
            }
            return machine(entry);
        }

        private Lack machine(Entry entry) {
            Shape shape = entry.shape;
            if (!fitsFree.computeIfAbsent(shape.id, id -> Packing.fits(machines.free, shape, nobody))) {
                return lacks.computeIfAbsent(shape.id, id -> shortOf(shape));
            }
            return shape.isPlain() || Packing.fits(machines.free, shape, entry.line.quotas.copy())
                    ? RESERVED
                    : quota(entry, Why.QUOTA);
        }

        private Lack barred(Entry entry, Why why) {
            return switch (why) {
                case NEVER_IN_QUOTA -> quota(entry, why);
                case NEVER, NEVER_ON_BOARD -> new Lack(why, never(entry.shape), List.of(), List.of());
                case OUT_OF_SERVICE -> {
                    Lack lack = shortOf(entry.shape);
                    yield new Lack(why, lack.shortages, List.of(), lack.outages);
                }
                case CLUSTER_UNKNOWN,
                        CLUSTER_STOPPED,
                        QUOTA,
                        MACHINES,
                        SCATTERED,
                        RESERVED,
                        PORT,
                        PORTS,
                        NEVER_PORTS,
                        IMAGE,
                        DATA,
                        START,
                        MAKING_ROOM -> new Lack(why, List.of(), List.of(), List.of());
            };
        }

        private Lack quota(Entry entry, Why why) {
            List<Shortage> shortages = entry.shape.choices.stream()
                    .map(types -> quota(entry.shape, types, entry.line.quotas, why))
                    .filter(some -> !some.isEmpty())
                    .findFirst()
                    .orElse(List.of());
            List<Holder> who = shortages.isEmpty() ? List.of() : holders(shortages.getFirst(), entry.line.quotas.name);
            return new Lack(why, shortages, who, List.of());
        }

        private List<Shortage> quota(Shape shape, int[] types, Quotas quotas, Why why) {
            List<Shortage> shortages = new ArrayList<>();
            for (int index = 0; index < quotas.limits.size(); index++) {
                Quotas.Limit limit = quotas.limits.get(index);
                long each = shape.perTask(limit, types);
                long needed = shape.gang ? shape.needs(limit, types) : each;
                long free = Math.max(0, limit.most() - quotas.used(index));
                if (needed > (why == Why.QUOTA ? free : limit.most())) {
                    shortages.add(Tenths.told(new Shortage(
                            limit.resource(), limit.type(), needed, free, limit.most(), each, free, limit.most())));
                }
            }
            return shortages;
        }

        private List<Shortage> never(Shape shape) {
            List<Shortage> all = shortages(shape);
            List<Shortage> hard = all.stream()
                    .filter(one -> one.totalOnOne() < one.perTask() || one.total() < one.needed())
                    .toList();
            return hard.isEmpty() ? all.subList(0, Math.min(1, all.size())) : hard;
        }

        private Lack shortOf(Shape shape) {
            List<Shortage> all = shortages(shape);
            List<Shortage> lacking =
                    all.stream().filter(one -> one.free() < one.needed()).toList();
            if (!shape.gang) {
                lacking = all.stream().filter(one -> one.free() < one.perTask()).toList();
            }
            Why why = lacking.isEmpty() ? Why.SCATTERED : Why.MACHINES;
            if (lacking.isEmpty()) {
                lacking = all.stream()
                        .filter(one -> one.freeOnOne() < one.perTask())
                        .toList();
            }
            if (lacking.isEmpty()) {
                lacking = all.subList(0, Math.min(1, all.size()));
            }
            List<Holder> who = lacking.isEmpty() ? List.of() : holders(lacking.getFirst(), null);
            List<Outage> out = new ArrayList<>();
            for (String type : new LinkedHashSet<>(List.of(shape.typeNames))) {
                out.addAll(outages.computeIfAbsent(type, name -> layout.outages(name, MOST_OUTAGES)));
            }
            return new Lack(why, lacking, who, out.subList(0, Math.min(MOST_OUTAGES, out.size())));
        }

        /** Of everything that the job needs, devices first. */
        private List<Shortage> shortages(Shape shape) {
            List<Shortage> all = new ArrayList<>();
            for (Resource resource : List.of(Resource.DEVICE, Resource.CPU, Resource.MEMORY_MB)) {
                int[] each = switch (resource) {
                    case DEVICE -> shape.devices;
                    case CPU -> shape.cpus;
                    case MEMORY_MB -> shape.memory;
                };
                var types = new LinkedHashSet<>(List.of(shape.typeNames));
                if (resource != Resource.DEVICE && types.size() > 1) {
                    all.add(together(resource, shape, each, types));
                }
                for (String type : types) {
                    long needed = shape.sum(each, type);
                    if (needed > 0) {
                        Stock stock = stocks.computeIfAbsent(List.of(resource, type), key -> stock(resource, type));
                        all.add(Tenths.told(new Shortage(
                                resource,
                                type,
                                needed,
                                stock.free,
                                stock.total,
                                shape.most(each, type),
                                stock.freeOnOne,
                                stock.totalOnOne)));
                    }
                }
            }
            return all;
        }

        /** What roles with devices and roles without need of the same machines. */
        private Shortage together(Resource resource, Shape shape, int[] each, Collection<String> types) {
            Stock stock = stocks.computeIfAbsent(List.of(resource, ""), key -> stock(resource, ""));
            return Tenths.told(new Shortage(
                    resource,
                    "",
                    types.stream().mapToLong(type -> shape.sum(each, type)).sum(),
                    stock.free,
                    stock.total,
                    types.stream()
                            .mapToLong(type -> shape.most(each, type))
                            .max()
                            .orElse(0),
                    stock.freeOnOne,
                    stock.totalOnOne));
        }

        private Stock stock(Resource resource, String type) {
            int[] types = type.isEmpty() ? new int[0] : layout.types.named(type);
            long free = 0;
            long total = 0;
            long freeOnOne = 0;
            long totalOnOne = 0;
            for (int node = 0; node < layout.size; node++) {
                long mask = layout.mask(node, types);
                if (type.isEmpty() || mask != 0) {
                    long has = switch (resource) {
                        case DEVICE -> Long.bitCount(mask);
                        case CPU -> layout.cpus[node];
                        case MEMORY_MB -> layout.memory[node];
                    };
                    long left = !layout.open[node]
                            ? 0
                            : switch (resource) {
                                case DEVICE -> Long.bitCount(mask & machines.free.devices[node]);
                                case CPU -> Math.max(0, machines.free.cpus[node]);
                                case MEMORY_MB -> Math.max(0, machines.free.memory[node]);
                            };
                    free += left;
                    total += has;
                    boolean device = resource == Resource.DEVICE;
                    long open = layout.open[node] ? machines.free.devices[node] : 0;
                    freeOnOne = Math.max(freeOnOne, device ? layout.together(node, types, open) : left);
                    totalOnOne = Math.max(totalOnOne, device ? layout.together(node, types, mask) : has);
                }
            }
            return new Stock(free, total, freeOnOne, totalOnOne);
        }

        private List<Holder> holders(Shortage shortage, @Nullable String cluster) {
            return holders.computeIfAbsent(
                    List.of(shortage.resource(), shortage.type(), Optional.ofNullable(cluster)),
                    key -> holders(shortage.resource(), shortage.type(), cluster));
        }

        private List<Holder> holders(Resource resource, String type, @Nullable String cluster) {
            int[] types = type.isEmpty() ? new int[0] : layout.types.named(type);
            ToLongFunction<Stay> part = stay -> switch (resource) {
                case DEVICE -> stay.node() < 0 ? 0 : Long.bitCount(stay.mask() & layout.mask(stay.node(), types));
                case CPU -> stay.cpus();
                case MEMORY_MB -> stay.memory();
            };
            Map<String, Holder> all = new HashMap<>();
            for (Tenant tenant : machines.tenants) {
                long has = cluster == null || tenant.job.cluster().equals(cluster)
                        ? tenant.stays.stream().mapToLong(part).sum()
                        : 0;
                if (has > 0) {
                    long amount = resource == Resource.CPU ? Tenths.up(has) : has;
                    Holder holder = new Holder(tenant.job.job(), tenant.job.user(), amount, tenant.job.expectedEnd());
                    all.merge(holder.job(), holder, Holder::and);
                }
            }
            return all.values().stream()
                    .sorted(Comparator.<Holder>comparingLong(holder -> -holder.amount())
                            .thenComparing(Holder::job))
                    .limit(Waiting.MOST_HOLDERS)
                    .toList();
        }
    }
}
