package io.sluice.engines.docker.devices;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.RuntimeInfo;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How NVIDIA's devices are asked for, of engines that are not to be had here. */
class DevicesTest {

    /** What reads an engine's answers, and keeps what the library has no name for. */
    private static final ObjectMapper JSON = DefaultDockerClientConfig.createDefaultConfigBuilder()
            .withDockerHost("unix:///docker")
            .build()
            .getObjectMapper();

    private static final String SECOND = "GPU-00000000-0000-0000-0000-000000000001";

    @TempDir
    private Path root;

    private final HostConfig host = new HostConfig();
    private final Map<String, String> environment = new HashMap<>(Map.of("NVIDIA_VISIBLE_DEVICES", "all"));

    @BeforeEach
    void machine() throws IOException {
        for (int i = 0; i < 2; i++) {
            var gpu = Files.createDirectories(root.resolve("proc/driver/nvidia/gpus/0000:0" + i + ":00.0"));
            Files.writeString(
                    gpu.resolve("information"),
                    "Model: \t\t NVIDIA H100 80GB HBM3\nGPU UUID: \t GPU-00000000-0000-0000-0000-00000000000" + i
                            + "\nDevice Minor: \t " + i + "\n");
        }
    }

    private void give(Info info, String... ids) throws IOException {
        Devices.find(root, List.of()).give(List.of(ids), info, host, environment, new ArrayList<>());
    }

    /** What an engine says of itself: since 25, where it looks for the interface's files; nowhere, where it is switched off. */
    private static Info engine(String version, String... folders) throws IOException {
        var said = Map.of("ServerVersion", version, "CDISpecDirs", folders);
        return JSON.readValue(JSON.writeValueAsString(said), Info.class);
    }

    private void cdi(String folder, String devices) throws IOException {
        Files.writeString(
                Files.createDirectories(root.resolve(folder)).resolve("nvidia.yaml"),
                "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n" + devices);
    }

    @Test
    void an_engine_that_knows_the_container_device_interface_gets_the_device_s_name_in_it() throws IOException {
        cdi("opt/cdi", "- name: " + SECOND + "\n- name: all\n");
        give(engine("25.0.3", "/etc/cdi", "/opt/cdi"), "nvidia-1");
        assertThat(host.getDeviceRequests()).singleElement().satisfies(request -> {
            assertThat(request.getDriver()).isEqualTo("cdi");
            assertThat(request.getDeviceIds()).containsExactly("nvidia.com/gpu=" + SECOND);
        });
        assertThat(environment).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }

    @Test
    void where_the_interface_s_files_count_devices_it_is_the_number() throws IOException {
        cdi("etc/cdi", "- name: \"0\"\n- name: \"1\"\n");
        give(engine("29.0.1", "/etc/cdi", "/var/run/cdi"), "nvidia-1");
        assertThat(host.getDeviceRequests())
                .singleElement()
                .satisfies(request -> assertThat(request.getDeviceIds()).containsExactly("nvidia.com/gpu=1"));
    }

    @Test
    void an_engine_with_nvidia_s_runtime_or_without_that_interface_gets_the_devices_by_their_ids() throws IOException {
        cdi("etc/cdi", "- name: " + SECOND + "\n");
        for (var info : List.of(
                new Info().withServerVersion("20.10.24"),
                engine("27.5.1"),
                engine("28.3.0", "/etc/cdi").withRuntimes(Map.of("nvidia", new RuntimeInfo())))) {
            give(info, "nvidia-1");
            assertThat(host.getDeviceRequests()).singleElement().satisfies(request -> {
                assertThat(request.getDriver()).isNull();
                assertThat(request.getDeviceIds()).containsExactly(SECOND);
                assertThat(request.getCapabilities()).containsExactly(List.of("gpu"));
            });
            assertThat(environment).containsEntry("NVIDIA_VISIBLE_DEVICES", SECOND);
        }
    }

    @Test
    void who_was_given_none_asks_for_none() throws IOException {
        give(engine("28.3.0", "/etc/cdi"));
        assertThat(host.getDeviceRequests()).isNull();
        assertThat(environment).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }
}
