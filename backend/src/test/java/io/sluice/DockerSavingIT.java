package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running task becomes an image of a real Docker engine, which has what the task made and nothing that it was told. */
class DockerSavingIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TASK = "/attempts/0/taskRoles/main/taskIndex/0/image";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void a_task_is_saved_for_its_owner_alone_and_without_what_it_was_told() throws Exception {
        try (var daemon = new TestDaemon();
                var house = new Household(
                        folder.toRealPath(),
                        TestDaemon.IMAGE,
                        Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host()))) {
            house.start("");
            submit(
                    house,
                    "first",
                    TestDaemon.IMAGE,
                    "mkdir -p /tmp/opt && echo made > /tmp/opt/made && echo ready; sleep 600");
            Household.eventually(LIMIT, () -> log(house, "first").contains("ready"), () -> JobTrace.of(house, "first"));
            try (var bob = house.as("bob")) {
                assertThat(save(bob, "admin~first", "env:1").statusCode()).isEqualTo(404);
                assertThat(save(house, "admin~first", "../env:1").statusCode()).isEqualTo(400);
                assertThat(save(house, "admin~first", "a/env:1").statusCode()).isEqualTo(400);

                assertThat(house.page("/jobs/admin~first/panels/output", "zh"))
                        .contains("action=\"/jobs/admin~first/image\"", "保存为镜像");
                var answer = save(house, "admin~first", "env:1");
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                var saved = JSON.readTree(answer.body());
                var image = saved.path("image").asText();
                assertThat(image).matches("saved\\.sluice/[0-9a-f]{8}-\\d+/env:1");
                assertThat(saved.path("bytes").asLong()).isPositive();
                holdsNothingOfTheTask(daemon, image, saved.path("id").asText());

                submit(house, "second", image, "cat /tmp/opt/made; env; cat /pod.env; echo end");
                house.ends(LIMIT, "second");
                assertThat(house.state("second")).isEqualTo("SUCCEEDED");
                assertThat(log(house, "second")).startsWith("made\n").endsWith("end\n");
                // under the same name again, upon what runs now
                var again = save(house, "admin~first", "env:1");
                assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
                assertThat(daemon.docker("images", "-q", "--filter", "dangling=true"))
                        .isEmpty();

                submit(bob, "stolen", image, "cat /tmp/opt/made");
                Household.eventually(
                        LIMIT,
                        () -> state(bob, "stolen").equals("FAILED"),
                        () -> bob.get("/api/v2/jobs/bob~stolen").toString());
                assertThat(bob.get("/api/v2/jobs/bob~stolen").toString())
                        .contains("what others saved is for them alone");
            }
            assertThat(house.stop("first").statusCode()).isEqualTo(202);
            house.ends(LIMIT, "first");
            assertThat(save(house, "admin~first", "late:1").statusCode()).isEqualTo(404);
        }
    }

    private static void holdsNothingOfTheTask(TestDaemon daemon, String image, String id) throws Exception {
        assertThat(daemon.docker("inspect", "-f", "{{.Id}}", image)).isEqualTo(id);
        assertThat(daemon.docker("inspect", image))
                .contains("OF_IMAGE=yes")
                .doesNotContain("sesame", "PAI_", "sluice.label", "sluice.run", "/.sluice", "userhome");
        var config = "{{json .Config.Env}}{{json .Config.Cmd}}{{json .Config.Entrypoint}}{{json .Config.Labels}}"
                + "{{json .Config.User}}{{json .Config.WorkingDir}}{{json .Config.ExposedPorts}}";
        assertThat(daemon.docker("inspect", "-f", config, image))
                .isEqualTo(daemon.docker("inspect", "-f", config, TestDaemon.IMAGE));
        // nor is anything else there that nobody has named, but what holds namespaces
        assertThat(daemon.docker("images", "-a", "--no-trunc", "--format", "{{.ID}} {{.Repository}}")
                        .lines()
                        .filter(line -> !line.endsWith(" sluice-holder"))
                        .map(line -> line.split(" ")[0])
                        .distinct())
                .hasSize(2);
        daemon.docker("history", image);
    }

    /** With a secret that its task is told. */
    private static void submit(Household house, String name, String image, String command) throws IOException {
        var answer = house.submitText("""
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: "%s"}]
                secrets: {word: open-%s}
                taskRoles:
                  main: {instances: 1, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}, commands: ['%s', 'echo <%% $secrets.word %%> > /dev/null']}
                """.formatted(name, image, "sesame", command), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static HttpResponse<String> save(Household house, String job, String name) throws IOException {
        return house.post(
                "/api/v2/jobs/" + job + TASK,
                JSON.createObjectNode().put("name", name).toString());
    }

    private static String log(Household house, String name) throws IOException {
        var path = "/api/v2/jobs/admin~" + name + "/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log";
        return new String(house.bytes(path), StandardCharsets.UTF_8);
    }

    private static String state(Household house, String name) throws IOException {
        JsonNode job = house.get("/api/v2/jobs/bob~" + name);
        return job.path("jobStatus").path("state").asText();
    }
}
