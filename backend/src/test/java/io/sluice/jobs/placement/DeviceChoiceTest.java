package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.broken;
import static io.sluice.jobs.placement.Scene.closed;
import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Place;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceChoiceTest {

    private static List<String> nodes(Scene scene, String job) {
        return scene.places(job).stream().map(Place::node).distinct().toList();
    }

    private static List<String> devices(Scene scene, String job) {
        return scene.places(job).getFirst().devices();
    }

    @Test
    void the_node_with_least_left_is_filled_up() {
        Scene scene = Scene.of(node("a", 64, 8, "H100"), node("b", 64, 8, "H100"));
        scene.job("first").tasks(1, 1, 6, "H100").runsOn("b", "d0", "d1", "d2", "d3", "d4", "d5");
        scene.job("job").tasks(1, 1, 2, "H100").waits().pass();
        assertThat(nodes(scene, "job")).containsExactly("b");
    }

    @Test
    void the_tasks_of_a_job_share_a_node_if_they_can() {
        Scene scene = Scene.of(node("a", 64, 4, "H100"), node("b", 64, 4, "H100"), node("c", 64, 8, "H100"));
        scene.job("job").tasks(4, 1, 2, "H100").waits().pass();
        assertThat(nodes(scene, "job")).containsExactly("c");
    }

    @Test
    void a_job_that_no_node_can_hold_goes_to_as_few_as_possible() {
        Scene scene = Scene.of(
                node("a", 64, 2, "H100"), node("b", 64, 8, "H100"), node("c", 64, 8, "H100"), node("d", 64, 4, "H100"));
        scene.job("job").tasks(6, 1, 2, "H100").waits().pass();
        assertThat(nodes(scene, "job")).hasSize(2).contains("d");
    }

    @Test
    void the_devices_of_a_task_are_near_one_another() {
        Scene scene = Scene.of(node("a", 64, 8, "H100"));
        scene.job("other").tasks(1, 1, 2, "H100").runsOn("a", "d0", "d1");
        scene.job("job").tasks(1, 1, 3, "H100").waits().pass();
        assertThat(devices(scene, "job")).containsExactly("d4", "d5", "d6");
    }

    @Test
    void a_half_that_is_in_use_is_filled_up_first() {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"), node("b", 64, 8, "Ascend910B"));
        scene.job("other").tasks(1, 1, 2, "Ascend910B").runsOn("b", "d4", "d5");
        scene.job("job").tasks(1, 1, 2, "Ascend910B").waits().pass();
        assertThat(nodes(scene, "job")).containsExactly("b");
        assertThat(devices(scene, "job")).containsExactly("d6", "d7");
    }

    @Test
    void four_of_an_ascend_board_wait_rather_than_cross_its_halves() {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"));
        scene.job("other").tasks(1, 1, 2, "Ascend910B").runsOn("a", "d0", "d4");
        scene.job("job").tasks(1, 1, 4, "huawei_npu_arm64").waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.SCATTERED);
        assertThat(scene.waiting("job").shortages().getFirst().free()).isEqualTo(6);
        assertThat(scene.waiting("job").shortages().getFirst().freeOnOne())
                .as("of three in each half two work together")
                .isEqualTo(2);
    }

    @Test
    void small_tasks_of_one_job_share_a_half_where_one_has_room_for_all_of_them() {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"));
        scene.job("other").tasks(1, 1, 1, "Ascend910B").runsOn("a", "d0");
        scene.job("job").tasks(2, 1, 2, "Ascend910B").waits().pass();
        assertThat(scene.places("job").stream().flatMap(place -> place.devices().stream()))
                .as("HCCL joins them only so")
                .containsExactly("d4", "d5", "d6", "d7");
        scene.job("next").tasks(3, 1, 1, "Ascend910B").waits().pass();
        assertThat(scene.places("next").stream().flatMap(place -> place.devices().stream()))
                .containsExactlyInAnyOrder("d1", "d2", "d3");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 6, 7})
    void a_count_that_no_ascend_board_allows_is_never_placed_and_told(int count) {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"));
        scene.job("job").tasks(1, 1, count, "Ascend910B").waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.NEVER_ON_BOARD);
        assertThat(scene.waiting("job").position()).isZero();
    }

    @Test
    void more_than_a_board_has_are_too_many_whatever_it_allows() {
        Scene scene = Scene.of(node("a", 64, 8, "Ascend910B"));
        scene.job("job").tasks(1, 1, 9, "Ascend910B").waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.NEVER);
    }

    @Test
    void a_board_whose_halves_nobody_told_is_taken_as_four_and_four() {
        List<Snapshot.Device> devices = node("a", 1, 8, "Ascend910B").devices().stream()
                .map(device -> new Snapshot.Device(device.id(), device.type(), device.vendor(), null, null, null))
                .toList();
        Scene scene = Scene.of(new Snapshot.Node("a", 64, 65_536, devices, null));
        scene.job("one").tasks(1, 1, 1, "Ascend910B").runsOn("a", "d3");
        scene.job("job").tasks(1, 1, 4, "Ascend910B").waits().pass();
        assertThat(devices(scene, "job")).containsExactly("d4", "d5", "d6", "d7");
    }

    @Test
    void a_device_with_a_fault_is_never_given() {
        Scene scene = Scene.of(broken(node("a", 64, 2, "H100"), 0, "fell off the bus"));
        scene.job("job").tasks(1, 1, 1, "H100").waits();
        scene.job("both").tasks(1, 1, 2, "H100").waits().pass();
        assertThat(devices(scene, "job")).containsExactly("d1");
        Waiting both = scene.waiting("both");
        assertThat(both.why()).isEqualTo(Why.OUT_OF_SERVICE);
        assertThat(both.outages()).containsExactly(new Waiting.Outage("a", "d0", "fell off the bus"));
    }

    @Test
    void nothing_starts_on_a_node_that_is_closed_and_its_reason_is_told() {
        Scene scene = Scene.of(closed(node("a", 64, 2, "H100"), "drained for a new driver"));
        scene.job("job").tasks(1, 1, 1, "H100").waits().pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.OUT_OF_SERVICE);
        assertThat(scene.waiting("job").outages())
                .containsExactly(new Waiting.Outage("a", null, "drained for a new driver"));
    }

    @Test
    void a_faulty_device_that_its_job_gives_back_is_not_counted_on() {
        Scene scene = Scene.of(broken(node("a", 64, 1, "H100"), 0, "overheated"));
        scene.job("runs").runs(Duration.ofHours(1)).tasks(1, 1, 1, "H100").runsOn("a", "d0");
        scene.job("job").tasks(1, 1, 1, "H100").waits().pass();
        assertThat(scene.waiting("job").start()).isNull();
    }

    @Test
    void tasks_without_devices_keep_away_from_device_nodes_while_others_have_room() {
        Scene scene = Scene.of(node("gpu", 64, 8, "H100"), node("cpu", 4, 0, ""));
        for (int job = 0; job < 5; job++) {
            scene.job("job" + job).tasks(1, 1, 0, null).waits();
        }
        scene.pass();
        assertThat(nodes(scene, "job3")).containsExactly("cpu");
        assertThat(nodes(scene, "job4")).containsExactly("gpu");
    }

    @Test
    void any_device_means_the_same_for_all_tasks_of_a_gang() {
        Scene scene = Scene.of(node("a", 64, 2, "H100"), node("b", 64, 4, "A100"));
        scene.job("job").tasks(3, 1, 1, null).waits().pass();
        assertThat(nodes(scene, "job")).containsExactly("b");
    }

    @Test
    void shared_memory_counts_where_it_is_more_than_the_memory() {
        Scene scene = Scene.of(node("a", 8, 2_000, 0, ""));
        Demand demand = scene.job("job").demand();
        scene.queue.add(new Demand(
                "job",
                demand.user(),
                demand.cluster(),
                10,
                demand.submitted(),
                demand.since(),
                null,
                false,
                true,
                List.of(new Demand.Role("role0", 1, 1, 1_024, 0, null, 4_096))));
        scene.pass();
        assertThat(scene.waiting("job").why()).isEqualTo(Why.NEVER);
        assertThat(scene.waiting("job").shortages().getFirst().resource()).isEqualTo(Waiting.Resource.MEMORY_MB);
    }
}
