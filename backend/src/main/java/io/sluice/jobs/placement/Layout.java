package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Tenths;
import io.sluice.jobs.placement.Waiting.Outage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The machines as numbers: nodes by their place in the list, the devices of a node as bits of one word. Never changes. */
final class Layout {
    /** Ascend boards whose halves nobody has told: four and four, as they are numbered. */
    private static final int HALF_BOARD = 4;

    final List<Node> nodes;
    final int size;
    /** In tenths. */
    final int[] cpus;

    final int[] memory;
    /** May anything start there. */
    final boolean[] open;
    /** Devices without a fault. */
    final long[] well;
    /** Of those the ones that are looked at before they are given again. */
    final long[] checking;
    /** [node][type]. */
    final long[][] devices;
    /** [node]: devices of one type on the same half of a board, or else the same NUMA node. */
    final long[][] groups;

    final Types types = new Types();
    final boolean[] board;
    private final Map<String, Integer> byName = new HashMap<>();

    Layout(List<Node> nodes) {
        this.nodes = nodes;
        size = nodes.size();
        cpus = new int[size];
        memory = new int[size];
        open = new boolean[size];
        well = new long[size];
        checking = new long[size];
        devices = new long[size][];
        groups = new long[size][];
        int[][] typeOf = new int[size][];
        for (int node = 0; node < size; node++) {
            typeOf[node] = read(node, nodes.get(node));
        }
        board = new boolean[types.count()];
        for (int type = 0; type < board.length; type++) {
            board[type] = types.onBoard(type);
        }
        for (int node = 0; node < size; node++) {
            devices[node] = byType(typeOf[node]);
            groups[node] = groups(nodes.get(node).devices(), typeOf[node]);
        }
    }

    /** Whether that many would be there, if only the boards allowed it. */
    boolean breaksBoard(int type, int count) {
        return board[type]
                && !Room.allows(count)
                && Arrays.stream(devices).anyMatch(masks -> Long.bitCount(masks[type]) >= count);
    }

    private int[] read(int node, Node from) {
        byName.put(from.name(), node);
        cpus[node] = Tenths.of(from.cpus());
        memory[node] = from.memoryMB();
        open[node] = from.unschedulable() == null;
        int[] typeOf = new int[Math.min(from.devices().size(), Node.MOST_DEVICES)];
        Device last = null;
        for (int bit = 0; bit < typeOf.length; bit++) {
            Device device = from.devices().get(bit);
            well[node] |= device.fault() == null ? 1L << bit : 0;
            checking[node] |= device.fault() == null && device.checking() != null ? 1L << bit : 0;
            boolean alike = last != null
                    && device.type().equals(last.type())
                    && device.vendor().equals(last.vendor());
            typeOf[bit] = alike ? typeOf[bit - 1] : types.id(device.type(), device.vendor());
            last = device;
        }
        return typeOf;
    }

    private long[] byType(int[] typeOf) {
        long[] masks = new long[types.count()];
        for (int bit = 0; bit < typeOf.length; bit++) {
            masks[typeOf[bit]] |= 1L << bit;
        }
        return masks;
    }

    private long[] groups(List<Device> list, int[] typeOf) {
        List<Object> keys = new ArrayList<>();
        long[] masks = new long[typeOf.length];
        int[] ofType = new int[types.count()];
        for (int bit = 0; bit < typeOf.length; bit++) {
            int type = typeOf[bit];
            Object key = new Place(type, side(list.get(bit), board[type], ofType[type]++));
            int group = keys.indexOf(key);
            if (group < 0) {
                group = keys.size();
                keys.add(key);
            }
            masks[group] |= 1L << bit;
        }
        return Arrays.copyOf(masks, keys.size());
    }

    private static Object side(Device device, boolean board, int place) {
        if (device.half() != null) {
            return device.half();
        }
        return board ? place / HALF_BOARD : Objects.requireNonNullElse(device.numaNode(), -1);
    }

    private record Place(int type, Object side) {}

    /** -1: no such node. */
    int node(String name) {
        return byName.getOrDefault(name, -1);
    }

    /** The bits of those of these devices that the node has. */
    long mask(int node, List<String> ids) {
        List<Device> list = nodes.get(node).devices();
        long mask = 0;
        for (int bit = 0; bit < Math.min(list.size(), Node.MOST_DEVICES); bit++) {
            if (ids.contains(list.get(bit).id())) {
                mask |= 1L << bit;
            }
        }
        return mask;
    }

    /** The bits of the node's devices of these types. */
    long mask(int node, int[] types) {
        long mask = 0;
        for (int type : types) {
            mask |= devices[node][type];
        }
        return mask;
    }

    /** The most of these devices that one task could be given: of one type, and on a board what it lets work together. */
    int together(int node, int[] types, long some) {
        int most = 0;
        for (int type : types) {
            long own = some & devices[node][type];
            int all = Long.bitCount(own);
            if (!board[type] || (all == Room.WHOLE_BOARD && own == devices[node][type])) {
                most = Math.max(most, all);
                continue;
            }
            for (long group : groups[node]) {
                most = Math.max(most, Integer.highestOneBit(Long.bitCount(own & group)));
            }
        }
        return most;
    }

