package io.sluice.telemetry.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NvidiaTest {
    private static final String HEADER =
            "index, uuid, pci.bus_id, name, driver_version, mig.mode.current, utilization.gpu [%], memory.total [MiB], memory.used [MiB], temperature.gpu, power.draw [W], gpu_recovery_action\n";

    @Test
    void a_row_is_read_by_the_names_above_it_with_units_and_without() {
        Told with = NvidiaCsv.devices(
                HEADER
                        + "1, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, Disabled, 37 %, 97871 MiB, 1200 MiB, 44, 212.50 W, None\n",
                null);
        Told without = NvidiaCsv.devices(
                HEADER
                        + "1, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, Disabled, 37, 97871, 1200, 44, 212.50, None\n",
                null);
        assertThat(with.readings()).hasSize(1);
        Values values = with.readings().getFirst().values();
        assertThat(values.of(Metric.UTILISATION)).isEqualTo(0.37, within(1e-9));
        assertThat(values.of(Metric.MEMORY_USED)).isEqualTo(1200.0 * (1 << 20));
        assertThat(values.of(Metric.POWER)).isEqualTo(212.5);
        assertThat(values).hasToString(without.readings().getFirst().values().toString());
        assertThat(with.readings().getFirst().health()).isEqualTo(Health.OK);
    }

    @Test
    void what_is_not_available_is_absent_and_counted_and_never_zero() {
        for (String absent : List.of(
                "[N/A]",
                "N/A",
                "[Not Supported]",
                "[Unknown Error]",
                "ERR!",
                "",
                "[Insufficient Permissions]",
                "9223372036854775794")) {
            Told told = NvidiaCsv.devices(
                    HEADER + "0, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, [N/A], " + absent + ", 97871, " + absent
                            + ", 44, " + absent + ", None\n",
                    null);
            Values values = told.readings().getFirst().values();
            assertThat(values.has(Metric.UTILISATION)).as(absent).isFalse();
            assertThat(values.has(Metric.MEMORY_USED)).as(absent).isFalse();
            assertThat(values.has(Metric.TEMPERATURE)).as(absent).isTrue();
            assertThat(told.absent()).containsEntry("utilization.gpu", 1);
        }
    }

    @Test
    void a_value_that_can_not_be_is_absent() {
        Told told = NvidiaCsv.devices(
                HEADER + "0, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, [N/A], 4711, 97871, -3, 44, 1e400, None\n",
                null);
        assertThat(told.readings().getFirst().values().has(Metric.UTILISATION)).isFalse();
        assertThat(told.readings().getFirst().values().has(Metric.MEMORY_USED)).isFalse();
        assertThat(told.readings().getFirst().values().has(Metric.POWER)).isFalse();
    }

    @Test
    void a_line_about_a_lost_device_before_a_good_table_costs_only_that_device() {
        Told told = NvidiaCsv.devices(
                "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n" + HEADER
                        + "0, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, Disabled, 37, 97871, 1200, 44, 212.50, None\n",
                null);
        assertThat(told.readings()).hasSize(1);
        assertThat(told.troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.reason()).isEqualTo(Reason.LOST);
            assertThat(trouble.device()).isEqualTo("0000:34:00.0");
        });
    }

    @Test
    void a_row_that_is_cut_off_gives_no_value() {
        Told told = NvidiaCsv.devices(HEADER + "0, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, Disabled, 3", null);
        assertThat(told.readings()).isEmpty();
        assertThat(told.troubles()).extracting(Trouble::reason).containsExactly(Reason.CUT_OFF);
    }

    @Test
    void a_device_that_the_driver_wants_to_reset_is_broken() {
        Told told = NvidiaCsv.devices(
                HEADER
                        + "0, GPU-aa, 00000000:17:00.0, NVIDIA H20, 570.1, Disabled, 0, 97871, 1200, 44, 212.50, Drain and Reset\n",
                null);
        assertThat(told.readings().getFirst().broken()).isTrue();
        assertThat(told.readings().getFirst().note()).contains("Drain and Reset");
    }

    @Test
    void processes_are_read_from_both_ends_because_names_hold_commas() {
        Told told = NvidiaCsv.processes(
                "GPU-aa, 4711, /opt/a, b/python, 2566 MiB\nGPU-aa, 12, x, [N/A]\nGPU-aa, [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions]\n");
        assertThat(told.occupants().get("GPU-aa"))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo(new Reading.Occupant(4711, "/opt/a, b/python", 2566.0 * (1 << 20))),
                        second -> assertThat(second.memory()).isNaN());
        assertThat(told.troubles()).extracting(Trouble::reason).containsExactly(Reason.PERMISSION);
    }

    @Test
    void parts_of_a_divided_device_are_devices_with_memory_and_without_utilisation() {
        String xml = """
                <?xml version="1.0" ?>
                <!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v99.dtd">
                <nvidia_smi_log><driver_version>570.1</driver_version><gpu id="00000000:17:00.0">
                <product_name>NVIDIA H20</product_name><uuid>GPU-aa</uuid><minor_number>3</minor_number>
                <mig_mode><current_mig>Enabled</current_mig></mig_mode>
                <mig_devices><mig_device><index>0</index><gpu_instance_id>2</gpu_instance_id><compute_instance_id>0</compute_instance_id>
                <fb_memory_usage><total>40448 MiB</total><used>11091 MiB</used></fb_memory_usage></mig_device></mig_devices>
                <utilization><gpu_util>N/A</gpu_util></utilization>
                <gpu_power_readings><average_power_draw>N/A</average_power_draw><instant_power_draw>92.50 W</instant_power_draw></gpu_power_readings>
                </gpu></nvidia_smi_log>
                """;
        var parts = NvidiaCsv.parts("GPU 3: NVIDIA H20 (UUID: GPU-aa)\n  MIG 3g.40gb     Device  0: (UUID: MIG-bb)\n");
        Told told = NvidiaXml.devices(xml, parts);
        assertThat(told.readings())
                .satisfiesExactly(
                        whole -> {
                            assertThat(whole.identity().divided()).isTrue();
                            assertThat(whole.values().of(Metric.POWER)).isEqualTo(92.5);
                            assertThat(whole.values().has(Metric.UTILISATION)).isFalse();
                        },
                        part -> {
                            assertThat(part.identity().id()).isEqualTo("MIG-bb");
                            assertThat(part.identity().parent()).isEqualTo("GPU-aa");
                            assertThat(part.identity().model()).isEqualTo("NVIDIA H20 MIG 3g.40gb");
                            assertThat(part.values().has(Metric.UTILISATION)).isFalse();
                            assertThat(part.values().of(Metric.MEMORY_USED)).isEqualTo(11091.0 * (1 << 20));
                        });
        assertThat(NvidiaXml.devices(xml.substring(0, 300), Map.of()).troubles())
                .extracting(Trouble::reason)
                .containsExactly(Reason.CUT_OFF);
    }

    @Test
    void fields_that_the_driver_does_not_know_are_not_asked_for() {
        List<String> known = NvidiaCsv.known(
                "\"index\"\n\"uuid\" or \"gpu_uuid\"\n\"clocks_event_reasons.hw_slowdown\" or \"clocks_throttle_reasons.hw_slowdown\"\n\"power.draw\"\n");
        assertThat(known).containsExactly("index", "uuid", "power.draw", "clocks_event_reasons.hw_slowdown");
    }
}
