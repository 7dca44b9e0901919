package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {

    @Test
    void the_higher_priority_goes_first_then_the_older() {
        Scene scene = Scene.of(node("a", 2, 0, ""));
        scene.job("old").waits().job("young").waits();
        scene.job("urgent").priority(100).waits();
        scene.pass();
        assertThat(scene.started()).containsExactly("urgent", "old");
        assertThat(scene.waiting("young").position()).isEqualTo(1);
        assertThat(scene.waiting("young").why()).isEqualTo(Why.MACHINES);
    }

    @Test
    void a_gang_starts_as_a_whole_or_not_at_all() {
        Scene scene = Scene.of(node("a", 8, 2, "H100"), node("b", 8, 2, "H100"));
        scene.job("three").tasks(3, 1, 2, null).waits();
        scene.job("two").tasks(2, 1, 2, null).waits();
        scene.pass();
        assertThat(scene.started()).containsExactly("two");
        assertThat(scene.waiting("three").why()).isEqualTo(Why.NEVER);
    }

    @Test
    void of_other_jobs_as_many_tasks_start_as_fit() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("loose").loose().tasks(3, 1, 2, null).waits();
        scene.pass();
        assertThat(scene.places("loose")).hasSize(2);
        assertThat(scene.waiting("loose").why()).isEqualTo(Why.MACHINES);
    }

    @Test
    void a_quota_is_kept_and_named() {
        Scene scene = Scene.of(node("a", 64, 8, "H100")).cluster("vision", null, Map.of("h100", 4));
        scene.job("first").in("vision").tasks(1, 1, 3, null).waits();
        scene.job("second").in("vision").tasks(1, 1, 2, "H100").waits();
        scene.job("huge").in("vision").tasks(1, 1, 5, "H100").waits();
        scene.pass();
        assertThat(scene.started()).containsExactly("first");
        Waiting second = scene.waiting("second");
        assertThat(second.why()).isEqualTo(Why.QUOTA);
        assertThat(second.shortages().getFirst().free()).isEqualTo(1);
        assertThat(second.holders().getFirst().job()).isEqualTo("first");
        assertThat(scene.waiting("huge").why()).isEqualTo(Why.NEVER_IN_QUOTA);
    }

    @Test
    void a_small_job_passes_a_big_one_if_it_does_not_delay_it() {
        Scene scene = Scene.of(node("a", 8, 4, "H100"));
        scene.job("runs").runs(Duration.ofHours(1)).tasks(1, 1, 2, null).runsOn("a", "d0", "d1");
        scene.job("big").tasks(1, 1, 4, null).waits();
        scene.job("long").runs(Duration.ofHours(2)).tasks(1, 1, 1, null).waits();
        scene.job("short").runs(Duration.ofMinutes(30)).tasks(1, 1, 1, null).waits();
        scene.pass();
        assertThat(scene.started()).containsExactly("short");
        assertThat(scene.waiting("big").start()).isEqualTo(scene.now.plus(Duration.ofHours(1)));
        assertThat(scene.waiting("long").why()).isEqualTo(Why.RESERVED);
        assertThat(scene.waiting("long").behind()).isEqualTo("big");
    }
}
