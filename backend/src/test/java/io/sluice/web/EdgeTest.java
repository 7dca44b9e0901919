package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EdgeTest extends EdgeRefusals {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v2/echo",
                "/nowhere",
                "/api/nowhere",
                "/broken",
                "/thrown",
                "/slow",
                "/mine",
                "/a//b",
                "/healthz"
            })
    void every_answer_carries_the_security_headers(String path) {
        var answer = portal.get(path);

        assertThat(answer.getHeader("Content-Security-Policy"))
                .contains("default-src 'none'", "'nonce-", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(answer.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.getHeader("X-Frame-Options")).isEqualTo("DENY");
        assertThat(answer.getHeader("Referrer-Policy")).isEqualTo("same-origin");
        assertThat(answer.getHeader("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(answer.getHeader("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.getHeader("X-Request-Id")).hasSize(12);
    }

    @Test
    void a_nonce_is_never_used_twice() {
        assertThat(portal.get("/healthz").getHeader("Content-Security-Policy"))
                .isNotEqualTo(portal.get("/healthz").getHeader("Content-Security-Policy"));
    }

    @Test
    void errors_of_the_api_are_json_under_both_prefixes() {
        for (String path : List.of("/api/v2/nowhere", "/rest-server/api/v2/nowhere")) {
            var answer = portal.get(path, "Accept", HTML);
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.bodyAsJsonObject().getString("code")).isEqualTo("NoApiError");
            assertThat(answer.bodyAsJsonObject().getString("message")).isEqualTo("API " + path + " is not found.");
        }
        assertThat(portal.get("/rest-server/api/v2/echo").statusCode()).isEqualTo(200);
    }

    @Test
    void a_fault_of_ours_is_told_by_its_id_and_never_by_its_details() {
        for (String path : List.of("/broken", "/thrown")) {
            var answer = portal.get(path, "Accept", HTML);
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.bodyAsString())
                    .contains(answer.getHeader("X-Request-Id"))
                    .doesNotContain("secret");
        }
    }

    @Test
    void who_leaves_before_the_answer_is_ready_is_no_fault_of_ours() throws Exception {
        try (var faults = new Overheard(Errors.class, "/drawn", "/broken")) {
            try (Socket socket = portal.socket()) {
                socket.getOutputStream()
                        .write("GET /drawn HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(beingDrawn.poll(5, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(faults.next()).startsWith("FINE event=reader-gone");
            assertThat(portal.get("/broken").statusCode()).isEqualTo(500);
            assertThat(faults.next()).startsWith("SEVERE event=request-failed");
        }
    }

    @Test
    void an_answer_that_takes_too_long_is_given_up() {
        assertThat(portal.get("/slow").statusCode()).isEqualTo(504);
    }

    @Test
    void a_list_without_an_item_is_an_absent_field() {
        assertThat(portal.post("/api/v2/named", "{\"name\":[]}").bodyAsString()).isEqualTo("\"nobody\"");
    }

    @Test
    void a_form_and_json_are_read_alike() {
        assertThat(portal.post("/api/v2/echo", "a=1&b=%E4%B8%AD", "Content-Type", "application/x-www-form-urlencoded")
                        .bodyAsString())
                .isEqualTo("{\"a\":\"1\",\"b\":\"中\"}");
    }

    @Test
    void a_body_is_read_from_a_client_that_offers_http_2() {
        String[] offer = {"Content-Type", "application/json", "Connection", "Upgrade", "Upgrade", "h2c"};
        assertThat(portal.post("/api/v2/echo", "{\"a\":\"1\"}", offer).bodyAsString())
                .isEqualTo("{\"a\":\"1\"}");
    }

    @Test
    void nobody_is_sent_to_sign_in_and_comes_back() {
        var answer = portal.get("/mine?tab=2", "Accept", HTML);

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.getHeader("Location")).isEqualTo("/sign-in?next=%2Fmine%3Ftab%3D2");
        assertThat(portal.get("/mine").statusCode())
                .as("a program is told instead")
                .isEqualTo(401);
    }

    @Test
    void what_is_for_administrators_is_for_them_only() {
        assertThat(portal.get("/admin", "Cookie", "sluice_session=ann").statusCode())
                .isEqualTo(403);
        assertThat(portal.get("/admin", "Cookie", "sluice_session=root").statusCode())
                .isEqualTo(200);
    }

    @Test
    void the_address_of_a_stranger_is_not_believed() {
        assertThat(portal.get("/api/v2/echo", "X-Forwarded-For", "10.1.2.3")
                        .bodyAsJsonObject()
                        .getString("address"))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void of_what_a_trusted_proxy_says_only_its_own_word_counts(@TempDir Path logs) {
        try (var behind = new Portal(
                logs,
                usual -> usual.trusting(java.util.Set.of("127.0.0.1")),
                web -> List.of(Route.get(
                                "/api/v2/echo",
                                call -> Future.succeededFuture(Reply.json(Map.of("address", call.address()))))
                        .forAnyone()))) {
            var appended = behind.client.get("/api/v2/echo").putHeader("X-Forwarded-For", "127.0.0.1, 10.1.2.3");
            var added = behind.client.get("/api/v2/echo");
            added.headers().add("X-Forwarded-For", "127.0.0.1").add("X-Forwarded-For", "10.1.2.3");

            for (var request : List.of(appended, added)) {
                assertThat(Portal.await(request.send()).bodyAsJsonObject().getString("address"))
                        .isEqualTo("10.1.2.3");
            }
        }
    }

    @Test
    void a_call_of_the_api_that_is_one_too_many_costs_no_authentication_and_pages_go_on(@TempDir Path logs) {
        try (var busy = new Portal(logs, EdgeRefusals::brief, web -> List.of())) {
            for (int call = 0; call < 2; call++) {
                assertThat(busy.get("/api/v2/none", "Authorization", "Bearer x").statusCode())
                        .isEqualTo(404);
            }
            assertThat(busy.get("/api/v2/none", "Authorization", "Bearer x").statusCode())
                    .isEqualTo(429);
            assertThat(busy.get("/api/v2/none").statusCode()).isEqualTo(429);
            assertThat(busy.authenticated).hasValue(2);
            assertThat(busy.get("/api/v2/none", "Cookie", "sluice_session=").statusCode())
                    .as("signed in by a cookie that says nobody")
                    .isEqualTo(429);
            assertThat(busy.get("/api/v2/none", "Cookie", "sluice_session=ann").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void the_access_log_is_written_beside_and_can_not_be_forged() throws Exception {
        portal.get("/nowhere%0a", "User-Agent", "x");
        String id =
                portal.get("/%E4%B8%AD\u001b", "Cookie", "sluice_session=ann").getHeader("X-Request-Id");

        Path log = folder.resolve("access.log");
        await_line(log, id);
        assertThat(Files.readAllLines(log))
                .allMatch(line -> line.startsWith("time="))
                .noneMatch(line -> line.contains("\u001b"));
    }

    @Test
    void metrics_are_not_told_under_a_strangers_name() {
        assertThat(portal.get("/metrics", "Host", "rebound.example:" + portal.port)
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void metrics_count_what_was_asked() {
        portal.get("/healthz");

        assertThat(portal.get("/metrics").bodyAsString())
                .contains("sluice_web_request_seconds_count{method=\"GET\",status=\"200\",}");
    }

    @Test
    void a_method_that_somebody_made_up_gets_no_number_of_its_own() throws IOException {
        portal.raw("ABCDEFG /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        assertThat(portal.get("/metrics").bodyAsString())
                .contains("method=\"OTHER\"")
                .doesNotContain("ABCDEFG");
    }

    private static void await_line(Path log, String id) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!Files.exists(log) || !Files.readString(log).contains(id)) {
            assertThat(System.nanoTime()).as("the line of " + id).isLessThan(until);
            Thread.onSpinWait();
        }
    }
}
