package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.identity.Browser;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grafana's users at the door to a real Prometheus: each sees what is theirs, whatever they send. */
class DoorIT {
    private static final String API = "/prometheus/api/v1/";
    private static final int AT_ONCE = 16;

    @TempDir
    private static Path folder;

    private static PrometheusDesk desk;
    private static Person ann;

    @BeforeAll
    static void start() throws Exception {
        desk = new PrometheusDesk(folder, "--grafana", "http://127.0.0.1:9");
        ann = desk.crowd.person("ann", false);
        Person bob = desk.crowd.person("bob", false);
        desk.crowd.person("boss", true);
        desk.run(ann, "open", 1);
        desk.run(bob, "secret", 1);
        for (String job : List.of("ann~open", "bob~secret")) {
            for (String family : List.of("utilization_ratio", "memory_used_bytes", "power_watts")) {
                desk.filled("accelerator_assignment{job_id=\"%s\"} and on (node, device) accelerator_%s"
                        .formatted(job, family));
            }
            desk.filled("rate(sluice_task_cpu_seconds_total{job_id=\"%s\"}[1m]) >= 0".formatted(job));
        }
        for (String rule : List.of("utilization:avg", "power_watts:sum", "devices:count")) {
            desk.filled("job:accelerator_%s{job_id=\"ann~open\"} and on (job_id) job_info".formatted(rule));
        }
    }

    @AfterAll
    static void stop() {
        if (desk != null) {
            desk.close();
        }
    }

    private static HttpResponse<Buffer> ask(String user, String path, Map<String, String> form) {
        return ask(as(user), path, form);
    }

    private static MultiMap as(String user) {
        return MultiMap.caseInsensitiveMultiMap()
                .add("X-Sluice-Grafana", TestServer.GRAFANA_TOKEN)
                .add("X-Grafana-User", user);
    }

    private static HttpResponse<Buffer> ask(MultiMap headers, String path, Map<String, String> form) {
        return askLater(headers, path, form).await();
    }

    /** All of them, a few at a time, as a page of panels asks. */
    private static Map<String, HttpResponse<Buffer>> all(String user, String path, List<String> expressions) {
        Map<String, HttpResponse<Buffer>> answers = new LinkedHashMap<>();
        for (int at = 0; at < expressions.size(); at += AT_ONCE) {
            List<String> some = expressions.subList(at, Math.min(at + AT_ONCE, expressions.size()));
            var asked = some.stream()
                    .map(expression -> askLater(as(user), path, range(expression)))
                    .toList();
            Future.all(asked).await();
            for (int i = 0; i < some.size(); i++) {
                answers.put(some.get(i), asked.get(i).result());
            }
        }
        return answers;
    }

    private static Future<HttpResponse<Buffer>> askLater(MultiMap headers, String path, Map<String, String> form) {
        Browser grafana = desk.crowd.browser();
        grafana.headers.addAll(headers);
        String written = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        boolean get = path.endsWith("/values");
        return grafana.send(
                get ? HttpMethod.GET : HttpMethod.POST,
                API + path + (get && !written.isEmpty() ? "?" + written : ""),
                get ? null : "application/x-www-form-urlencoded",
                get ? null : Buffer.buffer(written));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Map<String, String> range(String expression) {
        long now = Instant.now().getEpochSecond() + 1; // what this second told is in it
        return Map.of("query", expression, "start", "" + (now - 600), "end", "" + now, "step", "5");
    }

    private static JsonNode json(HttpResponse<Buffer> answer) throws IOException {
        return PrometheusDesk.JSON.readTree(answer.body().getBytes());
    }

    private static List<String> expressions(String dashboard) throws IOException {
        return PrometheusDesk.JSON
                .readTree(
                        Path.of("../grafana/dashboards/" + dashboard + ".json").toFile())
                .findValuesAsText("expr");
    }

    private static String filledIn(String expression, String job, String user) {
        return expression
                .replace("$job", job)
                .replace("$user", user)
                .replace("$__rate_interval", "1m0s")
                .replace("$__range", "3600s");
    }

    private static List<String> hostile() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/hostile-promql.txt")).stream()
                .filter(line -> !line.startsWith("# "))
                .toList();
    }

