package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way to apps inside of the portal's own address: by an address that nobody guesses, to pages that are nobody's. */
class InsideRoadIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static DoorDesk.Somebody bob;
    private static Answer entered;
    private static String prefix;

    @BeforeAll
    static void open() throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("recipes")).resolve("pages.yaml"), """
                title: Pages
                start: exec python3 -m http.server "$PORT" --bind "$HOST" --directory /userhome/pages
                probe: {path: /}
                sandboxed: true
                """);
        desk = new DoorDesk(folder, "--apps-domain", "none");
        ann = desk.somebody("ann");
        bob = desk.somebody("bob");
        ann.start("evil");
        entered = enter(ann.ticket("evil", "web"));
        prefix = entered.field("Location").replaceFirst("/$", "");
    }

    @AfterAll
    static void close() {
        ann.stop("evil");
        desk.close();
    }

    private static Answer enter(URI ticket) {
        return desk.raw("GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: "
                + ticket.getRawAuthority() + "\r\nConnection: close\r\n\r\n");
    }

    private static String request(String method, String uri, String... lines) {
        return method + " " + uri + " HTTP/1.1\r\nHost: 127.0.0.1:" + desk.port() + "\r\n"
                + String.join(
                        "", List.of(lines).stream().map(line -> line + "\r\n").toList())
                + "Connection: close\r\n\r\n";
    }

    private static Answer get(String uri, String... lines) {
        return desk.raw(request("GET", uri, lines));
    }

    private static String upgrade(String... lines) {
        return request("GET", prefix + "/ws", lines)
                .replace(
                        "Connection: close",
                        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
    }

    @Test
    void a_ticket_becomes_an_address_and_no_cookie() {
        assertThat(entered.status()).isEqualTo(303);
        assertThat(prefix).matches("/apps/[a-z0-9]{20}/[A-Za-z0-9_-]{43}");
        assertThat(entered.fields("Set-Cookie")).isEmpty();
        assertThat(entered.field("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(entered.field("Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void the_app_sees_its_own_part_of_the_address_and_nothing_that_signs_in() throws IOException {
        Answer answer = get(
                prefix + "/echo?a=b",
                "Cookie: sluice_session=secret1; mine=1",
                "Authorization: Bearer " + ann.token,
                "Origin: null",
                "Referer: http://127.0.0.1:" + desk.port() + prefix + "/");
        assertThat(answer.body())
                .startsWith("GET /echo?a=b HTTP/1.1\r\n")
                .contains("X-Forwarded-Prefix: " + prefix)
                .contains("origin: http://127.0.0.1:" + desk.port())
                .doesNotContain("Cookie")
                .doesNotContain("Referer")
                .doesNotContain(ann.token);
        assertThat(Files.readString(ann.kept("evil"), StandardCharsets.ISO_8859_1))
                .doesNotContain("secret1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/echo",
                "/status?s=500",
                "/status?s=404",
                "/fields?f=Content-Type:%20image/svg%2Bxml",
                "/fields?f=Content-Security-Policy:%20sandbox%20allow-same-origin%20allow-scripts",
                "/fields?f=Set-Cookie:%20sluice_session=x;%20Path=/&f=Access-Control-Allow-Origin:%20*",
                "/fields?f=Clear-Site-Data:%20%22*%22&f=Service-Worker-Allowed:%20/"
            })
    void whatever_it_answers_runs_as_nobodys(String uri) {
        Answer answer = get(prefix + uri, "Origin: null");
        assertThat(answer.fields("Content-Security-Policy").getLast())
                .startsWith("sandbox allow-scripts")
                .contains("frame-ancestors 'none'")
                .doesNotContain("allow-same-origin")
                .doesNotContain("allow-top-navigation");
        assertThat(answer.fields("Set-Cookie")).isEmpty();
        assertThat(answer.fields("Clear-Site-Data")).isEmpty();
        assertThat(answer.fields("Service-Worker-Allowed")).isEmpty();
        assertThat(answer.fields("Access-Control-Allow-Origin")).containsExactly("null");
        assertThat(answer.field("Referrer-Policy")).isEqualTo("no-referrer");
    }

    @Test
    void only_pages_of_nobodys_and_visits_get_there() {
        for (String origin : List.of("http://127.0.0.1:" + desk.port(), "http://evil.example", "http://localhost")) {
            assertThat(get(prefix + "/echo", "Origin: " + origin).status()).isEqualTo(403);
            assertThat(desk.raw(upgrade("Origin: " + origin), 3_000).status()).isEqualTo(403);
        }
        assertThat(get(prefix + "/sw.js", "Service-Worker: script").status()).isEqualTo(403);
        assertThat(desk.raw(upgrade(), 3_000).status()).isEqualTo(403);
        assertThat(desk.raw(upgrade("Origin: null"), 3_000).status()).isEqualTo(101);
        Answer asked = desk.raw(request(
                "OPTIONS",
                prefix + "/echo",
                "Origin: null",
                "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: x-own"));
        assertThat(asked.status()).isEqualTo(204);
        assertThat(asked.field("Access-Control-Allow-Headers")).isEqualTo("x-own");
        assertThat(asked.fields("Access-Control-Allow-Credentials")).isEmpty();
    }

    @Test
    void who_does_not_know_the_address_is_not_let_in() throws IOException {
        String id = prefix.substring("/apps/".length(), "/apps/".length() + 20);
        String token = prefix.substring(prefix.lastIndexOf('/') + 1);
        for (String uri : List.of(
                "/apps/" + id + "/",
                "/apps/" + id + "/echo",
                "/apps/" + id + "/" + "A".repeat(43) + "/echo",
                "/apps/" + id + "/" + token.substring(1) + "x/echo")) {
            assertThat(get(uri, "Cookie: sluice_pass_" + id + "=" + token).status())
                    .as(uri)
                    .isEqualTo(401);
        }
        assertThat(get("/apps/abcdefghij0123456789/" + token + "/echo").status())
                .isEqualTo(404);
        for (String uri : List.of("/apps/", "/apps/x", "/apps/" + id, "/apps/" + id + "x/" + token + "/echo")) {
            assertThat(get(uri).status()).as(uri).isEqualTo(404);
        }
        for (String uri : List.of("/../../api/v2/user", "/%2e%2e/%2e%2e/api/v2/user", "/a%00b", "/.%2e/x")) {
            assertThat(get(prefix + uri).status()).as(uri).isEqualTo(400);
        }
        assertThat(get(prefix + "/.sluice/enter?ticket=x").status()).isIn(401, 404);
        assertThat(get("/api/v2/user", "Origin: null", "Cookie: sluice_session=" + token)
                        .status())
                .isGreaterThanOrEqualTo(400);
    }

    @Test
    void the_app_sends_browsers_on_within_itself() {
        assertThat(get(prefix + "/status?s=302&f=Location:%20/next?x=1").field("Location"))
                .isEqualTo(prefix + "/next?x=1");
        assertThat(get(prefix + "/status?s=302&f=Location:%20next").field("Location"))
                .isEqualTo("next");
        int port = ann.state("evil", "web").path("port").asInt();
        assertThat(get(prefix + "/status?s=302&f=Location:%20http://127.0.0.1:" + port + "/deep")
                        .field("Location"))
                .isEqualTo("http://127.0.0.1:" + desk.port() + prefix + "/deep");
    }

    @Test
    void only_what_can_live_there_opens_and_only_for_its_owner() throws IOException {
        ann.on("evil", "lab", "{\"recipe\":\"jupyterlab\"}");
        var lab = ann.call("POST", ann.endpoint("evil", "lab") + "/ticket", "{}");
        assertThat(lab.statusCode()).isEqualTo(409);
        assertThat(lab.body()).contains("--apps-domain").contains("--endpoint-ports");
        ann.on("evil", "web", "{\"recipe\":\"port\",\"shared\":[\"bob\"]}");
        var shared = bob.call("POST", ann.endpoint("evil", "web") + "/ticket", "{}");
        assertThat(shared.statusCode()).isGreaterThanOrEqualTo(400);
        assertThat(shared.body()).doesNotContain("/apps/");
        var boss = desk.administrator("boss");
        var administrators = boss.call("POST", ann.endpoint("evil", "web") + "/ticket", "{}");
        assertThat(administrators.statusCode()).isEqualTo(409);
        assertThat(administrators.body()).contains("for their owner alone");
        String page = "/endpoints/" + prefix.split("/")[2];
        for (DoorDesk.Somebody other : List.of(bob, boss)) {
            assertThat(other.call("GET", page, null).headers().firstValue("Location"))
                    .as("%s is shared with", other.name())
                    .isEmpty();
        }
        ann.call("POST", "/jobs/ann~evil/endpoints/web/share", "{\"with\":\"carol\"}");
        assertThat(ann.state("evil", "web").path("shared").toString()).doesNotContain("carol");
        assertThat(bob.call("GET", "/api/v2/endpoints/shared", null).body()).isEqualTo("[]");
    }

    @Test
    void an_administrators_recipe_that_says_so_opens_here_and_one_that_does_not_is_refused() throws IOException {
        Files.writeString(Files.createDirectories(bob.home().resolve("pages")).resolve("index.html"), "<h1>bobs</h1>");
        bob.submit("own", "sleep 600", Map.of());
        bob.on("own", "site", "{\"recipe\":\"pages\"}");
        bob.ready("own", "site");
        String there = enter(bob.ticket("own", "site")).field("Location");
        assertThat(there).startsWith("/apps/");
        Answer page = get(there);
        assertThat(page.body()).isEqualTo("<h1>bobs</h1>");
        assertThat(page.field("Content-Security-Policy")).startsWith("sandbox ");
        for (String recipe : List.of("tensorboard", "code-server")) {
            bob.on("own", recipe, "{\"recipe\":\"" + recipe + "\"}");
            var refused = bob.call("POST", bob.endpoint("own", recipe) + "/ticket", "{}");
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(refused.body()).contains("--apps-domain").contains("--endpoint-ports");
        }
        bob.stop("own");
    }

    @Test
    void it_ends_with_the_sign_in_and_with_the_job() throws IOException {
        var carl = desk.somebody("carl");
        carl.start("his");
        String his = enter(carl.ticket("his", "web")).field("Location");
        try (Socket stream = desk.connect()) {
            stream.getOutputStream().write(request("GET", his + "ticks").getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(stream, "data: x")).startsWith("HTTP/1.1 200");
            long from = System.nanoTime();
            desk.crowd.disable(carl.person);
            DoorDesk.all(stream);
            assertThat(System.nanoTime() - from).isLessThan(5_000_000_000L);
        }
        assertThat(get(his + "echo").status()).isEqualTo(401);
        bob.start("short");
        String hers = enter(bob.ticket("short", "web")).field("Location");
        assertThat(get(hers + "echo").status()).isEqualTo(200);
        bob.stop("short");
        bob.becomes("short", "web", "ended");
        assertThat(get(hers + "echo").status()).isEqualTo(410);
    }
}
