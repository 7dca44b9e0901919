package io.sluice.telemetry.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.telemetry.devices.Trouble.Reason;
import org.junit.jupiter.api.Test;

class AmdTest {
    @Test
    void names_of_every_version_are_understood_and_cards_are_in_order() {
        Told told = RocmSmi.devices("""
                WARNING: one of the sensors was slow
                {"card10": {"GPU use (%)": "7", "VRAM Total Memory (B)": "1000", "VRAM Total Used Memory (B)": "10", "Unique ID": "0xab", "Card Series": "MI300X"},
                 "card2": {"DCU use (%)": "9", "vram Total Memory (MiB)": "2", "vram Total Used Memory (MiB)": "1", "Unique ID": "N/A", "PCI Bus": "0000:63:00.0", "Card series": "Z100"},
                 "system": {"Driver version": "6"}}
                """);
        assertThat(told.readings())
                .extracting(reading -> reading.identity().id())
                .containsExactly("amd-0000:63:00.0", "amd-0xab");
        assertThat(told.readings().getFirst().values().of(Metric.UTILISATION)).isEqualTo(0.09, within(1e-9));
        assertThat(told.readings().getFirst().values().of(Metric.MEMORY_TOTAL)).isEqualTo(2.0 * (1 << 20));
        assertThat(told.readings().getLast().values().has(Metric.POWER)).isFalse();
    }

    @Test
    void a_list_and_an_object_around_it_are_the_same_and_any_leaf_may_be_missing() {
        String list =
                "[{\"gpu\":1,\"usage\":{\"gfx_activity\":{\"value\":40,\"unit\":\"%\"},\"umc_activity\":\"N/A\"},\"power\":\"N/A\",\"mem_usage\":{\"total_vram\":{\"value\":100,\"unit\":\"MB\"},\"used_vram\":\"N/A\"},\"temperature\":{\"edge\":\"N/A\",\"hotspot\":{\"value\":36,\"unit\":\"C\"}}}]";
        for (String output : new String[] {list, "{\"gpu_data\": " + list + "}"}) {
            Values values = AmdSmi.devices(output).readings().getFirst().values();
            assertThat(values.of(Metric.UTILISATION)).isEqualTo(0.4, within(1e-9));
            assertThat(values.of(Metric.TEMPERATURE)).isEqualTo(36);
            assertThat(values.has(Metric.POWER)).isFalse();
            assertThat(values.has(Metric.MEMORY_USED)).isFalse();
        }
        assertThat(AmdSmi.devices(list.substring(0, 80)).troubles())
                .extracting(Trouble::reason)
                .containsExactly(Reason.CUT_OFF);
    }

    @Test
    void of_two_numbers_that_differ_the_newer_is_taken_and_a_process_without_memory_stays() {
        Told told = AmdSmi.processes("""
                [{"gpu":0,"process_list":[{"process_info":{"name":"a","pid":7,"memory_usage":{"vram_mem":{"value":2048,"unit":"B"}},"mem_usage":{"value":0,"unit":"B"}}},
                  {"process_info":"N/A"},{"process_info":{"name":"b","pid":8,"mem_usage":{"value":0,"unit":"B"}}}]}]
                """);
        assertThat(told.occupants().get("amd-0"))
                .containsExactly(new Reading.Occupant(7, "a", 2048), new Reading.Occupant(8, "b", 0));
    }

    @Test
    void processes_of_the_older_tool_are_read_from_one_line_each() {
        assertThat(RocmSmi.processes("{\"system\": {\"PID28389\": \"llama, server, 1, 2353860608, 11011, 0\"}}")
                        .orElseThrow())
                .singleElement()
                .satisfies(process -> {
                    assertThat(process.pid()).isEqualTo(28389);
                    assertThat(process.memory()).isEqualTo(2353860608.0);
                });
    }
}
