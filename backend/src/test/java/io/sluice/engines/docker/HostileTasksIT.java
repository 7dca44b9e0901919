package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import io.sluice.engines.docker.limits.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a task asks for, it is refused by name, or its container is within the policy: read back from a real engine. */
class HostileTasksIT {

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static TestDocker tasks;
    private static int number;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        tasks = new TestDocker(folder.toRealPath(), daemon.host());
        daemon.docker(
                "import",
                "--change",
                "USER nobody",
                "--change",
                "VOLUME /var/lib/data /userhome /gdata /.sluice/x/.. /tmp/deep/er",
                "--change",
                "ENV LD_PRELOAD=/tmp/evil.so NVIDIA_VISIBLE_DEVICES=all ASCEND_VISIBLE_DEVICES=0-7",
                "--change",
                "WORKDIR /proc/self/fd/8",
                "--change",
                "ENTRYPOINT [\"/bin/sh\", \"-c\", \"echo escaped; sleep 600\"]",
                "--change",
                "HEALTHCHECK --interval=1s CMD touch /userhome/health",
                "--change",
                "LABEL sluice.run=other sluice.label.job=77 sluice.holder=other sluice.network.holder=other",
                "--change",
                "EXPOSE 22",
                TestDaemon.tools().toString(),
                "hostile:1");
    }

    @AfterAll
    static void close() throws Exception {
        if (tasks != null) {
            tasks.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    static Stream<String> images() {
        return HostileImages.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("images")
    void an_image_that_is_more_than_a_name_is_refused(String image) throws Exception {
        var refused = (Started.Refused) tasks.engine
                .start(task(Map.of(), image, "exit 0", List.of(), Map.of()))
                .await();
        assertThat(refused.reason()).isEqualTo(Started.Reason.UNSAFE);
        assertThat(refused.message()).contains("is no name of an image");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/etc",
                "/etc/cron.d",
                "/proc",
                "/proc/1",
                "/sys",
                "/dev",
                "/dev/shm",
                "/var/run",
                "/run",
                "/usr/bin",
                "/bin",
                "/lib",
                "/root/.ssh",
                "/.sluice",
                "/.sluice/task",
                "relative",
                "../up",
                "/userhome/../etc",
                "/data/./x",
                "//etc",
                ""
            })
    void a_folder_may_not_be_put_over_the_system(String target) {
        assertThat(refusal(new Task.Mount(tasks.home, target, false)).reason()).isEqualTo(Started.Reason.UNSAFE);
    }

    @Test
    void only_folders_of_users_and_what_is_shared_can_be_seen() throws IOException {
        var bob = Files.createDirectories(tasks.folder.resolve("homes/bob"));
        var linked = Files.createSymbolicLink(tasks.home.resolve("escape"), Path.of("/etc"));
        var across = Files.createSymbolicLink(tasks.home.resolve("bobs"), bob);
        var homes = tasks.folder.resolve("homes");
        for (var source : List.of(
                Path.of("/"),
                Path.of("/etc"),
                Path.of("/var/run"),
                tasks.folder,
                homes,
                tasks.folder.resolve("engine"),
                linked,
                across,
                tasks.home.resolve("../../engine"),
                homes.resolve("../logs"),
                daemon.folder)) {
            assertThat(refusal(new Task.Mount(source, "/data", true)).reason())
                    .as("" + source)
                    .isEqualTo(Started.Reason.UNSAFE);
        }
        assertThat(refusal(new Task.Mount(tasks.shared, "/gdata", false)).reason())
                .isEqualTo(Started.Reason.UNSAFE);
        assertThat(refusal(new Task.Mount(homes.resolve("nobody"), "/data", false))
                        .reason())
                .isEqualTo(Started.Reason.MISSING);
    }

    static Stream<Map<String, String>> environments() {
        return Stream.of(
                        "NVIDIA_VISIBLE_DEVICES=all",
                        "NVIDIA_VISIBLE_DEVICES=0,1",
                        "NVIDIA_MIG_CONFIG_DEVICES=all",
                        "NVIDIA_MIG_MONITOR_DEVICES=all",
                        "NVIDIA_IMEX_CHANNELS=0",
                        "ASCEND_VISIBLE_DEVICES=0-7",
                        "ASCEND_RUNTIME_MOUNTS=/",
                        "ASCEND_RUNTIME_OPTIONS=VIRTUAL",
                        "ASCEND_VNPU_SPECS=vir04",
                        "ASCEND_ALLOW_LINK=True",
                        "AMD_VISIBLE_DEVICES=all",
                        "LD_PRELOAD=/proc/self/cwd/evil.so",
                        "LD_AUDIT=/tmp/x.so",
                        "DOCKER_RESOURCE_GPU=all",
                        "TINI_SUBREAPER=1",
                        "TINI_KILL_PROCESS_GROUP=",
                        "DOCKER_HOST=tcp://10.0.0.1:2375",
                        "NVIDIA_DRIVER_CAPABILITIES=all",
                        "NVIDIA_GDS=enabled",
                        "NVIDIA_MOFED=enabled")
                .map(variable -> variable.split("=", 2))
                .map(parts -> Map.of(parts[0], parts[1]));
    }

    @ParameterizedTest
    @MethodSource("environments")
    void no_variable_opens_anything(Map<String, String> environment) throws Exception {
        var name = begun(task(environment, TestDaemon.IMAGE, "sleep 600", List.of(), Map.of()));
        within(name);
    }

    static Stream<Map<String, String>> labels() {
        return Stream.of(
                Map.of("sluice.run", "x"),
                Map.of("sluice.network.holder", "x", "sluice.network.address", "127.0.0.1"),
                Map.of("com.docker.compose.project", "x"),
                Map.of("privileged", "true"),
                Map.of("security-opt", "seccomp=unconfined"),
                Map.of(Task.NETWORK, "host"),
                Map.of(Task.HOST, "--privileged"),
                Map.of(Task.HOST, "../../etc"));
    }

    @ParameterizedTest
    @MethodSource("labels")
    void no_label_opens_anything(Map<String, String> labels) throws Exception {
        within(begun(task(Map.of(), TestDaemon.IMAGE, "sleep 600", List.of(), labels)));
    }

    @Test
    void what_an_image_asks_for_does_not_count() throws Exception {
        var name = begun(task(
                Map.of(),
                "hostile:1",
                "id -u; pwd; echo in > /var/lib/data/file && cat /var/lib/data/file; env; sleep 600",
                List.of(),
                Map.of()));
        tasks.untilLogged(name, "LOGNAME");
        within(name);
        assertThat(tasks.log(name))
                .contains("0\n/userhome\n")
                .contains("\nin\n")
                .contains("LD_PRELOAD=/tmp/evil.so")
                .doesNotContain("escaped");
        assertThat(tasks.home.resolve("health")).doesNotExist();
        tasks.over(name);
        assertThat(daemon.docker("volume", "ls", "-q")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mount -t tmpfs none /mnt",
                "mount --bind /userhome /gdata",
                "mknod /tmp/d b 8 0",
                "unshare -m true",
                "unshare -Urm true",
                "echo 1 > /proc/sys/kernel/panic",
                "echo x > /sys/kernel/uevent_helper",
                "echo c > /proc/sysrq-trigger",
                "touch /gdata/x",
                "hostname other",
                "date -s 2001-01-01",
                "echo lost > /dev/stdout",
                "cat /proc/kcore | head -c 1 | grep .",
                "ls /dev/kmsg",
                "nsenter -t 1 -m true",
                "echo 1 > /sys/fs/cgroup/memory/release_agent || echo -1 > /sys/fs/cgroup/memory/memory.limit_in_bytes"
            })
    void inside_it_can_not(String command) throws Exception {
        var name = "inside-" + number++;
        tasks.start(task(
                name, Map.of(), TestDaemon.IMAGE, "(" + command + ") 2>&1 && echo done-it; true", List.of(), Map.of()));
        tasks.over(name);
        assertThat(tasks.log(name)).doesNotContain("done-it").doesNotContain("lost\n");
    }

    @Test
    void limits_hold_inside() throws Exception {
        var name = begun(new Task(
                "limits",
                Map.of(),
                tasks.node.name(),
                "df -P /dev/shm 2>/dev/null | tail -1; cat /proc/self/status; sleep 600",
                Map.of(),
                new Task.Image(TestDaemon.IMAGE, null, null),
                1,
                256,
                32,
                List.of(),
                Map.of(),
                List.of(),
                tasks.logs.resolve("limits")));
        tasks.untilLogged(name, "NoNewPrivs");
        var host = inspected(name).path("HostConfig");
        assertThat(host.path("NanoCpus").asLong()).isEqualTo(1_000_000_000L);
        assertThat(host.path("CpuShares").asLong()).isEqualTo(1024);
        assertThat(host.path("Memory").asLong()).isEqualTo(256L << 20);
        assertThat(host.path("MemorySwap").asLong()).isEqualTo(256L << 20);
        assertThat(host.path("ShmSize").asLong()).isEqualTo(32L << 20);
        assertThat(host.path("PidsLimit").asLong()).isEqualTo(Limits.MOST_PROCESSES);
        assertThat(tasks.log(name))
                .containsPattern("NoNewPrivs:\\s1")
                .containsPattern("Seccomp:\\s2")
                .containsPattern("CapEff:\\s00000000000004f9");
    }

    @Test
    void who_asks_for_no_processor_gets_what_the_others_leave_of_one() throws Exception {
        var asked = task(Map.of(), TestDaemon.IMAGE, "sleep 600", List.of(), Map.of());
        var name = begun(new Task(
                asked.name(),
                asked.labels(),
                asked.node(),
                asked.script(),
                Map.of(),
                asked.image(),
                0,
                64,
                0,
                List.of(),
                Map.of(),
                asked.mounts(),
                asked.output()));
        var host = inspected(name).path("HostConfig");
        assertThat(host.path("NanoCpus").asLong()).isEqualTo(1_000_000_000L);
        assertThat(host.path("CpuShares").asLong()).isEqualTo(102);
        within(name);
    }

    /** The first in an image is told by a copy, those that follow by what is bound into them. */
    @Test
    void a_task_runs_as_the_owner_of_its_home_also_where_the_image_does_not_know_him() throws Exception {
        var carol = Files.createDirectories(tasks.folder.resolve("homes/carol"));
        Files.setAttribute(carol, "unix:uid", 12345);
        Files.setAttribute(carol, "unix:gid", 12346);
        daemon.docker("import", TestDaemon.tools().toString(), "unknown:1");
        for (var name : List.of("carols-first", "carols-second")) {
            var task = task(
                    name,
                    Map.of(),
                    "unknown:1",
                    "id -u; id -un; id -gn; echo $HOME $USER ~carol; touch " + name
                            + "; grep CapEff /proc/self/status; touch /tmp/x && echo tmp; exit 5",
                    List.of(new Task.Mount(carol, "/userhome", false)),
                    Map.of());
            tasks.start(task);
            assertThat(tasks.over(name).exitCode()).isEqualTo(5);
            assertThat(tasks.log(name))
                    .isEqualTo("12345\ncarol\ncarol\n/userhome carol /userhome\nCapEff:\t0000000000000000\ntmp\n");
            assertThat(Files.getAttribute(carol.resolve(name), "unix:uid")).isEqualTo(12345);
        }
        assertThat(inspected("carols-second").path("Mounts").toString()).contains("/etc/passwd");
    }

    private static void within(String name) throws Exception {
        var container = inspected(name);
        GoldenPolicy.within(
                container,
                new GoldenPolicy.Place(
                        daemon, tasks.home, tasks.shared, null, tasks.logs, tasks.folder.resolve("engine/runs")));
        assertThat(container.path("Config").path("Labels").path(Containers.RUN).asText())
                .isEqualTo(name);
        tasks.engine.stop(name, Duration.ZERO).await();
    }

    private static JsonNode inspected(String name) throws Exception {
        return new ObjectMapper().readTree(daemon.docker("inspect", name)).get(0);
    }

    private static String begun(Task task) {
        tasks.start(task);
        return task.name();
    }

    private static Started.Refused refusal(Task.Mount mount) {
        return (Started.Refused) tasks.engine
                .start(task(Map.of(), TestDaemon.IMAGE, "exit 0", List.of(mount), Map.of()))
                .await();
    }

    private static Task task(
            Map<String, String> environment,
            String image,
            String script,
            List<Task.Mount> mounts,
            Map<String, String> labels) {
        return task("hostile-" + number++, environment, image, script, mounts, labels);
    }

    private static Task task(
            String name,
            Map<String, String> environment,
            String image,
            String script,
            List<Task.Mount> mounts,
            Map<String, String> labels) {
        var all = new ArrayList<>(mounts);
        if (mounts.isEmpty()) {
            all.add(new Task.Mount(tasks.home, "/userhome", false));
            all.add(new Task.Mount(tasks.shared, "/gdata", true));
        }
        // one network for all of them, unless it is what the case is about: making one takes as long as the task
        var marked = new HashMap<>(labels);
        marked.putIfAbsent(Task.NETWORK, "hostile");
        return new Task(
                name,
                marked,
                tasks.node.name(),
                script,
                environment,
                new Task.Image(image, null, null),
                1,
                0,
                0,
                List.of(),
                Map.of(),
                all,
                tasks.logs.resolve(name));
    }
}
