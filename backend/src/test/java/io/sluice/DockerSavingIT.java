package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running task becomes an image of a real Docker engine, which has what the task made and nothing that it was told. */
class DockerSavingIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SAVED = "/api/v2/saved-images";
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
            assertThat(daemon.docker(
                            "inspect", "-f", "{{.Config.Env}}", daemon.tasks().getFirst()))
                    .as("what the image must not have, the container has")
                    .contains("WORD=open-sesame");
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

                isListedForItsOwnerAlone(house, bob, image);

                submit(bob, "stolen", image, "cat /tmp/opt/made");
                Household.eventually(
                        LIMIT,
                        () -> state(bob, "stolen").equals("FAILED"),
                        () -> bob.get("/api/v2/jobs/bob~stolen").toString());
                assertThat(bob.get("/api/v2/jobs/bob~stolen").toString())
                        .contains("what others saved is for them alone");
                isProposedByItsOwnerAlone(house, bob, image);
            }
            goesOnlyWhenNobodyRunsInIt(house, daemon);
            assertThat(house.stop("first").statusCode()).isEqualTo(202);
            house.ends(LIMIT, "first");
            assertThat(save(house, "admin~first", "late:1").statusCode()).isEqualTo(404);
        }
    }

    private static void isListedForItsOwnerAlone(Household house, Household bob, String image) throws Exception {
        var one = house.get(SAVED).path("images").get(0);
        assertThat(one.path("image").asText()).isEqualTo(image);
        assertThat(one.path("state").asText()).isEqualTo("SAVED");
        assertThat(one.path("job").asText()).isEqualTo("admin~first");
        assertThat(one.path("bytes").asLong()).isPositive();
        assertThat(house.page("/images/saved", "zh")).contains("env:1", "admin~first", "加入目录");
        assertThat(bob.get(SAVED).path("images")).isEmpty();
        assertThat(bob.delete(SAVED + place(image)).statusCode()).isEqualTo(404);
        assertThat(bob.delete(SAVED + place(image).replaceFirst("/\\d+/", "/0/"))
                        .statusCode())
                .isEqualTo(404);
    }

    /** As the list has it: {@code /OWNER/NAME:TAG}. */
    private static String place(String image) {
        return "/" + image.substring(image.indexOf('-') + 1);
    }

    private static void isProposedByItsOwnerAlone(Household house, Household bob, String image) throws Exception {
        var entry = JSON.createObjectNode()
                .put("name", "Env")
                .put("repository", image.substring(0, image.lastIndexOf(':')));
        entry.putArray("tags").add("1");
        var refused = bob.post("/api/v2/images", entry.toString());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("only what was saved of your own tasks");
        assertThat(house.post("/api/v2/images", entry.toString()).statusCode()).isEqualTo(201);
        // from now on it is for everybody
        submit(bob, "given", image, "cat /tmp/opt/made");
        Household.eventually(
                LIMIT,
                () -> state(bob, "given").equals("SUCCEEDED"),
                () -> bob.get("/api/v2/jobs/bob~given").toString());
    }

    private static void goesOnlyWhenNobodyRunsInIt(Household house, TestDaemon daemon) throws Exception {
        var image = house.get(SAVED).path("images").get(0).path("image").asText();
        submit(house, "third", image, "echo ready; sleep 600");
        Household.eventually(LIMIT, () -> log(house, "third").contains("ready"), () -> JobTrace.of(house, "third"));
        var used = house.delete(SAVED + place(image));
        assertThat(used.statusCode()).isEqualTo(409);
        assertThat(used.body()).contains("ImageInUseError", "A task runs in the image " + image);
        assertThat(house.stop("third").statusCode()).isEqualTo(202);
        house.ends(LIMIT, "third");
        assertThat(house.delete(SAVED + place(image)).statusCode()).isEqualTo(204);
        assertThat(daemon.docker("images", "-q", image)).isEmpty();
        assertThat(house.get(SAVED).path("images")).isEmpty();
        assertThat(house.delete(SAVED + place(image)).statusCode()).isEqualTo(404);
    }

    @Test
    void a_task_that_was_left_standing_still_goes_on_and_its_saving_is_told_as_cut() throws Exception {
        try (var daemon = new TestDaemon("--live-restore");
                var house = new Household(
                        folder.toRealPath(),
                        TestDaemon.IMAGE,
                        Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host()))) {
            house.start("");
            submit(
                    house,
                    "large",
                    TestDaemon.IMAGE,
                    "dd if=/dev/urandom of=/tmp/large bs=1M count=250 2>&1; echo ready; while sleep 0.2; do echo on; done");
            Household.eventually(LIMIT, () -> log(house, "large").contains("ready"), () -> JobTrace.of(house, "large"));
            var task = daemon.tasks().getFirst();
            var saving = CompletableFuture.runAsync(() -> {
                try {
                    save(house, "admin~large", "large:1");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Household.eventually(LIMIT, () -> isPaused(daemon, task), () -> "it is not saved");
            house.kill();
            daemon.stop(true);
            assertThat(saving).failsWithin(LIMIT);

            daemon.start();
            assertThat(isPaused(daemon, task)).as("nobody has let it go on").isTrue();
            house.start("");
            int before = log(house, "large").length();
            Household.eventually(LIMIT, () -> !isPaused(daemon, task), () -> "it stands still");
            Household.eventually(LIMIT, () -> log(house, "large").length() > before, () -> JobTrace.of(house, "large"));
            var cut = house.get(SAVED).path("images").get(0);
            assertThat(cut.path("name").asText()).isEqualTo("large:1");
            assertThat(cut.path("state").asText()).isEqualTo("FAILED");
            assertThat(cut.path("fault").asText()).isEqualTo("cut");
            assertThat(house.page("/images/saved", "en")).contains("ended while it was being saved");
            // one of that name is made another time: what is told of the first goes without it
            var image = cut.path("image").asText();
            daemon.tag(TestDaemon.IMAGE, image);
            var at = SAVED + "/" + cut.path("owner").asText() + "/large:1";
            assertThat(house.get(SAVED).path("images")).hasSize(2);
            assertThat(house.delete(at + "?failed=true").statusCode()).isEqualTo(204);
            assertThat(daemon.docker("images", "-q", image)).isNotEmpty();
            assertThat(house.delete(at + "?failed=true").statusCode()).isEqualTo(404);
            assertThat(house.delete(at).statusCode()).as("the task runs in it").isEqualTo(409);
            assertThat(house.get(SAVED).path("images")).hasSize(1);
        }
    }

    private static boolean isPaused(TestDaemon daemon, String task) throws Exception {
        return daemon.docker("inspect", "-f", "{{.State.Paused}}", task).equals("true");
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
                secrets: {word: open-sesame}
                taskRoles:
                  main: {instances: 1, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}, commands: ['%s', 'echo <%% $secrets.word %%> > /dev/null']}
                extras: {sluice: {environment: {WORD: '<%% $secrets.word %%>'}}}
                """.formatted(name, image, command), "");
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
