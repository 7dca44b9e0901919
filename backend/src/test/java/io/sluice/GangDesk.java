package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The whole gateway with devices that do not exist, while the tests of a class run; its administrator boss runs jobs whose tasks work together. */
final class GangDesk implements BeforeAllCallback, AfterAllCallback {
    private final String[] flags;
    private @Nullable Path folder;
    private @Nullable TestServer server;
    private @Nullable Crowd crowd;
    private @Nullable Browser boss;

    GangDesk(String devices, String... more) {
        flags = new String[more.length + 2];
        flags[0] = "--simulate-devices";
        flags[1] = devices;
        System.arraycopy(more, 0, flags, 2, more.length);
    }

    @Override
    public void beforeAll(ExtensionContext tests) throws IOException {
        folder = Files.createTempDirectory("sluice-gang-desk");
        server = new TestServer(folder, flags);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.browser();
        boss.headers.set("Authorization", "Bearer " + crowd.bearer(crowd.person("boss", true)));
        boss.headers.set("Accept-Language", "en");
    }

    @Override
    public void afterAll(ExtensionContext tests) throws IOException {
        Objects.requireNonNull(crowd).close();
        Objects.requireNonNull(server).close();
        try (var files = Files.walk(folder())) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    Path folder() {
        return Objects.requireNonNull(folder);
    }

    HttpResponse<Buffer> get(String path) {
        return Objects.requireNonNull(boss).get(path);
    }

    void submit(String job) {
        var answer = Objects.requireNonNull(boss)
                .send(HttpMethod.POST, "/api/v2/jobs", "application/yaml", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    JsonObject status(String name) {
        var answer = get("/api/v2/jobs/boss~" + name);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        return answer.bodyAsJsonObject().getJsonObject("jobStatus");
    }

    /** Waits for its end; a task tells why, if it was another. */
    void ends(String name, String state, String role) {
        Reception.eventually(() -> status(name).getValue("completedTime") != null
                && !status(name).getString("state").equals("RUNNING"));
        assertThat(status(name).getString("state"))
                .as(() -> status(name) + log(name, role, 0))
                .isEqualTo(state);
    }

    /** Of the first attempt; empty where it has printed nothing. */
    String log(String name, String role, int index) {
        String path = "/api/v2/jobs/boss~" + name + "/attempts/0/taskRoles/" + role + "/taskIndex/" + index
                + "/attempts/0/log";
        return Objects.requireNonNullElse(get(path).bodyAsString(), "");
    }
}
