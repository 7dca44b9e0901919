package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.space.Removal;
import io.sluice.identity.Crowd;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A whole gateway on a real disk, and somebody at its file centre. */
@Timeout(120)
@SuppressWarnings("NullAway.Init")
abstract class AtFileCentre {
    static final AtomicInteger NUMBER = new AtomicInteger();
    static final String CANARY = "what lies outside";

    /** One for all who come here: it takes longer to start than what is tried in it. */
    @RegisterExtension
    static final BeforeAllCallback ONE = context -> open(context.getRoot()
            .getStore(Namespace.create(AtFileCentre.class))
            .computeIfAbsent(Building.class, first -> new Building(), Building.class));

    static Path data;
    static TestServer server;
    static Crowd crowd;

    FileDesk ada;

    /** The gateway, its folder and its people, until all have been here. */
    private static final class Building implements AutoCloseable {
        final Path folder;
        final TestServer gateway;
        final Crowd people;

        Building() {
            try {
                folder = Files.createTempDirectory("sluice-file-centre");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            gateway = new TestServer(folder);
            people = new Crowd(gateway.vertx(), gateway.database(), gateway.address());
        }

        @Override
        public void close() throws IOException {
            people.close();
            gateway.close();
            Removal.clear(folder);
            Files.delete(folder);
        }
    }

    private static void open(Building building) {
        data = building.folder;
        server = building.gateway;
        crowd = building.people;
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