    @Test
    void every_panel_of_ones_own_jobs_is_answered_as_prometheus_answers_it() throws Exception {
        int answered = 0;
        for (String dashboard : List.of("job", "user")) {
            for (String expression : expressions(dashboard)) {
                String asked = filledIn(expression, "ann~open", "ann");
                var answer = ask("ann", "query_range", range(asked));
                assertThat(answer.statusCode())
                        .as(asked + answer.bodyAsString())
                        .isEqualTo(200);
                assertThat(answer.bodyAsString()).contains("\"matrix\"").doesNotContain("bob~secret");
                answered += json(answer).at("/data/result").size();
                assertThat(ask("ann", "query", Map.of("query", asked)).statusCode())
                        .isEqualTo(200);
            }
        }
        assertThat(answered).as("lines").isGreaterThan(8);
        JsonNode one = json(ask(
                "ann",
                "query_range",
                range("  max by(job_id,task_id) (sluice_task_memory_bytes {job_id = 'ann~open'}) ")));
        assertThat(one.at("/data/result/0/metric/job_id").asText())
                .as("however it is spaced")
                .isEqualTo("ann~open");
        assertThat(ask("ann", "query", Map.of("query", "1+1")).bodyAsString()).contains("\"2\"");
    }

    @Test
    void nothing_that_somebody_sends_shows_the_job_of_another() throws Exception {
        List<String> hostile = new ArrayList<>(hostile());
        for (String dashboard : List.of("job", "user", "node", "cluster")) {
            expressions(dashboard)
                    .forEach(expression -> hostile.add(
                            filledIn(expression, "bob~secret", "bob").replace("$node", ".*")));
        }
        assertThat(hostile).hasSizeGreaterThan(100);
        for (String path : List.of("query", "query_range")) {
            for (var answer : all("ann", path, hostile).entrySet()) {
                JsonNode said = json(answer.getValue());
                assertThat(answer.getValue().statusCode()).as(answer.getKey()).isIn(400, 403, 404);
                assertThat(said.has("data")).as(answer.getKey()).isFalse();
                assertThat(said.path("error").asText()).as(answer.getKey()).isNotEmpty();
            }
        }
    }

    @Test
    void what_is_refused_would_have_told() throws Exception {
        assertThat(all("boss", "query", hostile()).values().stream()
                        .filter(answer -> answer.bodyAsString().contains("bob~secret"))
                        .count())
                .as("expressions that show the other job where they are answered")
                .isGreaterThan(40L);
    }

    @Test
    void a_job_that_is_not_there_is_refused_like_one_of_another() throws Exception {
        String expression = "max by (job_id, task_id) (sluice_task_memory_bytes{job_id=\"%s\"})";
        var others = ask("ann", "query", Map.of("query", expression.formatted("bob~secret")));
        var none = ask("ann", "query", Map.of("query", expression.formatted("bob~nothing")));
        assertThat(others.statusCode()).isEqualTo(404);
        assertThat(others.bodyAsString().replace("secret", "nothing")).isEqualTo(none.bodyAsString());
        for (String odd : List.of(
                "", "ann", "~", "ann~", "ann~open~", "ann~open|bob~secret", "ann~.*", "ann~open\u0000", "安~open")) {
            assertThat(ask("ann", "query", Map.of("query", expression.formatted(odd)))
                            .statusCode())
                    .as(odd)
                    .isBetween(400, 404);
        }
    }

    @Test
    void a_second_query_beside_the_first_is_not_asked() throws Exception {
        Browser grafana = desk.crowd.browser();
        grafana.headers.add("X-Sluice-Grafana", TestServer.GRAFANA_TOKEN).add("X-Grafana-User", "ann");
        String own = encoded("max by (job_id, task_id) (sluice_task_memory_bytes{job_id=\"ann~open\"})");
        for (String address : List.of(
                "query?query=" + own + "&query=job_info",
                "query?query=" + own + "&query%5B%5D=job_info",
                "query?query=" + own + "&Query=job_info",
                "query?query=" + own + "&match[]=job_info")) {
            var answer = grafana.get(API + address);
            assertThat(answer.bodyAsString()).contains("ann~open").doesNotContain("bob");
        }
        assertThat(grafana.get(API + "query?query=job_info&query=" + own).statusCode())
                .isEqualTo(403);
        var both = grafana.send(
                        HttpMethod.POST,
                        API + "query?query=job_info",
                        "application/x-www-form-urlencoded",
                        Buffer.buffer("query=" + own))
                .await();
        assertThat(both.bodyAsString()).doesNotContain("bob");
        assertThat(grafana.get(API + "status/config").statusCode()).isEqualTo(404);
        assertThat(grafana.get(API + "admin/tsdb/snapshot").statusCode()).isEqualTo(404);
        assertThat(grafana.get(API + "../../metrics").statusCode()).isEqualTo(400);
    }

