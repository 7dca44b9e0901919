package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.closed;
import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Waiting.Holder;
import io.sluice.jobs.placement.Waiting.Resource;
import io.sluice.jobs.placement.Waiting.Shortage;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void the_higher_priority_goes_first_then_the_older() {
        Scene scene = Scene.of(node("a", 2, 0, ""));
        scene.job("old").waits();
        scene.job("young").waits();
        scene.job("urgent").priority(100).waits().pass();
        assertThat(scene.started()).containsExactly("urgent", "old");
        assertThat(scene.waiting("young").position()).isEqualTo(1);
        assertThat(scene.waiting("young").why()).isEqualTo(Why.MACHINES);
    }

    @Test
    void a_gang_starts_as_a_whole_or_not_at_all() {
        Scene scene = Scene.of(node("a", 8, 2, "H100"), node("b", 8, 2, "H100"));
        scene.job("three").tasks(3, 1, 2, null).waits();
        scene.job("two").tasks(2, 1, 2, null).waits().pass();
        assertThat(scene.started()).containsExactly("two");
        assertThat(scene.waiting("three").why()).isEqualTo(Why.NEVER);
    }

    @Test
    void what_roles_with_and_without_devices_need_together_can_be_too_much() {
        Scene scene = Scene.of(node("a", 4, 8, "H100"));
        scene.job("both").tasks(4, 1, 1, "H100").tasks(1, 1, 0, null).waits().pass();
        var short1 = scene.waiting("both").shortages().getFirst();
        assertThat(scene.waiting("both").why()).isEqualTo(Why.NEVER);
        assertThat(short1.resource()).isEqualTo(Waiting.Resource.CPU);
        assertThat(short1.needed()).isEqualTo(5);
        assertThat(short1.total()).isEqualTo(4);
    }

    @Test
    void of_other_jobs_as_many_tasks_start_as_fit_and_the_rest_goes_on_waiting() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("loose").loose().tasks(3, 1, 2, null).waits().pass();
        assertThat(scene.places("loose")).hasSize(2);
        assertThat(scene.waiting("loose").why()).isEqualTo(Why.MACHINES);
        assertThat(scene.waiting("loose").shortages().getFirst().needed()).isEqualTo(2);
    }

    @Test
    void a_role_with_nothing_left_to_place_is_in_nobodys_way() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("loose").loose().tasks(0, 64, 8, null).tasks(1, 1, 1, null).waits();
        scene.job("gang").tasks(0, 64, 8, null).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.started()).containsExactly("loose", "gang");
    }

    @Test
    void the_virtual_cluster_that_uses_less_of_its_quota_goes_first() {
        Scene scene = Scene.of(node("a", 64, 4, "H100"))
                .cluster("large", null, Map.of("H100", 8))
                .cluster("little", null, Map.of("H100", 2));
        scene.job("has1").in("large").tasks(1, 1, 2, "H100").runsOn("a", "d0", "d1");
        scene.job("has2").in("little").tasks(1, 1, 1, "H100").runsOn("a", "d2");
        scene.job("second").in("little").tasks(1, 1, 1, "H100").waits();
        scene.job("first").in("large").tasks(1, 1, 1, "H100").waits().pass();
        assertThat(scene.started()).containsExactly("first");
    }

    @Test
    void a_quota_is_kept_and_who_has_it_is_told() {
        Scene scene = Scene.of(node("a", 64, 8, "H100")).cluster("vision", null, Map.of("h100", 4));
        scene.job("first").in("vision").tasks(1, 1, 3, null).waits();
        scene.job("second").in("vision").tasks(1, 1, 2, "H100").waits();
        scene.job("huge").in("vision").tasks(1, 1, 5, "H100").waits().pass();
        assertThat(scene.started()).containsExactly("first");
        Waiting second = scene.waiting("second");
        assertThat(second.why()).isEqualTo(Why.QUOTA);
        assertThat(second.shortages()).containsExactly(new Shortage(Resource.DEVICE, "h100", 2, 1, 4, 2, 1, 4));
        assertThat(second.holders()).containsExactly(new Holder("first", "user-first", 3, null));
        assertThat(scene.waiting("huge").why()).isEqualTo(Why.NEVER_IN_QUOTA);
        assertThat(scene.waiting("huge").position()).isZero();
    }

    @Test
    void a_stopped_or_unknown_virtual_cluster_starts_nothing() {
        Scene scene = Scene.of(node("a", 64, 8, "H100"));
        scene.clusters.add(new Cluster("closed", null, null, null, true));
        scene.job("stopped").in("closed").waits();
        scene.job("unknown").in("nowhere").waits().pass();
        assertThat(scene.started()).isEmpty();
        assertThat(scene.waiting("stopped").why()).isEqualTo(Why.CLUSTER_STOPPED);
        assertThat(scene.waiting("unknown").why()).isEqualTo(Why.CLUSTER_UNKNOWN);
    }

    @Test
    void whoever_waits_is_told_what_is_short_who_has_it_and_until_when() {
        Scene scene = Scene.of(node("a", 64, 4, "H100"), node("b", 64, 4, "H100"));
        scene.job("small").runs(HOUR).tasks(1, 1, 1, "H100").runsOn("a", "d0");
        scene.job("large").tasks(1, 1, 4, "H100").runsOn("b", "d0", "d1", "d2", "d3");
        scene.job("first").tasks(1, 1, 4, "H100").waits();
        scene.job("second").tasks(2, 1, 2, "H100").waits();
        scene.job("third").tasks(1, 1, 8, "H100").waits().pass();
        Waiting first = scene.waiting("first");
        assertThat(first.why()).isEqualTo(Why.MACHINES);
        assertThat(first.shortages()).containsExactly(new Shortage(Resource.DEVICE, "H100", 4, 3, 8, 4, 3, 4));
        assertThat(first.holders())
                .containsExactly(
                        new Holder("large", "user-large", 4, null),
                        new Holder("small", "user-small", 1, scene.now.plus(HOUR)));
        assertThat(first.start()).isEqualTo(scene.now.plus(HOUR));
        assertThat(first.behind()).isNull();
        assertThat(scene.waiting("second").behind()).isEqualTo("first");
        assertThat(scene.waiting("second").position()).isEqualTo(2);
        assertThat(scene.waiting("third").why()).isEqualTo(Why.NEVER);
        assertThat(scene.waiting("third").shortages().getFirst().totalOnOne()).isEqualTo(4);
    }

    @Test
    void a_count_that_no_board_allows_keeps_nobody_else_out() {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"), node("b", 64, 8, "Ascend910B"));
        scene.job("three").tasks(1, 1, 3, "Ascend910B").waits();
        scene.job("four").tasks(1, 1, 4, "Ascend910B").waits();
        scene.job("eight").tasks(1, 1, 8, "Ascend910B").waits().pass();
        assertThat(scene.started()).containsExactlyInAnyOrder("four", "eight");
        assertThat(scene.waiting("three").why()).isEqualTo(Why.NEVER_ON_BOARD);
    }

    @Test
    void enough_that_is_not_together_is_told_apart_from_too_little() {
        Scene scene = Scene.of(node("a", 64, 4, "H100"), node("b", 64, 4, "H100"));
        scene.job("one").tasks(1, 1, 2, "H100").runsOn("a", "d0", "d1");
        scene.job("other").tasks(1, 1, 2, "H100").runsOn("b", "d0", "d1");
        scene.job("job").tasks(1, 1, 3, "H100").waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.SCATTERED);
        assertThat(scene.waiting("job").shortages().getFirst().freeOnOne()).isEqualTo(2);
    }

    @Test
    void devices_of_different_types_are_not_counted_together_for_one_task() {
        Snapshot.Node mixed = new Snapshot.Node(
                "a",
                64,
                65_536,
                Stream.concat(
                                node("a", 64, 4, "H100").devices().stream(),
                                node("a", 64, 4, "A100").devices().stream()
                                        .map(device -> new Snapshot.Device(
                                                "e" + device.id(), device.type(), device.vendor(), null, null, null)))
                        .toList(),
                null);
        Scene scene = Scene.of(mixed, node("b", 64, 8, "H100"));
        scene.job("other").tasks(1, 1, 8, "H100").runsOn("b", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7");
        scene.job("job").tasks(1, 1, 8, null).waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.SCATTERED);
        assertThat(scene.waiting("job").shortages().getFirst().freeOnOne()).isEqualTo(4);
        assertThat(scene.waiting("job").shortages().getFirst().totalOnOne()).isEqualTo(8);
    }

    @Test
    void a_job_whose_machine_is_out_of_service_holds_nobody_up() {
        Scene scene = Scene.of(closed(node("big", 64, 8, "H100"), "drained"), node("a", 64, 2, "H100"));
        scene.job("needs-big").tasks(1, 1, 8, "H100").waits();
        scene.job("small").tasks(1, 1, 2, "H100").waits().pass();
        assertThat(scene.started()).containsExactly("small");
        assertThat(scene.waiting("needs-big").why()).isEqualTo(Why.OUT_OF_SERVICE);
    }

    @Test
    void a_small_job_passes_a_big_one_if_it_does_not_delay_it() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("runs").runs(HOUR).tasks(1, 1, 2, null).runsOn("a", "d0", "d1");
        scene.job("big").tasks(1, 1, 4, null).waits();
        scene.job("long").runs(HOUR.multipliedBy(2)).tasks(1, 1, 1, null).waits();
        scene.job("short").runs(HOUR.dividedBy(2)).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.started()).containsExactly("short");
        assertThat(scene.waiting("big").start()).isEqualTo(scene.now.plus(HOUR));
        assertThat(scene.waiting("long").why()).isEqualTo(Why.RESERVED);
        assertThat(scene.waiting("long").behind()).isEqualTo("big");
    }

    @Test
    void a_long_job_passes_a_big_one_on_machines_that_it_will_not_need() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"), node("b", 8, 1, "H100"));
        scene.job("runs").runs(HOUR).tasks(1, 1, 2, null).runsOn("a", "d0", "d1");
        scene.job("big").tasks(1, 1, 4, null).waits();
        scene.job("long").tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.places("long").getFirst().node()).isEqualTo("b");
    }

    @Test
    void when_no_end_is_known_small_jobs_pass_until_patience_is_over() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("runs").tasks(1, 1, 2, null).runsOn("a", "d0", "d1");
        scene.job("big").tasks(1, 1, 4, null).waits().pass();
        scene.job("early")
                .tasks(1, 1, 1, null)
                .waits()
                .later(Duration.ofMinutes(1))
                .pass();
        assertThat(scene.started()).containsExactly("early");
        scene.job("late").tasks(1, 1, 1, null).waits().later(Scene.PATIENCE).pass();
        assertThat(scene.started()).isEmpty();
        assertThat(scene.waiting("late").why()).isEqualTo(Why.RESERVED);
        assertThat(scene.waiting("late").behind()).isEqualTo("big");
        scene.job("urgent").priority(100).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.started()).containsExactly("urgent");
    }

    @Test
    void the_next_in_the_queue_get_an_estimate_too() {
        Scene scene = Scene.of(node("a", 8, 1, "H100"));
        scene.job("runs").runs(HOUR).tasks(1, 1, 1, null).waits();
        scene.job("second").runs(HOUR).tasks(1, 1, 1, null).waits();
        scene.job("third").tasks(1, 1, 1, null).waits();
        scene.job("fourth").tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.waiting("second").start()).isEqualTo(scene.now.plus(HOUR));
        assertThat(scene.waiting("third").start()).isEqualTo(scene.now.plus(HOUR.multipliedBy(2)));
        assertThat(scene.waiting("fourth").start()).isNull();
    }

    @Test
    void the_youngest_of_the_lowest_priority_gives_way_and_no_more_than_needed() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("low-old").priority(-1).preemptible().tasks(1, 1, 1, null).runsOn("a", "d0");
        scene.later(HOUR);
        scene.job("low-young").priority(-1).preemptible().tasks(1, 1, 1, null).runsOn("a", "d1");
        scene.job("higher").priority(0).preemptible().tasks(1, 1, 1, null).runsOn("a", "d2");
        scene.job("firm").priority(-1).tasks(1, 1, 1, null).runsOn("a", "d3");
        scene.job("urgent").priority(100).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.last.preempts()).containsExactly(new Preempt("low-young", "urgent"));
        assertThat(scene.waiting("urgent").why()).isEqualTo(Why.MAKING_ROOM);
        assertThat(scene.pass().preempts()).isEmpty();
        scene.job("thief")
                .priority(100)
                .tasks(1, 1, 1, null)
                .waits()
                .ends("low-young")
                .pass();
        assertThat(scene.started()).containsExactly("urgent");
    }

    @Test
    void nobody_gives_way_to_a_job_that_would_not_fit_all_the_same() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("low").priority(-1).preemptible().tasks(1, 1, 2, null).runsOn("a", "d0", "d1");
        scene.job("firm").tasks(1, 1, 1, null).runsOn("a", "d2");
        scene.job("urgent").priority(100).tasks(1, 1, 4, null).waits().pass();
        assertThat(scene.last.preempts()).isEmpty();
        scene.job("equal").priority(-1).tasks(1, 1, 2, null).waits().pass();
        assertThat(scene.last.preempts()).isEmpty();
    }

    @Test
    void jobs_give_way_for_quota_only_in_the_same_virtual_cluster() {
        Scene scene = Scene.of(node("a", 8, 8, "H100")).cluster("vision", null, Map.of("H100", 2));
        scene.job("other").priority(-1).preemptible().tasks(1, 1, 2, "H100").runsOn("a", "d0", "d1");
        scene.job("own")
                .in("vision")
                .priority(-1)
                .preemptible()
                .tasks(1, 1, 2, "H100")
                .runsOn("a", "d2", "d3");
        scene.job("urgent")
                .in("vision")
                .priority(100)
                .tasks(1, 1, 1, "H100")
                .waits()
                .pass();
        assertThat(scene.last.preempts()).containsExactly(new Preempt("own", "urgent"));
    }

    @Test
    void a_picture_that_has_not_changed_gives_the_very_same_decisions_until_time_matters() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("runs").runs(HOUR).tasks(1, 1, 4, null).waits();
        scene.job("job").tasks(1, 1, 1, null).waits().pass();
        Decisions decisions = scene.pass();
        assertThat(scene.later(Duration.ofMinutes(1)).pass()).isSameAs(decisions);
        assertThat(scene.later(HOUR).pass()).isNotSameAs(decisions);
    }

    @Test
    void what_runs_on_a_node_that_is_gone_still_counts_against_its_quota() {
        Scene scene = Scene.of(node("a", 8, 4, "H100")).cluster("vision", 4, null);
        scene.job("lost").in("vision").tasks(1, 3, 1, null).runsOn("gone", "d0");
        scene.job("job").in("vision").tasks(1, 2, 1, null).waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.QUOTA);
    }

    @Test
    void whoever_asks_for_no_processor_takes_a_tenth_of_one_of_the_machine() {
        Scene scene = Scene.of(node("a", 2, 1_000_000, 0, ""));
        scene.job("nineteen").tasks(19, 0, 0, null).waits();
        scene.job("two").tasks(2, 0, 0, null).waits();
        scene.job("last").tasks(1, 0, 0, null).waits().pass();
        assertThat(scene.started()).containsExactly("nineteen", "last");
        assertThat(scene.waiting("two").why()).isEqualTo(Why.MACHINES);
        var shortage = scene.waiting("two").shortages().getFirst();
        assertThat(shortage.resource()).isEqualTo(Resource.CPU);
        assertThat(shortage.needed()).isEqualTo(1);
        assertThat(shortage.free()).isZero();
        assertThat(scene.waiting("two").holders().getFirst().amount()).isEqualTo(2);
    }

    @Test
    void whoever_asks_for_no_processor_takes_a_tenth_of_one_of_the_quota() {
        Scene scene = Scene.of(node("a", 8, 1_000_000, 0, "")).cluster("lab", 1, null);
        scene.job("many").in("lab").tasks(11, 0, 0, null).waits();
        scene.job("ten").in("lab").tasks(10, 0, 0, null).waits();
        scene.job("next").in("lab").tasks(1, 0, 0, null).waits().pass();
        assertThat(scene.started()).containsExactly("ten");
        assertThat(scene.waiting("many").why()).isEqualTo(Why.NEVER_IN_QUOTA);
        assertThat(scene.waiting("next").why()).isEqualTo(Why.QUOTA);
    }

    @Test
    void processors_in_use_are_told_as_whole_ones() {
        assertThat(Held.cpus(List.of())).isZero();
        assertThat(Held.cpus(List.of(new Held("a", 0, 64, List.of()), new Held("a", 3, 64, List.of()))))
                .isEqualTo(4);
    }
}
