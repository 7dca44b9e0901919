package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Placement.Fit;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WouldFitTest {

    private static Fit ask(Scene scene, Scene.Wish wish) {
        return Placement.wouldFit(scene.snapshot(), wish.demand(), scene.last);
    }

    private static Waiting waiting(Fit fit) {
        assertThat(fit.now()).isEmpty();
        return Objects.requireNonNull(fit.waiting());
    }

    @Test
    void a_job_that_fits_is_told_where_it_would_run() {
        Scene scene = Scene.of(node("a", 8, 8, "H100"));
        Fit fit = ask(scene, scene.job("new").tasks(1, 1, 4, "H100"));
        assertThat(fit.waiting()).isNull();
        assertThat(fit.now().getFirst().node()).isEqualTo("a");
        assertThat(fit.now().getFirst().devices()).containsExactly("d0", "d1", "d2", "d3");
    }

    @Test
    void a_job_that_has_to_wait_is_told_for_what_and_how_long() {
        Scene scene = Scene.of(node("a", 8, 8, "H100"));
        scene.job("runs")
                .runs(Duration.ofHours(1))
                .tasks(1, 1, 6, "H100")
                .waits()
                .pass();
        Fit fit = ask(scene, scene.job("new").tasks(1, 1, 4, "H100"));
        Waiting waiting = waiting(fit);
        assertThat(waiting.why()).isEqualTo(Why.MACHINES);
        assertThat(waiting.position()).isEqualTo(1);
        assertThat(waiting.start()).isEqualTo(scene.now.plus(Duration.ofHours(1)));
        assertThat(waiting.holders().getFirst().user()).isEqualTo("user-runs");
    }

    @Test
    void a_job_that_can_never_run_is_told_so_apart_from_waiting() {
        Scene scene = Scene.of(node("a", 8, 8, "H100"));
        Fit fit = ask(scene, scene.job("new").tasks(1, 1, 16, "H100"));
        Waiting waiting = waiting(fit);
        assertThat(waiting.why()).isEqualTo(Why.NEVER);
        assertThat(waiting.why().isNever()).isTrue();
        assertThat(waiting.shortages().getFirst().perTask()).isEqualTo(16);
        assertThat(waiting.shortages().getFirst().totalOnOne()).isEqualTo(8);
    }

    @Test
    void asking_changes_nothing() {
        Scene scene = Scene.of(node("a", 8, 8, "H100"));
        scene.pass();
        Snapshot before = scene.snapshot();
        ask(scene, scene.job("new"));
        assertThat(scene.snapshot()).isEqualTo(before);
    }

    @Test
    void the_quick_answer_is_the_one_that_a_whole_pass_gives() {
        int quick = 0;
        for (int seed = 0; seed < 120; seed++) {
            Random random = new Random(seed);
            RandomScene chance = new RandomScene(seed);
            chance.goOn();
            Scene scene = chance.scene;
            scene.last = Placement.pass(scene.snapshot(), scene.last);
            Demand demand = scene.job("new")
                    .priority(new int[] {-1, 10, 100}[random.nextInt(3)])
                    .in(random.nextBoolean() ? "default" : "small")
                    .tasks(1 + random.nextInt(2), 1 + random.nextInt(3), random.nextInt(5), null)
                    .demand();
            Fit fit = Placement.wouldFit(scene.snapshot(), demand, scene.last);
            Decisions turnsOnly = new Decisions(
                    Decisions.NONE.of(), Instant.MIN, List.of(), List.of(), List.of(), scene.last.turns());
            Decisions whole = Placement.pass(scene.snapshot().with(demand), turnsOnly);
            scene.last = whole;
            assertThat(fit.now()).as("seed %s", seed).isEqualTo(scene.places("new"));
            if (fit.waiting() != null) {
                Waiting waiting = scene.waiting("new");
                assertThat(fit.waiting().why()).as("seed %s", seed).isEqualTo(waiting.why());
                assertThat(fit.waiting().position()).as("seed %s", seed).isEqualTo(waiting.position());
                assertThat(fit.waiting().shortages()).isEqualTo(waiting.shortages());
                quick++;
            }
        }
        assertThat(quick).isGreaterThan(40);
    }
}
