package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A big job among an endless stream of small ones that would never leave it enough room at once. */
class NoStarvationTest {
    private static final Duration SMALL = Duration.ofMinutes(10);

    private static Scene machines() {
        return Scene.of(
                node("a", 64, 8, "H100"), node("b", 64, 8, "H100"), node("c", 64, 8, "H100"), node("d", 64, 8, "H100"));
    }

    /** Two more small jobs a minute than the cluster can run. */
    private static Simulation stream(Scene scene, String cluster, boolean endsKnown, int perMinute) {
        Simulation simulation = new Simulation(scene);
        Random random = new Random(5);
        for (int job = 0; job < 300; job++) {
            Scene.Wish wish = scene.job("small" + job).in(cluster).tasks(1, 1, 1, "H100");
            Duration takes = SMALL.minusSeconds(random.nextInt(300));
            if (endsKnown) {
                wish.runs(SMALL);
            }
            simulation.job(Duration.ofSeconds(job * 60L / perMinute), takes, wish);
        }
        return simulation;
    }

    @Test
    void a_big_job_starts_when_nobody_knows_how_long_the_small_ones_take() {
        Scene scene = machines();
        Simulation simulation = stream(scene, "default", false, 5);
        simulation.job(Duration.ofMinutes(5), SMALL, scene.job("big").tasks(4, 1, 8, "H100"));
        simulation.run(Duration.ofHours(2));
        assertThat(simulation.started.get("big"))
                .isBeforeOrEqualTo(Scene.START
                        .plus(Duration.ofMinutes(5))
                        .plus(Scene.PATIENCE)
                        .plus(SMALL));
        assertThat(simulation.never()).isEmpty();
    }

    @Test
    void without_patience_running_out_the_same_job_would_wait_as_long_as_small_ones_come() {
        Scene scene = machines();
        scene.patience = Duration.ofDays(1);
        Simulation simulation = stream(scene, "default", false, 5);
        simulation.job(Duration.ofMinutes(5), SMALL, scene.job("big").tasks(4, 1, 8, "H100"));
        simulation.run(Duration.ofMinutes(50));
        assertThat(simulation.started).doesNotContainKey("big");
    }

    @Test
    void a_big_job_starts_when_it_was_promised_if_ends_are_known() {
        Scene scene = machines();
        Simulation simulation = stream(scene, "default", true, 5);
        simulation.job(
                Duration.ofMinutes(5), SMALL, scene.job("big").runs(SMALL).tasks(4, 1, 8, "H100"));
        simulation.run(Duration.ofHours(2));
        assertThat(simulation.started.get("big"))
                .isBeforeOrEqualTo(Scene.START.plusSeconds(300).plus(SMALL));
        assertThat(simulation.never()).isEmpty();
    }

    @Test
    void small_jobs_of_a_virtual_cluster_that_uses_less_do_not_starve_it_either() {
        Scene scene = machines().cluster("little", null, null);
        Simulation simulation = stream(scene, "little", false, 2);
        for (int job = 0; job < 2; job++) {
            simulation.job(
                    Duration.ZERO, Duration.ofDays(1), scene.job("own" + job).tasks(1, 1, 8, "H100"));
        }
        simulation.job(Duration.ofMinutes(15), SMALL, scene.job("big").tasks(2, 1, 8, "H100"));
        simulation.run(Duration.ofHours(2));
        assertThat(simulation.started.get("big"))
                .isBeforeOrEqualTo(Scene.START
                        .plus(Duration.ofMinutes(15))
                        .plus(Scene.PATIENCE)
                        .plus(SMALL.multipliedBy(2)));
    }