    @Test
    void lists_are_of_ones_own_jobs() throws Exception {
        assertThat(json(ask("ann", "label/job_id/values", Map.of()))
                        .path("data")
                        .valueStream()
                        .map(JsonNode::asText))
                .containsExactly("ann~open");
        assertThat(json(ask("ann", "label/user/values", Map.of("match[]", "job_info")))
                        .path("data")
                        .toString())
                .isEqualTo("[\"ann\"]");
        assertThat(ask("ann", "label/__name__/values", Map.of()).bodyAsString())
                .contains("job_info")
                .doesNotContain("accelerator");
        assertThat(ask("ann", "series", Map.of("match[]", "job_info")).bodyAsString())
                .contains("ann~open")
                .doesNotContain("bob");
        assertThat(ask("ann", "labels", Map.of()).bodyAsString())
                .contains("job_id")
                .doesNotContain("task_id");
        for (String selector :
                List.of("job_info{user=\"bob\"}", "{__name__=~\".+\"}", "accelerator_assignment", "up")) {
            for (String list : List.of("series", "labels", "label/job_id/values")) {
                assertThat(ask("ann", list, Map.of("match[]", selector)).statusCode())
                        .as(list + selector)
                        .isEqualTo(403);
            }
        }
        assertThat(ask("ann", "label/a-b/values", Map.of()).statusCode()).isEqualTo(400);
    }

    @Test
    void an_administrator_asks_what_they_like_and_hears_why_it_can_not_be_answered() throws Exception {
        assertThat(ask("boss", "query", Map.of("query", "job_info")).bodyAsString())
                .contains("ann~open", "bob~secret");
        assertThat(ask("boss", "series", Map.of("match[]", "{job_id=~\".+\"}")).bodyAsString())
                .contains("bob~secret");
        assertThat(ask("boss", "label/job_id/values", Map.of()).bodyAsString()).contains("bob~secret");
        assertThat(ask("boss", "query", Map.of("query", "job_info{")).bodyAsString())
                .contains("bad_data", "parse error");
        assertThat(ask("boss", "query_range", Map.of("query", "up", "start", "0", "end", "1700000000", "step", "1"))
                        .bodyAsString())
                .contains("Choose a longer step");
        for (String bad : List.of("NaN", "1e9", "-1", "x", "")) {
            assertThat(ask("boss", "query_range", Map.of("query", "up", "start", bad, "end", "5", "step", "1"))
                            .statusCode())
                    .as(bad)
                    .isEqualTo(400);
        }
    }

    @Test
    void only_grafana_is_believed_and_only_about_people_who_may_be_here() {
        var form = Map.of("query", "1+1");
        var none = MultiMap.caseInsensitiveMultiMap();
        assertThat(ask(none.add("X-Grafana-User", "boss"), "query", form).statusCode())
                .isEqualTo(401);
        assertThat(ask(none.add("X-Sluice-Grafana", "guessed"), "query", form).statusCode())
                .isEqualTo(401);
        var twice = MultiMap.caseInsensitiveMultiMap().add("X-Sluice-Grafana", TestServer.GRAFANA_TOKEN);
        assertThat(ask(twice, "query", form).bodyAsString()).contains("send_user_header");
        twice.add("X-Grafana-User", "ann").add("X-Grafana-User", "boss");
        assertThat(ask(twice, "query", form).statusCode()).as("two users").isEqualTo(401);
        assertThat(ask("nobody", "query", form).statusCode()).isEqualTo(403);
        assertThat(ask("' OR true", "query", form).statusCode()).isEqualTo(403);
        assertThat(ask("ANN", "query", form).statusCode())
                .as("Grafana writes names small")
                .isEqualTo(200);
        assertThat(ask("ANN", "query", Map.of("query", "job_info")).statusCode())
                .isEqualTo(403);
        Person gone = desk.crowd.person("gone", true);
        desk.crowd.disable(gone);
        assertThat(ask("gone", "query", form).statusCode()).isEqualTo(403);
        Browser session = desk.as(ann);
        assertThat(session.get(API + "query?query=1").statusCode())
                .as("a user without Grafana")
                .isEqualTo(401);
    }

    @Test
    void what_was_before_the_job_and_before_the_account_is_told_to_nobody() throws Exception {
        String expression = "max by (job_id, task_id) (sluice_task_memory_bytes{job_id=\"ann~open\"})";
        assertThat(ask("ann", "query", Map.of("query", expression, "time", "1700000000"))
                        .bodyAsString())
                .contains("\"result\":[]");
        assertThat(ask(
                                "ann",
                                "query_range",
                                Map.of("query", expression, "start", "1700000000", "end", "1700000600", "step", "15"))
                        .bodyAsString())
                .contains("\"result\":[]");
    }
}
