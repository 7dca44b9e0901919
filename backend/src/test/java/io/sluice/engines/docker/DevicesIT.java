package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.Device;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A container gets the devices that were given, and no other: on real device nodes, laid out as drivers lay them out. */
class DevicesIT {

    private static final int GROUP = 4711;
    private static final String SECOND = "GPU-00000000-0000-0000-0000-000000000001";

    @TempDir
    private Path folder;

    @Test
    void exactly_the_devices_that_were_given_are_there() throws Exception {
        var root = machine(folder.resolve("root"));
        try (var daemon = new TestDaemon();
                var tasks = new TestDocker(folder.toRealPath(), daemon.host(), root)) {
            assertThat(tasks.node.devices())
                    .extracting(Device::id)
                    .containsExactly("nvidia-0", "nvidia-1", "ascend-0", "ascend-1", "ascend-2", "amd-0", "amd-1");
            assertThat(tasks.node.devices())
                    .extracting(Device::type)
                    .containsExactly("H100", "H100", "Ascend910B", "Ascend910B", "Ascend910B", "MI300X", "MI300X");

            var none = begun(tasks, daemon, "none", List.of());
            assertThat(paths(none)).isEmpty();
            assertThat(tasks.log("none")).doesNotContain("davinci").doesNotContain("kfd");

            var ascend = begun(tasks, daemon, "ascend", List.of("ascend-2", "ascend-0"));
            assertThat(paths(ascend))
                    .containsExactlyInAnyOrder(
                            "/dev/davinci0",
                            "/dev/davinci2",
                            "/dev/davinci_manager",
                            "/dev/devmm_svm",
                            "/dev/hisi_hdc");
            assertThat(tasks.log("ascend"))
                    .contains("davinci0")
                    .contains("davinci2")
                    .doesNotContain("davinci1");
            assertThat(ascend.path("Mounts").toString()).contains("\"/usr/local/sbin/npu-smi\"");
            assertThat(StreamSupport.stream(ascend.path("Mounts").spliterator(), false)
                            .filter(mount -> mount.path("Destination").asText().equals("/usr/local/Ascend/driver")))
                    .singleElement()
                    .matches(mount -> !mount.path("RW").asBoolean(true));

            var amd = begun(tasks, daemon, "amd", List.of("amd-1"));
            assertThat(paths(amd)).containsExactlyInAnyOrder("/dev/kfd", "/dev/dri/renderD129");

            opened(tasks);
            vanished(tasks, root);

            for (var container : List.of(none, ascend, amd)) {
                assertThat(container.path("HostConfig").path("Privileged").asBoolean(true))
                        .isFalse();
                assertThat(container.path("Config").path("Env").toString()).contains("NVIDIA_VISIBLE_DEVICES=void");
            }
            var refused = tasks.engine
                    .start(task(tasks, "early", List.of("nvidia-1")))
                    .await();
            assertThat(refused).asString().contains("NVIDIA").contains("Container Toolkit");

            toolkits(daemon);
            TestDocker.until("the engine to be back", () -> ready(tasks));
            var nvidia = begun(tasks, daemon, "nvidia", List.of("nvidia-1"));
            var request = nvidia.path("HostConfig").path("DeviceRequests");
            assertThat(request).hasSize(1);
            assertThat(request.path(0).path("DeviceIDs").toString()).isEqualTo("[\"" + SECOND + "\"]");
            assertThat(request.path(0).path("Capabilities").toString()).isEqualTo("[[\"gpu\"]]");
            assertThat(request.path(0).path("Count").asInt()).isZero();
            assertThat(environment(nvidia)).contains("NVIDIA_VISIBLE_DEVICES=" + SECOND);
            assertThat(daemon.folder.resolve("given")).content().contains("NVIDIA_VISIBLE_DEVICES=" + SECOND);

            var npu = begun(tasks, daemon, "npu", List.of("ascend-2", "ascend-0"));
            assertThat(npu.path("HostConfig").path("Runtime").asText()).isEqualTo("ascend");
            assertThat(environment(npu)).contains("ASCEND_VISIBLE_DEVICES=0,2");
            assertThat(paths(npu)).isEmpty();
        }
    }

