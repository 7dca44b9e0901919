package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Tenths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a job needs, as numbers. Jobs that need the same share one, so that what is found for one is known for all. */
final class Shape {
    static final int NO_TYPE = -1;
    private static final List<int[]> ONE_ROLE = List.of(new int[] {0});
    private static final List<int[]> NO_DEVICES = List.of(new int[] {NO_TYPE});
    /** Of more ways to give concrete types to the names that a job uses, the first ones are tried. */
    private static final int MOST_CHOICES = 64;

    record Key(boolean gang, List<Demand.Role> roles) {
        Key with(int[] instances) {
            List<Demand.Role> rest = new ArrayList<>();
            for (int index = 0; index < instances.length; index++) {
                rest.add(roles.get(index).times(instances[index]));
            }
            return new Key(gang, List.copyOf(rest));
        }
    }

    final int id;
    final boolean gang;
    final int roles;
    final int tasks;
    final int[] instances;
    /** In tenths. */
    final int[] cpus;

    final int[] memory;
    final int[] devices;
    final String[] typeNames;
    /** Roles in the orders in which they are tried: those with most devices first, or most processors, or most memory. */
    final List<int[]> orders;
    /** Each: the type of every role. */
    final List<int[]> choices;

    private final Layout.Types types;

    Shape(int id, boolean gang, List<Demand.Role> list, Layout.Types types) {
        this.id = id;
        this.gang = gang;
        this.types = types;
        roles = list.size();
        instances = list.stream().mapToInt(Demand.Role::instances).toArray();
        cpus = list.stream().mapToInt(role -> Tenths.needed(role.cpus())).toArray();
        memory = list.stream()
                .mapToInt(role -> Math.max(role.memoryMB(), role.shmMB()))
                .toArray();
        devices = list.stream().mapToInt(Demand.Role::devices).toArray();
        typeNames = list.stream().map(Shape::typeName).toArray(String[]::new);
        tasks = IntStream.of(instances).sum();
        orders = roles == 1 ? ONE_ROLE : orders();
        choices = choices();
    }

    private Shape(Shape from, int role) {
        id = -1;
        gang = true;
        types = from.types;
        roles = 1;
        instances = new int[] {1};
        cpus = new int[] {from.cpus[role]};
        memory = new int[] {from.memory[role]};
        devices = new int[] {from.devices[role]};
        typeNames = new String[] {from.typeNames[role]};
        tasks = 1;
        orders = ONE_ROLE;
        choices = choices();
    }

    private static String typeName(Demand.Role role) {
        if (role.devices() == 0) {
            return "";
        }
        return role.deviceType() == null || role.deviceType().isBlank() ? Layout.Types.ANY : role.deviceType();
    }

    private List<int[]> orders() {
        Comparator<Integer> byDevices = Comparator.comparingInt(role -> -devices[role]);
        Comparator<Integer> byCpus = Comparator.comparingInt(role -> -cpus[role]);
        Comparator<Integer> byMemory = Comparator.comparingInt(role -> -memory[role]);
        List<int[]> all = new ArrayList<>();
        all.add(sorted(byDevices.thenComparing(byCpus).thenComparing(byMemory)));
        for (Comparator<Integer> other : List.of(byCpus.thenComparing(byDevices), byMemory.thenComparing(byDevices))) {
            int[] order = sorted(other);
            if (gang && all.stream().noneMatch(one -> Arrays.equals(one, order))) {
                all.add(order);
            }
        }
        return List.copyOf(all);
    }

    private int[] sorted(Comparator<Integer> by) {
        return IntStream.range(0, roles)
                .boxed()
                .sorted(by)
                .mapToInt(role -> role)
                .toArray();
    }

    private List<int[]> choices() {
        if (roles == 1) {
            return devices[0] == 0
                    ? NO_DEVICES
                    : IntStream.of(types.named(typeNames[0]))
                            .mapToObj(type -> new int[] {type})
                            .toList();
        }
        Map<String, int[]> named = new LinkedHashMap<>();
        for (String name : typeNames) {
            if (!name.isEmpty()) {
                named.computeIfAbsent(name, types::named);
            }
        }
        List<Map<String, Integer>> ways = List.of(Map.of());
        for (Map.Entry<String, int[]> name : named.entrySet()) {
            List<Map<String, Integer>> longer = new ArrayList<>();
            for (Map<String, Integer> way : ways) {
                for (int type : name.getValue()) {
                    Map<String, Integer> next = new LinkedHashMap<>(way);
                    next.put(name.getKey(), type);
                    longer.add(next);
                }
            }
            ways = longer.subList(0, Math.min(longer.size(), MOST_CHOICES));
        }
        return ways.stream().map(this::typesOf).toList();
    }

    private int[] typesOf(Map<String, Integer> way) {
        int[] of = new int[roles];
        for (int role = 0; role < roles; role++) {
            of[role] = way.getOrDefault(typeNames[role], NO_TYPE);
        }
        return of;
    }

    /** The same with one task of one role. */
    Shape one(int role) {
        return new Shape(this, role);
    }

    /** Whether a count of devices is one that no board allows. */
    boolean breaksBoard(Layout layout) {
        return choices.stream()
                .anyMatch(choice -> IntStream.range(0, roles)
                        .anyMatch(role -> choice[role] >= 0 && layout.breaksBoard(choice[role], devices[role])));
    }

    long sum(int[] each, String type) {
        long sum = 0;
        for (int role = 0; role < roles; role++) {
            sum += typeNames[role].equals(type) ? (long) instances[role] * each[role] : 0;
        }
        return sum;
    }

    long most(int[] each, String type) {
        long most = 0;
        for (int role = 0; role < roles; role++) {
            most = instances[role] > 0 && typeNames[role].equals(type) ? Math.max(most, each[role]) : most;
        }
        return most;
    }

    /** What counts against a limit, of all tasks. */
    long needs(Quotas.Limit limit, int[] types) {
        long sum = 0;
        for (int role = 0; role < roles; role++) {
            sum += instances[role] * each(limit, types, role);
        }
        return sum;
    }

    /** What counts against a limit, of the largest task. */
    long perTask(Quotas.Limit limit, int[] types) {
        long most = 0;
        for (int role = 0; role < roles; role++) {
            most = instances[role] == 0 ? most : Math.max(most, each(limit, types, role));
        }
        return most;
    }

    /** Whether it is only a sum, what it takes of a quota. */
    boolean isPlain() {
        return choices.size() == 1 && (gang || roles == 1);
    }

    private long each(Quotas.Limit limit, int[] types, int role) {
        return Quotas.amount(limit, cpus[role], memory[role], types[role], devices[role]);
    }
}
