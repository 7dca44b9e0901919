package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Jobs through the whole gateway, by HTTP, as containers of a real Docker engine. {@code -Dsluice.docker.jobs=1000} leave nothing either. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DockerGatewayIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int JOBS = Integer.getInteger("sluice.docker.jobs", 50);
    private static final int AT_ONCE = 50;

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
                Map.of("SLUICE_ENGINE", "auto", "SLUICE_DOCKER_HOST", daemon.host()));
        house.start("");
    }

    @AfterAll
    static void stop() throws Exception {
        if (house != null) {
            house.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    private static TestDaemon daemon() {
        if (daemon == null) {
            throw new IllegalStateException("no engine");
        }
        return daemon;
    }

    @Test
    void auto_takes_docker_where_it_answers_and_stays_with_what_a_folder_has_begun() throws Exception {
        assertThat(house.data().resolve("engine-kind")).hasContent("docker");
        assertThat(house.get("/api/v2/nodes").toString()).contains("containers of Docker");

        var before = Files.createDirectories(folder.toRealPath().resolve("before"));
        Files.createDirectories(before.resolve("data/engine/runs"));
        try (var old =
                new Household(before, "none", Map.of("SLUICE_ENGINE", "auto", "SLUICE_DOCKER_HOST", daemon().host()))) {
            old.start("");
            assertThat(old.data().resolve("engine-kind")).doesNotExist();
            assertThat(old.get("/api/v2/nodes").toString()).doesNotContain("containers of Docker");
        }
    }

    /** Looked at by {@link #containers_that_nobody_knows_are_removed_after_a_while_and_foreign_ones_never}, a minute later. */
    @Test
    @Order(1)
    void containers_that_nobody_knows_are_there() throws Exception {
        house.submit("known", "sleep 600");
        Household.eventually(() -> house.state("known").equals("RUNNING"));
        var run = daemon().docker("ps", "--filter", "label=sluice.label.job", "--format", "{{.Names}}")
                .strip();
        var install = run.split("-")[1];
        stranger(
                "sluice-" + install + "-999999-main-0-0", "sluice.run=sluice-" + install + "-999999-main-0-0", install);
        stranger("sluice-other-999999-main-0-0", "sluice.run=sluice-other-999999-main-0-0", "other");
        // another's container that calls itself a run, and one that does not
        stranger("foreign-named", "sluice.run=sluice-" + install + "-999998-main-0-0", install);
        stranger("foreign", "team=x", "x");
        house.stop("known");
        house.ends(LIMIT, "known");
    }

    private static void stranger(String name, String label, String install) throws Exception {
        daemon().docker(
                        "run",
                        "-d",
                        "--init",
                        "--network",
                        "none",
                        "--name",
                        name,
                        "--label",
                        label,
                        "--label",
                        "sluice.label.install=" + install,
                        "--label",
                        "sluice.label.job=999999",
                        TestDaemon.IMAGE,
                        "sleep",
                        "600");
    }

    @Test
    @Order(Integer.MAX_VALUE - 2)
    void containers_that_nobody_knows_are_removed_after_a_while_and_foreign_ones_never() throws Exception {
        Household.eventually(
                Duration.ofSeconds(150),
                () -> daemon().docker("ps", "-a", "--filter", "name=999999", "--format", "{{.Names}}")
                        .equals("sluice-other-999999-main-0-0"),
                () -> daemon().docker("ps", "-a"));
        for (var name : List.of("sluice-other-999999-main-0-0", "foreign-named", "foreign")) {
            assertThat(daemon().docker("inspect", "-f", "{{.State.Running}}", name))
                    .as(name)
                    .isEqualTo("true");
            daemon().docker("rm", "-f", name);
        }
    }

    @Test
    void a_job_for_an_image_of_openpai_runs_in_it_and_leaves_what_it_made() throws Exception {
        daemon().tag(TestDaemon.IMAGE, "ubuntu:16.04");
        submit("""
                {"jobName": "jobName_test", "image": "ubuntu:16.04", "taskRoles": [{"name": "hello_cluster", "taskNumber": 1,
                "cpuNumber": 1, "memoryMB": 512, "gpuNumber": 0,
                "command": "cd /userhome; sleep 1; mkdir -p output; date > output/out.txt; echo finished"}]}""");
        assertThat(ended("jobName_test").path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(house.home().resolve("output/out.txt")).isNotEmptyFile();
        assertThat(log("jobName_test", "hello_cluster")).endsWith("finished\n");
        // which bytes exactly it ran in
        var events = house.get("/api/v2/jobs/admin~jobName_test/events").toString();
        assertThat(events).containsPattern("Started on \\S+ in sha256:[0-9a-f]{64}");
    }

    @Test
    void roles_find_one_another_by_the_names_and_ports_that_they_are_given() throws Exception {
        var serve = "exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5, LocalPort =>"
                + " $ENV{PAI_PORT_LIST_server_0_http}) or die; print \\\"up\\\\n\\\"; $c = $s->accept; print $c \\\"hello\\\\n\\\"'";
        var ask = "a=PAI_HOST_IP_server_0; p=PAI_PORT_LIST_server_0_http; for i in $(seq 200); do"
                + " timeout 2 bash -c \\\"head -1 < /dev/tcp/${!a}/${!p}\\\" && exit 0; sleep 0.1; done; exit 9";
        submit("""
                {"jobName": "talk", "image": "%s", "taskRoles": [
                {"name": "server", "cpuNumber": 0, "memoryMB": 64, "command": "%s", "portList": [{"label": "http", "beginAt": 0, "portNumber": 1}]},
                {"name": "client", "cpuNumber": 0, "memoryMB": 64, "command": "%s", "minSucceededTaskCount": 1}]}""".formatted(TestDaemon.IMAGE, serve, ask));
        assertThat(ended("talk").path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(log("talk", "client")).contains("hello");
    }

    @Test
    void a_job_that_is_stopped_may_clean_up_and_leaves_nothing() throws Exception {
        house.submit("graceful", "trap 'sleep 1; echo saved; exit 0' TERM; echo begun; while :; do sleep 0.1; done");
        Household.eventually(() -> log("graceful", "main").contains("begun"));
        Household.eventually(() -> house.state("graceful").equals("RUNNING"));
        assertThat(house.stop("graceful").statusCode()).isEqualTo(202);
        house.ends(LIMIT, "graceful");
        assertThat(house.state("graceful")).isEqualTo("STOPPED");
        assertThat(log("graceful", "main")).endsWith("saved\n");
    }

    @Test
    void too_much_memory_is_told_from_a_kill_of_its_own() throws Exception {
        house.submit("greedy", "exec tail /dev/zero", 32);
        house.submit("suicide", "kill -KILL $$", 32);
        assertThat(ended("greedy").path("appExitCode").asInt()).isEqualTo(-1200);
        // which nobody can tell from a machine that ran out of memory: it is tried again
        Household.eventually(
                () -> house.get("/api/v2/jobs/admin~suicide/events").toString().contains("Exited with 137"));
        house.stop("suicide");
        house.ends(LIMIT, "suicide");
    }

    @Test
    void what_a_task_uses_is_measured_in_its_container() throws Exception {
        house.submit("busy", "x=$(head -c 60000000 /dev/zero | tr '\\0' x); while :; do :; done", 256);
        Household.eventually(() -> most("busy", "cpu") > 0.1 && most("busy", "memory") > 60_000_000);
        assertThat(most("busy", "cpu")).isLessThan(1.5);
        assertThat(most("busy", "memory")).isLessThan(257 << 20);
        house.stop("busy");
        house.ends(LIMIT, "busy");
    }

    private static double most(String name, String metric) throws IOException {
        return house.get("/api/v2/jobs/admin~" + name + "/series?metrics=" + metric)
                .findPath("values")
                .valueStream()
                .mapToDouble(JsonNode::asDouble)
                .max()
                .orElse(0);
    }

    @Test
    void a_task_that_fails_is_run_again_as_often_as_was_asked_for() throws Exception {
        submit("""
                {"jobName": "again", "image": "%s", "retryCount": 2, "taskRoles": [{"name": "main", "cpuNumber": 0, "memoryMB": 64,
                "command": "echo x >> /userhome/tries; [ $(wc -l < /userhome/tries) -ge 3 ]"}]}""".formatted(TestDaemon.IMAGE));
        assertThat(ended("again").path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(Files.readAllLines(house.home().resolve("tries"))).hasSize(3);
    }

    @Test
    void a_job_outlives_its_gateway_and_no_byte_of_its_log_is_lost() throws Exception {
        house.submit(
                "outlives",
                "for i in $(seq 400); do echo line-$i; [ $((i % 20)) -ne 0 ] || sleep 0.1; done; head -c 40000 /dev/zero | tr '\\0' x; exit 5");
        Household.eventually(() -> log("outlives", "main").contains("line-20"));
        house.kill();
        house.start("");
        assertThat(ended("outlives").path("appExitCode").asInt()).isEqualTo(255);
        var whole = new StringBuilder();
        IntStream.rangeClosed(1, 400)
                .forEach(i -> whole.append("line-").append(i).append('\n'));
        assertThat(log("outlives", "main")).isEqualTo(whole + "x".repeat(40_000));
        assertThat(daemon().docker("ps", "-a", "--filter", "label=sluice.label.job", "--format", "{{.Names}}")
                        .lines()
                        .filter(name -> name.contains("outlives")))
                .isEmpty();
    }

    @Test
    void jobs_of_different_users_reach_neither_one_another_nor_what_is_the_gateways() throws Exception {
        house.submit(
                "victim",
                "exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5, LocalPort => 20001) or die; print \"up\\n\"; $|=1; sleep 600'");
        Household.eventually(() -> log("victim", "main").contains("up\n"));
        var addresses = daemon().docker("ps", "-q", "--filter", "label=sluice.network")
                .lines()
                .map(DockerGatewayIT::addresses)
                .toList();
        // what is not reached is there: this machine reaches it, and so would a task if nothing stood between
        var victim = addresses.getFirst().split(" "); // the newest
        var bridge = java.net.InetAddress.getByName(victim[1]);
        try (var atBridge = new java.net.ServerSocket(0, 9, bridge);
                var everywhere = new java.net.ServerSocket(0);
                var toVictim = new java.net.Socket(victim[0], 20001);
                var toBridge = new java.net.Socket(bridge, atBridge.getLocalPort());
                var toAll = new java.net.Socket(bridge, everywhere.getLocalPort())) {
            assertThat(List.of(toVictim.isConnected(), toBridge.isConnected(), toAll.isConnected()))
                    .doesNotContain(false);
            attacks(addresses, List.of(atBridge.getLocalPort(), everywhere.getLocalPort()));
        }
        house.stop("victim");
        house.ends(LIMIT, "victim");
    }

    private static String addresses(String container) {
        try {
            var mode = daemon().docker("inspect", "-f", "{{.HostConfig.NetworkMode}}", container);
            return daemon().docker(
                            "inspect",
                            "-f",
                            "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}",
                            mode.startsWith("container:") ? mode.substring("container:".length()) : container);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void attacks(List<String> addresses, List<Integer> listened) throws Exception {
        int gateway = java.net.URI.create(house.address()).getPort();
        int postgres = Integer.parseInt(Files.readAllLines(house.data().resolve("postgres/postmaster.pid"))
                .get(3));
        var attempts = new StringBuilder("""
                perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5, LocalPort => 20002) or die; sleep 60' &
                for i in {1..100}; do (: < /dev/tcp/127.0.0.1/20002) 2>/dev/null && echo reached itself && break; sleep 0.1; done
                """);
        for (var address : addresses) {
            var parts = address.split(" ");
            attempts.append(attempt(parts[0], 20001, "neighbour"));
            var ports = new ArrayList<>(List.of(gateway, postgres, 2375, 2376, 9090, 22));
            ports.addAll(listened);
            for (int port : ports) {
                attempts.append(attempt(parts[1], port, "host-" + port));
            }
        }
        attempts.append(attempt("169.254.169.254", 80, "metadata"))
                .append(attempt("127.0.0.1", gateway, "loopback"))
                .append(attempt("127.0.0.1", postgres, "database"))
                .append(
                        "kill %1; wait; ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo engine; echo done");
        try (var other = house.as("bob")) {
            var job = JSON.createObjectNode().put("jobName", "attacker").put("image", TestDaemon.IMAGE);
            job.putArray("taskRoles")
                    .addObject()
                    .put("name", "main")
                    .put("cpuNumber", 0)
                    .put("memoryMB", 64)
                    .put("command", attempts.toString());
            assertThat(other.submitText(job.toString(), "").statusCode()).isEqualTo(202);
            Household.eventually(
                    LIMIT,
                    () -> other.get("/api/v2/jobs/bob~attacker")
                            .path("jobStatus")
                            .path("state")
                            .asText()
                            .equals("SUCCEEDED"),
                    () -> other.get("/api/v2/jobs/bob~attacker").toString());
            var said = new String(
                    other.bytes("/api/v2/jobs/bob~attacker/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log"),
                    StandardCharsets.UTF_8);
            assertThat(said.lines().filter(line -> line.matches("reached .*|engine|done")))
                    .containsExactly("reached itself", "done");
        }
    }

    private static String attempt(String address, int port, String name) {
        return "timeout 1 bash -c ': < /dev/tcp/%s/%d' 2>/dev/null && echo reached %s &\n"
                .formatted(address, port, name);
    }

    @Test
    @Order(Integer.MAX_VALUE - 3)
    void an_engine_that_hangs_makes_its_jobs_unknown_until_it_answers() throws Exception {
        house.submit("through", "echo begun; sleep 600");
        Household.eventually(() -> house.state("through").equals("RUNNING"));
        var pid = List.of(daemon().pid());
        house.signal("STOP", pid);
        try {
            Household.eventually(() -> house.state("through").equals("UNKNOWN"));
            assertThat(page("through", "en")).contains("did not answer within");
        } finally {
            house.signal("CONT", pid);
        }
        Household.eventually(() -> house.state("through").equals("RUNNING"));
        house.stop("through");
        house.ends(LIMIT, "through");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void many_jobs_at_once_leave_neither_container_nor_network_nor_file_behind() throws Exception {
        for (int begun = 0; begun < JOBS; begun += AT_ONCE) {
            for (int number = begun; number < begun + AT_ONCE; number++) {
                assertThat(house.submit("many" + number, "echo $PAI_JOB_NAME >> /userhome/many")
                                .statusCode())
                        .isEqualTo(202);
            }
            int wanted = begun + AT_ONCE;
            Household.eventually(LIMIT, () -> lines("many") == wanted, () -> lines("many") + " of " + wanted);
        }
        for (int number = 0; number < JOBS; number++) {
            house.ends(LIMIT, "many" + number);
        }
        assertThat(Files.readAllLines(house.home().resolve("many"))).doesNotHaveDuplicates();
        Household.eventually(LIMIT, () -> daemon().left(2).isEmpty(), () -> "" + daemon().left(2));
        assertThat(house.data().resolve("engine/docker/stops")).isEmptyDirectory();
        assertThat(house.data().resolve("engine/docker/runs")).isEmptyDirectory();
    }

    private static int lines(String file) throws IOException {
        var path = house.home().resolve(file);
        return Files.exists(path) ? Files.readAllLines(path).size() : 0;
    }

    private static void submit(String text) throws IOException {
        var answer = house.submitText(text, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static JsonNode ended(String name) throws Exception {
        house.ends(LIMIT, name);
        return house.get("/api/v2/jobs/admin~" + name).path("jobStatus");
    }

    private static String log(String name, String role) throws IOException {
        var path = "/api/v2/jobs/admin~" + name + "/attempts/0/taskRoles/" + role + "/taskIndex/0/attempts/0/log";
        return new String(house.bytes(path), StandardCharsets.UTF_8);
    }

    /** As a browser in that language gets it. */
    private static String page(String name, String language) throws IOException {
        return house.page("/jobs/admin~" + name, language);
    }
}
