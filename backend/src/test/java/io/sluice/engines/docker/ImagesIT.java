package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Started;
import io.sluice.engines.Task;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several who fetch at once, out of a real registry that asks for a password. */
class ImagesIT {

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static @Nullable TestRegistry registry;
    private static TestDocker tasks;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        registry = new TestRegistry(daemon);
        tasks = new TestDocker(folder.toRealPath(), daemon.host());
    }

    @AfterAll
    static void close() throws Exception {
        if (tasks != null) {
            tasks.close();
        }
        if (registry != null) {
            registry.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    private static TestRegistry registry() {
        if (registry == null) {
            throw new IllegalStateException("no registry");
        }
        return registry;
    }

    private static Task task(String name, String owner, String image, @Nullable String password) throws Exception {
        var home = Files.createDirectories(tasks.folder.resolve("homes").resolve(owner));
        return new Task(
                name,
                Map.of(Task.NETWORK, "images"),
                tasks.node.name(),
                "exit 3",
                Map.of(),
                new Task.Image(image, password == null ? null : TestRegistry.USER, password),
                0,
                0,
                0,
                List.of(),
                Map.of(),
                List.of(new Task.Mount(home, "/userhome", false)),
                tasks.logs.resolve(name));
    }

    private static Started start(Task task) {
        return tasks.engine.start(task).await();
    }

    private static Started settled(Task task) {
        var last = new AtomicReference<>(start(task));
        TestDocker.until(task.name() + " to be settled", () -> {
            if (last.get() instanceof Started.Preparing) {
                last.set(start(task));
            }
            return !(last.get() instanceof Started.Preparing);
        });
        return Objects.requireNonNull(last.get());
    }

    @Test
    void one_that_fails_opens_nothing_that_another_s_password_has_closed() throws Exception {
        var image = registry().push(TestDaemon.IMAGE, "team/private:1");
        // the first is on its way for longer than the second takes
        var gate = new CountDownLatch(1);
        registry().hold(gate);
        var wrong = task("first", "ann", image, "a wrong password");
        assertThat(start(wrong)).isInstanceOf(Started.Preparing.class);
        TestDocker.until("the registry to be asked", () -> registry().held() > 0);
        registry().hold(null);
        assertThat(settled(task("second", "ann", image, TestRegistry.PASSWORD))).isInstanceOf(Started.Running.class);
        // its own try may be over by now
        assertThat(start(wrong)).isNotInstanceOf(Started.Running.class);
        gate.countDown();
        assertThat(settled(wrong)).isInstanceOf(Started.Refused.class);

        assertThat(settled(task("stolen", "bob", image, null)))
                .isInstanceOfSatisfying(
                        Started.Refused.class,
                        refused -> assertThat(refused.message()).contains("does not give out"));
        assertThat(Files.readString(tasks.folder.resolve("engine/guarded-images")))
                .contains("team/private");
    }

    @Test
    void who_fetches_much_keeps_nobody_else_waiting() throws Exception {
        var images = List.of(
                registry().pushLarge("team/a:1", 2),
                registry().pushLarge("team/b:1", 2),
                registry().pushLarge("team/c:1", 2));
        var other = registry().pushLarge("team/d:1", 1);
        registry().slow(1000);
        for (int i = 0; i < images.size(); i++) {
            var answer = start(task("much-" + i, "carl", images.get(i), TestRegistry.PASSWORD));
            assertThat(answer).isInstanceOf(Started.Preparing.class);
        }
        var third = (Started.Preparing) start(task("much-2", "carl", images.get(2), TestRegistry.PASSWORD));
        assertThat(third.message()).contains("is fetched after others");
        var bobs = (Started.Preparing) start(task("bobs", "bob", other, TestRegistry.PASSWORD));
        assertThat(bobs.message()).contains("is being fetched");
        registry().slow(0);
    }

    @Test
    void a_registry_on_this_machine_is_asked_only_where_an_administrator_has_listed_it() throws Exception {
        var image = registry().push(TestDaemon.IMAGE, "team/listed:1");
        try (var closed = new TestDocker(
                Files.createDirectories(tasks.folder.resolve("closed")), daemon.host(), DockerSettings.Fence.CLOSED)) {
            var task = new Task(
                    "inside",
                    Map.of(),
                    closed.node.name(),
                    "exit 0",
                    Map.of(),
                    new Task.Image(image, TestRegistry.USER, TestRegistry.PASSWORD),
                    0,
                    0,
                    0,
                    List.of(),
                    Map.of(),
                    List.of(),
                    closed.logs.resolve("inside"));
            assertThat(closed.engine.start(task).await()).isInstanceOfSatisfying(Started.Refused.class, refused -> {
                assertThat(refused.reason()).isEqualTo(Started.Reason.IMAGE);
                assertThat(refused.message())
                        .contains("--docker-registries " + registry().address());
            });
        }
        var task = task("listed", "ann", image, TestRegistry.PASSWORD);
        assertThat(settled(task)).isInstanceOf(Started.Running.class);
        tasks.over("listed");
    }

    /** Whatever listens there and is no registry: its words are not for who asked. */
    @Test
    void what_something_that_is_no_registry_says_is_not_passed_on() throws Exception {
        try (var secret = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                while (!secret.isClosed()) {
                    try (var client = secret.accept()) {
                        client.getOutputStream().write("SSH-2.0-Secret_9\r\n".getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException closed) {
                        return;
                    }
                }
            });
            var image = "127.0.0.1:" + secret.getLocalPort() + "/team/x:1";
            assertThat(settled(task("asks", "bob", image, null)))
                    .isInstanceOfSatisfying(
                            Started.Refused.class,
                            refused -> assertThat(refused.message())
                                    .contains("can not be reached at the moment")
                                    .doesNotContain("Secret"));
        }
    }
}
