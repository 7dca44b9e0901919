package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.engines.Exports;
import io.sluice.engines.Node.Ports;
import io.sluice.engines.process.ports.PortLedger;
import io.sluice.engines.process.shell.Shell;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartsTest {
    @TempDir
    private Path folder;

    @Test
    void what_the_machine_allows_is_tried_once_and_again_when_a_fact_is_another() throws IOException {
        Files.createDirectories(folder.resolve("engine"));
        assertThat(trials("works")).isOne();
        assertThat(trials("works")).as("remembered").isZero();
        Path memory;
        try (var files = Files.list(folder.resolve("engine"))) {
            memory = files.filter(file -> file.getFileName().toString().startsWith("works-"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.writeString(memory, "of another boot");
        assertThat(trials("works")).isOne();
        assertThat(Files.readString(memory)).doesNotContain("boot");
    }

    private double trials(String result) throws IOException {
        var registry = new CollectorRegistry();
        Ground.find(
                new ProcessEngine.Settings(folder.resolve("engine"), List.of(folder), "", null),
                new EngineMetrics(registry));
        var found =
                registry.getSampleValue("sluice_engine_trials_total", new String[] {"result"}, new String[] {result});
        return found == null ? 0 : found;
    }

    @Test
    void simulated_devices_are_laid_out_as_on_real_boards() {
        var devices = SimulatedDevices.of("8xAscend910B, 4xH100");

        assertThat(devices).hasSize(12).allMatch(Device::simulated);
        assertThat(devices.get(5)).isEqualTo(new Device("ascend-5", "Ascend910B", "ascend", 5, 1, "0b", true, null));
        assertThat(devices.get(8)).isEqualTo(new Device("nvidia-0", "H100", "nvidia", 0, 0, null, true, null));
        assertThat(devices.getLast().numaNode()).isEqualTo(1);
        assertThat(SimulatedDevices.of("16xAscend910A").get(12).half()).isEqualTo("1b");
        assertThat(SimulatedDevices.of("2xA100,2xH100"))
                .extracting(Device::index)
                .containsExactly(0, 1, 2, 3);
        assertThat(SimulatedDevices.of("")).isEmpty();
    }

    @Test
    void a_wrong_list_of_devices_says_what_is_allowed() {
        assertThatThrownBy(() -> SimulatedDevices.of("8xH100,many"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8xAscend910B,4xH100")
                .hasMessageEndingWith("many");
    }

    @Test
    void ports_are_offered_where_the_system_gives_none_to_others() {
        assertThat(PortLedger.offered("32768\t60999")).isEqualTo(new Ports(10_000, 32_767));
        assertThat(PortLedger.offered("9000 40000")).isEqualTo(new Ports(40_001, 65_535));
        assertThat(PortLedger.offered("1024 65535")).isEqualTo(new Ports(10_000, 65_535));
    }

    @Test
    void the_gateways_own_ports_are_told_from_those_of_others() throws Exception {
        int port;
        try (var own = new ServerSocket(0)) {
            port = own.getLocalPort();
            assertThat(PortLedger.isOwn(port)).isTrue();
        }
        assertThat(PortLedger.isOwn(port)).isFalse();
    }

    @Test
    void a_number_that_has_come_again_is_another_process() throws IOException {
        long pid = ProcessHandle.current().pid();
        var self = Incarnation.of(pid).orElseThrow();

        assertThat(self.lives()).isTrue();
        assertThat(new Incarnation(pid, self.start() + 1, self.boot()).lives()).isFalse();
        assertThat(new Incarnation(pid, self.start(), "an earlier boot").lives())
                .isFalse();
    }

    @Test
    void a_stranger_is_never_ended() throws Exception {
        var stranger = new ProcessBuilder("sleep", "60").start();
        try {
            var earlier = new Incarnation(stranger.pid(), 1, Incarnation.bootOfNow());
            earlier.terminate();
            earlier.kill(java.time.Duration.ofSeconds(1));
            assertThat(stranger.waitFor(50, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void bash_reads_back_every_word_as_it_was() throws Exception {
        var odd = "it's \\ \"two\"\n$(lines) `x` !";
        var process = new ProcessBuilder("bash", "-pc", "printf %s " + Shell.quote(odd)).start();
        assertThat(new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo(odd);
        assertThat(Exports.isExportable("PAI_PORT_LIST_my-role")).isFalse();
        assertThat(Exports.isExportable("IFS")).isFalse();
        assertThat(Exports.isExportable("LD_PRELOAD")).isTrue();
        assertThat(Path.of("/bin/bash")).exists();
    }
}
