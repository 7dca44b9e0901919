package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Crowd;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How much people may keep: 64 KiB in 10 files here, unless an administrator says otherwise. */
@Timeout(120)
class QuotaTest {
    private static final int MOST = 64 << 10;

    @TempDir
    private static Path data;

    private static TestServer server;
    private static Crowd crowd;

    @BeforeAll
    static void start() {
        server = new TestServer(
                data,
                "--allow-shared-process-engine",
                "--files-quota",
                "64k",
                "--files-count",
                "10",
                "--files-quota-bars");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static FileDesk desk(String name) {
        var desk = new FileDesk(server, crowd, data, name);
        assertThat(desk.get(desk.files("")).statusCode()).isEqualTo(200);
        return desk;
    }

    private static JsonObject usage(FileDesk desk) {
        return new JsonObject(FileDesk.text(desk.get("/api/v2/quota")));
    }

    /** What is deleted for good makes the gateway count. */
    private static void forget(FileDesk desk, String name) {
        assertThat(desk.delete(desk.files("?path=" + name)).statusCode()).isEqualTo(204);
        assertThat(desk.delete(desk.files("/bin/" + deleted(desk))).statusCode())
                .isEqualTo(204);
    }

    private static String deleted(FileDesk desk) {
        return new JsonObject(FileDesk.text(desk.get(desk.files("/bin"))))
                .getJsonArray("deleted")
                .getJsonObject(0)
                .getString("id");
    }

    @Test
    void what_does_not_fit_is_refused_and_what_is_deleted_makes_room() {
        var ada = desk("ada");
        String whole = ada.upload("half.bin", MOST / 2, false);
        assertThat(usage(ada).getLong("bytes")).as("what is on its way counts").isEqualTo(MOST / 2L);
        assertThat(ada.piece(whole, 0, new byte[MOST / 2]).statusCode()).isEqualTo(204);
        var refused = ada.begin("more.bin", MOST / 2 + 1, false);
        assertThat(refused.statusCode()).isEqualTo(507);
        assertThat(FileDesk.text(refused)).contains("65.5 kB", "10 files", "32.8 kB", "empty the bin");
        assertThat(ada.put(ada.files("/content?path=text"), "x".repeat(MOST / 2 + 1))
                        .statusCode())
                .isEqualTo(507);
        assertThat(ada.post(ada.files("/copy?path=half.bin&to=again")).statusCode())
                .isEqualTo(201);
        assertThat(ada.post(ada.files("/copy?path=half.bin&to=third")).statusCode())
                .isEqualTo(507);
        assertThat(usage(ada).getLong("bytes")).isEqualTo(MOST);
        assertThat(usage(ada).getLong("files")).isEqualTo(2);
        // in the bin it still is theirs
        assertThat(ada.delete(ada.files("?path=again")).statusCode()).isEqualTo(204);
        assertThat(ada.begin("more.bin", 1, false).statusCode()).isEqualTo(507);
        assertThat(ada.post(ada.files("/bin/" + deleted(ada))).statusCode()).isEqualTo(200);
        forget(ada, "again");
        // what is on its way out of the bin counts until it is gone, and then it is counted again
        DoorDesk.until(
                "there is room again",
                () -> usage(ada).getLong("bytes") < MOST && usage(ada).getLong("files") < 9);
        // beside the file there is a note of its upload
        long kept = usage(ada).getLong("bytes");
        assertThat(kept).isBetween(MOST / 2L, MOST / 2L + 100);
        String left = ada.upload("more.bin", 100, false);
        assertThat(ada.send("DELETE", left, BodyPublishers.noBody(), "Tus-Resumable", "1.0.0")
                        .statusCode())
                .isEqualTo(204);
        assertThat(usage(ada).getLong("bytes")).as("given up").isEqualTo(kept);
    }

    @Test
    void too_many_files_are_as_much_as_too_many_bytes() {
        var bob = desk("bob");
        for (int i = 0; i < 10; i++) {
            assertThat(bob.post(bob.files("/folder?path=f" + i)).statusCode()).isEqualTo(201);
        }
        assertThat(bob.post(bob.files("/folder?path=f10")).statusCode()).isEqualTo(507);
        assertThat(bob.put(bob.files("/content?path=text"), "").statusCode()).isEqualTo(507);
    }

    @Test
    void what_jobs_write_is_counted_and_who_has_too_much_submits_none_until_an_administrator_gives_more()
            throws IOException {
        var eve = desk("eve");
        var root = crowd.person("quotaroot", true);
        assertThat(submitted(eve, "before")).isEqualTo(202);
        Files.write(eve.home().resolve("big"), new byte[MOST + 1]);
        assertThat(eve.post(eve.files("/folder?path=old")).statusCode()).isEqualTo(201);
        forget(eve, "old");
        DoorDesk.until("it is counted", () -> usage(eve).getBoolean("over"));
        assertThat(submitted(eve, "after")).isEqualTo(403);
        var admin = new FileDesk(server, crowd, data, root);
        assertThat(admin.put("/api/v2/quotas/eve", "{\"bytes\":-1}", "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(400);
        assertThat(admin.put("/api/v2/quotas/eve", "{\"bytes\":0}", "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(204);
        assertThat(usage(eve).getLong("mostBytes")).isNull();
        assertThat(submitted(eve, "again")).isEqualTo(202);
        assertThat(eve.put("/api/v2/quotas/eve", "{}", "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(403);
    }

    private static int submitted(FileDesk desk, String job) {
        String text = """
                    protocolVersion: 2
                    name: %s
                    type: job
                    prerequisites: [{type: dockerimage, uri: none, name: i}]
                    taskRoles:
                      main: {instances: 1, dockerImage: i, resourcePerInstance: {cpu: 1, memoryMB: 64, gpu: 0}, commands: ["true"]}
                    """.formatted(job);
        return desk.send("POST", "/api/v2/jobs", BodyPublishers.ofString(text), "Content-Type", "text/yaml")
                .statusCode();
    }
}
