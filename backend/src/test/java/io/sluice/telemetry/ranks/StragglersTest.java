package io.sluice.telemetry.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.life.Exit;
import io.sluice.telemetry.ranks.Rank.Mark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StragglersTest {
    private static final Instant NOW = Instant.parse("2026-03-01T08:00:00Z");

    private static Rank running(int rank, double use, long bytes, int silent) {
        return new Rank(task(rank, null, null), rank, rank, use, bytes, NOW.minusSeconds(silent), "", Set.of());
    }

    private static Rank ended(int rank, int code, int ago) {
        return new Rank(
                task(rank, NOW.minusSeconds(ago), Exit.of(code, null)), rank, rank, Double.NaN, -1, null, "", Set.of());
    }

    private static JobDetail.Task task(int index, @Nullable Instant completed, @Nullable Exit exit) {
        return new JobDetail.Task(
                index,
                "worker",
                index,
                0,
                completed == null ? Job.Phase.STARTED : Job.Phase.EXITED,
                "node",
                "10.0.0.1",
                List.of("d0"),
                Map.of(),
                null,
                0,
                0,
                NOW,
                NOW,
                NOW,
                NOW,
                completed,
                exit,
                "log");
    }

    private static List<Set<Mark>> marks(Rank... ranks) {
        return Stragglers.marked(List.of(ranks), NOW).stream().map(Rank::marks).toList();
    }

    @Test
    void the_one_whose_devices_do_far_less_than_the_others_is_the_slowest_by_use() {
        assertThat(marks(running(0, 0.9, 9000, 1), running(1, 0.5, 9000, 1), running(2, 0.95, 9000, 1)))
                .containsExactly(Set.of(), Set.of(Mark.SLOW_USE), Set.of());
    }

    @Test
    void small_differences_and_what_is_not_known_are_no_reason_to_point_at_anybody() {
        assertThat(marks(running(0, 0.9, 9000, 1), running(1, 0.8, 8000, 2), running(2, Double.NaN, 8500, 30)))
                .containsExactly(Set.of(), Set.of(), Set.of());
        assertThat(marks(running(0, 0.1, 10, 600))).containsExactly(Set.of());
        assertThat(marks(running(0, 0, 0, 1), running(1, 0, 200, 1))).containsExactly(Set.of(), Set.of());
    }

    @Test
    void who_has_printed_far_less_is_the_slowest_by_its_log() {
        assertThat(marks(running(0, 0.9, 90_000, 1), running(1, 0.9, 40_000, 1), running(2, 0.9, 88_000, 1)))
                .containsExactly(Set.of(), Set.of(Mark.SLOW_LOG), Set.of());
    }

    @Test
    void who_leaves_the_printing_to_rank_0_is_not_slow() {
        assertThat(marks(running(0, 0.9, 90_000, 1), running(1, 0.9, 0, 1))).containsExactly(Set.of(), Set.of());
        assertThat(marks(running(-1, 0.9, 300, 1), running(0, 0.9, 90_000, 1), running(1, 0.9, 80_000, 1)))
                .containsExactly(Set.of(), Set.of(), Set.of());
    }

    @Test
    void who_is_silent_while_the_others_print_is_the_slowest_by_its_log() {
        assertThat(marks(running(0, 0.9, 9000, 5), running(1, 0.9, 9000, 3), running(2, 0.9, 9000, 300)))
                .containsExactly(Set.of(), Set.of(), Set.of(Mark.SLOW_LOG));
        assertThat(marks(running(0, 0.9, 9000, 290), running(1, 0.9, 9000, 280), running(2, 0.9, 9000, 300)))
                .containsExactly(Set.of(), Set.of(), Set.of());
    }

    @Test
    void the_first_that_failed_by_itself_is_marked_and_not_those_that_were_ended_for_it() {
        assertThat(marks(ended(0, 1, 5), ended(1, 42, 9), ended(2, Exit.STOPPED, 20), ended(3, 0, 60)))
                .containsExactly(Set.of(), Set.of(Mark.FAILED_FIRST), Set.of(), Set.of());
    }
}
