package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Crowd;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole gateway on a real disk, and somebody at its file centre. */
@Timeout(120)
abstract class AtFileCentre {
    static final AtomicInteger NUMBER = new AtomicInteger();
    static final String CANARY = "what lies outside";

    @TempDir
    static Path data;

    static TestServer server;
    static Crowd crowd;

    FileDesk ada;

    @BeforeAll
    static void start() {
        server = new TestServer(data);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    @BeforeEach
    void sit() {
        ada = new FileDesk(server, crowd, data, "ada" + NUMBER.incrementAndGet());
        assertThat(ada.get(ada.files("")).statusCode()).isEqualTo(200);
    }

    static JsonObject json(HttpResponse<byte[]> answer) {
        return new JsonObject(FileDesk.text(answer));
    }

    Path own(String path, String text) throws IOException {
        Path file = ada.home().resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
        Object uid = Files.getAttribute(ada.home(), "unix:uid");
        Path at = ada.home();
        for (Path name : ada.home().relativize(file)) {
            at = at.resolve(name);
            Files.setAttribute(at, "unix:uid", uid);
        }
        return file;
    }

    static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    static List<String> names(JsonArray entries) {
        return entries.stream().map(one -> ((JsonObject) one).getString("name")).toList();
    }
}
