package io.sluice.telemetry.idle;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Pictures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** What counts as time in which a job's devices do nothing. */
class LullsTest {
    private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");
    private static final IdleRule RULE = new IdleRule(30, 5, null, false, false, Then.WARN, 10, 4, false, null);
    private static final Holder HOLDER = Pictures.holder(7, "ann", "train", List.of("g0", "g1"));

    private final Lulls lulls = new Lulls();
    private Instant now = BEGUN;

    private void rule(IdleRule rule) {
        lulls.rules(Map.of("default", rule));
    }

    /** NaN: the sample is missing. */
    private void look(double... loads) {
        var devices = new ArrayList<Seen>();
        for (int at = 0; at < loads.length; at++) {
            devices.add(Pictures.device("n1", "g" + at, at, loads[at], HOLDER));
        }
        lulls.take(Pictures.at(now, devices, List.of(Pictures.doing(HOLDER, 1))));
    }

    private void minutes(int minutes, IntToDoubleFunction load) {
        for (int round = 0; round < minutes * 12; round++) {
            now = now.plusSeconds(5);
            look(load.applyAsDouble(round), 0);
        }
    }

    private Duration quiet() {
        return lulls.jobs().getFirst().quiet();
    }

    @Test
    void one_idle_sample_is_no_idle_time() {
        rule(RULE);
        look(0, 0);
        assertThat(quiet()).isZero();
    }

    @Test
    void idle_time_is_the_time_between_samples_of_the_busiest_device() {
        rule(RULE);
        look(0, 0);
        minutes(31, round -> 0.02);
        assertThat(quiet()).isEqualTo(Duration.ofMinutes(31));
        assertThat(lulls.jobs().getFirst().level()).isCloseTo(0.02, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void one_device_that_works_keeps_the_job_from_being_idle() {
        rule(RULE);
        look(0, 0);
        minutes(31, round -> 0.9);
        assertThat(quiet()).isZero();
        assertThat(lulls.jobs().getFirst().active()).isEqualTo(now);
    }

    @Test
    void a_missing_sample_is_not_idle() {
        rule(RULE);
        look(0, 0);
        minutes(10, round -> 0);
        minutes(15, round -> Double.NaN);
        assertThat(quiet()).as("the other device").isEqualTo(Duration.ofMinutes(10));
        assertThat(lulls.jobs().getFirst().isFresh(now)).isFalse();
    }

    @Test
    void time_that_nobody_saw_counts_for_nothing_and_much_of_it_begins_anew() {
        rule(RULE);
        look(0, 0);
        minutes(10, round -> 0);
        now = now.plus(Duration.ofMinutes(5));
        look(0, 0);
        assertThat(quiet()).isEqualTo(Duration.ofMinutes(10));
        now = now.plus(Duration.ofMinutes(11));
        look(0, 0);
        assertThat(quiet()).isZero();
        assertThat(lulls.jobs().getFirst().active())
                .as("nothing was seen to work")
                .isEqualTo(Instant.MIN);
    }

    /** As an L40S tells that has no process. */
    @Test
    void an_odd_sample_of_a_tool_ends_no_lull() {
        rule(RULE);
        look(0, 0);
        minutes(40, round -> round == 300 ? 1 : 0);
        assertThat(quiet()).isEqualTo(Duration.ofMinutes(40));
    }

    @Test
    void work_after_a_night_of_idling_counts_within_minutes() {
        rule(RULE);
        look(0, 0);
        minutes(600, round -> 0);
        minutes(2, round -> 1);
        assertThat(quiet()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void steps_with_long_pauses_between_them_are_work() {
        rule(RULE);
        look(0, 0);
        minutes(120, round -> round % 120 < 12 ? 1 : 0);
        assertThat(quiet()).isLessThan(Duration.ofMinutes(30));
    }

    @Test
    void a_device_that_does_not_tell_its_utilisation_is_never_idle() {
        rule(RULE);
        look(Double.NaN, 0);
        minutes(40, round -> Double.NaN);
        assertThat(lulls.jobs()).isEmpty();
    }

    @Test
    void whoever_has_more_memory_in_use_than_the_rule_says_is_not_idle() {
        rule(new IdleRule(30, 5, 1, false, false, Then.WARN, 10, 4, false, null));
        look(0, 0);
        minutes(31, round -> 0);
        assertThat(quiet()).isZero();
        rule(new IdleRule(30, 5, 2, false, false, Then.WARN, 10, 4, false, null));
        minutes(31, round -> 0);
        assertThat(quiet()).isGreaterThan(Duration.ofMinutes(30));
    }

    @Test
    void clusters_without_a_rule_and_jobs_that_are_over_are_not_watched() {
        rule(RULE);
        look(0, 0);
        lulls.rules(Map.of("another", RULE));
        look(0, 0);
        assertThat(lulls.jobs()).isEmpty();
        rule(RULE);
        look(0, 0);
        lulls.take(Pictures.at(now.plusSeconds(5), List.of(), List.of()));
        assertThat(lulls.jobs()).isEmpty();
    }

    @Test
    void a_new_attempt_begins_anew() {
        rule(RULE);
        look(0, 0);
        minutes(20, round -> 0);
        Holder next =
                new Holder(8, 7, "ann", "train", "default", 1, "main", 0, 0, "run-8", "n1", List.of("g0"), 1, 100, now);
        lulls.take(
                Pictures.at(now, List.of(Pictures.device("n1", "g0", 0, 0, next)), List.of(Pictures.doing(next, 1))));
        assertThat(quiet()).isZero();
    }
}
