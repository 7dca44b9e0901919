package io.sluice.jobs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Place;
import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Decisions.Start;
import io.sluice.jobs.placement.Demand.Role;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Running;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What must be true of every pass, tried on clusters and queues made up by chance; a failure names its seed. */
class RandomScenesTest {
    private static final int SCENES = 150;
    private static final int PASSES = 6;

    /** A picture, the pass before it, and the pass over it. */
    private record Case(long seed, Snapshot of, Decisions before, Decisions decisions) {
        Demand demand(String job) {
            return of.queue().stream()
                    .filter(one -> one.job().equals(job))
                    .findFirst()
                    .orElseThrow();
        }

        Role role(Start start, Place place) {
            return demand(start.job()).roles().stream()
                    .filter(role -> role.name().equals(place.role()))
                    .findFirst()
                    .orElseThrow();
        }

        List<Held> held(Start start) {
            return start.places().stream()
                    .map(place -> new Held(
                            place.node(),
                            role(start, place).cpus(),
                            role(start, place).memoryMB(),
                            place.devices()))
                    .toList();
        }

        List<Device> devices(String node, List<String> ids) {
            return of.nodes().stream()
                    .filter(one -> one.name().equals(node))
                    .flatMap(one -> one.devices().stream())
                    .filter(device -> ids.contains(device.id()))
                    .toList();
        }

        @Override
        public String toString() {
            return "seed " + seed + " at " + of.now();
        }
    }

    private static final List<Case> CASES = cases();

