package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The whole gateway while the tests of a class run, an administrator called boss, and whoever else comes. */
final class Reception implements BeforeAllCallback, AfterAllCallback {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final AtomicInteger number = new AtomicInteger();
    private @Nullable Path folder;
    private @Nullable TestServer server;
    private @Nullable Crowd crowd;
    private @Nullable Person boss;

    @Override
    public void beforeAll(ExtensionContext tests) throws IOException {
        folder = Files.createTempDirectory("sluice-reception");
        server = new TestServer(folder);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.person("boss", true);
    }

    @Override
    public void afterAll(ExtensionContext tests) throws IOException {
        crowd().close();
        server().close();
        try (var files = Files.walk(Objects.requireNonNull(folder))) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    TestServer server() {
        return Objects.requireNonNull(server);
    }

    Crowd crowd() {
        return Objects.requireNonNull(crowd);
    }

    Person boss() {
        return Objects.requireNonNull(boss);
    }

    /** An ordinary user whom nobody else has met. */
    Person somebody(String stem) {
        return crowd().person(stem + number.incrementAndGet(), false);
    }

    Browser as(Person person) {
        Browser browser = crowd().browser();
        browser.headers.set("Authorization", "Bearer " + crowd().bearer(person));
        return browser;
    }

    /** An administrator's waits for ever, as it needs more memory than there is; anybody else's fails, as processes are not for them here. */
    void submit(Person person, String name) {
        String job = """
                {"jobName": "%s", "image": "none",
                 "taskRoles": [{"name": "main", "memoryMB": 1000000000, "shmMB": 64, "command": "true"}]}
                """.formatted(name);
        var answer = as(person)
                .send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    static void eventually(BooleanSupplier condition) {
        long begun = System.nanoTime();
        for (; !condition.getAsBoolean(); LockSupport.parkNanos(20_000_000)) {
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("waited in vain")
                    .isLessThan(PATIENCE);
        }
    }
}
