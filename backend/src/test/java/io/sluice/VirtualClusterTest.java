package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Virtual clusters over HTTP: the page, the API, and submissions to them. */
class VirtualClusterTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Person boss;

    @BeforeAll
    static void start() {
        server = new TestServer(folder, "--simulate-devices", "4xH100");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.person("boss", true);
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static Browser as(Person person) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(person));
        return browser;
    }

    private static Person somebody() {
        return crowd.person("guest" + NUMBER.incrementAndGet(), false);
    }

    private static HttpResponse<Buffer> send(Person who, HttpMethod method, String path, String json) {
        return as(who).send(method, path, "application/json", Buffer.buffer(json))
                .await();
    }

    private static JsonNode get(Person who, String path) {
        try {
            return JSON.readTree(as(who).get(path).bodyAsString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String job(String name, String cluster) {
        return """
                {"jobName": "%s", "image": "none", "virtualCluster": "%s",
                 "taskRoles": [{"name": "main", "memoryMB": 64, "command": "true"}]}
                """.formatted(name, cluster);
    }

    @Test
    void the_api_makes_changes_and_removes_them_and_tells_their_quota() {
        String path = "/api/v2/virtual-clusters/made";
        var made = send(boss, HttpMethod.PUT, path, "{\"cpus\": 1, \"memoryMB\": 1024, \"devices\": {\"h100\": 3}}");
        assertThat(made.statusCode()).as(made.bodyAsString()).isEqualTo(201);
        JsonNode told = get(somebody(), path);
        assertThat(told.at("/resourcesGuaranteed/gpu").asInt()).isEqualTo(3);
        assertThat(told.at("/resourcesGuaranteed/memory").asInt()).isEqualTo(1024);
        assertThat(told.at("/capacity").asDouble()).isEqualTo(75);
        send(boss, HttpMethod.PUT, path, "{\"memoryMB\": null}");
        assertThat(get(boss, path).path("quota").toString())
                .isEqualTo("{\"cpus\":1,\"memoryMB\":null,\"devices\":{\"h100\":3}}");
        send(boss, HttpMethod.PUT, path + "/status", "{\"vcStatus\": \"stopped\"}");
        assertThat(get(boss, "/api/v1/virtual-clusters/made").path("status").asText())
                .isEqualTo("STOPPED");
        assertThat(send(boss, HttpMethod.DELETE, path, "").statusCode()).isEqualTo(201);
        assertThat(get(boss, path).path("code").asText()).isEqualTo("NoVirtualClusterError");
    }

    @Test
    void what_is_no_quota_is_refused_with_what_is() {
        String path = "/api/v2/virtual-clusters/wrong";
        for (var wrong : Map.of(
                        "{\"cpus\": -1}", "from 0",
                        "{\"cpus\": \"many\"}", "whole number",
                        "{\"devices\": {\"\": 1}}", "a name like H100",
                        "{\"gpus\": 1}", "Fields: description, cpus",
                        "{\"users\": [\"nobody\"]}", "User nobody is not found",
                        "{\"vcCapacity\": 50}", "percent is no quota")
                .entrySet()) {
            var answer = send(boss, HttpMethod.PUT, path, wrong.getKey());
            assertThat(answer.statusCode()).as(wrong.getKey()).isIn(400, 404);
            assertThat(answer.bodyAsString()).contains(wrong.getValue());
        }
        assertThat(send(boss, HttpMethod.PUT, "/api/v2/virtual-clusters/a-b", "{}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(get(boss, path).path("code").asText()).isEqualTo("NoVirtualClusterError");
    }

    @Test
    void page_api_and_check_refuse_a_submission_without_a_grant_with_a_sentence() {
        as(boss).post("/virtual-clusters", Map.of("name", "closed"));
        Person guest = somebody();
        var api = send(guest, HttpMethod.POST, "/api/v2/jobs", job("one", "closed"));
        assertThat(api.statusCode()).isEqualTo(403);
        assertThat(api.bodyAsString()).contains("ForbiddenUserError", "Open to " + guest.name() + ": default.");
        var check = send(guest, HttpMethod.POST, "/api/v2/jobs/validate", job("one", "closed"));
        assertThat(check.bodyAsString()).contains("\"never\":true", "not allowed to submit to virtual cluster closed");
        var page = as(guest).post("/jobs/new", Map.of("text", job("one", "closed")));
        assertThat(page.statusCode()).isEqualTo(422);
        assertThat(page.bodyAsString())
                .contains("You may not submit to virtual cluster closed. Open to you: default.", "\"closed\"")
                .doesNotContain("<option value=\"closed\">");
        as(boss).post("/virtual-clusters/closed", Map.of("users", guest.name()));
        assertThat(as(guest).get("/jobs/new").bodyAsString()).contains("<option value=\"closed\">");
        assertThat(send(guest, HttpMethod.POST, "/api/v2/jobs", job("one", "closed"))
                        .statusCode())
                .isEqualTo(202);
    }

    @Test
    void what_openpai_s_api_grants_counts_and_is_told() {
        as(boss).post("/virtual-clusters", Map.of("name", "theirs"));
        Person guest = somebody();
        send(boss, HttpMethod.POST, "/api/v2/groups", """
                {"groupname": "vision", "extension": {"acls": {"virtualClusters": ["theirs"]}}}""");
        send(boss, HttpMethod.PUT, "/api/v2/users/" + guest.name() + "/group", "{\"groupname\": \"vision\"}");
        assertThat(get(guest, "/api/v2/users/" + guest.name())
                        .path("virtualCluster")
                        .toString())
                .isEqualTo("[\"default\",\"theirs\"]");
        assertThat(send(guest, HttpMethod.POST, "/api/v2/jobs", job("one", "theirs"))
                        .statusCode())
                .isEqualTo(202);
        assertThat(as(boss).get("/virtual-clusters").bodyAsString()).contains("value=\"vision\"");
    }

    @Test
    void the_page_tells_use_and_quota_and_keeps_what_was_typed_wrongly() {
        var added = as(boss).post("/virtual-clusters", Map.of("name", "forms", "cpus", "3", "memory", "1.5"));
        assertThat(added.statusCode()).as(added.bodyAsString()).isEqualTo(303);
        String seen = as(somebody()).get("/virtual-clusters").bodyAsString();
        assertThat(seen).contains("forms", "3 of 3 free", "1.5 GB of 1.5 GB free", "not open to you");
        assertThat(seen).doesNotContain("name=\"cpus\"");
        var wrong = as(boss).post("/virtual-clusters/forms", Map.of("cpus", "three", "users", "nobody"));
        assertThat(wrong.statusCode()).isEqualTo(422);
        assertThat(wrong.bodyAsString()).contains("value=\"three\"", "Write a number from 0");
        var unknown = as(boss).post("/virtual-clusters/forms", Map.of("users", "nobody"));
        assertThat(unknown.bodyAsString()).contains("Nobody here is called nobody.");
        assertThat(as(boss).post("/virtual-clusters", Map.of("name", "forms")).bodyAsString())
                .contains("There is one of this name already.");
        assertThat(as(boss).post("/virtual-clusters/nowhere", Map.of()).statusCode())
                .isEqualTo(404);
        as(boss).post("/virtual-clusters/forms/state", Map.of("stopped", "true"));
        assertThat(as(boss).get("/virtual-clusters").bodyAsString()).contains("Let it start jobs again");
        as(boss).post("/virtual-clusters/forms/delete", Map.of());
        assertThat(as(boss).get("/virtual-clusters").bodyAsString()).doesNotContain("cluster-forms");
    }
}
