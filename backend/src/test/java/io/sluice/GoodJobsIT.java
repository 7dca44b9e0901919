package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.jobs.drafts.Examples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs as users have them, by a real gateway as processes: each to its end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GoodJobsIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final List<String> EXAMPLES = List.of("hello", "progress");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Household house;

    /** With the engine that tasks are to have. */
    Household house(Path data) throws Exception {
        return new Household(data);
    }

    @BeforeAll
    void start() throws Exception {
        house = house(folder);
        house.start("");
        // they take their half minute while the others run
        accepted(given("hello-gpu-cluster.json", "hello_gpu.json"));
        for (String name : EXAMPLES) {
            accepted(Examples.named(name).orElseThrow().config());
        }
    }

    @AfterAll
    void stop() throws IOException {
        house.close();
    }

    private static void accepted(String text) throws IOException {
        var answer = house.submitText(text, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    /** A file as users gave it to us, where they are at hand; else ours of the same shape. */
    private static String given(String theirs, String ours) throws IOException {
        Path file = Path.of("../../shared/jobs").resolve(theirs);
        if (Files.exists(file)) {
            return Files.readString(file);
        }
        try (var copy = GoodJobsIT.class.getResourceAsStream("/jobs/" + ours)) {
            return new String(Objects.requireNonNull(copy, ours).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void succeeds(String text, String name) throws Exception {
        accepted(text);
        succeeded(name);
    }

    private static void succeeded(String name) throws Exception {
        house.ends(LIMIT, name);
        assertThat(house.state(name)).as(JobTrace.of(house, name)).isEqualTo("SUCCEEDED");
    }

    private static String log(String name, String task) throws IOException {
        return new String(
                house.bytes("/api/v2/jobs/admin~" + name + "/attempts/0/taskRoles/" + task + "/attempts/0/log"),
                StandardCharsets.UTF_8);
    }

    @Test
    void a_job_file_of_an_old_client_runs_to_success_as_it_is() throws Exception {
        succeeds(given("none", "hello.json"), "say_hello");
        assertThat(log("say_hello", "hello_cluster/taskIndex/0")).isEqualTo("done\n");
        assertThat(house.home().resolve("output/now.txt")).isNotEmptyFile();
    }

    @Test
    void the_job_file_that_users_begin_with_runs_to_success_unchanged() throws Exception {
        String name = house.get("/api/v2/jobs?keyword=jobName_test")
                .path(0)
                .path("name")
                .asText();
        assertThat(name).isEqualTo("jobName_test");
        succeeded(name);
        assertThat(log(name, "hello_gpu_cluster/taskIndex/0")).isEqualTo("finished\n");
        assertThat(house.home().resolve("output/out.txt")).isNotEmptyFile();
    }

    @Test
    void the_other_files_that_users_have_are_accepted_unchanged_and_say_what_they_wait_for() throws Exception {
        for (var file : Map.of(
                        "pytorch-mnist.json", "mnist.json",
                        "tensorflow-cifar10.json", "cifar.json",
                        "pytorch-imagenet-4gpu.json", "imagenet.json")
                .entrySet()) {
            String text = given(file.getKey(), file.getValue());
            accepted(text);
            String name = JSON.readTree(text).path("jobName").asText();
            Household.eventually(() -> house.get("/api/v2/jobs/admin~" + name)
                    .at("/jobStatus/waiting/message")
                    .asText()
                    .contains("needed"));
            assertThat(house.state(name)).isEqualTo("WAITING");
            assertThat(house.stop(name).statusCode()).isEqualTo(202);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello", "progress"})
    void a_template_that_needs_nothing_runs_to_success_as_it_is(String name) throws Exception {
        succeeded(name);
        assertThat(house.home().resolve(name)).isNotEmptyDirectory();
        assertThat(log(name, "main/taskIndex/0")).contains(name.equals("hello") ? "Hello from" : "done");
    }

    @Test
    void two_roles_find_one_another_and_talk_over_their_ports() throws Exception {
        succeeds(TALK.replace("IMAGE", house.image()), "talk");
        assertThat(Files.readAllLines(house.home().resolve("answers")))
                .containsExactlyInAnyOrder("hello client 0", "hello client 1");
    }

    private static final String TALK = """
            protocolVersion: 2
            name: talk
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: "IMAGE"}]
            taskRoles:
              server:
                dockerImage: image
                completion: {minSucceededInstances: -1}
                resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0, ports: {talk: 1}}
                commands:
                  - |-
                    perl -MIO::Socket::INET -e '
                      my $door = IO::Socket::INET->new(Listen => 5, LocalPort => $ENV{PAI_PORT_LIST_server_0_talk}, ReuseAddr => 1) or die "no port: $!";
                      for (1, 2) { my $guest = $door->accept; my $word = <$guest>; print $guest "hello $word"; close $guest }'
              client:
                instances: 2
                dockerImage: image
                resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}
                commands:
                  - host=PAI_HOST_IP_server_0; port=PAI_PORT_LIST_server_0_talk
                  - until { exec 3<>/dev/tcp/${!host}/${!port}; } 2>/dev/null; do sleep 0.1; done
                  - echo "client $PAI_TASK_INDEX" >&3
                  - read -r answer <&3
                  - echo "$answer" >> ~/answers
                  - '[ "$answer" = "hello client $PAI_TASK_INDEX" ]'
            """;
}
