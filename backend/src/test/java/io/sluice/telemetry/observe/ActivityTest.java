package io.sluice.telemetry.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.tasks.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ActivityTest {
    private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Holder HOLDER = Pictures.holder(7, "ann", "train", List.of());

    private final Activity activity = new Activity();

    private Doing at(double seconds, double cpu, double written) {
        return at(seconds, Map.of(HOLDER.run(), new Usage(cpu, 5e8, Double.NaN, Double.NaN, 0, written, Set.of(1L))));
    }

    private Doing at(double seconds, Map<String, Usage> usages) {
        Instant now = BEGUN.plusMillis((long) (seconds * 1000));
        return Objects.requireNonNull(
                activity.doings(List.of(HOLDER), usages, now).get(HOLDER.task()));
    }

    @Test
    void a_rate_needs_two_looks_and_is_what_was_taken_between_them() {
        Doing first = at(0, 100, 1_000);
        assertThat(first.rates().cpuCores()).as("one look tells of no rate").isNaN();
        assertThat(first.rates().memoryBytes()).isEqualTo(5e8);
        Doing second = at(5, 110, 51_000);
        assertThat(second.rates().cpuCores()).isEqualTo(2, within(1e-9));
        assertThat(second.rates().written()).isEqualTo(10_000, within(1e-9));
        assertThat(second.rates().received()).as("not known is not zero").isNaN();
    }

    @Test
    void a_counter_that_begins_anew_tells_nothing_of_the_time_between() {
        at(0, 100, 1_000);
        Doing after = at(5, 3, 2_000);
        assertThat(after.rates().cpuCores()).isNaN();
        assertThat(after.rates().written()).isEqualTo(200, within(1e-9));
        assertThat(at(10, 8, 2_000).rates().cpuCores()).isEqualTo(1, within(1e-9));
    }

    @Test
    void two_looks_at_once_make_no_huge_rate() {
        at(0, 100, 1_000);
        assertThat(at(0.05, 101, 2_000).rates().cpuCores()).isNaN();
        assertThat(at(5, 110, 1_000).rates().cpuCores())
                .as("since the look before that")
                .isEqualTo(2, within(1e-9));
    }

    @Test
    void a_task_that_has_used_no_processor_for_two_minutes_does_nothing_until_it_does() {
        at(0, 100, 0);
        assertThat(at(115, 100, 0).busy()).isTrue();
        assertThat(at(125, 100, 0).busy()).isFalse();
        assertThat(at(130, 100.01, 0).busy()).isTrue();
    }

    @Test
    void one_that_runs_elsewhere_or_has_gone_is_known_by_its_place_alone() {
        at(0, 100, 0);
        Doing unknown = at(5, Map.of());
        assertThat(unknown.usage()).isNull();
        assertThat(unknown.busy()).as("nobody knows otherwise").isTrue();
        assertThat(activity.doings(List.of(), Map.of(), BEGUN.plusSeconds(10))).isEmpty();
        assertThat(at(15, 500, 0).rates().cpuCores())
                .as("it begins anew, whatever was known of it")
                .isNaN();
    }
}