    /** As who is not root, by the group that may open them: what was given, and nothing else. */
    private static void opened(TestDocker tasks) throws Exception {
        var home = Files.createDirectories(tasks.folder.resolve("homes/dora"));
        Files.setAttribute(home, "unix:uid", 12345);
        Files.setAttribute(home, "unix:gid", 12345);
        var read = "for node in davinci0 davinci1 davinci2 kfd dri/renderD128 nvidia0; do"
                + " head -c 3 /dev/$node > /tmp/read 2>/dev/null && [ $(wc -c < /tmp/read) = 3 ] && echo open $node; done;"
                + " mknod /tmp/made c 1 5 2>/dev/null && echo made; id -u; id -G; exit 0";
        var mounts = List.of(new Task.Mount(home, "/userhome", false));
        tasks.start(task(tasks, "opens", List.of("ascend-2"), read, mounts));
        tasks.over("opens");
        assertThat(tasks.log("opens")).isEqualTo("open davinci2\n12345\n12345 " + GROUP + "\n");
        tasks.start(task(tasks, "opens-amd", List.of("amd-0"), read, mounts));
        tasks.over("opens-amd");
        assertThat(tasks.log("opens-amd")).isEqualTo("open kfd\nopen dri/renderD128\n12345\n12345 " + GROUP + "\n");
        tasks.start(task(tasks, "only-cpu", List.of(), read, mounts));
        tasks.over("only-cpu");
        assertThat(tasks.log("only-cpu")).isEqualTo("12345\n12345\n");
    }

