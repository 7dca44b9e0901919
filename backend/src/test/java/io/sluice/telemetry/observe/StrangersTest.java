package io.sluice.telemetry.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Values;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is on a device that nobody holds, and which device of an engine a tool tells of. */
class StrangersTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Holder HOLDER = Pictures.holder(1, "ada", "train", List.of("nvidia-0"));

    private final Strangers strangers = new Strangers();

    private static Reading reading(String id, int index, @Nullable String bus, List<Occupant> on) {
        return Reading.of(new Reading.Identity("nvidia", id, index, "H100", null, bus, null, false), Values.NONE)
                .occupants(on);
    }

    /** A look at this second, with what a tool was asked at another one. */
    private boolean look(int second, int asked, boolean held, List<Occupant> on, Set<Long> ours) {
        Reading reading = reading("GPU-a", 0, null, on);
        var device = new Device("nvidia-0", "H100", "nvidia", 0, null, null, false, null);
        var known = new Known(
                Map.of("GPU-a", new Known.Device(reading, NOON.plusSeconds(asked), true, null, null)), List.of());
        var usage = new Usage(1, 1, 0, 0, 0, 0, ours);
        return strangers.look(
                List.of(new Seen("n", device, reading, true, held ? HOLDER : null)),
                known,
                Map.of("run", usage),
                NOON.plusSeconds(second));
    }

    @Test
    void what_is_left_on_a_device_is_found_by_the_tool_s_name_after_two_answers_that_are_newer_than_its_release() {
        var left = List.of(new Occupant(7, "train", 1));
        assertThat(look(0, 0, true, left, Set.of(7L))).isFalse();
        assertThat(look(5, 0, false, left, Set.of())).as("it was given back").isTrue();
        look(10, 0, false, left, Set.of());
        look(15, 0, false, left, Set.of());
        assertThat(strangers.occupied())
                .as("all of it was told while it was held")
                .isEmpty();
        look(20, 15, false, left, Set.of());
        look(25, 15, false, left, Set.of());
        assertThat(strangers.occupied()).as("one answer, looked at twice").isEmpty();
        look(35, 30, false, left, Set.of());
        assertThat(strangers.occupied()).containsOnlyKeys("GPU-a");
        assertThat(strangers.occupied().get("GPU-a"))
                .contains("a task has left behind")
                .doesNotContain("train");
        look(50, 45, false, List.of(), Set.of());
        assertThat(strangers.occupied()).isEmpty();
    }

    @Test
    void somebody_from_outside_is_told_from_what_was_left_and_a_device_that_is_held_is_nobody_else_s() {
        var outside = List.of(new Occupant(8, "x", 1), new Occupant(9, "y", 1));
        look(0, 0, false, outside, Set.of());
        look(15, 15, false, outside, Set.of());
        look(30, 30, false, outside, Set.of());
        assertThat(strangers.occupied().get("GPU-a")).isEqualTo("Used by 2 processes that no task has started");
        look(35, 30, true, outside, Set.of());
        assertThat(strangers.occupied()).isEmpty();
    }

    @Test
    void a_device_is_found_by_its_place_where_two_count_differently_and_never_by_its_number_then() {
        Reading first = reading("GPU-a", 0, "00000000:3B:00.0", List.of());
        Reading second = reading("GPU-b", 1, "00000000:1A:00.0", List.of());
        Known.Device a = new Known.Device(first, NOON, true, null, null);
        Known.Device b = new Known.Device(second, NOON, true, null, null);
        var join = new Join(new Known(Map.of("GPU-a", a, "GPU-b", b), List.of()));
        var minor = new Device("nvidia-0", "H100", "nvidia", 0, null, null, false, null);
        assertThat(join.of(minor.at("0000:1a:00.0", null))).isSameAs(b);
        assertThat(join.of(minor.at("0000:99:00.0", null))).isNull();
        assertThat(join.of(minor)).as("no place is known").isSameAs(a);
        assertThat(minor.at("0000:1a:00.0", null)
                        .isSame(new Device("GPU-a", "", "nvidia", 0, null, null, false, null)
                                .at("00000000:3B:00.0", null)))
                .isFalse();
    }

    @Test
    void parts_are_found_by_name_alone() {
        Reading part = Reading.of(
                new Reading.Identity("nvidia", "MIG-1", 0, "H100 MIG", null, "00000000:3B:00.0", "GPU-a", false),
                Values.NONE);
        Known.Device known = new Known.Device(part, NOON, true, null, null);
        var join = new Join(new Known(Map.of("MIG-1", known), List.of()));
        var whole = new Device("nvidia-0", "H100", "nvidia", 0, null, null, false, null);
        assertThat(join.of(whole.at("0000:3b:00.0", null))).isNull();
        assertThat(join.of(new Device("MIG-1", "H100 MIG", "nvidia", 0, null, null, false, null)))
                .isSameAs(known);
    }
}
