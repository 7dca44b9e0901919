package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the panel of a job's endpoints offers, on the whole gateway. */
class EndpointPanelTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MORE_THAN_THERE_ARE = 9_000;

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Browser boss;

    @BeforeAll
    static void start() {
        server = new TestServer(folder, "--ssh-port", "0");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.browser();
        boss.headers.set("Authorization", "Bearer " + crowd.bearer(crowd.person("boss", true)));
        boss.headers.set("Accept-Language", "en");
        boss.headers.set("Turbo-Frame", "panel-endpoints");
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static HttpResponse<Buffer> submit(String name, int cpus, int tasks, String endpoints) {
        return boss.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer("""
                        {"jobName": "%s", "image": "none", "extras": {"sluice": {"endpoints": [%s]}},
                         "taskRoles": [{"name": "main", "taskNumber": %d, "cpuNumber": %d, "memoryMB": 20, "command": "sleep 600"}]}
                        """.formatted(
                                name, endpoints, tasks, cpus)))
                .await();
    }

    private static void submitted(String name, int cpus, int tasks, String endpoints) {
        var answer = submit(name, cpus, tasks, endpoints);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    private static String panel(String job) {
        return boss.get("/jobs/boss~" + job + "/panels/endpoints").bodyAsString();
    }

    private static JsonObject endpoint(String job) {
        var all = boss.get("/api/v2/jobs/boss~" + job + "/endpoints").bodyAsJsonArray();
        return all.isEmpty() ? new JsonObject() : all.getJsonObject(0);
    }

    private static void until(String job, String state) {
        for (var end = Instant.now().plus(PATIENCE); !state.equals(endpoint(job).getString("state")); ) {
            assertThat(Instant.now()).as(endpoint(job).encode()).isBefore(end);
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static HttpResponse<Buffer> post(String path, Map<String, String> form) {
        return boss.post("/jobs/boss~" + path, form);
    }

    @Test
    void what_is_not_granted_is_told_in_the_reader_s_language() {
        submitted("chinese", 0, 1, "{\"recipe\": \"port\", \"name\": \"web\", \"port\": \"no-such\"}");
        until("chinese", "failed");
        boss.headers.set("Accept-Language", "zh");
        try {
            told("endpoints", Map.of("recipe", "port", "name", "Bad name"), "应用入口的名称由小写字母、数字和 - 组成");
            told("endpoints", Map.of("recipe", "none", "name", "a"), "没有名为 none 的应用。现有：");
            told("endpoints", Map.of("recipe", "", "name", "a"), "请选择一个应用。现有：");
            told("endpoints", Map.of("recipe", "port", "name", "a", "task", "other/0"), "任务没有角色 other。现有：main");
            told("endpoints", Map.of("recipe", "port", "name", "a", "task", "main/7"), "角色 main 的实例编号为 0 到 0");
            told("endpoints", Map.of("recipe", "port", "name", "a", "port", "80"), "端口须是 1024 到 65535 之间的数字");
            var folder = Map.of("recipe", "tensorboard", "option.tensorboard.logdir", "x".repeat(1001));
            told("endpoints", folder, "选项 logdir 最多 1000 个字符");
            told("endpoints/web/share", Map.of("with", "boss"), "它本来就属于 boss。");
            told("endpoints/web/share", Map.of("with", "b o s s"), "请输入对方登录时使用的用户名。");
        } finally {
            boss.headers.set("Accept-Language", "en");
        }
    }

    private static void told(String path, Map<String, String> form, String words) {
        var values = new HashMap<>(form);
        values.putIfAbsent("task", "main/0");
        var refused = post("chinese/" + path, values);
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.bodyAsString()).contains(words);
    }

    @Test
    void what_has_failed_is_switched_on_otherwise_or_off() {
        submitted("failed", 0, 1, "{\"recipe\": \"port\", \"name\": \"web\", \"port\": \"no-such\"}");
        until("failed", "failed");
        assertThat(panel("failed"))
                .contains("id=\"change-web\"", "value=\"no-such\"", "/endpoints/web/off", ">Try again<");
        var refused = post("failed/endpoints/web/on", Map.of("recipe", "port", "port", "80", "task", "main/0"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.bodyAsString())
                .contains("id=\"change-web\" open", "value=\"80\"", "port is a number from 1024");
        post("failed/endpoints/web/on", Map.of("recipe", "port", "port", "http", "task", "main/0"));
        until("failed", "starting");
        post("failed/endpoints/web/off", Map.of());
        until("failed", "off");
        assertThat(panel("failed")).contains("id=\"change-web\"", "value=\"http\"", ">Switch on<");
        post("failed/endpoints/web/on", Map.of());
        until("failed", "starting");
    }

    @Test
    void what_was_refused_of_another_endpoint_still_stands_in_its_form() {
        submitted("typed", MORE_THAN_THERE_ARE, 2, "");
        var refused = post(
                "typed/endpoints",
                Map.of("recipe", "tensorboard", "option.tensorboard.logdir", "/my/logs\u0007", "task", "main/1"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.bodyAsString())
                .contains("class=\"add-endpoint\" open", "value=\"/my/logs", "value=\"main/1\" selected");
    }

    @Test
    void a_terminal_and_ssh_are_there_when_the_job_runs() {
        submitted("waits", MORE_THAN_THERE_ARE, 1, "");
        assertThat(panel("waits"))
                .contains("when it runs", "type=\"submit\" disabled", "waits@")
                .doesNotContain("text=\"ssh -p");
        submitted("runs", 0, 1, "{\"recipe\": \"port\", \"name\": \"web\", \"port\": \"no-such\"}");
        until("runs", "failed");
        assertThat(panel("runs")).contains("text=\"ssh -p").doesNotContain("when it runs", "type=\"submit\" disabled");
    }

    @Test
    void who_comes_through_a_tunnel_is_told_that_ssh_does_not() {
        submitted("near", MORE_THAN_THERE_ARE, 1, "");
        assertThat(panel("near")).contains("@127.0.0.1", "through a tunnel");
    }

    @Test
    void of_very_many_tasks_each_can_be_named() {
        submitted("many", MORE_THAN_THERE_ARE, 150, "");
        assertThat(panel("many"))
                .contains("There are 50 more tasks", "+role+number", "id=\"terminal-task\"", "<datalist id=\"tasks\"");
        assertThat(boss.get("/jobs/boss~many/terminal?task=main/149").statusCode())
                .isEqualTo(200);
        submitted("few", MORE_THAN_THERE_ARE, 100, "");
        assertThat(panel("few")).doesNotContain("more tasks", "datalist id=\"tasks\"");
    }

    @Test
    void who_shares_is_told_what_a_misspelt_name_does() {
        submitted("shared", 0, 1, "{\"recipe\": \"port\", \"name\": \"web\", \"port\": \"no-such\"}");
        until("shared", "failed");
        assertThat(panel("shared")).contains("whoever gets it later comes in");
    }

    @Test
    void what_can_not_be_had_is_told_at_submit() {
        var answer = submit(
                "wrong",
                MORE_THAN_THERE_ARE,
                1,
                "\"jupiterlab\", {\"recipe\": \"tensorboard\", \"options\": {\"logdirs\": \"/x\"}},"
                        + " {\"recipe\": \"port\", \"name\": \"web\", \"port\": 80}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.bodyAsString())
                .contains(
                        "code-server, jupyterlab, port, tensorboard",
                        "did you mean logdir?",
                        "A number from 1024 to 65535");
        var draft = boss.send(HttpMethod.POST, "/api/v2/jobs/validate", "application/json", Buffer.buffer("""
                        {"jobName": "wrong", "image": "none", "extras": {"sluice": {"endpoints": ["jupiterlab"]}},
                         "taskRoles": [{"name": "main", "command": "true"}]}
                        """))
                .await();
        assertThat(draft.bodyAsString()).contains("jupiterlab", "code-server");
    }
}