    @Test
    void a_job_that_needs_all_of_a_quota_is_not_starved_by_its_own_virtual_cluster() {
        Scene scene = machines().cluster("quota", null, Map.of("H100", 8));
        Simulation simulation = stream(scene, "quota", false, 2);
        simulation.job(
                Duration.ofMinutes(5), SMALL, scene.job("big").in("quota").tasks(2, 1, 4, "H100"));
        simulation.run(Duration.ofHours(3));
        assertThat(simulation.started.get("big"))
                .isBeforeOrEqualTo(Scene.START
                        .plus(Duration.ofMinutes(5))
                        .plus(Scene.PATIENCE)
                        .plus(SMALL)
                        .plusSeconds(60));
    }

    @Test
    void what_is_promised_to_the_first_of_the_queue_is_kept_whatever_comes_later() {
        int promises = 0;
        for (int seed = 0; seed < 25; seed++) {
            Random random = new Random(seed);
            Scene scene = Scene.of(node("a", 24, 8, "H100"), node("b", 24, 8, "Ascend910B"), node("c", 32, 4, "A100"));
            Simulation simulation = new Simulation(scene);
            for (int job = 0; job < 40; job++) {
                Duration most = Duration.ofMinutes(1 + random.nextInt(30));
                Duration takes = random.nextBoolean() ? most : most.dividedBy(2);
                Scene.Wish wish = scene.job("job" + job).runs(most);
                String type = random.nextInt(3) == 0 ? "H100" : random.nextBoolean() ? "Ascend910B" : null;
                int devices = new int[] {0, 1, 1, 2, 4, 8}[random.nextInt(6)];
                wish.tasks(1 + random.nextInt(2), 1 + random.nextInt(12), devices, type);
                simulation.job(Duration.ofSeconds(random.nextInt(3600)), takes, wish);
            }
            Map<String, Instant> promised = new HashMap<>();
            simulation.watch = decisions -> decisions.waiting().stream()
                    .filter(waiting -> waiting.position() == 1 && waiting.start() != null)
                    .forEach(waiting -> promised.putIfAbsent(waiting.job(), waiting.start()));
            simulation.run(Duration.ofDays(1));
            for (Map.Entry<String, Instant> promise : promised.entrySet()) {
                assertThat(simulation.started.get(promise.getKey()))
                        .as("seed %s %s", seed, promise)
                        .isNotNull()
                        .isBeforeOrEqualTo(promise.getValue());
                promises++;
            }
        }
        assertThat(promises).isGreaterThan(100);
    }

    @Test
    void two_virtual_clusters_that_want_everything_get_the_same() {
        Scene scene = machines().cluster("left", null, null).cluster("right", null, null);
        Simulation simulation = new Simulation(scene);
        for (int job = 0; job < 300; job++) {
            String cluster = job < 150 ? "left" : "right";
            simulation.job(
                    Duration.ofSeconds(job < 150 ? 0 : 60),
                    SMALL,
                    scene.job("job" + job).in(cluster).tasks(1, 1, 1, "H100"));
        }
        Map<String, Integer> starts = new HashMap<>();
        simulation.watch = decisions -> {
            for (Start start : scene.now.isAfter(Scene.START) ? decisions.starts() : List.<Start>of()) {
                Demand demand = Objects.requireNonNull(scene.jobs.get(start.job()));
                starts.merge(demand.cluster(), 1, Integer::sum);
            }
        };
        simulation.run(Duration.ofMinutes(59));
        assertThat(starts).isEqualTo(Map.of("left", 80, "right", 80));
    }

    @Test
    void who_waits_has_waited_as_long_as_before_when_the_clock_is_set() {
        var since = Instant.parse("2026-01-01T10:00:00Z");
        var turn = new Decisions.Turn("big", since, since.plusSeconds(300));
        var before = new Decisions(
                Decisions.NONE.of(), Decisions.NONE.until(), List.of(), List.of(), List.of(), Map.of("default", turn));
        assertThat(before.setBy(Duration.ofHours(-9)).turns())
                .containsExactly(Map.entry(
                        "default",
                        new Decisions.Turn(
                                "big", Instant.parse("2026-01-01T01:00:00Z"), Instant.parse("2026-01-01T01:05:00Z"))));
    }
}
