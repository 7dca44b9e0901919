package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Devices between two jobs. */
class ReleasedDevicesTest {
    private final ScriptedEngine engine = new ScriptedEngine(1, 4, 2);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @Test
    void a_device_is_given_again_only_after_somebody_saw_that_nothing_was_left_on_it() {
        engine.checked(Instant.now().minus(Duration.ofMinutes(5)));
        desk.submit("ada", JobsTest.one("first", 1, 2));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "first");
        desk.submit("ada", JobsTest.one("second", 1, 2));
        desk.eventually(() -> desk.job("ada", "second").waiting() != null);
        assertThat(waiting("second"))
                .satisfies(waiting -> assertThat(waiting.outages())
                        .isNotEmpty()
                        .allSatisfy(outage -> assertThat(outage.reason()).contains("once it is seen to be well")));
        assertThat(desk.registry.getSampleValue("sluice_jobs_devices_unchecked"))
                .isEqualTo(2);
        assertThat(desk.jobs().inventory().await().nodes().getFirst().devices()).allSatisfy(device -> {
            assertThat(device.fault()).isNull();
            assertThat(device.checking()).startsWith("Given back at");
        });
        engine.checked(Instant.now().plusSeconds(1));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "second");
    }

    @Test
    void where_nobody_looks_or_the_tool_is_silent_for_too_long_a_device_is_given_again() {
        desk.submit("ada", JobsTest.one("first", 1, 2));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "first");
        desk.submit("ada", JobsTest.one("second", 1, 2));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "second");
        engine.checked(Instant.now().minus(Duration.ofMinutes(5)));
        desk.query("UPDATE tasks SET released = now() - interval '121 s' RETURNING id");
        desk.submit("ada", JobsTest.one("third", 1, 2));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "third");
    }

    @Test
    void a_look_before_the_end_is_none_after_it_whatever_the_clock_of_the_engine_says() {
        engine.checked(Instant.now().minus(Duration.ofMinutes(5)));
        desk.submit("ada", JobsTest.one("first", 1, 2));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "first");
        desk.query("UPDATE tasks SET completed = now() - interval '10 min' RETURNING id");
        assertThat(desk.jobs().inventory().await().nodes().getFirst().devices())
                .allSatisfy(device -> assertThat(device.checking()).startsWith("Given back at"));
    }

    private Waiting waiting(String name) {
        return Objects.requireNonNull(desk.job("ada", name).waiting());
    }
}