    /** What is taken out of the machine is refused by its name, and found when it is back. */
    private static void vanished(TestDocker tasks, Path root) throws Exception {
        var node = root.resolve("dev/davinci1");
        Files.delete(node);
        var lost = task(tasks, "lost", List.of("ascend-1"));
        assertThat(tasks.engine.start(lost).await()).isInstanceOfSatisfying(Started.Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Started.Reason.MISSING);
            assertThat(refused.message()).contains("ascend-1").contains("does not show the device any more");
        });
        assertThat(tasks.engine.inventory().await().nodes().getFirst().devices())
                .filteredOn(device -> device.fault() != null)
                .extracting(Device::id)
                .containsExactly("ascend-1");
        node(root, "davinci1");
        node(root, "davinci3");
        assertThat(tasks.engine.start(lost).await()).isInstanceOf(Started.Running.class);
        assertThat(tasks.engine.inventory().await().nodes().getFirst().devices())
                .filteredOn(device -> device.fault() == null)
                .extracting(Device::id)
                .contains("ascend-1", "ascend-3");
        tasks.engine.stop("lost", Duration.ZERO).await();
        tasks.over("lost");
        Files.delete(root.resolve("dev/kfd"));
        assertThat(tasks.engine.start(task(tasks, "no-kfd", List.of("amd-0"))).await())
                .isInstanceOfSatisfying(
                        Started.Refused.class,
                        refused -> assertThat(refused.message()).contains("/dev/kfd is not there any more"));
        node(root, "kfd");
    }

    /**
     * In place of what drivers bring: a hook that notes which devices it is to give, where Docker looks for NVIDIA's, and a runtime that is
     * named as Ascend's.
     */
    private static void toolkits(TestDaemon daemon) throws Exception {
        daemon.stop(false);
        var hook = Files.createDirectories(daemon.programs()).resolve("nvidia-container-runtime-hook");
        Files.writeString(
                hook,
                "#!/bin/sh\nbundle=$(sed 's/.*\"bundle\":\"\\([^\"]*\\)\".*/\\1/')\n"
                        + "grep -o 'NVIDIA_VISIBLE_DEVICES=[^\"]*' \"$bundle/config.json\" > " + daemon.folder
                        + "/given\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
        daemon.start("--add-runtime=ascend=" + TestDaemon.sh(List.of("which", "runc"), null));
    }

    private static boolean ready(TestDocker tasks) {
        return tasks.engine.inventory().await().nodes().getFirst().unready() == null
                && tasks.registry.getSampleValue("sluice_docker_away") == 0;
    }

    private static String environment(JsonNode container) {
        return container.path("Config").path("Env").toString();
    }

    private static JsonNode begun(TestDocker tasks, TestDaemon daemon, String name, List<String> devices)
            throws Exception {
        tasks.start(task(tasks, name, devices));
        tasks.untilLogged(name, "listed");
        var container =
                new ObjectMapper().readTree(daemon.docker("inspect", name)).get(0);
        tasks.engine.stop(name, Duration.ZERO).await();
        return container;
    }

    private static Task task(TestDocker tasks, String name, List<String> devices) {
        return task(tasks, name, devices, "ls -R /dev; echo listed; sleep 600", List.of());
    }

    private static Task task(
            TestDocker tasks, String name, List<String> devices, String script, List<Task.Mount> mounts) {
        return new Task(
                name,
                Map.of(),
                tasks.node.name(),
                script,
                Map.of("NVIDIA_VISIBLE_DEVICES", "all", "ASCEND_VISIBLE_DEVICES", "0-7"),
                new Task.Image(TestDaemon.IMAGE, null, null),
                0,
                0,
                0,
                devices,
                Map.of(),
                mounts,
                tasks.logs.resolve(name));
    }

    private static List<String> paths(JsonNode container) {
        return StreamSupport.stream(container.path("HostConfig").path("Devices").spliterator(), false)
                .map(device -> device.path("PathInContainer").asText())
                .toList();
    }

    private static Path machine(Path root) throws Exception {
        for (int i = 0; i < 2; i++) {
            var gpu = Files.createDirectories(root.resolve("proc/driver/nvidia/gpus/0000:0" + i + ":00.0"));
            Files.writeString(
                    gpu.resolve("information"),
                    "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 128\nGPU UUID: \t GPU-00000000-0000-0000-0000-00000000000"
                            + i + "\nDevice Minor: \t " + i + "\n");
            var node = Files.createDirectories(root.resolve("sys/class/kfd/kfd/topology/nodes/" + (i + 1)));
            Files.writeString(
                    node.resolve("properties"),
                    "cpu_cores_count 0\nsimd_count 1216\ngfx_target_version 90402\nvendor_id 4098\ndrm_render_minor "
                            + (128 + i) + "\n");
        }
        var cpu = Files.createDirectories(root.resolve("sys/class/kfd/kfd/topology/nodes/0"));
        Files.writeString(cpu.resolve("properties"), "cpu_cores_count 64\nsimd_count 0\ndrm_render_minor 0\n");
        var card = Files.createDirectories(root.resolve("sys/bus/pci/devices/0000:c1:00.0"));
        Files.writeString(card.resolve("vendor"), "0x19e5\n");
        Files.writeString(card.resolve("device"), "0xd802\n");
        Files.createDirectories(root.resolve("usr/local/Ascend/driver/lib64"));
        Files.createDirectories(root.resolve("dev/dri"));
        for (var node : List.of(
                "davinci0",
                "davinci1",
                "davinci2",
                "davinci_manager",
                "devmm_svm",
                "hisi_hdc",
                "kfd",
                "dri/renderD128",
                "dri/renderD129")) {
            node(root, node);
        }
        Files.writeString(
                Files.createDirectories(root.resolve("usr/local/sbin")).resolve("npu-smi"), "#!/bin/sh\n");
        return root;
    }

    /** One that gives zeroes, for a group only. */
    private static void node(Path root, String name) throws Exception {
        var path = root.resolve("dev/" + name);
        TestDaemon.sh(List.of("mknod", "--mode=0660", path.toString(), "c", "1", "5"), null);
        Files.setAttribute(path, "unix:gid", GROUP);
    }
}
