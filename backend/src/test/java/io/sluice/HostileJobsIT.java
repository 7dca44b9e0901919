package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.engines.docker.GoldenPolicy;
import io.sluice.engines.docker.HostileImages;
import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a job file says, it is refused by name, or its containers are within the policy and its user's. Through the whole gateway. */
class HostileJobsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    /** Of those that are taken, at a time: each has a network, and a container that runs. */
    private static final int AT_ONCE = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    private static @Nullable TestDaemon daemon;

    @SuppressWarnings("NullAway.Init")
    private static Household house;

    @BeforeAll
    static void start() throws Exception {
        daemon = new TestDaemon();
        house = new Household(
                folder.toRealPath(),
                TestDaemon.IMAGE,
                Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host()));
        house.start("");
    }

    @AfterAll
    static void stop() throws Exception {
        try (var last = daemon) {
            if (house != null) {
                house.close();
            }
            if (last != null) {
                assertThat(last.docker("volume", "ls", "-q")).isEmpty();
            }
        }
    }

    private static TestDaemon daemon() {
        return Objects.requireNonNull(daemon);
    }

    private static final String SECOND = """
            extras: {privileged: true}
            extras: {hostNetwork: true}
            extras: {securityContext: {privileged: true}}
            extras: {"com.microsoft.pai.runtimeplugin": [{plugin: teamwise_storage, parameters: {storageConfigNames: ["../../etc"]}}]}
            extras: {"com.microsoft.pai.runtimeplugin": [{plugin: ssh, parameters: {jobssh: true}}]}
            extras: {storages: [{name: etc, mountPath: /etc}]}
            extras: {storages: [{name: up, mountPath: /userhome/../../etc}]}
            extras: {storages: [{name: ../../etc, mountPath: /mnt}]}
            extras: {sluice: {network: host}}
            extras: {sluice: {network: "container:sluice-holder-0000000000"}}
            networkMode: "container:1"
            extras: {sluice: {mounts: ["/:/host"]}}
            extras: {sluice: {volumes: [{type: bind, source: /, target: /host}]}}
            extras: {sluice: {user: "0:0"}}
            extras: {sluice: {folders: {dataDir: /etc, codeDir: ../../.., outputDir: /proc/1/root, authFile: /etc/shadow}}}
            extras: {sluice: {environment: {NVIDIA_VISIBLE_DEVICES: all}}}
            extras: {sluice: {environment: {LD_PRELOAD: /userhome/escape/evil.so}}}
            extras: {sluice: {environment: {HOME: /etc, PATH: "/userhome:/usr/bin:/bin"}}}
            extras: {sluice: {environment: {BASH_ENV: /userhome/evil, ENV: /userhome/evil}}}
            extras: {sluice: {environment: {DOCKER_HOST: "unix:///var/run/docker.sock"}}}
            extras: {sluice: {environment: {ASCEND_RUNTIME_MOUNTS: /, ASCEND_RUNTIME_OPTIONS: VIRTUAL}}}
            extras: {hivedScheduler: {taskRoles: {main: {skuNum: 1}}}}
            parameters: {NVIDIA_VISIBLE_DEVICES: all}
            parameters: {LD_PRELOAD: /proc/self/cwd/evil.so}
            privileged: true
            volumes: ["/:/host"]
            mounts: [{source: /, target: /host}]
            binds: ["/var/run/docker.sock:/var/run/docker.sock"]
            devices: ["/dev/kmsg:/dev/kmsg"]
            capAdd: [SYS_ADMIN]
            runtime: nvidia
            user: root
            """;

    /** Variables and folders as protocol 1 has them; {@code escape}, {@code up} and {@code bobs} are links in the home that lead out of it. */
    private static final String FIRST = """
            {"jobEnvs": {"NVIDIA_VISIBLE_DEVICES": "all"}}
            {"jobEnvs": {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "all", "NVIDIA_MIG_CONFIG_DEVICES": "all"}}
            {"jobEnvs": {"ASCEND_VISIBLE_DEVICES": "0-7", "ASCEND_RUNTIME_MOUNTS": "/"}}
            {"jobEnvs": {"LD_PRELOAD": "/userhome/escape/evil.so"}}
            {"jobEnvs": {"LD_AUDIT": "/tmp/x.so", "LD_LIBRARY_PATH": "/userhome"}}
            {"jobEnvs": {"TINI_SUBREAPER": "1", "TINI_KILL_PROCESS_GROUP": ""}}
            {"jobEnvs": {"PAI_USER_NAME": "bob", "HOME": "/userhome/../bob"}}
            {"jobEnvs": {"a=b": "c"}}
            {"jobEnvs": {"": "c"}}
            {"dataDir": "/userhome/escape", "codeDir": "/userhome/up/engine"}
            {"dataDir": "../../bob", "outputDir": "/userhome/bobs"}
            {"codeDir": "/etc;touch /userhome/injected", "outputDir": "$(touch /userhome/injected)"}
            {"authFile": "/userhome/escape/shadow"}
            """;

    private static String second(String name, String line) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: "%s"}]
                taskRoles:
                  main: {instances: 1, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}, commands: [sleep 600]}
                %s
                """.formatted(name, TestDaemon.IMAGE, line);
    }

    private static ObjectNode first(String name, String image, String command) {
        var job = JSON.createObjectNode().put("jobName", name).put("image", image);
        job.putArray("taskRoles")
                .addObject()
                .put("name", "main")
                .put("cpuNumber", 0)
                .put("memoryMB", 64)
                .put("command", command);
        return job;
    }

    /** By name; what each is about is in it. */
    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        for (var line : SECOND.lines().toList()) {
            files.put("second-" + files.size(), second("second-" + files.size(), line));
        }
        for (var line : FIRST.lines().toList()) {
            var name = "first-" + files.size();
            // through a link of the home the task comes into its own container's folders, and nowhere else
            var job =
                    first(name, TestDaemon.IMAGE, "touch /userhome/escape/sluice-" + name + "; cat up/jobs; sleep 600");
            job.setAll((ObjectNode) JSON.readTree(line));
            files.put(name, job.toString());
        }
        return files;
    }

    @Test
    void an_image_that_is_more_than_a_name_is_refused_by_name() throws Exception {
        List<String> taken = new ArrayList<>();
        for (var image : HostileImages.ALL) {
            String name = "image-" + taken.size();
            var answer = house.submitText(first(name, image, "sleep 600").toString(), "");
            if (answer.statusCode() == 202) {
                taken.add(name);
            } else {
                assertThat(answer.statusCode()).as(image + answer.body()).isEqualTo(400);
                assertThat(answer.body())
                        .as(image)
                        .containsPattern("Invalid(Protocol|Parameters)Error")
                        .contains("image");
            }
        }
        for (var name : taken) {
            house.ends(LIMIT, name);
            assertThat(house.state(name)).isEqualTo("FAILED");
            assertThat(house.page("/jobs/admin~" + name, "en")).contains("no name of an image");
        }
        assertThat(daemon().tasks()).isEmpty();
    }

    @Test
    void whatever_else_a_job_file_says_it_is_refused_by_name_or_stays_within_the_policy() throws Exception {
        var data = house.data().toRealPath();
        var home = Files.createDirectories(data.resolve("homes/admin"));
        Files.createSymbolicLink(home.resolve("escape"), Path.of("/etc"));
        Files.createSymbolicLink(home.resolve("up"), Path.of("../.."));
        Files.createSymbolicLink(home.resolve("bobs"), data.resolve("homes/bob"));
        var files = files();
        assertThat(HostileImages.ALL.size() + files.size()).isGreaterThanOrEqualTo(60);
        List<String> taken = new ArrayList<>();
        for (var file : files.entrySet()) {
            var answer = house.submitText(file.getValue(), "");
            if (answer.statusCode() == 202) {
                taken.add(file.getKey());
            } else if (answer.statusCode() == 404) {
                assertThat(answer.body()).as(file.getValue()).contains("NoStorageError");
            } else {
                assertThat(answer.statusCode())
                        .as(file.getValue() + answer.body())
                        .isEqualTo(400);
                assertThat(answer.body()).as(file.getValue()).containsPattern("Invalid(Protocol|Parameters)Error");
            }
            if (taken.size() == AT_ONCE) {
                within(taken);
                taken.clear();
            }
        }
        within(taken);
        assertThat(home.resolve("injected")).doesNotExist();
        try (var etc = Files.list(Path.of("/etc"))) {
            assertThat(etc.filter(file -> file.getFileName().toString().startsWith("sluice-first")))
                    .isEmpty();
        }
    }

    private static void within(List<String> names) throws Exception {
        var data = house.data().toRealPath();
        for (var name : names) {
            Household.eventually(LIMIT, () -> house.state(name).equals("RUNNING"), () -> JobTrace.of(house, name));
        }
        for (var container : inspected(names.size())) {
            GoldenPolicy.within(
                    container,
                    new GoldenPolicy.Place(
                            daemon(),
                            data.resolve("homes/admin"),
                            data.resolve("gdata"),
                            data.resolve("data"),
                            data.resolve("jobs"),
                            data.resolve("engine/docker/runs")));
        }
        for (var name : names) {
            house.stop(name);
        }
        for (var name : names) {
            house.ends(LIMIT, name);
        }
        Household.eventually(LIMIT, () -> daemon().left(2).isEmpty(), () -> "" + daemon().left(2));
    }

    private static Iterable<com.fasterxml.jackson.databind.JsonNode> inspected(int count) throws Exception {
        var ids = daemon().docker("ps", "-q", "--filter", "label=sluice.run").lines();
        var all = JSON.readTree(
                daemon().docker(Stream.concat(Stream.of("inspect"), ids).toArray(String[]::new)));
        assertThat(all.size()).isEqualTo(count);
        return all;
    }

    @Test
    void a_home_that_is_a_link_is_followed_by_no_engine() throws Exception {
        var data = house.data().toRealPath();
        var victims = Files.createDirectories(data.resolve("homes/admin"));
        Files.writeString(victims.resolve("diary"), "secret");
        Files.createSymbolicLink(data.resolve("homes/mallory"), victims);
        try (var mallory = house.as("mallory")) {
            var answer = mallory.submitText(
                    first("linked", TestDaemon.IMAGE, "cat diary").toString(), "");
            assertThat(answer.statusCode()).isEqualTo(202);
            Household.eventually(LIMIT, () -> status(mallory).contains("FAILED"), () -> status(mallory));
            assertThat(mallory.page("/jobs/mallory~linked", "en")).contains("not one that a task may see");
        }
    }

    private static String status(Household whose) throws IOException {
        return new String(whose.bytes("/api/v2/jobs/mallory~linked"), StandardCharsets.UTF_8);
    }
}
