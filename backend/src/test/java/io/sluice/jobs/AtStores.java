package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.space.Removal;
import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.ObjectServer;
import io.sluice.jobs.data.Transfer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs whose data is in a store of objects, where {@code ada} has a key. */
@SuppressWarnings("NullAway.Init")
abstract class AtStores {
    /** One server for all who come here, each of whom has prefixes of their own. */
    @RegisterExtension
    static final BeforeAllCallback ONE = context -> objects = context.getRoot()
            .getStore(Namespace.create(AtStores.class))
            .computeIfAbsent(Building.class, first -> Building.open(), Building.class)
            .server();

    static ObjectServer objects;

    final ScriptedEngine engine = new ScriptedEngine(1, 8, 0);

    @RegisterExtension
    final Desk desk = new Desk(engine);

    /** The server and its folder, until all have been here. */
    private record Building(ObjectServer server, Path folder) implements AutoCloseable {
        static Building open() {
            try {
                Path folder = Files.createTempDirectory("sluice-objects");
                return new Building(new ObjectServer(folder), folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            Removal.clear(folder);
            Files.delete(folder);
        }
    }

    @BeforeEach
    void stores() {
        use(objects.stores());
        key("ada", ObjectServer.KEY);
    }

    /** The gateway ends, and begins again with these. */
    void use(Stores stores) {
        desk.leave();
        desk.open(desk.data(), stores);
    }

    void key(String user, AccessKey key) {
        desk.jobs().stores().put(Desk.caller(user), "near", key).await();
    }

    private static String job(String name, String data) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                extras: {sluice: {data: %s}}
                """.formatted(name, data);
    }

    static String input(String name, String address) {
        return job(name, "{inputs: [{name: data_url, from: \"" + address + "\"}]}");
    }

    static String output(String name, String address) {
        return job(name, "{outputs: [{name: train_url, to: \"" + address + "\"}]}");
    }

    static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    Path input(String name) {
        return desk.input(name, "data_url");
    }

    Path output(String name) {
        return desk.data().resolve("outputs/" + "ada".hashCode() + "/" + name + "/train_url");
    }

    List<Transfer> data(String name) {
        return desk.jobs().data(desk.job("ada", name)).await();
    }

    String failure(String name) {
        String why = desk.notFetched(name);
        assertThat(engine.starts).isEmpty();
        return why;
    }
}
