package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Devices that were given back and are looked at before they are given again. */
class CheckedDevicesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Four jobs that give way, on one device each, the later ones the lighter. */
    private static Scene four() {
        Scene scene = Scene.of(node("a", 16, 4, "H100")).cluster("other", null, null);
        for (int device = 0; device < 4; device++) {
            scene.later(HOUR)
                    .job("low" + device)
                    .priority(-1)
                    .preemptible()
                    .tasks(1, 1, 1, null)
                    .runsOn("a", "d" + device);
        }
        return scene;
    }

    @Test
    void one_device_costs_one_job_however_long_it_is_checked() {
        Scene scene = four();
        scene.job("urgent").priority(100).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.last.preempts()).containsExactly(new Preempt("low3", "urgent"));
        scene.ends("low3").checks("a/d3");
        for (int pass = 0; pass < 3; pass++) {
            scene.later(Duration.ofSeconds(5)).pass();
            assertThat(scene.last.preempts()).isEmpty();
            assertThat(scene.started()).isEmpty();
            assertThat(scene.waiting("urgent").why()).isEqualTo(Why.MAKING_ROOM);
            assertThat(scene.waiting("urgent").outages())
                    .singleElement()
                    .satisfies(outage -> assertThat(outage.reason()).isEqualTo("being checked"));
        }
        scene.checks().pass();
        assertThat(scene.places("urgent").getFirst().devices()).containsExactly("d3");
    }

    @Test
    void of_two_that_wait_each_gets_the_device_of_one_job() {
        Scene scene = four();
        scene.job("urgent").priority(100).tasks(1, 1, 1, null).waits();
        scene.job("second")
                .in("other")
                .priority(100)
                .tasks(1, 1, 1, null)
                .waits()
                .pass();
        assertThat(scene.last.preempts()).extracting(Preempt::job).containsExactlyInAnyOrder("low3", "low2");
        scene.ends("low3").ends("low2").checks("a/d3", "a/d2").pass();
        assertThat(scene.last.preempts()).isEmpty();
        scene.checks("a/d2").pass();
        assertThat(scene.last.preempts()).isEmpty();
        assertThat(scene.started()).hasSize(1);
        scene.checks().pass();
        assertThat(scene.last.preempts()).isEmpty();
        assertThat(scene.runs("urgent") && scene.runs("second")).isTrue();
    }

    @Test
    void what_is_checked_for_one_is_not_another_s() {
        Scene scene = four();
        scene.job("urgent").priority(100).tasks(1, 1, 1, null).waits().pass();
        scene.ends("low3").checks("a/d3");
        scene.job("equal").in("other").priority(-1).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.last.preempts()).isEmpty();
        assertThat(scene.started()).isEmpty();
        scene.checks().pass();
        assertThat(scene.started()).containsExactly("urgent");
    }

    @Test
    void small_jobs_do_not_pass_a_big_one_that_lacks_only_what_is_checked() {
        Scene scene = Scene.of(node("a", 16, 8, "H100")).checks("a/d7");
        scene.job("big").tasks(1, 1, 8, null).waits();
        scene.job("small").tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.started()).isEmpty();
        assertThat(scene.waiting("small").behind()).isEqualTo("big");
        scene.checks().pass();
        assertThat(scene.started()).containsExactly("big");
    }

    @Test
    void a_known_end_is_promised_while_another_device_is_checked() {
        Scene scene = Scene.of(node("a", 16, 8, "H100")).checks("a/d7");
        scene.job("runs").runs(HOUR).tasks(1, 1, 1, null).runsOn("a", "d0");
        scene.job("big").tasks(1, 1, 8, null).waits();
        scene.job("long").tasks(1, 1, 1, null).waits();
        scene.job("short").runs(HOUR).tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.started()).containsExactly("short");
        assertThat(scene.waiting("big").start()).isEqualTo(scene.now.plus(HOUR));
    }

    @Test
    void devices_are_collected_while_one_of_them_is_checked() {
        Scene scene = Scene.of(node("a", 16, 8, "H100")).checks("a/d7");
        scene.job("runs").tasks(1, 1, 1, null).runsOn("a", "d0");
        scene.job("big").tasks(1, 1, 8, null).waits().pass();
        scene.job("small").tasks(1, 1, 1, null).waits().later(Scene.PATIENCE).pass();
        assertThat(scene.started()).isEmpty();
        assertThat(scene.waiting("small").why()).isEqualTo(Why.RESERVED);
        scene.ends("runs").checks("a/d0").pass();
        assertThat(scene.started()).isEmpty();
        scene.checks().pass();
        assertThat(scene.started()).containsExactly("big");
    }

    @Test
    void a_broken_device_is_no_hope_even_if_it_was_just_given_back() {
        Scene scene =
                Scene.of(Scene.broken(node("a", 16, 8, "H100"), 7, "lost")).checks("a/d7");
        scene.job("big").tasks(1, 1, 8, null).waits();
        scene.job("small").tasks(1, 1, 1, null).waits().pass();
        assertThat(scene.waiting("big").why()).isEqualTo(Why.OUT_OF_SERVICE);
        assertThat(scene.started()).containsExactly("small");
    }
}
