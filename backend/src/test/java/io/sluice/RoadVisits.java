package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
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

/** The way to an app: who gets there, and who does not any more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
abstract class RoadVisits {
    @TempDir
    static Path folder;

    static DoorDesk desk;
    static DoorDesk.Somebody ann;
    static DoorDesk.Somebody bob;
    static Door door;

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

    static Answer get(String uri, String... lines) {
        var all = new ArrayList<>(List.of(lines));
        all.add("Connection: close");
        return desk.raw(door.request("GET", uri, all.toArray(String[]::new)));
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

    static int connections() {
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
        assertThat(sharedWith(bob)).isEqualTo("[]");
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
        assertThat(sharedWith(bob)).contains("\"user\":\"ann\"", "\"job\":\"shared\"", "\"page\":\"" + address + "\"");
        assertThat(bob.call("GET", "/endpoints/shared", null).body()).contains("href=\"" + address + "\"");
        assertThat(sharedWith(ann)).isEqualTo("[]");
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
        assertThat(sharedWith(bob)).isEqualTo("[]");
        assertThat(desk.raw(hers.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(200);
        ann.stop("shared");
    }

    private static String sharedWith(DoorDesk.Somebody whom) {
        return whom.call("GET", "/api/v2/endpoints/shared", null).body();
    }

    static HttpResponse<String> share(String what, String with) {
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
