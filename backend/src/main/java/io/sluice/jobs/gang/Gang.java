package io.sluice.jobs.gang;

import io.sluice.jobs.protocol.JobSpec;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All tasks of one attempt and where they are: every form of it is written from this, so that none contradicts another. Ranks are in the order of
 * roles and indexes; those of NPUs on several machines in the order of the machines. Where some roles have devices and others have none, as parameter servers, only those with devices have ranks.
 *
 * @param number of the job, which tells two of one name apart
 */
public record Gang(JobSpec spec, String user, long number, int attempt, List<Member> members) {
    private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?");

    /** So those are called whose own name can not be used. */
    private static final Pattern NUMBERED = Pattern.compile("role\\d+");

    /** Where a task is; without an address: not placed yet. */
    public record Seat(
            String role,
            int index,
            @Nullable String address,
            Map<String, List<Integer>> ports,
            @Nullable Place place) {
        List<Place.Card> cards() {
            return Place.ofNullable(place).cards();
        }
    }

    /**
     * A task.
     *
     * @param order among those that have ranks, -1: it has none
     * @param rank of its first process
     * @param processes that its launcher starts
     * @param cardRank of its first device, among all devices
     */
    public record Member(
            String role,
            int index,
            @Nullable String address,
            Map<String, List<Integer>> ports,
            Place place,
            int order,
            int rank,
            int processes,
            int cardRank) {
        boolean counts() {
            return order >= 0;
        }

        /** The first under a label, null: none. */
        @Nullable
        Integer port(String label) {
            List<Integer> all = ports.getOrDefault(label, List.of());
            return all.isEmpty() ? null : all.getFirst();
        }
    }

    public static Gang of(JobSpec spec, String user, long number, int attempt, List<Seat> seats) {
        List<Seat> all = seated(spec, seats);
        boolean some = spec.deviceCount() > 0;
        List<Seat> counted = all.stream()
                .filter(seat -> !some || spec.role(seat.role()).resources().gpu() > 0)
                .toList();
        boolean placed = all.stream().allMatch(seat -> seat.address() != null);
        if (placed && counted.stream().anyMatch(seat -> seat.cards().stream().anyMatch(Place.Card::isAscend))) {
            // HCCL takes machines in the order of their names, and wants all ranks of one beside each other
            counted = counted.stream()
                    .sorted(Comparator.comparing(
                            seat -> Place.ofNullable(seat.place()).server()))
                    .toList();
        }
        var ranks = new IdentityHashMap<Seat, int[]>();
        int rank = 0;
        int cards = 0;
        for (Seat seat : counted) {
            ranks.put(seat, new int[] {ranks.size(), rank, cards});
            rank += processes(spec, seat);
            cards += spec.role(seat.role()).resources().gpu();
        }
        return new Gang(
                spec,
                user,
                number,
                attempt,
                all.stream().map(seat -> member(spec, seat, ranks.get(seat))).toList());
    }

    private static List<Seat> seated(JobSpec spec, List<Seat> seats) {
        Map<String, Seat> known = new HashMap<>();
        seats.forEach(seat -> known.put(seat.role() + ":" + seat.index(), seat));
        return spec.roles().stream()
                .flatMap(role -> IntStream.range(0, role.instances())
                        .mapToObj(index -> known.getOrDefault(
                                role.name() + ":" + index, new Seat(role.name(), index, null, Map.of(), null))))
                .toList();
    }

    private static Member member(JobSpec spec, Seat seat, int @Nullable [] rank) {
        return new Member(
                seat.role(),
                seat.index(),
                seat.address(),
                seat.ports(),
                Place.ofNullable(seat.place()),
                rank == null ? -1 : rank[0],
                rank == null ? -1 : rank[1],
                processes(spec, seat),
                rank == null ? -1 : rank[2]);
    }

    private static int processes(JobSpec spec, Seat seat) {
        return spec.distribution().processes(spec.role(seat.role()));
    }

    /** Whether each of them has its place. */
    public boolean isComplete() {
        return members.stream().allMatch(member -> member.address() != null);
    }

    public Member member(String role, int index) {
        return members.stream()
                .filter(member -> member.index() == index && member.role().equals(role))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no task " + role + " " + index));
    }

    /** Whether its tasks wait for one another before they begin. */
    public boolean startsTogether() {
        return spec.startsTogether();
    }

    /** Those that have ranks, by them. */
    List<Member> ranked() {
        return members.stream()
                .filter(Member::counts)
                .sorted(Comparator.comparingInt(Member::order))
                .toList();
    }

    /** Whether there is something that a rank table could tell of. */
    boolean isOfNpus() {
        return members.stream()
                .filter(Member::counts)
                .anyMatch(member -> !member.place().ascend().isEmpty());
    }

    /** Processes that launchers start. */
    int worldSize() {
        return members.stream()
                .filter(Member::counts)
                .mapToInt(Member::processes)
                .sum();
    }

    int cards() {
        return spec.deviceCount();
    }

    /** Of whom the others ask where to meet; empty while it has no place. */
    Optional<Member> first() {
        return ranked().stream().findFirst().filter(member -> member.address() != null);
    }

    /** Where the first listens: a port that the job calls {@code master}, or the one that every task has for a web page. */
    Optional<Integer> meetingPort() {
        return first().map(first -> first.port("master") == null ? first.port("http") : first.port("master"));
    }

    /** By which the others call it. */
    String hostName(Member member) {
        int number = 0;
        while (!spec.roles().get(number).name().equals(member.role())) {
            number++;
        }
        return hostName(spec, number, member.index());
    }

    /** @param number of the role, for one whose name is none of a machine, or that of another in other letters */
    public static String hostName(JobSpec spec, int number, int index) {
        String plain = plain(spec.roles().get(number).name());
        boolean own = HOST.matcher(plain).matches() && !NUMBERED.matcher(plain).matches() && isOnly(spec, plain);
        return (own ? plain : "role" + number) + "-" + index;
    }

    static String plain(String role) {
        return role.toLowerCase(Locale.ROOT);
    }

    /** Whether one role at most is called so, in whatever letters. */
    static boolean isOnly(JobSpec spec, String plain) {
        return spec.roles().stream()
                        .filter(role -> plain(role.name()).equals(plain))
                        .count()
                < 2;
    }
}
