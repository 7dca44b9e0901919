package io.sluice.telemetry.devices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class XidsTest {
    private static final String LOG = """
            [    0.000000] Linux version 6.1
            [ 1234.567890] NVRM: Xid (PCI:0000:83:00): 31, pid=4242, name=python, Ch 00000008, intr 10000000. MMU Fault
            [ 2345.678901] NVRM: Xid (PCI:0000:83:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
            [ 3456.789012] NVRM: Xid (PCI:0000:C4:00): 999, something new
            [ 4567.890123] NVRM: GPU at PCI:0000:c4:00: GPU-1234
            """;

    private static Reading at(String bus) {
        var identity = new Reading.Identity("nvidia", "GPU-1", 0, "H100", "590", bus, null, false);
        return Reading.of(identity, Values.NONE.with(Metric.UTILISATION, 0.5)).health(Reading.Health.OK, null, false);
    }

    @Test
    void the_last_error_of_a_device_is_found_by_its_place_however_it_is_written() {
        Map<String, Integer> xids = Xids.of(LOG);
        assertThat(xids).hasSize(2);
        Reading fallen = Xids.on(at("00000000:83:00.0"), xids);
        assertThat(fallen.values().of(Metric.XID)).isEqualTo(79);
        assertThat(fallen.note()).isEqualTo("Xid 79: fallen off the bus, since the machine started");
        assertThat(fallen.broken()).as("the tool decides").isFalse();
        assertThat(Xids.on(at("0000:c4:00.0"), xids).note()).startsWith("Xid 999,");
    }

    @Test
    void a_device_without_an_error_has_no_code_rather_than_zero() {
        Reading well = Xids.on(at("00000000:01:00.0"), Xids.of(LOG));
        assertThat(well.values().has(Metric.XID)).isFalse();
        assertThat(well.note()).isNull();
    }

    @Test
    void what_the_tool_says_of_its_health_comes_first() {
        Reading sick = at("00000000:83:00.0").health(Reading.Health.CRITICAL, "Reset wanted", true);
        Reading both = Xids.on(sick, Xids.of(LOG));
        assertThat(both.note()).isEqualTo("Reset wanted");
        assertThat(both.broken()).isTrue();
        assertThat(both.values().of(Metric.XID)).isEqualTo(79);
    }
}