    /** Passes go on from one another: jobs start, end, leave and come. */
    private static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (long seed = 0; seed < SCENES; seed++) {
            RandomScene chance = new RandomScene(seed);
            for (int pass = 0; pass < PASSES; pass++) {
                Snapshot of = chance.scene.snapshot();
                Decisions before = chance.scene.last;
                chance.goOn();
                cases.add(new Case(seed, of, before, chance.scene.last));
            }
        }
        return cases;
    }

    @Test
    void nothing_is_given_twice_or_beyond_what_a_node_has() {
        for (Case one : CASES) {
            List<Held> started = one.decisions.starts().stream()
                    .flatMap(start -> one.held(start).stream())
                    .toList();
            List<Held> all = new ArrayList<>(started);
            one.of.running().forEach(running -> all.addAll(running.tasks()));
            for (Node node : one.of.nodes()) {
                if (on(node, started).isEmpty()) {
                    continue;
                }
                List<Held> here = on(node, all);
                List<String> devices =
                        here.stream().flatMap(held -> held.devices().stream()).toList();
                assertThat(node.unschedulable()).as("%s", one).isNull();
                assertThat(here.stream().mapToInt(Held::cpus).sum())
                        .as("%s", one)
                        .isLessThanOrEqualTo(node.cpus());
                assertThat(here.stream().mapToInt(Held::memoryMB).sum())
                        .as("%s", one)
                        .isLessThanOrEqualTo(node.memoryMB());
                assertThat(Set.copyOf(devices)).as("%s", one).hasSameSizeAs(devices);
            }
        }
    }

    private static List<Held> on(Node node, List<Held> held) {
        return held.stream().filter(one -> one.node().equals(node.name())).toList();
    }

    @Test
    void every_task_gets_well_devices_of_its_type_that_its_board_allows() {
        for (Case one : CASES) {
            for (Start start : one.decisions.starts()) {
                for (Place place : start.places()) {
                    Role role = one.role(start, place);
                    List<Device> devices = one.devices(place.node(), place.devices());
                    assertThat(devices).as("%s %s", one, start).hasSize(role.devices());
                    assertThat(devices.stream().filter(device -> device.fault() != null))
                            .isEmpty();
                    assertThat(devices.stream().map(Device::type).distinct())
                            .as("%s %s", one, start)
                            .hasSizeLessThanOrEqualTo(1)
                            .allMatch(type -> role.deviceType() == null || type.equals(role.deviceType()));
                    if (!devices.isEmpty() && devices.getFirst().vendor().equals("ascend")) {
                        assertThat(role.devices()).isIn(1, 2, 4, 8);
                        assertThat(devices.stream().map(Device::half).distinct().count())
                                .as("%s %s", one, start)
                                .isEqualTo(role.devices() == 8 ? 2 : 1);
                    }
                }
            }
        }
    }

    @Test
    void a_gang_starts_whole_and_other_jobs_with_a_task_at_least() {
        for (Case one : CASES) {
            for (Start start : one.decisions.starts()) {
                int tasks = tasks(one.demand(start.job()));
                List<String> places = start.places().stream()
                        .map(place -> place.role() + place.task())
                        .toList();
                assertThat(places.size())
                        .as("%s", one)
                        .isBetween(one.demand(start.job()).gang() ? tasks : 1, tasks);
                assertThat(Set.copyOf(places)).as("%s", one).hasSameSizeAs(places);
            }
        }
    }

    private static int tasks(Demand demand) {
        return demand.roles().stream().mapToInt(Role::instances).sum();
    }

    @Test
    void no_virtual_cluster_exceeds_its_quota() {
        for (Case one : CASES) {
            for (Cluster cluster : one.of.clusters()) {
                Map<String, Integer> before = new HashMap<>();
                one.of.running().stream()
                        .filter(running -> running.cluster().equals(cluster.name()))
                        .flatMap(running -> running.tasks().stream())
                        .forEach(held -> add(before, one, held));
                Map<String, Integer> after = new HashMap<>(before);
                one.decisions.starts().stream()
                        .filter(start -> one.demand(start.job()).cluster().equals(cluster.name()))
                        .flatMap(start -> one.held(start).stream())
                        .forEach(held -> add(after, one, held));
                limits(cluster)
                        .forEach((what, most) -> assertThat(after.getOrDefault(what, 0))
                                .as("%s %s of %s", one, what, cluster)
                                .isLessThanOrEqualTo(Math.max(most, before.getOrDefault(what, 0))));
            }
        }
    }

    private static Map<String, Integer> limits(Cluster cluster) {
        Map<String, Integer> limits = new HashMap<>();
        if (cluster.cpus() != null) {
            limits.put("cpu", cluster.cpus());
        }
        if (cluster.devices() != null) {
            limits.putAll(cluster.devices());
        }
        return limits;
    }

    private static void add(Map<String, Integer> sums, Case one, Held held) {
        sums.merge("cpu", held.cpus(), Integer::sum);
        for (Device device : one.devices(held.node(), held.devices())) {
            sums.merge("any", 1, Integer::sum);
            sums.merge(device.type(), 1, Integer::sum);
        }
    }

    @Test
    void every_job_starts_or_is_told_why_not() {
        for (Case one : CASES) {
            Map<String, Integer> placed = new HashMap<>();
            one.decisions
                    .starts()
                    .forEach(start -> placed.put(start.job(), start.places().size()));
            List<String> left = one.of.queue().stream()
                    .filter(demand -> placed.getOrDefault(demand.job(), 0) < tasks(demand))
                    .map(Demand::job)
                    .sorted()
                    .toList();
            assertThat(one.decisions.waiting().stream()
                            .map(Waiting::job)
                            .sorted()
                            .toList())
                    .as("%s", one)
                    .isEqualTo(left);
        }
    }

    @Test
    void positions_count_from_one_in_the_order_of_the_queue() {
        for (Case one : CASES) {
            Map<String, Integer> positions = new HashMap<>();
            one.decisions.waiting().stream()
                    .filter(waiting -> !waiting.why().isNever())
                    .sorted((a, b) -> Pass.ORDER.compare(one.demand(a.job()), one.demand(b.job())))
                    .forEach(waiting -> assertThat(waiting.position())
                            .as("%s %s", one, waiting)
                            .isEqualTo(positions.merge(waiting.cluster(), 1, Integer::sum)));
        }
    }

    @Test
    void whoever_waits_for_quota_or_machines_is_told_what_is_short() {
        for (Case one : CASES) {
            for (Waiting waiting : one.decisions.waiting()) {
                switch (waiting.why()) {
                    case QUOTA, MACHINES, SCATTERED, NEVER, NEVER_ON_BOARD, NEVER_IN_QUOTA ->
                        assertThat(waiting.shortages())
                                .as("%s %s", one, waiting)
                                .isNotEmpty();
                    case RESERVED ->
                        assertThat(waiting.behind()).as("%s %s", one, waiting).isNotNull();
                    case MAKING_ROOM ->
                        assertThat(waiting.start()).as("%s %s", one, waiting).isNotNull();
                    case OUT_OF_SERVICE, PORT, PORTS, NEVER_PORTS, IMAGE, DATA, START ->
                        assertThat(waiting.outages()).as("%s %s", one, waiting).isNotEmpty();
                    case CLUSTER_STOPPED, CLUSTER_UNKNOWN ->
                        assertThat(waiting.cluster()).isIn("stopped", "unknown");
                }
            }
        }
    }

    @Test
    void the_same_picture_gives_the_same_decisions_in_whatever_order_it_is_drawn() {
        for (Case one : CASES) {
            List<Demand> queue = new ArrayList<>(one.of.queue());
            List<Running> running = new ArrayList<>(one.of.running());
            Collections.shuffle(queue, new Random(one.seed));
            Collections.shuffle(running, new Random(one.seed));
            Decisions again = Placement.pass(
                    new Snapshot(one.of.now(), one.of.rules(), one.of.nodes(), running, one.of.clusters(), queue),
                    one.before);
            assertThat(again.starts()).as("%s", one).isEqualTo(one.decisions.starts());
            assertThat(again.preempts()).as("%s", one).isEqualTo(one.decisions.preempts());
            assertThat(again.waiting()).as("%s", one).isEqualTo(one.decisions.waiting());
            assertThat(again.turns()).as("%s", one).isEqualTo(one.decisions.turns());
        }
    }

    @Test
    void only_preemptible_jobs_of_lower_priority_give_way() {
        for (Case one : CASES) {
            for (Preempt preempt : one.decisions.preempts()) {
                assertThat(one.of.running().stream()
                                .filter(running -> running.job().equals(preempt.job())))
                        .as("%s %s", one, preempt)
                        .isNotEmpty()
                        .allMatch(victim -> victim.preemptible()
                                && !victim.leaving()
                                && victim.priority() < one.demand(preempt.to()).priority());
            }
        }
    }

    @Test
    void a_job_for_which_others_gave_way_starts_once_they_are_gone() {
        int seen = 0;
        for (Case one : CASES) {
            Set<String> gone = new HashSet<>();
            one.decisions.preempts().forEach(preempt -> gone.add(preempt.job()));
            if (gone.isEmpty() || !one.decisions.starts().isEmpty()) {
                continue;
            }
            List<Running> left = one.of.running().stream()
                    .filter(running -> !running.leaving() && !gone.contains(running.job()))
                    .toList();
            Decisions after = Placement.pass(
                    new Snapshot(
                            one.of.now().plusMillis(2),
                            one.of.rules(),
                            one.of.nodes(),
                            left,
                            one.of.clusters(),
                            one.of.queue()),
                    one.decisions);
            for (Preempt preempt : one.decisions.preempts()) {
                assertThat(after.starts().stream().map(Start::job))
                        .as("%s", one)
                        .contains(preempt.to());
                seen++;
            }
        }
        assertThat(seen).isPositive();
    }
}
