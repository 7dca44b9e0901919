package io.sluice.telemetry.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

class NpuTest {
    private static final String TABLE = """
            +---------------------------------------------------------------------------------+
            | npu-smi 24.9.9            Version: 24.9.9                                        |
            +----------------------+---------------+------------------------------------------+
            | NPU   Name           | Health        | Power(W)    Temp(C)    Hugepages-Usage(page)|
            | Chip                 | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)|
            +======================+===============+==========================================+
            | 4     910B9          | OK            | 101.5       48                 0    / 0   |
            | 0                    | 0000:C1:00.0  | 63          0    / 0          20480/ 65536|
            +======================+===============+==========================================+
            | 5     910B9  | Warning            | 99.0       49        0    / 0   |
            | 0                    | 0000:C2:00.0  | 0           0    / 0          3000 / 65536 |
            +======================+===============+==========================================+
            +----------------------+---------------+------------------------------------------+
            | NPU     Chip         | Process id    | Process name      | Process memory(MB)   |
            +======================+===============+==========================================+
            | 4       0            | 4321          | python3           | 19000                |
            +======================+===============+==========================================+
            | No running processes found in NPU 5                                             |
            +======================+===============+==========================================+
            """;

    @Test
    void a_table_is_read_by_bars_and_words_however_it_is_padded() {
        NpuTable.Table table = NpuTable.table(TABLE, java.util.Map.of());
        Reading first = table.told().readings().getFirst();
        assertThat(first.identity().model()).isEqualTo("Ascend910B9");
        assertThat(first.identity().driver()).isEqualTo("24.9.9");
        assertThat(first.values().of(Metric.UTILISATION)).isEqualTo(0.63, within(1e-9));
        assertThat(first.values().of(Metric.MEMORY_USED)).isEqualTo(20480.0 * (1 << 20));
        assertThat(first.values().of(Metric.POWER)).isEqualTo(101.5);
        assertThat(table.told().readings().get(1).health()).isEqualTo(Health.WARNING);
        assertThat(table.chips()).containsEntry(first.identity().id(), new NpuTable.Chip(4, 0));
        assertThat(table.told().occupants().get(first.identity().id()))
                .containsExactly(new Reading.Occupant(4321, "python3", 19000.0 * (1 << 20)));
        assertThat(table.told().troubles()).isEmpty();
    }

    @Test
    void two_dies_of_a_card_are_two_devices_and_the_power_belongs_to_the_first() {
        Told told = NpuTable.devices("""
                | npu-smi 25.9   Version: 25.9 |
                | NPU   Name    | Health | Power(W) Temp(C) Hugepages-Usage(page)|
                | Chip  Phy-ID  | Bus-Id | AICore(%) Memory-Usage(MB) HBM-Usage(MB) |
                | 1  Ascend910  | OK     | 160.0 37 0 / 0 |
                | 0  2          | 0000:37:00.0 | 5 0 / 0 3133 / 65536 |
                | 1  Ascend910  | OK     | - 38 0 / 0 |
                | 1  3          | 0000:39:00.0 | 6 0 / 0 2876 / 65536 |
                """);
        assertThat(told.readings())
                .extracting(reading -> reading.identity().index())
                .containsExactly(2, 3);
        assertThat(told.readings().getLast().values().has(Metric.POWER)).isFalse();
        assertThat(told.absent()).containsEntry("power", 1);
    }

    @Test
    void half_a_table_gives_the_devices_that_are_whole_and_says_that_it_is_half() {
        Told told = NpuTable.devices(TABLE.substring(0, TABLE.indexOf("| 0                    | 0000:C2")));
        assertThat(told.readings()).hasSize(1);
        assertThat(told.troubles()).extracting(Trouble::reason).containsExactly(Reason.CUT_OFF);
    }

    @Test
    void full_huge_pages_are_no_reason_to_take_a_device_out() {
        String alarm = TABLE.replace(
                "| OK            | 101.5       48                 0    / 0   |", "| Alarm | 101.5 48 15 / 15 |");
        assertThat(NpuTable.devices(alarm).readings().getFirst().broken()).isFalse();
        assertThat(NpuTable.devices(alarm).readings().getFirst().health()).isEqualTo(Health.CRITICAL);
        assertThat(NpuTable.devices(alarm.replace("15 / 15", "3 / 15"))
                        .readings()
                        .getFirst()
                        .broken())
                .isTrue();
    }

    @Test
    void a_chip_s_number_comes_before_its_values_in_one_call_and_after_them_in_another() {
        NpuFacts before = NpuFacts.of("""
                NPU ID                         : 1
                Chip Count                     : 2

                Chip ID                        : 0
                Aicore Usage Rate(%)           : 11
                Temperature(C)                 : 60

                Chip ID                        : 1
                Aicore Usage Rate(%)           : 22
                Temperature(C)                 : 61

                Chip Name                      : mcu
                Temperature(C)                 : 48
                NPU Real-time Power(W)         : 45.2
                """);
        NpuFacts after = NpuFacts.of("""
                \tNPU ID                         : 1
                \tChip Count                     : 2

                \tAicore Usage Rate(%)           : 11
                \tHBM Capacity(MB)               : 65536
                \tChip ID                        : 0

                \tAicore Usage Rate(%)           : 22
                \tHBM Capacity(MB)               : 65536
                \tChip ID                        : 1
                """);
        for (NpuFacts facts : List.of(before, after)) {
            assertThat(facts.values(0).of(Metric.UTILISATION)).isEqualTo(0.11, within(1e-9));
            assertThat(facts.values(1).of(Metric.UTILISATION)).isEqualTo(0.22, within(1e-9));
        }
        assertThat(before.values(1).of(Metric.TEMPERATURE)).isEqualTo(61);
        assertThat(before.values(1).of(Metric.POWER))
                .as("the card's own, which only the mcu tells")
                .isEqualTo(45.2);
        assertThat(after.values(0).of(Metric.MEMORY_TOTAL)).isEqualTo(65536.0 * (1 << 20));
    }
}
