package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.jobs.protocol.JobSpec.Auth;
import io.sluice.jobs.protocol.JobSpec.Event;
import io.sluice.jobs.protocol.JobSpec.Folders;
import io.sluice.jobs.protocol.JobSpec.Hook;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.JobSpec.Priority;
import io.sluice.jobs.protocol.JobSpec.Resources;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.JobSpec.Sku;
import io.sluice.jobs.protocol.JobSpec.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoodInputTest {
    private static final List<Port> ALWAYS = List.of(new Port("ssh", 1, 0), new Port("http", 1, 0));

    @Test
    void the_least_job_of_protocol_2_gets_every_default() {
        JobSpec spec = Texts.spec(Texts.LEAST_V2);
        assertThat(spec.protocol()).isEqualTo(2);
        assertThat(spec.virtualCluster()).isEqualTo("default");
        assertThat(spec.priority()).isNull();
        assertThat(spec.priorityNumber()).isEqualTo(10);
        assertThat(spec.retryCount()).isZero();
        assertThat(spec.gang()).isTrue();
        assertThat(spec.preemptible()).isFalse();
        assertThat(spec.maxRunSeconds()).isNull();
        assertThat(spec.storages()).isNull();
        assertThat(spec.roles())
                .containsExactly(new Role(
                        "worker",
                        1,
                        1,
                        1,
                        0,
                        "base",
                        null,
                        null,
                        null,
                        List.of(),
                        new Resources(1, 100, 0, null, false),
                        null,
                        ALWAYS,
                        List.of("echo hello")));
    }

    @Test
    void the_least_job_of_protocol_1_gets_every_default() {
        JobSpec spec = Texts.spec(Texts.LEAST_V1);
        assertThat(spec.protocol()).isEqualTo(1);
        assertThat(spec.virtualCluster()).isEqualTo("default");
        assertThat(spec.folders()).isEqualTo(Folders.NONE);
        assertThat(spec.deviceType()).isNull();
        assertThat(spec.roles())
                .containsExactly(new Role(
                        "worker",
                        1,
                        1,
                        null,
                        0,
                        "image",
                        null,
                        null,
                        null,
                        List.of(),
                        new Resources(1, 100, 0, 64, false),
                        null,
                        ALWAYS,
                        List.of("echo hello")));
        assertThat(spec.image(spec.role("worker")).uris()).containsExactly("ubuntu");
    }

    @Test
    void a_whole_job_of_protocol_2_is_read() {
        Read.Accepted accepted = Texts.accepted(Texts.V2);
        JobSpec spec = accepted.spec();
        assertThat(accepted.secrets()).isEqualTo(Map.of("registry", "s3cret-one", "token", "s3cret-two"));
        assertThat(accepted.warnings())
                .as("what it asks for and does not get")
                .hasSize(6)
                .allSatisfy(said -> assertThat(said.sentence()).containsAnyOf("not used", "not needed"));
        assertThat(spec.name()).isEqualTo("whole_job-1");
        assertThat(spec.about()).isEqualTo(new JobSpec.About("1.0", "Ada", "everything at once"));
        assertThat(spec.retryCount()).isEqualTo(3);
        assertThat(spec.virtualCluster()).isEqualTo("vision");
        assertThat(spec.deployment()).isEqualTo("local");
        assertThat(spec.gang()).isFalse();
        assertThat(spec.priority()).isEqualTo(Priority.PROD);
        assertThat(spec.priorityNumber()).isEqualTo(100);
        assertThat(spec.submitFrom()).isEqualTo("submit-job-v2");
        assertThat(spec.storages()).containsExactly(new Storage("nfs", "/data"), new Storage("fast", null));
        assertThat(spec.notifications()).containsExactly("running", "failed");
        assertThat(spec.plugins()).extracting(JobSpec.Plugin::name).containsExactly("ssh", "tensorboard", "cmd", "git");
        assertThat(spec.plugins().get(2).roles()).containsExactly("worker");
        assertThat(spec.plugins().get(1).ignoreFailure()).isTrue();
        assertThat(spec.maxRunSeconds()).isEqualTo(86400);
        assertThat(spec.preemptible()).isTrue();
        assertThat(spec.debug()).isTrue();
        assertThat(spec.deviceType()).isEqualTo("Ascend910B");
        assertThat(spec.deviceType(spec.role("worker"))).isEqualTo("H100");
        assertThat(spec.deviceType(spec.role("ps_server"))).isEqualTo("Ascend910B");
        assertThat(spec.taskCount()).isEqualTo(6);
        assertThat(spec.deviceCount()).isEqualTo(8);
        assertThat(spec.extras())
                .isEqualTo(Map.of(
                        "hivedScheduler",
                        Map.of("gangReleaseEnable", true),
                        "tensorBoard",
                        Map.of("old", true),
                        "sluice",
                        Map.of("devices", Map.of("half", "any"), "launcher", Map.of("kind", "torchrun", "nodes", 4))));
    }

    @Test
    void the_roles_of_a_whole_job_of_protocol_2_are_read() {
        JobSpec spec = Texts.spec(Texts.V2);
        Role worker = spec.role("worker");
        assertThat(worker.instances()).isEqualTo(4);
        assertThat(worker.minFailed()).isEqualTo(2);
        assertThat(worker.minSucceeded()).isEqualTo(3);
        assertThat(worker.taskRetryCount()).isEqualTo(1);
        assertThat(worker.resources()).isEqualTo(new Resources(8, 16384, 2, 1024, true));
        assertThat(worker.sku()).isEqualTo(new Sku("H100", 2, null, null));
        assertThat(worker.ports())
                .containsExactly(new Port("ssh", 1, 0), new Port("http", 1, 0), new Port("api", 2, 0));
        assertThat(worker.prerequisites()).containsExactly("fetch");
        Role servers = spec.role("ps_server");
        assertThat(servers.minFailed()).as("-1: never").isNull();
        assertThat(servers.minSucceeded()).as("-1: when all have ended").isNull();
        assertThat(servers.resources().shmMB()).isNull();
        assertThat(servers.sku()).isEqualTo(new Sku(null, null, "cell-3", "group"));
        assertThat(spec.image(worker).auth()).isEqualTo(new Auth("ada", "<% $secrets.registry %>", "registry.lab"));
        Prerequisite fetch = spec.prerequisite(Kind.SCRIPT, "fetch");
        assertThat(fetch.ignoreFailure()).isTrue();
        assertThat(fetch.require()).containsExactly("cifar");
        assertThat(fetch.more()).containsKeys("owner").doesNotContainKey("callbacks");
        assertThat(fetch.callbacks())
                .containsExactly(
                        new Hook(Event.TASK_STARTS, List.of("wget <% $data.uri[0] %>", "tar xf cifar-10.tar.gz")),
                        new Hook(Event.TASK_SUCCEEDS, List.of("rm cifar-10.tar.gz")));
    }

    @Test
    void a_whole_job_of_protocol_1_is_read() {
        Read.Accepted accepted = Texts.accepted(Texts.V1);
        JobSpec spec = accepted.spec();
        assertThat(accepted.warnings())
                .containsExactly(
                        Read.Warning.OBSOLETE, Read.Warning.DEBUG, Read.Warning.AUTH_FILE, Read.Warning.CODE_DIR);
        assertThat(Read.Warning.OBSOLETE.sentence())
                .isEqualTo(
                        "killAllOnCompletedTaskNumber has been obsoleted, please use minFailedTaskCount and minSucceededTaskCount instead.");
        assertThat(spec.name()).isEqualTo("whole-job_1.0");
        assertThat(spec.retryCount()).isEqualTo(-2);
        assertThat(spec.deviceType()).isEqualTo("gtx1080ti");
        assertThat(spec.debug()).isTrue();
        assertThat(spec.maxRunSeconds()).isEqualTo(60);
        assertThat(spec.folders().authFile()).isEqualTo("hdfs://lab/auth.txt");
        assertThat(spec.environment())
                .containsExactly(
                        Map.entry("paiAzRDMA", "false"),
                        Map.entry("isDebug", "true"),
                        Map.entry("RATE", "0.5"),
                        Map.entry("LIST", "[1,2]"),
                        Map.entry("NAME", "x y"));
        assertThat(spec.extras()).isEqualTo(Map.of("note", "kept"));
        Role servers = spec.role("ps.server");
        assertThat(servers.minFailed()).as("null: never").isNull();
        assertThat(servers.minSucceeded()).as("null: waits for all").isNull();
        assertThat(servers.ports())
                .containsExactly(
                        new Port("ssh", 1, 0),
                        new Port("http", 1, 0),
                        new Port("grpc", 2, 9000),
                        new Port("any", 1, 0));
        Role worker = spec.role("worker~1");
        assertThat(worker.resources().memoryMB()).as("numbers may be texts").isEqualTo(4096);
        assertThat(worker.minFailed()).isEqualTo(2);
        assertThat(worker.minSucceeded()).isEqualTo(3);
    }

    @Test
    void leinaos_debug_type_is_a_debug_job_on_any_device() {
        String text = Texts.LEAST_V1.replace("\"image\": \"ubuntu\"", "\"image\": \"ubuntu\", \"gpuType\": \"debug\"");
        assertThat(Texts.spec(text).debug()).isTrue();
        assertThat(Texts.spec(text).deviceType()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "never",
            value = {
                "minFailedInstances, null, 1", "minFailedInstances, 0, 1", "minFailedInstances, -1, never",
                "minFailedInstances, 2, 2", "minSucceededInstances, null, 3", "minSucceededInstances, 0, 3",
                "minSucceededInstances, -1, never", "minSucceededInstances, 1, 1"
            })
    void completion_has_falsy_defaults(String field, String value, Integer meant) {
        Role role = Texts.spec(Texts.LEAST_V2.replace(
                        "dockerImage: base",
                        "dockerImage: base\n    instances: 3\n    completion: {" + field + ": " + value + "}"))
                .roles()
                .getFirst();
        assertThat(field.startsWith("minF") ? role.minFailed() : role.minSucceeded())
                .isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({"crit,120", "prod,100", "test,10", "oppo,-1"})
    void priorities_have_numbers_and_the_lowest_gives_way(String name, int number) {
        JobSpec spec = Texts.spec(Texts.LEAST_V2 + "extras: {hivedScheduler: {jobPriorityClass: " + name + "}}\n");
        assertThat(spec.priorityNumber()).isEqualTo(number);
        assertThat(spec.preemptible()).isEqualTo(name.equals("oppo"));
    }

    @Test
    void a_job_of_protocol_1_may_be_written_as_yaml() {
        assertThat(Texts.spec(Texts.of("least-v1.yaml"))).isEqualTo(Texts.spec(Texts.LEAST_V1));
    }

    @Test
    void a_job_of_protocol_2_may_be_written_as_json() throws JsonProcessingException {
        String json = new ObjectMapper()
                .writeValueAsString(Map.of(
                        "protocolVersion",
                        "2",
                        "name",
                        "least",
                        "type",
                        "job",
                        "prerequisites",
                        List.of(Map.of("name", "base", "type", "dockerimage", "uri", "ubuntu")),
                        "taskRoles",
                        Map.of(
                                "worker",
                                Map.of(
                                        "dockerImage",
                                        "base",
                                        "resourcePerInstance",
                                        Map.of("cpu", 1, "memoryMB", 100, "gpu", 0),
                                        "commands",
                                        List.of("echo hello")))));
        assertThat(Texts.spec(json)).isEqualTo(Texts.spec(Texts.LEAST_V2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uFEFF", "# first a comment\n", "\n\n", "---\n", "%YAML 1.2\n---\n"})
    void what_may_stand_before_a_job_does_no_harm(String before) {
        assertThat(Texts.spec(before + Texts.LEAST_V2)).isEqualTo(Texts.spec(Texts.LEAST_V2));
    }

    @Test
    void windows_line_ends_and_a_mark_of_byte_order_do_no_harm() {
        byte[] text = ("\uFEFF" + Texts.LEAST_V2.replace("\n", "\r\n")).getBytes(StandardCharsets.UTF_8);
        assertThat(((Read.Accepted) Protocols.read(text)).spec()).isEqualTo(Texts.spec(Texts.LEAST_V2));
    }

    @Test
    void json_may_have_tabs_and_yaml_a_trailing_comma() {
        assertThat(Texts.spec(Texts.LEAST_V1.replace("  ", "\t"))).isEqualTo(Texts.spec(Texts.LEAST_V1));
        assertThat(Texts.spec(Texts.LEAST_V1.replace("}\n  ]", "},\n  ]"))).isEqualTo(Texts.spec(Texts.LEAST_V1));
    }

    @Test
    void anchors_aliases_and_merges_are_followed() {
        String text = Texts.LEAST_V2.replace("  worker:\n", "  worker: &one\n")
                + "  second:\n    <<: *one\n    instances: 2\n  third: *one\n";
        JobSpec spec = Texts.spec(text);
        assertThat(spec.roles()).extracting(Role::name).containsExactly("worker", "second", "third");
        assertThat(spec.roles()).extracting(Role::instances).containsExactly(1, 2, 1);
        assertThat(spec.role("second").commands()).containsExactly("echo hello");
    }

    @Test
    void numbers_keep_their_kind_in_free_objects() {
        JobSpec spec = Texts.spec(
                Texts.LEAST_V2
                        + "parameters: {a: 1, b: 1.5, c: 3000000000, d: 0x10, e: true, f: no, g: '1', h: null, i: .inf, j: 2020-01-01}\n");
        assertThat(spec.parameters().values())
                .containsExactly(1, 1.5, 3_000_000_000L, 16, true, "no", "1", null, ".inf", "2020-01-01");
    }

    static Stream<String> shared() {
        return Texts.shared();
    }

    @ParameterizedTest
    @MethodSource("shared")
    void jobs_as_users_submit_them_are_accepted(String name) {
        assertThat(Texts.spec(Texts.of(name)).protocol()).isEqualTo(1);
    }

    @TestFactory
    Stream<DynamicTest> jobs_that_users_gave_us_are_accepted_unchanged() throws IOException {
        Path folder = Path.of("../../shared/jobs");
        if (!Files.isDirectory(folder)) {
            return Stream.of(); // only where they were given
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json")).toList().stream()
                    .map(file -> dynamicTest(
                            file.getFileName().toString(),
                            () -> assertThat(Protocols.read(Files.readAllBytes(file)))
                                    .isInstanceOf(Read.Accepted.class)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"whole-v2.yaml", "whole-v1.json", "least-v2.yaml", "least-v1.json"})
    void a_job_survives_the_store(String name) throws JsonProcessingException {
        JobSpec spec = Texts.spec(Texts.of(name));
        var json = new ObjectMapper();
        assertThat(json.readValue(json.writeValueAsString(spec), JobSpec.class)).isEqualTo(spec);
    }
}
