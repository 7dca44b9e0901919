package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks too often is told when to ask again; who only asks again because an answer was lost always gets it. */
class RateLimitTest {
    private static final int CALLS = 12;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;

    @BeforeAll
    static void start() {
        server = new TestServer(
                folder,
                "--calls-per-minute",
                Integer.toString(CALLS),
                "--lists-per-minute",
                "2",
                "--submissions-per-hour",
                "2",
                "--trusted-proxies",
                "127.0.0.1");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    /** Somebody nobody has met, from an address of their own. */
    private static Browser somebody() {
        int number = NUMBER.incrementAndGet();
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(crowd.person("often" + number, false)));
        browser.headers.set("X-Forwarded-For", "192.0.2." + number);
        return browser;
    }

    private static void refused(HttpResponse<Buffer> answer, int mostSeconds) {
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(429);
        assertThat(answer.bodyAsJsonObject().getString("code")).isNotEmpty();
        assertThat(Integer.parseInt(answer.getHeader("Retry-After"))).isBetween(1, mostSeconds);
    }

    private static HttpResponse<Buffer> submit(Browser browser, String name, String key) {
        browser.headers.set("Idempotency-Key", key);
        return browser.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer("""
                        {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "command": "true"}]}
                        """.formatted(name)))
                .await();
    }

    @Test
    void an_address_has_so_many_calls_of_the_api_a_minute_whoever_calls_and_by_either_path() {
        Browser program = somebody();
        Browser guest = crowd.browser();
        guest.headers.set("X-Forwarded-For", program.headers.get("X-Forwarded-For"));
        for (int call = 0; call < CALLS; call++) {
            var answer =
                    call % 2 == 0 ? program.get("/rest-server/api/v2/virtual-clusters") : guest.get("/api/v2/info");
            assertThat(answer.statusCode()).isEqualTo(200);
        }
        refused(program.get("/api/v2/virtual-clusters"), 61);
        refused(guest.get("/rest-server/api/v2/info"), 61);
        assertThat(guest.get("/sign-in").statusCode()).as("no call of the API").isEqualTo(200);
        assertThat(somebody().get("/api/v2/virtual-clusters").statusCode())
                .as("from elsewhere")
                .isEqualTo(200);
    }

    @Test
    void lists_of_one_user_have_a_limit_of_their_own() {
        Browser program = somebody();
        assertThat(program.get("/api/v2/jobs").statusCode()).isEqualTo(200);
        assertThat(program.get("/api/v1/jobs").statusCode()).isEqualTo(200);
        refused(program.get("/api/v2/jobs?limit=1"), 61);
        assertThat(somebody().get("/api/v2/jobs").statusCode()).isEqualTo(200);
    }

    @Test
    void submissions_of_one_user_have_a_limit_and_a_repeat_of_an_accepted_one_costs_nothing() {
        Browser program = somebody();
        assertThat(submit(program, "one", "first").statusCode()).isEqualTo(202);
        for (int again = 0; again < 3; again++) {
            assertThat(submit(program, "one", "first").statusCode()).isEqualTo(202);
        }
        assertThat(submit(program, "two", "second").statusCode()).isEqualTo(202);
        refused(submit(program, "three", "third"), 3601);
        assertThat(submit(program, "two", "second").statusCode())
                .as("its answer may have been lost")
                .isEqualTo(202);
        refused(submit(program, "four", "second"), 3601);
    }
}