    /** Nodes and devices that have what is asked for, but are out of service or being checked; empty: any node. */
    List<Outage> outages(String type, int most) {
        int[] wanted = type.isEmpty() ? new int[0] : types.named(type);
        List<Outage> out = new ArrayList<>();
        for (int node = 0; node < size && out.size() < most; node++) {
            Node has = nodes.get(node);
            long mask = mask(node, wanted);
            if (has.unschedulable() != null && (type.isEmpty() || mask != 0)) {
                out.add(new Outage(has.name(), null, has.unschedulable()));
            }
            for (long rest = mask & (~well[node] | checking[node]); rest != 0; rest &= rest - 1) {
                Device device = has.devices().get(Long.numberOfTrailingZeros(rest));
                out.add(new Outage(
                        has.name(),
                        device.id(),
                        String.valueOf(Objects.requireNonNullElse(device.fault(), device.checking()))));
            }
        }
        return out;
    }

    List<String> ids(int node, long mask) {
        List<String> ids = new ArrayList<>(Long.bitCount(mask));
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            ids.add(nodes.get(node)
                    .devices()
                    .get(Long.numberOfTrailingZeros(rest))
                    .id());
        }
        return ids;
    }

    /** Devices of a type, whatever state they are in. */
    int total(int type) {
        int total = 0;
        for (long[] masks : devices) {
            total += Long.bitCount(masks[type]);
        }
        return total;
    }

    /**
     * The kinds of device that machines have, found by the names that users and other platforms give them: {@code h100}, {@code
     * NVIDIA H100 80GB HBM3}, {@code nvidia_gpu_amd64}, {@code nvidia_gpu_amd64_h100}, {@code nvidia.com/gpu}, {@code
     * huawei_npu_arm64}, {@code Ascend910B}, {@code any}.
     */
    static final class Types {
        static final String ANY = "any";

        private static final Map<String, String> VENDOR_WORDS = Map.of(
                "nvidia", "nvidia", "huawei", "ascend", "ascend", "ascend", "npu", "ascend", "amd", "amd", "rocm",
                "amd");
        /** What says nothing about the model. {@code amd64} is a processor, not AMD. */
        private static final Set<String> NOISE = Set.of(
                "gpu", "com", "amd64", "arm64", "x86", "64", "aarch64", "tesla", "geforce", "graphics", "device");

        private record Type(String type, String vendor) {}

        private final Map<Type, Integer> ids = new HashMap<>();
        private final List<Type> types = new ArrayList<>();
        private final Map<String, int[]> found = new HashMap<>();

        int id(String type, String vendor) {
            Type key = new Type(type, vendor);
            Integer known = ids.get(key);
            if (known != null) {
                return known;
            }
            types.add(key);
            ids.put(key, types.size() - 1);
            return types.size() - 1;
        }

        int count() {
            return types.size();
        }

        /** Whether devices of this type sit on boards with halves, and only 1, 2, 4 or 8 of them work together. */
        boolean onBoard(int id) {
            Type type = types.get(id);
            return "ascend".equals(vendor(words(type.vendor()))) || "ascend".equals(vendor(words(type.type())));
        }

        /** The types that a name stands for, once all machines are known. */
        int[] named(@Nullable String name) {
            String key = name == null || name.isBlank() ? ANY : name.toLowerCase(Locale.ROOT);
            return found.computeIfAbsent(key, this::find);
        }

        private int[] find(String name) {
            int[] all = new int[types.size()];
            int count = 0;
            for (int id = 0; id < all.length; id++) {
                if (name.equals(ANY) || matches(name, types.get(id))) {
                    all[count++] = id;
                }
            }
            return Arrays.copyOf(all, count);
        }

        private static boolean matches(String name, Type type) {
            if (squeezed(name).equals(squeezed(type.type()))) {
                return true;
            }
            List<String> asked = words(name);
            List<String> has = words(type.type());
            String wanted = vendor(asked);
            String made = type.vendor().isEmpty() ? vendor(has) : vendor(words(type.vendor()));
            if (wanted != null && !wanted.equals(made)) {
                return false;
            }
            if (asked.equals(List.of("gpu"))) {
                return !"ascend".equals(made);
            }
            List<String> model = model(asked);
            List<String> models = joined(model(has));
            return (wanted != null || !model.isEmpty())
                    && model.stream()
                            .allMatch(word -> models.contains(word)
                                    || ("ascend".equals(made)
                                            && models.stream().anyMatch(one -> one.startsWith(word))));
        }

        /** {@code 2080 Ti} is also written as one word. */
        private static List<String> joined(List<String> words) {
            List<String> all = new ArrayList<>();
            for (int from = 0; from < words.size(); from++) {
                for (int to = from + 1; to <= words.size(); to++) {
                    all.add(String.join("", words.subList(from, to)));
                }
            }
            return all;
        }

        private static List<String> model(List<String> words) {
            return words.stream()
                    .filter(word -> !VENDOR_WORDS.containsKey(word) && !NOISE.contains(word))
                    .toList();
        }

        private static @Nullable String vendor(List<String> words) {
            return words.stream()
                    .map(VENDOR_WORDS::get)
                    .filter(vendor -> vendor != null)
                    .findFirst()
                    .orElse(null);
        }

        /** {@code Ascend910B} and {@code Ascend 910B} are the same two words. */
        private static List<String> words(String name) {
            String lower = name.toLowerCase(Locale.ROOT).replaceAll("(ascend|nvidia|geforce|tesla)(?=[a-z0-9])", "$1 ");
            return Arrays.stream(lower.split("[^a-z0-9]+"))
                    .filter(word -> !word.isEmpty())
                    .toList();
        }

        private static String squeezed(String name) {
            return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "");
        }
    }
}
