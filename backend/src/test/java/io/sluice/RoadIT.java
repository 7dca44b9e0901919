package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way to an app that keeps every byte it is sent: who gets there, and what does not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class RoadIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static DoorDesk.Somebody bob;
    private static Door door;

    /** With the engine that tasks are to have. */
    DoorDesk desk(Path data) throws Exception {
        return new DoorDesk(data);
    }

    @BeforeAll
    void open() throws Exception {
        desk = desk(folder);
        ann = desk.somebody("ann");
        bob = desk.somebody("bob");
        door = ann.evil("evil");
    }

    @AfterAll
    void close() {
        ann.stop("evil");
        desk.close();
    }

    private static Answer get(String uri, String... lines) {
        var all = new ArrayList<>(List.of(lines));
        all.add("Connection: close");
        return desk.raw(door.request("GET", uri, all.toArray(String[]::new)));
    }

    private static String kept() throws IOException {
        return Files.readString(ann.kept("evil"), StandardCharsets.ISO_8859_1);
    }

    @Test
    void the_path_arrives_as_it_was_asked_for() {
        for (String uri : List.of("/echo", "/echo?a=b&c=%20+%2F", "/echo?next=//evil", "/echo?x=%E6%97%A5")) {
            assertThat(get(uri).body()).startsWith("GET " + uri + " HTTP/1.1\r\n");
        }
        assertThat(get("/a%2Fb/%25/c;d=e//f").body()).contains("<h1>");
    }

    @Test
    void the_way_in_is_a_cookie_for_this_name_only() {
        assertThat(door.setCookie())
                .contains("HttpOnly")
                .contains("SameSite=Lax")
                .contains("Path=/")
                .doesNotContain("Domain");
        assertThat(door.host()).matches("[a-z0-9]{20}\\.localhost:\\d+");
    }

    @Test
    void a_ticket_lets_in_once_and_only_to_its_endpoint() throws IOException {
        URI ticket = ann.ticket("evil", "web");
        String request = "GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: "
                + ticket.getRawAuthority() + "\r\nConnection: close\r\n\r\n";
        assertThat(desk.raw(request).status()).isEqualTo(303);
        assertThat(desk.raw(request).status()).isEqualTo(401);
        String other = bob.evil("other").host();
        URI second = ann.ticket("evil", "web");
        assertThat(desk.raw("GET " + second.getRawPath() + "?" + second.getRawQuery() + " HTTP/1.1\r\nHost: " + other
                                + "\r\nConnection: close\r\n\r\n")
                        .status())
                .isEqualTo(401);
        bob.stop("other");
    }

    @Test
    void nothing_of_ours_and_nothing_of_the_connection_reaches_the_app() throws IOException {
        Answer answer = get(
                "/echo",
                "Cookie: sluice_session=secret1; mine=1; __Host-sluice_session=secret2; sluice_refresh=secret3",
                "Authorization: Bearer " + ann.token,
                "Connection: X-Forwarded-For, Cookie, X-Webauth-User, Keep-Alive, X-Drop",
                "X-Drop: gone",
                "Keep-Alive: timeout=5",
                "Proxy-Authorization: Basic c2VjcmV0NA==",
                "TE: trailers",
                "X-Forwarded-For: 6.6.6.6",
                "X_Forwarded_Host: evil",
                "X-Real-IP: 6.6.6.6",
                "X-WebAuth-User: admin",
                "Forwarded: for=6.6.6.6",
                "Referer: http://elsewhere.example/secret5",
                "X-Stays: yes");
        String seen = answer.body();
        assertThat(seen)
                .doesNotContain("secret")
                .doesNotContain(ann.token)
                .doesNotContain("6.6.6.6")
                .doesNotContainIgnoringCase("webauth")
                .doesNotContainIgnoringCase("x-drop")
                .doesNotContainIgnoringCase("keep-alive")
                .doesNotContainIgnoringCase("\nTE:")
                .doesNotContain(door.cookie().substring(door.cookie().indexOf('=')))
                .contains("X-Stays: yes")
                .contains("mine=1")
                .contains("X-Forwarded-For: 127.0.0.1")
                .contains("X-Forwarded-Proto: http")
                .contains("X-Forwarded-Host: " + door.host())
                .containsOnlyOnce("Host: " + door.host());
        assertThat(kept()).doesNotContain(ann.token).doesNotContain("ticket=");
    }

    @Test
    void the_portals_bearer_reaches_no_app_neither_at_a_second_try_nor_with_an_upgrade() throws IOException {
        assertThat(get("/close", "Authorization: Bearer " + ann.token).status()).isEqualTo(502);
        try (Socket socket = desk.connect()) {
            socket.getOutputStream()
                    .write(door.upgrade(
                                    "/ws",
                                    "Origin: " + door.origin(),
                                    "Authorization: Bearer " + ann.token,
                                    "X-Seen: yes")
                            .getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
        }
        assertThat(kept()).contains("X-Seen: yes").contains("GET /close").doesNotContain(ann.token);
        String upgrade = kept().substring(kept().lastIndexOf("GET /ws HTTP/1.1"));
        assertThat(upgrade.substring(0, upgrade.indexOf("\n--\n")))
                .containsIgnoringCase("\nConnection: Upgrade\r")
                .doesNotContainIgnoringCase("close");
    }

    @Test
    void many_open_sockets_leave_room_for_pages() throws IOException {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = desk.connect();
                sockets.add(socket);
                socket.getOutputStream()
                        .write(door.upgrade("/ws", "Origin: " + door.origin()).getBytes(StandardCharsets.ISO_8859_1));
                assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            }
            assertThat(get("/echo").status()).isEqualTo(200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void the_way_back_is_the_one_by_which_this_browser_came() {
        assertThat(ann.call("DELETE", ann.endpoint("evil", "web"), null).statusCode())
                .isEqualTo(204);
        ann.becomes("evil", "web", "off");
        var page = new String[] {"Accept: text/html", "Connection: close"};
        assertThat(desk.raw(door.request("GET", "/", page)).body())
                .contains("/endpoints/" + door.host().substring(0, 20));
        for (String portal : List.of("", "javascript:alert(1)", "http://evil.example/x", "//evil.example")) {
            String name = door.portal().replaceFirst("=.*", "=");
            var other = new Door(door.host(), door.cookie(), "", portal.isEmpty() ? "" : name + portal);
            assertThat(desk.raw(other.request("GET", "/", page)).body())
                    .doesNotContain("/endpoints/")
                    .doesNotContain("evil.example");
        }
        ann.on("evil", "web", "{\"recipe\":\"port\"}");
        ann.ready("evil", "web");
    }

    @Test
    void an_apps_own_credentials_are_its_own() {
        assertThat(get("/echo", "Authorization: token abc").body()).contains("Authorization: token abc");
        assertThat(get("/echo", "Authorization: Bearer its-own").body()).contains("Authorization: Bearer its-own");
    }

    @Test
    void what_an_app_says_about_more_than_itself_is_not_handed_on() {
        Answer answer = get(
                "/fields?f=Service-Worker-Allowed:%20/&f=Clear-Site-Data:%20%22*%22&f=Strict-Transport-Security:%20max-age=9"
                        + "&f=Access-Control-Allow-Origin:%20*&f=Cross-Origin-Opener-Policy:%20unsafe-none&f=Alt-Svc:%20h3&f=Refresh:%200"
                        + "&f=Connection:%20X-Hop&f=X-Hop:%201&f=X-Own:%20yes&f=Content-Security-Policy:%20frame-ancestors%20*");
        assertThat(answer.head())
                .doesNotContainIgnoringCase("service-worker")
                .doesNotContainIgnoringCase("clear-site")
                .doesNotContainIgnoringCase("strict-transport")
                .doesNotContainIgnoringCase("access-control")
                .doesNotContainIgnoringCase("alt-svc")
                .doesNotContainIgnoringCase("refresh")
                .doesNotContainIgnoringCase("x-hop")
                .contains("X-Own: yes");
        assertThat(answer.fields("Content-Security-Policy")).contains("frame-ancestors *", "frame-ancestors 'self'");
    }

    @Test
    void an_apps_cookies_stay_its_own_and_are_few() {
        var uri = new StringBuilder(
                "/fields?f=Set-Cookie:%20a=1;%20Domain=localhost;%20Path=/x&f=Set-Cookie:%20sluice_session=x;%20Path=/"
                        + "&f=Set-Cookie:%20__Host-sluice_session=x&f=Set-Cookie:%20"
                        + door.cookie().replaceFirst("=.*", "=x")
                        + "&f=Set-Cookie:%20Sluice_Pass_q=x&f=Set-Cookie:%20=nameless");
        for (int i = 0; i < 80; i++) {
            uri.append("&f=Set-Cookie:%20c").append(i).append("=v");
        }
        Answer answer = get(uri.toString());
        assertThat(answer.fields("Set-Cookie"))
                .contains("a=1; Path=/x")
                .allSatisfy(cookie ->
                        assertThat(cookie).doesNotContainIgnoringCase("sluice").doesNotContain("Domain"))
                .hasSize(50);
    }

    @Test
    void redirects_lead_to_the_name_that_the_browser_knows_or_elsewhere_as_said() {
        int port = ann.state("evil", "web").path("port").asInt();
        assertThat(location("http://127.0.0.1:" + port + "/x?y=1")).isEqualTo(door.origin() + "/x?y=1");
        assertThat(location("http://localhost:" + port + "//evil.example/x"))
                .isEqualTo(door.origin() + "/evil.example/x");
        assertThat(location("/plain")).isEqualTo("/plain");
        assertThat(location("https://elsewhere.example/")).isEqualTo("https://elsewhere.example/");
        assertThat(location("http://127.0.0.1:" + desk.port() + "/api/v2/user"))
                .isEqualTo("http://127.0.0.1:" + desk.port() + "/api/v2/user");
    }

    private static String location(String to) {
        return get("/status?s=302&f=Location:%20" + to.replace("?", "%3F").replace("=", "%3D"))
                .field("Location");
    }

    @Test
    void bodies_of_any_size_go_both_ways() throws IOException {
        int size = 20_000_000;
        try (var socket = desk.connect()) {
            socket.getOutputStream()
                    .write(door.request("POST", "/echo", "Content-Length: " + size, "Connection: close")
                            .getBytes(StandardCharsets.ISO_8859_1));
            byte[] piece = new byte[100_000];
            for (int sent = 0; sent < size; sent += piece.length) {
                socket.getOutputStream().write(piece);
            }
            assertThat(new Answer(DoorDesk.all(socket)).field("X-Got")).isEqualTo("" + size);
        }
        String chunked = door.request("POST", "/echo", "Transfer-Encoding: chunked", "Connection: close")
                + "5\r\nhello\r\n0\r\n\r\n";
        assertThat(desk.raw(chunked).field("X-Got")).isEqualTo("5");
        assertThat(get("/big?n=" + size).body()).hasSize(size);
    }

    @Test
    void an_app_that_pours_waits_for_who_does_not_read() throws IOException {
        try (var socket = desk.connect()) {
            socket.setReceiveBufferSize(8_192);
            socket.getOutputStream().write(door.request("GET", "/endless").getBytes(StandardCharsets.ISO_8859_1));
            assertThat(stalled(ann.kept("evil").resolveSibling("evil.kept.sent")))
                    .isLessThan(40_000_000);
        }
        try (var socket = desk.connect()) {
            socket.setReceiveBufferSize(8_192);
            socket.getOutputStream()
                    .write(door.upgrade("/ws?flood", "Origin: " + door.origin()).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(stalled(ann.kept("evil").resolveSibling("evil.kept.flood")))
                    .isLessThan(40_000_000);
        }
    }

    /** How far it came when it came no further. */
    private static long stalled(Path file) {
        long[] last = {-1, 0};
        DoorDesk.until("it stands still", () -> {
            try {
                String text = Files.exists(file) ? Files.readString(file) : "";
                long now = text.isEmpty() ? 0 : Long.parseLong(text);
                last[1] = now > 0 && now == last[0] ? last[1] + 1 : 0;
                last[0] = now;
                return last[1] > 25;
            } catch (IOException | NumberFormatException e) {
                return false;
            }
        });
        return last[0];
    }

    @Test
    void an_upgrade_goes_through_and_bytes_come_back_as_they_are() throws IOException {
        try (var socket = desk.connect()) {
            socket.getOutputStream()
                    .write(door.upgrade("/ws", "Origin: " + door.origin(), "Cookie: sluice_session=secret9")
                            .getBytes(StandardCharsets.ISO_8859_1));
            String head = DoorDesk.until(socket, "\r\n\r\n");
            assertThat(head)
                    .startsWith("HTTP/1.1 101")
                    .contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                    .doesNotContain("owned");
            socket.getOutputStream().write("frames, or whatever this is".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "whatever this is")).isEqualTo("frames, or whatever this is");
        }
        assertThat(kept()).doesNotContain("secret9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "null",
                "http://localhost",
                "https://HOST",
                "http://HOST.evil.example",
                "http://evil.HOST",
                "http://HOST/",
                "http://HOST@evil.example",
                "HOST",
                ""
            })
    void an_upgrade_of_another_origin_is_refused_before_the_app_hears_of_it(String origin) {
        int before = connections();
        Answer answer = desk.raw(
                door.upgrade("/ws", "Origin: " + origin.replace("HOST", door.host()), "Connection: close"), 3_000);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(connections()).isLessThanOrEqualTo(before + 1);
    }

    private static int connections() {
        return Integer.parseInt(get("/connections").body());
    }

    @Test
    void an_upgrade_without_an_origin_or_without_a_pass_is_refused() {
        assertThat(desk.raw(door.upgrade("/ws"), 3_000).status()).isEqualTo(403);
        var stranger = new Door(door.host(), "sluice_pass_x=y", "", "");
        assertThat(desk.raw(stranger.upgrade("/ws", "Origin: " + door.origin()), 3_000)
                        .status())
                .isEqualTo(401);
        var thief = new Door(door.host(), door.cookie() + "x", "", "");
        assertThat(desk.raw(thief.upgrade("/ws", "Origin: " + door.origin()), 3_000)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void a_change_of_another_site_is_refused_and_a_link_is_followed() {
        for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
            assertThat(desk.raw(door.request(
                                    method,
                                    "/echo",
                                    "Origin: http://evil.example",
                                    "Content-Length: 0",
                                    "Connection: close"))
                            .status())
                    .isEqualTo(403);
            assertThat(desk.raw(door.request(method, "/echo", "Origin: null", "Content-Length: 0", "Connection: close"))
                            .status())
                    .isEqualTo(403);
        }
        assertThat(get("/echo", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script")
                        .status())
                .isEqualTo(403);
        assertThat(get("/echo", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")
                        .status())
                .isEqualTo(403);
        assertThat(get("/echo", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
                        .status())
                .isEqualTo(200);
        assertThat(get("/echo", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void who_may_not_go_there_is_told_that_there_is_nothing() {
        assertThat(bob.call("GET", "/api/v2/jobs/ann~evil/endpoints", null).statusCode())
                .isEqualTo(404);
        assertThat(bob.call("POST", "/api/v2/jobs/ann~evil/endpoints/web/ticket", "{}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(bob.call("PUT", "/api/v2/jobs/ann~evil/endpoints/web", "{\"recipe\":\"port\"}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(bob.call("DELETE", "/api/v2/jobs/ann~evil/endpoints/web", null)
                        .statusCode())
                .isEqualTo(404);
        assertThat(desk.raw("GET / HTTP/1.1\r\nHost: " + door.host() + "\r\nConnection: close\r\n\r\n")
                        .status())
                .isEqualTo(401);
        assertThat(desk.raw("GET / HTTP/1.1\r\nHost: abcdefghij0123456789.localhost\r\nConnection: close\r\n\r\n")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void an_app_that_misbehaves_is_told_of_and_harms_no_other_request() {
        assertThat(get("/garbage").status()).isEqualTo(502);
        assertThat(get("/close").status()).isEqualTo(502);
        assertThat(get("/wide").status()).isEqualTo(502);
        assertThat(get("/status?s=999").status()).isIn(502, 999);
        Answer half = get("/half");
        assertThat(half.field("Content-Length")).isEqualTo("1000");
        assertThat(half.body()).isEqualTo("half");
        assertThat(get("/two").body()).isEqualTo("one");
        for (int i = 0; i < 20; i++) {
            assertThat(get("/echo?n=" + i).body())
                    .startsWith("GET /echo?n=" + i + " ")
                    .doesNotContain("STOLEN");
        }
        assertThat(get("/both").text()).doesNotContain("STOLEN");
    }

    @Test
    void an_upgrade_that_is_answered_otherwise_opens_nothing() {
        Answer answer = desk.raw(door.upgrade("/echo", "Origin: " + door.origin()), 5_000);
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void who_signs_out_is_cut_off_wherever_they_are() throws IOException {
        var carl = desk.somebody("carl");
        Door his = carl.evil("his");
        try (Socket socket = desk.connect();
                Socket stream = desk.connect()) {
            socket.getOutputStream()
                    .write(his.upgrade("/ws", "Origin: " + his.origin()).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            stream.getOutputStream().write(his.request("GET", "/ticks").getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(stream, "data: x")).startsWith("HTTP/1.1 200");
            long from = System.nanoTime();
            desk.crowd.disable(carl.person);
            DoorDesk.all(socket);
            DoorDesk.all(stream);
            assertThat(System.nanoTime() - from).isLessThan(5_000_000_000L);
        }
        assertThat(desk.raw(his.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(401);
    }

    @Test
    void what_is_shared_opens_to_those_named_and_is_cut_when_it_is_taken_back() throws IOException {
        Door hers = ann.evil("shared");
        String address = "/endpoints/" + hers.host().substring(0, 20);
        assertThat(bob.call("GET", address, null).statusCode()).isEqualTo(404);
        assertThat(share("share", "BOB").statusCode()).isEqualTo(303);
        assertThat(share("share", "not a name").statusCode()).isEqualTo(303);
        assertThat(ann.state("shared", "web").path("shared").toString()).isEqualTo("[\"BOB\"]");
        var opened = new String[1];
        DoorDesk.until("it is open to him", () -> {
            var answer = bob.call("GET", address, null);
            opened[0] = answer.headers().firstValue("Location").orElse("");
            return answer.statusCode() == 303;
        });
        Door his = desk.enter(URI.create(opened[0]), "what ann shares");
        assertThat(bob.call("PUT", ann.endpoint("shared", "web"), "{\"recipe\":\"port\"}")
                        .statusCode())
                .isEqualTo(404);
        try (Socket socket = desk.connect();
                Socket stream = desk.connect()) {
            socket.getOutputStream()
                    .write(his.upgrade("/ws", "Origin: " + his.origin()).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            stream.getOutputStream().write(his.request("GET", "/ticks").getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(stream, "data: x")).startsWith("HTTP/1.1 200");
            long from = System.nanoTime();
            assertThat(share("unshare", "BOB").statusCode()).isEqualTo(303);
            DoorDesk.all(socket);
            DoorDesk.all(stream);
            assertThat(System.nanoTime() - from).isLessThan(5_000_000_000L);
        }
        assertThat(desk.raw(his.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(401);
        assertThat(bob.call("GET", address, null).statusCode()).isEqualTo(404);
        assertThat(desk.raw(hers.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(200);
        ann.stop("shared");
    }

    private static HttpResponse<String> share(String what, String with) {
        return ann.call("POST", "/jobs/ann~shared/endpoints/web/" + what, "{\"with\":\"" + with + "\"}");
    }

    @Test
    void a_job_that_ended_is_gone_even_where_its_port_is_anothers_now() throws IOException {
        Door first = ann.evil("first");
        int port = ann.state("first", "web").path("port").asInt();
        try (Socket socket = desk.connect()) {
            socket.getOutputStream()
                    .write(first.upgrade("/ws", "Origin: " + first.origin()).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            ann.stop("first");
            DoorDesk.all(socket);
        }
        ann.becomes("first", "web", "ended");
        bob.submit("second", "cd /userhome; exec python3 evil.py " + port + " second.kept " + desk.listens, Map.of());
        bob.on("second", "web", "{\"recipe\":\"port\",\"port\":\"" + port + "\"}");
        bob.ready("second", "web");
        Answer gone = desk.raw(first.request("GET", "/echo", "Accept: text/html", "Connection: close"));
        assertThat(gone.status()).isEqualTo(410);
        assertThat(gone.body())
                .contains("/endpoints/" + first.host().substring(0, 20))
                .doesNotContain("<h1>app");
        assertThat(desk.raw(bob.door("second", "web").request("GET", "/echo", "Connection: close"))
                        .status())
                .isEqualTo(200);
        bob.stop("second");
    }

    @Test
    void switched_off_it_is_shut_and_on_again_it_opens() throws IOException {
        Door mine = bob.evil("switched");
        assertThat(bob.call("DELETE", bob.endpoint("switched", "web"), null).statusCode())
                .isEqualTo(204);
        bob.becomes("switched", "web", "off");
        assertThat(desk.raw(mine.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(503);
        bob.on("switched", "web", "{\"recipe\":\"port\"}");
        bob.on("switched", "web", "{\"recipe\":\"port\"}");
        bob.ready("switched", "web");
        assertThat(desk.raw(mine.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(200);
        assertThat(bob.call("PUT", bob.endpoint("switched", "web"), "{\"recipe\":\"port\",\"port\":\"12345\"}")
                        .statusCode())
                .isEqualTo(409);
        bob.stop("switched");
    }

    @Test
    void the_port_of_another_task_or_of_the_machine_is_not_reached() {
        bob.submit("thief", "sleep 600", Map.of());
        int port = ann.state("evil", "web").path("port").asInt();
        bob.on("thief", "web", "{\"recipe\":\"port\",\"port\":\"" + port + "\"}");
        bob.on("thief", "portal", "{\"recipe\":\"port\",\"port\":\"" + desk.port() + "\"}");
        DoorDesk.until(
                "both are looked for",
                () -> List.of("web", "portal").stream()
                        .allMatch(name -> bob.state("thief", name)
                                .path("reason")
                                .asText()
                                .startsWith("Nothing in the task listens")));
        bob.stop("thief");
    }
}
