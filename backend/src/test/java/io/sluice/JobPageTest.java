package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a job, on the whole gateway with real tasks. */
class JobPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Browser boss;
    private static Browser stranger;
    private static Person admin;

    @BeforeAll
    static void start() {
        server = new TestServer(folder);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        admin = crowd.person("boss", true);
        boss = browser(admin);
        stranger = browser(crowd.person("stranger", false));
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static Browser browser(Person person) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(person));
        browser.headers.set("Accept-Language", "en");
        return browser;
    }

    private static void submit(String text) {
        var answer = boss.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(text))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    /** Runs a command, or asks for so many processors that it never can. */
    private static void submit(String name, String command, int cpus, String more) {
        submit("""
                {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "cpuNumber": %d, "memoryMB": 20, "command": "%s"}]%s}
                """.formatted(name, cpus, command, more));
    }

    private static JsonObject status(String name) {
        return boss.get("/api/v2/jobs/boss~" + name).bodyAsJsonObject().getJsonObject("jobStatus");
    }

    private static void until(String name, String state) {
        eventually(() -> state.equals(status(name).getString("state")), name + " to be " + state);
    }

    private static void eventually(BooleanSupplier condition, String what) {
        for (var end = Instant.now().plus(PATIENCE); !condition.getAsBoolean(); LockSupport.parkNanos(20_000_000)) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("waited in vain for " + what);
            }
        }
    }

    private static String page(String path) {
        var answer = boss.get("/jobs/boss~" + path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.bodyAsString();
    }

    private static HttpResponse<Buffer> post(String path, Map<String, String> form) {
        return boss.post("/jobs/boss~" + path, form);
    }

    /** Without what is another in every answer. */
    private static String told(HttpResponse<Buffer> answer, String job) {
        return answer.statusCode()
                + answer.bodyAsString()
                        .replaceAll("nonce-?[^\"]*\"[^\"]*\"|content=\"[^\"]*\"", "")
                        .replaceAll("<code>[^<]*</code>|text=\"[^\"]*\"", "")
                        .replace(job, "JOB");
    }

    @Test
    void a_strangers_job_is_answered_as_one_that_does_not_exist() {
        submit("private", "true", 9_000, "");
        for (String path : List.of("", "?tab=config", "?attempt=0", "/config", "/config?as=yaml")) {
            assertThat(told(stranger.get("/jobs/boss~private" + path), "private"))
                    .as(path)
                    .isEqualTo(told(stranger.get("/jobs/boss~nothing" + path), "nothing"))
                    .startsWith("404");
        }
        assertThat(stranger.get("/live/jobs/boss~private").statusCode()).isEqualTo(404);
        for (String action : List.of("stop", "start", "again", "tags", "tags/remove")) {
            var form = Map.of("tag", "xyzzy");
            assertThat(told(stranger.post("/jobs/boss~private/" + action, form), "private"))
                    .as(action)
                    .isEqualTo(told(stranger.post("/jobs/boss~nothing/" + action, form), "nothing"))
                    .startsWith("404");
        }
        assertThat(status("private").getString("state")).isEqualTo("WAITING");
        assertThat(page("private")).doesNotContain("xyzzy");
        assertThat(boss.get("/jobs/boss").statusCode()).isEqualTo(404);
        assertThat(boss.get("/jobs/~").statusCode()).isEqualTo(404);
    }

    @Test
    void what_the_address_names_must_exist() {
        submit("small", "true", 9_000, "");
        for (String missing : List.of("attempt=1", "attempt=999999999", "role=other", "role=main&index=1")) {
            assertThat(boss.get("/jobs/boss~small?" + missing).statusCode())
                    .as(missing)
                    .isEqualTo(404);
            assertThat(boss.get("/jobs/boss~small?tab=tasks&" + missing).statusCode())
                    .as(missing)
                    .isEqualTo(404);
        }
        assertThat(boss.get("/jobs/boss~small?role=main&index=0&try=3").statusCode())
                .isEqualTo(404);
        for (String wrong : List.of(
                "attempt=x",
                "attempt=-1",
                "attempt=1e3",
                "tab=nothing",
                "state=DEAD",
                "from=-2",
                "index=0.5&role=main")) {
            assertThat(boss.get("/jobs/boss~small?" + wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(400);
        }
        for (String odd :
                List.of("from=100000", "before=x", "before=1&tab=history", "warnings=&tab=history", "role=")) {
            assertThat(boss.get("/jobs/boss~small?" + odd).statusCode()).as(odd).isEqualTo(200);
        }
    }

    @Test
    void a_failed_job_says_why_in_the_reader_s_language() {
        submit("broken", "echo \\\"ModuleNotFoundError: No module named 'torchvision'\\\"; exit 1", 1, "");
        until("broken", "FAILED");
        assertThat(page("broken"))
                .contains("This could not be imported: torchvision", "<code>ModuleNotFoundError: No module named")
                .contains("The cause is in the job", "Install it first", "<b>232</b>", "ContainerImportError")
                .contains("another try would end the same way")
                .contains("<a href=\"/jobs/boss~broken?role=main&amp;index=0#log=0.0.0.main@0\">In the log</a>");
        boss.headers.set("Accept-Language", "zh");
        assertThat(page("broken")).contains("无法导入：torchvision", "原因在任务自身");
        boss.headers.set("Accept-Language", "en");
        assertThat(page("broken?tab=history")).contains("ended with 232", "Failed with 232");
        assertThat(page("broken?tab=tasks&role=main")).contains("All runs of main 0", "run 1");
    }

    @Test
    void between_two_attempts_nothing_is_said_to_run() {
        submit("dies", "kill -9 $$", 1, "");
        eventually(() -> page("dies").contains("Trying again"), "a pause before the next attempt");
        eventually(
                () -> boss.get("/jobs?q=dies")
                        .bodyAsString()
                        .replaceAll("\\s+", " ")
                        .contains("Tried again in about"),
                "the list to say when it is tried again");
        eventually(
                () -> page("dies").replaceAll("\\s+", " ").contains("What comes next</dt> <dd> Tried again in about"),
                "the card to say when in the same words");
        post("dies/stop", Map.of());
    }

    @Test
    void every_attempt_of_a_retried_job_has_its_page() {
        submit("retried", "exit 7", 1, ", \"retryCount\": 1");
        until("retried", "FAILED");
        assertThat(page("retried")).contains("2 of 2", "all 1 retries are used up");
        assertThat(page("retried?attempt=0"))
                .contains("You are looking at attempt 1 of 2", "It was tried again")
                .contains("/jobs/boss~retried?attempt=1");
        assertThat(page("retried?tab=history")).contains("In the queue again, for attempt 2", "attempt 1");
    }

    @Test
    void a_job_is_stopped_started_again_and_run_again_under_a_fresh_name() {
        submit("held", "true", 9_000, "");
        eventually(() -> status("held").containsKey("waiting"), "a reason");
        assertThat(page("held")).contains("<b>Can never start", "/jobs/boss~held/stop");
        assertThat(post("held/stop?tab=history", Map.of()).getHeader("Location"))
                .isEqualTo("/jobs/boss~held?tab=history");
        assertThat(page("held")).contains("Stopped", "/jobs/boss~held/start").doesNotContain("held/stop");
        post("held/start", Map.of());
        assertThat(status("held").getString("state")).isEqualTo("WAITING");
        assertThat(post("held/start", Map.of()).headers().toString()).contains("sluice_note");
        assertThat(post("held/again", Map.of()).getHeader("Location")).isEqualTo("/jobs/boss~held_2");
        assertThat(post("held/again", Map.of()).getHeader("Location")).isEqualTo("/jobs/boss~held_3");
        assertThat(post("held_2/again", Map.of()).getHeader("Location")).isEqualTo("/jobs/boss~held_4");
        var once = Map.of("key", "one click or two");
        assertThat(post("held_2/again", once).getHeader("Location")).isEqualTo("/jobs/boss~held_5");
        assertThat(post("held_2/again", once).getHeader("Location"))
                .as("a second click")
                .isEqualTo("/jobs/boss~held_5");
        eventually(() -> page("held_5").contains("<b>Can never start"), "a job that can never start to say so");
        assertThat(page("held_4?tab=config")).contains("\"held_4\"");
        submit("""
                {"protocolVersion": 2, "name": "secretive", "type": "job", "prerequisites":
                  [{"type": "dockerimage", "uri": "none", "name": "image"}], "secrets": {"word": "hush-hush"},
                 "taskRoles": {"main": {"dockerImage": "image", "resourcePerInstance": {"cpu": 9000, "memoryMB": 20, "gpu": 0},
                   "commands": ["echo <% $secrets.word %>"]}}}
                """);
        assertThat(post("secretive/again", Map.of()).getHeader("Location")).isEqualTo("/jobs/new?clone=boss~secretive");
        for (String path : List.of(
                "secretive?tab=config", "secretive/config", "secretive/config?as=yaml", "secretive/config?as=json")) {
            assertThat(page(path)).as(path).contains("******").doesNotContain("hush-hush");
        }
    }

    @Test
    void tags_are_added_and_removed() {
        submit("tagged", "true", 9_000, "");
        assertThat(post("tagged/tags", Map.of("tag", " <b>vision </b>")).statusCode())
                .isEqualTo(303);
        assertThat(page("tagged")).contains("<span>&lt;b&gt;vision &lt;/b&gt;</span>");
        for (String wrong : List.of("", " ", "a,b", "x".repeat(256), "a\tb")) {
            var refused = post("tagged/tags", Map.of("tag", wrong));
            assertThat(refused.statusCode()).as(wrong).isEqualTo(422);
            assertThat(refused.bodyAsString()).contains("aria-invalid=\"true\"");
        }
        post("tagged/tags/remove", Map.of("tag", "<b>vision </b>"));
        assertThat(page("tagged")).doesNotContain("vision");
    }

    @Test
    void a_config_is_had_as_it_was_sent_and_as_protocol_2() {
        submit("exported", "true", 9_000, "");
        var sent = boss.get("/jobs/boss~exported/config");
        assertThat(sent.getHeader("Content-Disposition")).isEqualTo("attachment; filename=\"exported.json\"");
        assertThat(sent.bodyAsJsonObject().getString("jobName")).isEqualTo("exported");
        var json = boss.get("/jobs/boss~exported/config?as=json");
        assertThat(json.bodyAsJsonObject().getInteger("protocolVersion")).isEqualTo(2);
        var yaml = boss.get("/jobs/boss~exported/config?as=yaml");
        assertThat(yaml.getHeader("Content-Disposition")).endsWith("\"exported.yaml\"");
        assertThat(yaml.bodyAsString()).startsWith("protocolVersion: 2");
        assertThat(boss.get("/jobs/boss~exported/config?as=xml").statusCode()).isEqualTo(400);
    }

    @Test
    void of_a_job_with_many_tasks_some_are_drawn_at_once() {
        submit("""
                {"jobName": "many", "image": "none", "taskRoles": [
                  {"name": "worker", "taskNumber": 1900, "cpuNumber": 9, "memoryMB": 20, "command": "true"},
                  {"name": "server", "taskNumber": 100, "cpuNumber": 9, "memoryMB": 20, "command": "true"}]}
                """);
        String first = page("many?tab=tasks");
        assertThat(Pattern.compile("<tr id=\"task-").matcher(first).results().count())
                .isEqualTo(100);
        assertThat(first)
                .contains("1 to 100 of 2,000", "tab=tasks&amp;from=100")
                .doesNotContain("Role server");
        assertThat(page("many?tab=tasks&from=1850")).contains("1,851 to 1,950 of 2,000", "Role server");
        assertThat(page("many?tab=tasks&state=running")).contains("No task is in this state");
        assertThat(page("many").length()).isLessThan(40_000);
    }

    @Test
    void an_open_page_is_told_what_changes_and_nothing_else() throws InterruptedException {
        submit("watched", "true", 9_000, "");
        submit("beside", "true", 9_000, "");
        for (String cursor : List.of("", "?since=0", "?since=x", "?since=99999999999999999999999", "?since=-1")) {
            BlockingQueue<String> words = new LinkedBlockingQueue<>();
            var socket =
                    boss.follow("/live/jobs/boss~watched" + cursor, words::add).await();
            assertThat(words.poll(60, TimeUnit.SECONDS)).as(cursor).contains("<live-cursor");
            socket.close().await();
        }
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        var socket =
                boss.follow("/live/jobs/boss~watched?tab=history", told::add).await();
        assertThat(told.poll(60, TimeUnit.SECONDS)).contains("target=\"job\"", "id=\"job-state\"");
        post("watched/stop", Map.of());
        String all = "";
        for (var end = Instant.now().plus(PATIENCE);
                !all.contains("boss asked it to stop") && Instant.now().isBefore(end); ) {
            String word = told.poll(1, TimeUnit.SECONDS);
            all += word == null ? "" : word;
        }
        assertThat(all).contains("boss asked it to stop", "method=\"morph\"").doesNotContain("beside");
        socket.close().await();
    }
}
