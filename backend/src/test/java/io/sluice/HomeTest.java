package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first page, over HTTP. */
class HomeTest {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String STEP = "Submit your first job";

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Person boss;

    @BeforeAll
    static void start() {
        server = new TestServer(folder);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.person("boss", true);
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static Person somebody() {
        return crowd.person("somebody" + NUMBER.incrementAndGet(), false);
    }

    private static Browser as(Person person) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(person));
        return browser;
    }

    private static String home(Person person) {
        var answer = as(person).get("/");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.bodyAsString();
    }

    /** An administrator's waits for ever, as it needs more memory than there is; anybody else's fails, as processes are not for them here. */
    private static void submit(Person person, String name) {
        String job = """
                {"jobName": "%s", "image": "none",
                 "taskRoles": [{"name": "main", "memoryMB": 1000000000, "shmMB": 64, "command": "true"}]}
                """.formatted(name);
        var answer = as(person)
                .send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    private static void eventually(BooleanSupplier condition) {
        for (var end = Instant.now().plus(Duration.ofSeconds(60));
                !condition.getAsBoolean();
                LockSupport.parkNanos(20_000_000)) {
            assertThat(Instant.now()).isBefore(end);
        }
    }

    @Test
    void whoever_is_new_is_told_how_to_begin_until_they_have() {
        Person person = somebody();
        assertThat(home(person)).contains(STEP).doesNotContain("Add your SSH key", "Make a token for your scripts");
        submit(person, "first");
        eventually(() -> !home(person).contains(STEP));
        assertThat(home(person))
                .contains("id=\"home-steps\" class=\"sheet\" aria-labelledby=\"steps\" hidden")
                .contains(person.name() + "~first");
    }

    @Test
    void the_queue_of_others_is_a_number_and_no_name() {
        submit(boss, "confidential");
        Person person = somebody();
        eventually(() -> home(person).contains("of somebody else waits too")
                || home(person).contains("jobs of others wait too"));
        assertThat(home(person)).doesNotContain("confidential");
        assertThat(home(boss)).contains("boss~confidential", "Can never start: ");
    }

    @Test
    void what_the_machine_has_is_told_in_both_languages() {
        Browser browser = as(somebody());
        assertThat(browser.get("/").bodyAsString()).contains("CPUs", "Memory", "No GPU or NPU was found");
        browser.headers.set("Accept-Language", "zh");
        assertThat(browser.get("/").bodyAsString()).contains("当前空闲", "内存", "没有发现 GPU 或 NPU");
    }

    @Test
    void an_open_page_is_told_of_one_s_own_and_of_nobody_else_s_jobs() throws InterruptedException {
        Person person = somebody();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        BlockingQueue<String> strange = new LinkedBlockingQueue<>();
        WebSocket socket = as(person).follow("/live/home", told::add).await();
        WebSocket other = as(somebody()).follow("/live/home", strange::add).await();
        submit(person, "lively");
        String message;
        do {
            message = told.poll(10, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
        } while (!message.contains(person.name() + "~lively"));
        assertThat(message).contains("target=\"home-mine\"", "target=\"home-queue\"", "target=\"home-free\"");
        assertThat(strange).allSatisfy(text -> assertThat(text).doesNotContain("lively"));
        socket.close().await();
        other.close().await();
    }
}
