package io.sluice.telemetry.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Device;
import io.sluice.telemetry.collect.Simulator.Work;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SimulatorTest {
    private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Device DEVICE = device("ascend-0", "Ascend910B", true);

    private static Device device(String id, String type, boolean simulated) {
        return new Device(id, type, "ascend", 0, 0, null, simulated, null);
    }

    private static Reading at(Simulator simulator, long seconds, Map<String, Work> work) {
        return Objects.requireNonNull(simulator
                .look(List.of(DEVICE), work, BEGUN.plusSeconds(seconds))
                .get(DEVICE.id()));
    }

    private static double[] loads(long task, boolean busy) {
        var simulator = new Simulator();
        var work = Map.of(DEVICE.id(), new Work(task, BEGUN, busy));
        return LongStream.range(0, 240)
                .mapToDouble(step -> at(simulator, step * 5, work).values().of(Metric.UTILISATION))
                .toArray();
    }

    @Test
    void a_task_s_curve_is_its_own_and_the_same_each_time() {
        assertThat(loads(7, true)).isEqualTo(loads(7, true)).isNotEqualTo(loads(8, true));
    }

    @Test
    void it_loads_then_works_and_rests_now_and_then_and_never_leaves_what_can_be() {
        double[] loads = loads(7, true);
        assertThat(DoubleStream.of(loads).limit(4).max().orElseThrow())
                .as("a model is loaded first")
                .isLessThan(0.3);
        assertThat(DoubleStream.of(loads).skip(5).average().orElseThrow()).isBetween(0.6, 1.0);
        assertThat(DoubleStream.of(loads).skip(5).min().orElseThrow())
                .as("while a checkpoint is written")
                .isLessThan(0.1);
        assertThat(DoubleStream.of(loads).allMatch(load -> load >= 0 && load <= 1))
                .isTrue();
    }

    @Test
    void a_task_that_does_nothing_leaves_its_devices_idle_with_its_memory_on_them() {
        assertThat(loads(7, false)).containsOnly(0);
        Reading idle = at(new Simulator(), 300, Map.of(DEVICE.id(), new Work(7, BEGUN, false)));
        Reading free = at(new Simulator(), 300, Map.of());
        assertThat(idle.values().of(Metric.MEMORY_USED))
                .isGreaterThan(10 * free.values().of(Metric.MEMORY_USED))
                .isLessThanOrEqualTo(idle.values().of(Metric.MEMORY_TOTAL));
        assertThat(free.values().of(Metric.UTILISATION)).isZero();
    }

    @Test
    void power_follows_work_and_warmth_follows_power_slowly() {
        var simulator = new Simulator();
        var work = Map.of(DEVICE.id(), new Work(7, BEGUN, true));
        Reading cold = at(simulator, 0, Map.of());
        Reading soon = at(simulator, 31, work);
        Reading later = at(simulator, 400, work);
        assertThat(soon.values().of(Metric.POWER))
                .isGreaterThan(3 * cold.values().of(Metric.POWER));
        assertThat(soon.values().of(Metric.POWER))
                .isLessThanOrEqualTo(soon.values().of(Metric.POWER_LIMIT));
        assertThat(soon.values().of(Metric.TEMPERATURE))
                .isGreaterThan(cold.values().of(Metric.TEMPERATURE))
                .isLessThan(later.values().of(Metric.TEMPERATURE));
    }

    @Test
    void a_device_that_exists_is_never_made_up() {
        var real = device("npu-1", "Ascend910B", false);
        assertThat(new Simulator().look(List.of(real), Map.of(), BEGUN)).isEmpty();
    }
}
