package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What OpenPAI's client for VS Code sends, in its order, below {@code /rest-server}. */
class VsCodeClientTest {
    private static final String REST = "/rest-server/api";
    private static final String YAML = """
            protocolVersion: 2
            name: from_code
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: none}]
            taskRoles:
              main:
                dockerImage: image
                resourcePerInstance: {cpu: 1, memoryMB: 1000000000, gpu: 0}
                commands: ["true"]
            """;

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;

    @BeforeAll
    static void start() {
        server = new TestServer(folder);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static Browser signedIn() {
        Browser browser = crowd.browser();
        var answer = browser.send(
                        HttpMethod.POST,
                        REST + "/v1/token",
                        "application/x-www-form-urlencoded",
                        Buffer.buffer("username=admin&password=" + TestServer.PASSWORD.replace(" ", "+")
                                + "&expiration=4000"))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        JsonObject login = answer.bodyAsJsonObject();
        assertThat(login.getString("user")).isEqualTo("admin");
        assertThat(login.getBoolean("admin")).isTrue();
        browser.headers.set("Authorization", "Bearer " + login.getString("token"));
        return browser;
    }

    @Test
    void it_finds_out_the_protocol_without_signing_in() {
        var probe = crowd.browser().get(REST + "/v2/jobs/protocolversion/config");
        assertThat(probe.getHeader("Content-Type")).startsWith("application/json");
        assertThat(probe.bodyAsJsonObject().getString("code"))
                .as("it would take version 1")
                .isNotEqualTo("NoApiError");
        JsonObject info = crowd.browser().get(REST + "/v2/info").bodyAsJsonObject();
        assertThat(info.getString("authnMethod")).isEqualTo("basic");
        assertThat(info.getString("launcherType")).isEqualTo("k8s");
        assertThat(crowd.browser()
                        .get(REST + "/v1/authn/info")
                        .bodyAsJsonObject()
                        .getString("authn_type"))
                .isEqualTo("basic");
    }

    @Test
    void it_checks_a_name_submits_lists_looks_and_stops() {
        Browser code = signedIn();
        String old = REST + "/v1/user/admin/jobs/from_code";
        var free = code.get(old);
        assertThat(free.statusCode()).isEqualTo(404);
        assertThat(free.bodyAsJsonObject().getString("code")).isEqualTo("NoJobError");
        var sent = code.send(HttpMethod.POST, REST + "/v2/jobs", "text/yaml", Buffer.buffer(YAML))
                .await();
        assertThat(sent.statusCode()).as(sent.bodyAsString()).isEqualTo(202);
        assertThat(code.get(old).statusCode())
                .as("a job of version 2 is found by the old path")
                .isEqualTo(200);
        assertThat(code.get(REST + "/v2/jobs?username=admin")
                        .bodyAsJsonArray()
                        .getJsonObject(0)
                        .getString("name"))
                .isEqualTo("from_code");
        JsonObject detail = code.get(REST + "/v2/jobs/admin~from_code").bodyAsJsonObject();
        assertThat(detail.getJsonObject("jobStatus").getString("state")).isEqualTo("WAITING");
        assertThat(detail.getJsonObject("taskRoles").getJsonObject("main").getJsonArray("taskStatuses"))
                .hasSize(1);
        assertThat(code.get(REST + "/v2/jobs/admin~from_code/config").bodyAsString())
                .contains("name: from_code");
        var ssh = code.get(REST + "/v2/jobs/admin~from_code/ssh");
        assertThat(ssh.statusCode()).isEqualTo(404);
        assertThat(ssh.bodyAsJsonObject().getString("code")).isEqualTo("NoJobSshInfoError");
        var stopped = code.send(
                        HttpMethod.PUT,
                        REST + "/v2/jobs/admin~from_code/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        assertThat(stopped.statusCode()).isEqualTo(202);
        assertThat(code.get(REST + "/v2/jobs/admin~from_code")
                        .bodyAsJsonObject()
                        .getJsonObject("jobStatus")
                        .getString("state"))
                .isEqualTo("STOPPED");
    }

    @Test
    void it_submits_and_lists_in_version_1_too() {
        Browser code = signedIn();
        var sent = code.send(HttpMethod.POST, REST + "/v1/user/admin/jobs", "application/json", Buffer.buffer("""
                                {"jobName": "old_job", "image": "none",
                                 "taskRoles": [{"name": "main", "memoryMB": 1000000000, "shmMB": 64, "command": "true"}]}
                                """))
                .await();
        assertThat(sent.statusCode()).as(sent.bodyAsString()).isEqualTo(202);
        assertThat(code.get(REST + "/v1/user/admin/jobs").bodyAsString()).contains("\"name\":\"old_job\"");
        assertThat(code.get(REST + "/v1/user/admin/jobs/old_job/ssh")
                        .bodyAsJsonObject()
                        .getString("code"))
                .isEqualTo("NoJobSshInfoError");
    }
}
