package io.sluice.jobs.gang;

import io.sluice.jobs.Json;
import io.sluice.jobs.gang.Gang.Member;
import io.sluice.jobs.gang.Place.Card;
import io.sluice.jobs.protocol.Distribution;
import io.sluice.web.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rank table of a gang of NPUs, by which HCCL finds every device of it.
 *
 * @param fault why there is none, in one line for the user; null: it is right
 * @param json empty where there is a fault
 */
public record RankTable(@Nullable String fault, String json) {
    private static final Set<Integer> ON_ONE = Set.of(1, 2, 4, 8, 16);
    private static final Set<Integer> IN_A_HALF = Set.of(2, 4);
    private static final int BOARD = 8;
    /** So HCCL knows the two kinds of machine. */
    private static final String BOARD_ID = System.getProperty("os.arch", "").equals("aarch64") ? "0x0020" : "0x0000";

    private static final String INITIALIZING = "{\"status\":\"initializing\"}";

    /** A device with its place in the world. */
    private record Ranked(Member member, Card card, String server, int rank) {}

    /** Empty where the gang has no NPUs, or wants none. Until all tasks have their places it says that it is not complete. */
    public static Optional<RankTable> of(Gang gang) {
        return of(gang, gang.spec().distribution().table());
    }

    /** @param form as jobs name it; empty: the job's own */
    public static Optional<RankTable> of(Gang gang, String form) {
        return of(
                gang,
                form.isEmpty()
                        ? gang.spec().distribution().table()
                        : Arrays.stream(Distribution.RankTable.values())
                                .filter(one -> one.name().equalsIgnoreCase(form))
                                .findFirst()
                                .orElseThrow(() -> Problem.invalid(
                                        "A rank table can be had as servers, pods, modelarts or instances.")));
    }

    static Optional<RankTable> of(Gang gang, Distribution.RankTable form) {
        if (form == Distribution.RankTable.NONE || !gang.isOfNpus()) {
            return Optional.empty();
        }
        if (!gang.isComplete()) {
            return Optional.of(new RankTable(null, INITIALIZING));
        }
        List<Ranked> all = ranked(gang);
        return Optional.of(fault(all)
                .map(fault -> new RankTable(fault, ""))
                .orElseGet(() -> new RankTable(null, Json.write(table(gang, form, all)))));
    }

    private static List<Ranked> ranked(Gang gang) {
        List<Ranked> all = new ArrayList<>();
        for (Member member : gang.ranked()) {
            for (Card card : member.place().cards()) {
                all.add(new Ranked(member, card, member.place().server(), all.size()));
            }
        }
        return all;
    }

    private static Optional<String> fault(List<Ranked> all) {
        for (Ranked one : all) {
            if (!one.card().isAscend()) {
                return Optional.of(
                        one.card().id() + " is no NPU: a rank table has no others. Ask for one type of device.");
            }
            if (one.card().link() == null) {
                return Optional.of(
                        "The address of " + one.card().id() + " of " + one.server()
                                + " is not known: an administrator can set it with hccn_tool, or list it in the file device-addresses.");
            }
            if (one.rank()
                    != one.member().cardRank() + one.member().place().cards().indexOf(one.card())) {
                return Optional.of("The ranks of the devices are not contiguous: "
                        + one.member().role() + " " + one.member().index() + " has other devices than it asked for.");
            }
        }
        return servers(all);
    }

    private static Optional<String> servers(List<Ranked> all) {
        Map<String, List<Ranked>> servers = byServer(all);
        if (!List.copyOf(servers.keySet())
                        .equals(servers.keySet().stream().sorted().toList())
                || changes(all) != servers.size() - 1) {
            return Optional.of("The ranks do not follow the order of the servers' names, which HCCL asks for.");
        }
        for (var server : servers.entrySet()) {
            int count = server.getValue().size();
            if (servers.size() > 1 ? count % BOARD != 0 : !ON_ONE.contains(count)) {
                return Optional.of(
                        servers.size() > 1
                                ? server.getKey() + " has " + count
                                        + " of the job's devices. Over several machines HCCL takes 8 of each: ask for 8 devices in each task."
                                : "HCCL takes 1, 2, 4 or 8 devices of a machine, not " + count + ".");
            }
            long halves = server.getValue().stream()
                    .map(one -> String.valueOf(one.card().half()))
                    .distinct()
                    .count();
            if (IN_A_HALF.contains(count) && halves > 1) {
                return Optional.of("The " + count + " devices of " + server.getKey()
                        + " are on both halves of the board; HCCL wants them on one.");
            }
        }
        return Optional.empty();
    }

