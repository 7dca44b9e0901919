package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way to apps where there are no names: a port each, on a host that they share with the portal and its cookies. */
class PortRoadIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static DoorDesk.Somebody bob;
    private static Door first;
    private static Door second;
    /** Which apps have. */
    private static int lowest;

    private static int highest;

    @BeforeAll
    static void open() throws IOException {
        lowest = FreePorts.inARow(3);
        highest = lowest + 2;
        desk = new DoorDesk(folder, "--endpoint-ports", lowest + "-" + highest);
        ann = desk.somebody("ann");
        bob = desk.somebody("bob");
        first = enter(ann, "first");
        second = enter(bob, "second");
    }

    @AfterAll
    static void close() {
        ann.stop("first");
        bob.stop("second");
        desk.close();
    }

    private static Door enter(DoorDesk.Somebody who, String job) throws IOException {
        who.start(job);
        URI ticket = who.ticket(job, "web");
        Answer answer = at(
                ticket.getPort(),
                "GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: "
                        + ticket.getRawAuthority() + "\r\nConnection: close\r\n\r\n");
        assertThat(answer.status()).isEqualTo(303);
        return new Door(
                ticket.getRawAuthority(),
                answer.field("Set-Cookie").replaceFirst(";.*", ""),
                answer.field("Set-Cookie"),
                "");
    }

    private static Answer at(int port, String bytes) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            return new Answer(DoorDesk.all(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port(Door door) {
        return Integer.parseInt(door.host().substring(door.host().indexOf(':') + 1));
    }

    private static Answer get(Door door, String uri, String... lines) {
        var all = new String[lines.length + 1];
        System.arraycopy(lines, 0, all, 0, lines.length);
        all[lines.length] = "Connection: close";
        return at(port(door), door.request("GET", uri, all));
    }

    private static String space(Door door) {
        return door.cookie().substring("sluice_pass_".length(), "sluice_pass_".length() + 20) + ".";
    }

    @Test
    void each_has_a_port_of_its_own_beside_the_portals() {
        assertThat(port(first)).isNotEqualTo(port(second)).isNotEqualTo(desk.port());
        assertThat(get(first, "/echo").body()).startsWith("GET /echo HTTP/1.1").contains("Host: " + first.host());
        assertThat(at(
                                port(first) + (port(first) > port(second) ? 1 : 2),
                                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void an_apps_cookies_have_names_of_its_own_and_it_sees_no_others() {
        Answer answer = get(first, "/fields?f=Set-Cookie:%20a=1;%20Path=/&f=Set-Cookie:%20sluice_session=x");
        assertThat(answer.fields("Set-Cookie")).containsExactly(space(first) + "a=1; Path=/");
        String seen = get(
                        first,
                        "/echo",
                        "Cookie: sluice_session=secret1; " + second.cookie() + "; " + space(first) + "a=1; "
                                + space(second) + "b=secret2; plain=secret3")
                .body();
        assertThat(seen)
                .containsIgnoringCase("\r\ncookie: a=1\r\n")
                .doesNotContain("secret")
                .doesNotContain("sluice_pass");
    }

    @Test
    void the_pass_of_one_opens_no_other() {
        var thief = new Door(second.host(), first.cookie(), "", "");
        assertThat(get(thief, "/echo").status()).isEqualTo(401);
        var portal = at(
                desk.port(),
                "GET /api/v2/user HTTP/1.1\r\nHost: 127.0.0.1:" + desk.port() + "\r\nCookie: " + first.cookie()
                        + "\r\nConnection: close\r\n\r\n");
        assertThat(portal.status()).isGreaterThanOrEqualTo(400);
    }

    @Test
    void a_page_of_another_port_is_another_site() {
        assertThat(at(port(first), first.upgrade("/ws", "Origin: " + second.origin(), "Connection: close"))
                        .status())
                .isEqualTo(403);
        assertThat(at(
                                port(first),
                                first.request(
                                        "POST",
                                        "/echo",
                                        "Origin: " + second.origin(),
                                        "Content-Length: 0",
                                        "Connection: close"))
                        .status())
                .isEqualTo(403);
        assertThat(get(first, "/echo", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image")
                        .status())
                .isEqualTo(403);
        assertThat(get(first, "/sw.js", "Service-Worker: script", "Sec-Fetch-Site: same-origin")
                        .status())
                .isEqualTo(403);
    }

    /** One who was let in on this connection, comes again, and so goes the short way. */
    private static Visitor known(Door door) throws IOException {
        var visitor = new Visitor(new Socket(InetAddress.getLoopbackAddress(), port(door)));
        visitor.socket.setSoTimeout(10_000);
        assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
        assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
        return visitor;
    }

    /** Which browsers may reach what only they can say: they are told what to ask, and what it means if nobody answers. */
    @Test
    void an_administrator_s_browser_asks_both_ends_of_the_range_where_it_came_to_the_portal() {
        var boss = desk.administrator("boss");
        for (String host : List.of("127.0.0.1", "gateway.lab")) {
            Answer page = desk.raw("GET /endpoints HTTP/1.1\r\nHost: " + host + ":" + desk.port()
                    + "\r\nAuthorization: Bearer " + boss.token + "\r\nConnection: close\r\n\r\n");
            String asked = Stream.of(lowest, highest)
                    .map(port -> "http://" + host + ":" + port + "/.sluice/probe")
                    .collect(Collectors.joining(" "));
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.body())
                    .contains("B: a port for each app", "\"" + asked + "\"")
                    .contains("%s is reached.", "%s is not reached.", "Open the whole range to this gateway");
            assertThat(page.field("Content-Security-Policy")).contains("connect-src 'self' " + asked + ";");
        }
        for (int port : List.of(lowest, highest)) {
            Answer answer = at(
                    port,
                    "GET /.sluice/probe HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nOrigin: http://127.0.0.1:"
                            + desk.port() + "\r\nConnection: close\r\n\r\n");
            assertThat(answer.body())
                    .as("%d, whether an app has it or not", port)
                    .isEqualTo("sluice");
            assertThat(answer.field("Access-Control-Allow-Origin")).isEqualTo("*");
            assertThat(answer.fields("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void who_comes_to_a_port_whose_job_has_ended_is_told() throws IOException {
        Door third = enter(ann, "third");
        try (Visitor stays = known(third);
                Visitor rests = known(third)) {
            ann.stop("third");
            ann.becomes("third", "web", "ended");
            assertThat(get(third, "/echo").status()).isEqualTo(410);
            assertThat(stays.ask(third.request("GET", "/echo")).status()).isEqualTo(410);
            ann.start("fourth");
            URI ticket = ann.ticket("fourth", "web");
            assertThat(ticket.getPort()).isEqualTo(port(third));
            assertThat(get(third, "/echo").status()).isEqualTo(401);
            assertThat(stays.ask(third.request("GET", "/echo")).status()).isEqualTo(401);
            assertThat(rests.ask(third.request("GET", "/echo")).status()).isEqualTo(401);
        }
        assertThat(ann.kept("fourth")).content(StandardCharsets.ISO_8859_1).doesNotContain("/echo");
        ann.start("fifth");
        assertThat(ann.call("POST", ann.endpoint("fifth", "web") + "/ticket", "{}")
                        .body())
                .contains("All ports");
        ann.stop("fourth");
        ann.stop("fifth");
    }
}
