package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The way to an app that keeps every byte it is sent: what gets there, what comes back, and who gets there at all. */
class RoadIT extends RoadVisits {
    /** What the kernel keeps for readers and writers of four ends, 32 MiB and 4 MiB of each, and as much again for us. */
    private static final int MOST_ON_ITS_WAY = 80_000_000;

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

    @Test
    void no_redirect_becomes_another_by_being_handed_on() throws IOException {
        Redirecting.tried(Way.named(desk, ann, "evil", door));
        assertThat(get("/echo").status()).isEqualTo(200);
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
                    .isLessThan(MOST_ON_ITS_WAY);
        }
        try (var socket = desk.connect()) {
            socket.setReceiveBufferSize(8_192);
            socket.getOutputStream()
                    .write(door.upgrade("/ws?flood", "Origin: " + door.origin()).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(stalled(ann.kept("evil").resolveSibling("evil.kept.flood")))
                    .isLessThan(MOST_ON_ITS_WAY);
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
}