    private static Map<String, List<Ranked>> byServer(List<Ranked> all) {
        return all.stream().collect(Collectors.groupingBy(Ranked::server, LinkedHashMap::new, Collectors.toList()));
    }

    private static long changes(List<Ranked> all) {
        long changes = 0;
        for (int i = 1; i < all.size(); i++) {
            changes += all.get(i).server().equals(all.get(i - 1).server()) ? 0 : 1;
        }
        return changes;
    }

    private static Map<String, Object> table(Gang gang, Distribution.RankTable form, List<Ranked> all) {
        return switch (form) {
            case SERVERS -> servers10(all);
            case PODS, MODELARTS -> pods(gang, all);
            case INSTANCES -> instances(all);
            case NONE -> Map.of();
        };
    }

    private static Map<String, Object> servers10(List<Ranked> all) {
        Map<String, List<Ranked>> servers = byServer(all);
        return ordered(
                "version",
                "1.0",
                "server_count",
                Integer.toString(servers.size()),
                "server_list",
                servers.entrySet().stream()
                        .map(server -> ordered(
                                "server_id",
                                server.getKey(),
                                "device",
                                server.getValue().stream()
                                        .map(one -> device(one, "rank_id", Integer.toString(one.rank())))
                                        .toList(),
                                "host_nic_ip",
                                "reserve"))
                        .toList(),
                "status",
                "completed");
    }

    private static Map<String, Object> pods(Gang gang, List<Ranked> all) {
        var names = new Apulis(gang);
        Map<Member, List<Ranked>> members =
                all.stream().collect(Collectors.groupingBy(Ranked::member, LinkedHashMap::new, Collectors.toList()));
        var instances = members.entrySet().stream()
                .map(member -> ordered(
                        "pod_name",
                        names.pod(member.getKey()),
                        "server_id",
                        member.getKey().place().server(),
                        "devices",
                        member.getValue().stream().map(RankTable::device).toList()))
                .toList();
        return ordered(
                "status",
                "completed",
                "group_count",
                "1",
                "group_list",
                List.of(ordered(
                        "group_name",
                        "sluice",
                        "device_count",
                        Integer.toString(all.size()),
                        "instance_count",
                        Integer.toString(members.size()),
                        "instance_list",
                        instances)));
    }

    private static Map<String, Object> instances(List<Ranked> all) {
        Map<String, List<Ranked>> servers = byServer(all);
        int most = servers.values().stream().mapToInt(List::size).max().orElse(0);
        var names = IntStream.range(0, Math.min(most, BOARD))
                .mapToObj(i -> "eth" + i)
                .toList();
        String count = Integer.toString(all.size());
        return ordered(
                "board_id",
                BOARD_ID,
                "chip_info",
                "910",
                "deploy_mode",
                "lab",
                "group_count",
                "1",
                "group_list",
                List.of(ordered(
                        "device_num",
                        count,
                        "server_num",
                        Integer.toString(servers.size()),
                        "group_name",
                        "sluice",
                        "instance_count",
                        count,
                        "instance_list",
                        all.stream()
                                .map(one -> ordered(
                                        "devices",
                                        List.of(device(one)),
                                        "rank_id",
                                        Integer.toString(one.rank()),
                                        "server_id",
                                        one.server()))
                                .toList())),
                "para_plane_nic_location",
                "device",
                "para_plane_nic_name",
                names,
                "para_plane_nic_num",
                Integer.toString(names.size()),
                "status",
                "completed");
    }

    private static Map<String, Object> device(Ranked one, Object... more) {
        Map<String, Object> device = ordered(
                "device_id",
                Integer.toString(one.card().number()),
                "device_ip",
                Objects.requireNonNullElse(one.card().link(), ""));
        device.putAll(ordered(more));
        return device;
    }

    private static Map<String, Object> ordered(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(String.valueOf(pairs[i]), pairs[i + 1]);
        }
        return map;
    }
}
