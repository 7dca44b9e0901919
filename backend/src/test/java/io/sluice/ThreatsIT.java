package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The threats of the table in docs/checks.md, on each way to an app alike: by names (A), at ports (B) and inside of the portal's
 * address (C), and where the way is known by now and goes past Vert.x. What is special to one of them has its own test.
 */
class ThreatsIT extends ThreatWays {
    /** T1: who may not see it is told what is said of what is not there. */
    @ParameterizedTest
    @MethodSource("ways")
    void another_s_endpoint_is_as_if_it_were_not_there(Way way) {
        var bob = way.desk().somebody("bob" + ways().indexOf(way));
        String theirs = "/api/v2/jobs/" + way.owner().name() + "~evil/endpoints";
        String nobodys = "/api/v2/jobs/" + way.owner().name() + "~nojob/endpoints";
        for (List<String> one : List.of(
                List.of("GET", "", ""),
                List.of("PUT", "/web", "{\"recipe\":\"port\"}"),
                List.of("DELETE", "/web", ""),
                List.of("POST", "/web/ticket", "{}"),
                List.of("POST", "/web/check", "{}"))) {
            String body = one.get(2).isEmpty() ? null : one.get(2);
            var answer = bob.call(one.get(0), theirs + one.get(1), body);
            var nothing = bob.call(one.get(0), nobodys + one.get(1), body);
            assertThat(answer.statusCode()).as("%s", one).isEqualTo(404);
            assertThat(answer.body().replace("evil", "nojob")).isEqualTo(nothing.body());
        }
    }

    /** T3: a worker is let to where nobody else comes after it: at a name of its own. */
    @ParameterizedTest
    @MethodSource("ways")
    void a_worker_takes_over_nothing_that_is_or_becomes_anothers(Way way) throws IOException {
        String fetched =
                way.request("GET", "/sw.js", "Service-Worker: script", "Sec-Fetch-Dest: serviceworker", "X-Case: sw");
        for (Answer answer : both(way, fetched)) {
            assertThat(answer.status()).isEqualTo(way.isNamed() ? 200 : 403);
        }
        assertThat(way.heard().contains("X-Case: sw")).isEqualTo(way.isNamed());
        for (Answer answer : both(way, way.request("GET", "/fields?f=Service-Worker-Allowed:%20/"))) {
            assertThat(answer.fields("Service-Worker-Allowed")).isEmpty();
        }
    }

    /** T4: what an app sets is its own, and little; and nothing that others set keeps anybody out. */
    @ParameterizedTest
    @MethodSource("ways")
    void cookies_of_an_app_are_its_own_and_few(Way way) throws IOException {
        String own = way.cookie().replaceFirst("=.*", "");
        var uri = new StringBuilder("/fields?f=Set-Cookie:%20mine=1;%20Domain=localhost;%20Path=/x"
                + "&f=Set-Cookie:%20sluice_session=x;%20Path=/&f=Set-Cookie:%20__Host-sluice_session=x"
                + "&f=Set-Cookie:%20SLUICE_refresh=x&f=Set-Cookie:%20" + own + "=x&f=Set-Cookie:%20=nameless");
        for (int i = 0; i < 80; i++) {
            uri.append("&f=Set-Cookie:%20c").append(i).append("=v");
        }
        for (Answer answer : both(way, way.request("GET", uri.toString()))) {
            List<String> set = answer.fields("Set-Cookie");
            assertThat(set).hasSize(way.isInside() ? 0 : 50);
            if (!way.isInside()) {
                assertThat(set).contains(way.space() + "mine=1; Path=/x");
            }
            assertThat(set)
                    .allSatisfy(cookie -> assertThat(cookie)
                            .startsWith(way.space())
                            .doesNotContainIgnoringCase("sluice")
                            .doesNotContain("Domain"));
        }
        for (Answer answer : both(way, way.request("GET", "/bomb?n=12"))) {
            assertThat(String.join("", answer.fields("Set-Cookie")).length()).isLessThanOrEqualTo(8 << 10);
        }
        for (Answer answer : both(way, way.request("GET", "/bomb?n=200"))) {
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.fields("Set-Cookie")).isEmpty();
        }
        String tossed = way.request("GET", "/echo").replace("Cookie: ", "Cookie: " + own + "=tossed; " + own + "=; ");
        assertThat(both(way, tossed)).allMatch(answer -> answer.status() == 200);
    }

    /** T8: a port of the task, and no other place, whatever it is called; where an app sends browsers, the gateway does not go. */
    @ParameterizedTest
    @MethodSource("ways")
    void no_place_but_the_tasks_own_ports_can_be_named(Way way) throws IOException {
        for (String port : List.of(
                "127.0.0.1",
                "127.0.0.1:5432",
                "0.0.0.0:22",
                "[::]:8080",
                "::ffff:127.0.0.1",
                "169.254.169.254",
                "2130706433",
                "0177.0.0.1",
                "user@host",
                "evil.example:80",
                "../5000",
                "22",
                "80",
                "0",
                "-1",
                "65536",
                "1e4",
                "0x1f90",
                " 8080",
                "8080\\n")) {
            String wish = "{\"recipe\":\"port\",\"port\":\"" + port + "\"}";
            var answer = way.owner().call("PUT", way.owner().endpoint("evil", "other"), wish);
            assertThat(answer.statusCode()).as(port).isEqualTo(400);
            assertThat(answer.body()).as(port).contains("port is a number from 1024 to 65535");
        }
        String wish = "{\"recipe\":\"port\",\"options\":{\"host\":\"169.254.169.254\"}}";
        assertThat(way.owner()
                        .call("PUT", way.owner().endpoint("evil", "other"), wish)
                        .statusCode())
                .isEqualTo(400);
        for (String to : List.of(
                "http://127.0.0.1:" + way.desk().port() + "/api/v2/users",
                "http://169.254.169.254/latest/meta-data",
                "http://[::1]:" + way.desk().port() + "/metrics")) {
            String hex = HexFormat.of().formatHex(to.getBytes(StandardCharsets.US_ASCII));
            for (Answer answer : both(way, way.request("GET", "/location?" + hex))) {
                assertThat(answer.status()).isEqualTo(302);
                assertThat(answer.field("Location")).isEqualTo(to);
            }
        }
        for (String host : List.of("169.254.169.254", "127.0.0.1:5432", "evil.example", "<script>alert(1)</script>")) {
            String asked = way.request("GET", "/echo", "X-Case: host").replaceFirst("Host: .*", "Host: " + host);
            for (boolean again : List.of(false, true)) {
                try (Visitor visitor = again ? way.known() : way.visitor()) {
                    assertThat(visitor.rest(asked, 200).text()).doesNotContain("<script>alert");
                }
            }
        }
    }

    /** T8: where an app sends browsers is said as it said it, or as the app's own; by a name {@link RoadIT} looks. */
    @ParameterizedTest
    @MethodSource("ways")
    void no_redirect_becomes_another_by_being_handed_on(Way way) throws IOException {
        if (!way.isNamed()) {
            Redirecting.tried(way);
        }
    }

    /** T9, where {@link SmugglingIT} does not look. */
    @ParameterizedTest
    @MethodSource("ways")
    void no_request_is_smuggled(Way way) throws Exception {
        if (!way.isNamed()) {
            Smuggling tried = Smuggling.tried(way);
            Smuggling.cases().forEach(one -> {
                tried.look(one, false);
                tried.look(one, true);
            });
        }
    }

    /** T10: nobody takes away, or brings, what the gateway alone says. */
    @ParameterizedTest
    @MethodSource("ways")
    void what_is_named_as_of_the_connection_takes_nothing_of_ours_away(Way way) throws IOException {
        String[] hop = {
            "Connection: keep-alive, X-WebAuth-User, Cookie, Authorization, Host, X-Drop, X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto,"
                    + " X-Forwarded-Port, X-Forwarded-Prefix",
            "X-WebAuth-User: admin",
            "X_WebAuth_User: admin",
            "X-Forwarded-For: 6.6.6.6",
            "X-Forwarded-Host: evil.example",
            "X-Forwarded-Prefix: /evil.example",
            "X-Drop: 6.6.6.6",
            "Origin: " + way.origin(),
            "X-Case: hop"
        };
        var seen = new ArrayList<String>();
        both(way, way.request("GET", "/echo", hop)).forEach(answer -> seen.add(answer.body()));
        both(way, way.request("POST", "/echo", append(hop, "Content-Length: 0")))
                .forEach(answer -> seen.add(answer.body()));
        for (boolean again : List.of(false, true)) {
            assertThat(status(way, again, way.upgrade("/ws", hop))).isEqualTo(101);
        }
        List<String> upgrades = Stream.of(way.heard().split("\n--\n"))
                .filter(block -> block.startsWith("GET /ws ") && block.contains("X-Case: hop"))
                .toList();
        assertThat(upgrades).hasSize(2);
        seen.addAll(upgrades);
        assertThat(seen).allSatisfy(head -> {
            assertThat(head)
                    .containsIgnoringCase("\nX-Forwarded-For: 127.0.0.1\r")
                    .containsIgnoringCase("\nX-Forwarded-Host: " + way.host() + "\r")
                    .containsIgnoringCase("\nX-Forwarded-Proto: http\r")
                    .containsIgnoringCase("\nHost: " + way.host() + "\r")
                    .doesNotContain("6.6.6.6")
                    .doesNotContain("evil.example")
                    .doesNotContainIgnoringCase("webauth");
            assertThat(head.toLowerCase(Locale.ROOT).split("\nx-forwarded-for:", -1))
                    .hasSize(2);
            assertThat(head.contains("X-Forwarded-Prefix: " + way.prefix())).isEqualTo(way.isInside());
        });
    }

    /** T11: what lets in anywhere here is shown to no app. */
    @ParameterizedTest
    @MethodSource("ways")
    void no_credential_of_ours_reaches_an_app(Way way) throws IOException {
        String place = "http://" + way.host() + way.prefix();
        String[] shown = {
            "Cookie: sluice_session=live1; __Host-sluice_session=live2; SLUICE_refresh=live3",
            "Authorization: Bearer " + way.owner().token,
            "Proxy-Authorization: Basic live4",
            "Referer: " + place + "/.sluice/enter?ticket=live5",
            "Origin: " + way.origin(),
            "X-Case: live"
        };
        for (boolean again : List.of(false, true)) {
            for (String bytes : List.of(
                    way.request("GET", "/echo", shown),
                    way.request("POST", "/echo", append(shown, "Content-Length: 2")) + "hi",
                    way.request("GET", "/echo", "Referer: " + place + "/.sluice/enter?ticket=live6", "X-Case: live"),
                    way.request("GET", "/echo", "Referer: " + place + "/page", "X-Case: live"))) {
                try (Visitor visitor = again ? way.known() : way.visitor()) {
                    assertThat(visitor.ask(bytes).status()).isEqualTo(200);
                }
            }
            try (Visitor listens = again ? way.known() : way.visitor();
                    Visitor talks = again ? way.known() : way.visitor()) {
                listens.send(way.request("GET", "/ticks", append(shown, "Accept: text/event-stream")));
                assertThat(DoorDesk.until(listens.socket, "data: x")).startsWith("HTTP/1.1 200");
                talks.send(way.upgrade("/ws", shown));
                assertThat(DoorDesk.until(talks.socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            }
        }
        String program = way.desk().crowd.token(way.owner().person, "files:read");
        String basic = Base64.getEncoder().encodeToString(("ann:" + program).getBytes(StandardCharsets.US_ASCII));
        String own = Base64.getEncoder().encodeToString("its:own".getBytes(StandardCharsets.US_ASCII));
        both(way, way.request("GET", "/echo", "Authorization: Basic " + basic, "X-Case: live"));
        both(way, way.request("GET", "/echo", "Authorization: basic " + own, "X-Case: live"));
        // inside of the portal the app is told where it lives: its pages see that too
        String heard = way.heard().replaceAll("X-Forwarded-Prefix: .*", "");
        assertThat(heard.split("X-Case: live", -1)).hasSize(17);
        assertThat(heard)
                .doesNotContain("live1", "live2", "live3", "live4", "live5", "live6", "ticket=")
                .doesNotContain(way.owner().token)
                .doesNotContain(basic, program)
                .contains(own)
                .doesNotContain(way.pass());
        assertThat(heard.contains("/page")).isEqualTo(!way.isInside());
    }

    /** T12: before the app hears of it. */
    @ParameterizedTest
    @MethodSource("ways")
    void an_upgrade_of_another_origin_is_refused(Way way) throws IOException {
        String own = "http://" + way.host();
        var origins = new ArrayList<>(List.of(
                "http://evil.example",
                "https://" + way.host(),
                own + ".evil.example",
                "http://evil." + way.host(),
                own + "/",
                own + "@evil.example",
                own + ":80",
                way.host(),
                "http://localhost:" + way.desk().port(),
                "http://127.0.0.1:" + way.desk().port(),
                "http://aaaaaaaaaabbbbbbbbbb.localhost:" + way.desk().port(),
                "http://127.0.0.1:" + (way.port() + 1),
                "file://",
                ""));
        origins.add(way.isInside() ? own : "null");
        for (String origin : origins) {
            for (boolean again : List.of(false, true)) {
                assertThat(status(way, again, way.upgrade("/ws", "Origin: " + origin, "X-Case: origin")))
                        .as(origin)
                        .isEqualTo(403);
            }
        }
        assertThat(status(way, false, way.upgrade("/ws", "X-Case: origin"))).isEqualTo(403);
        assertThat(way.heard()).doesNotContain("X-Case: origin");
    }

    /** T13: an upgrade needs what a page needs, and the app hears nothing of one that has not. */
    @ParameterizedTest
    @MethodSource("ways")
    void an_upgrade_without_what_lets_in_is_refused(Way way) throws IOException {
        Way expired = Way.of(way.desk(), way.owner(), "evil");
        sql(way, "UPDATE endpoint_passes SET expires = now() WHERE hash = sha256('" + expired.pass() + "')");
        Way anothers = Way.of(way.desk(), somebody(way, "disabled"), "evil");
        String upgrade = way.upgrade("/ws", "Origin: " + way.origin(), "X-Case: nobody");
        for (String pass : List.of("x", way.pass() + "x", "A".repeat(43), expired.pass(), anothers.pass())) {
            for (boolean again : List.of(false, true)) {
                assertThat(status(way, again, upgrade.replace(way.pass(), pass)))
                        .as(pass)
                        .isIn(401, 404);
            }
        }
        assertThat(way.heard()).doesNotContain("X-Case: nobody");
        assertThat(status(way, true, upgrade)).isEqualTo(101);
    }

    /** T16: within 5 s, whatever it was that ended the sign-in. */
    @ParameterizedTest
    @MethodSource("ways")
    void who_is_not_signed_in_any_more_is_cut_off(Way way) throws IOException {
        var there = new ArrayList<Visit>();
        try {
            for (String name : List.of("revoked", "expired", "disabled")) {
                there.add(Visit.of(Way.of(way.desk(), somebody(way, name), "evil")));
            }
            long since = System.nanoTime();
            var revoked = somebody(way, "revoked");
            assertThat(revoked.call("DELETE", "/api/v2/tokens/" + revoked.token, null)
                            .statusCode())
                    .isEqualTo(200);
            sql(
                    way,
                    "UPDATE sessions SET expires = now() WHERE user_id = "
                            + somebody(way, "expired").person.id());
            way.desk().crowd.disable(somebody(way, "disabled").person);
            for (Visit one : there) {
                one.isOver(since, 401);
            }
        } finally {
            for (Visit one : there) {
                one.close();
            }
        }
    }

    /** T36: also where the same port is another's now. */
    @ParameterizedTest
    @MethodSource("ways")
    void an_endpoint_ends_with_its_job(Way way) throws IOException {
        var owner = somebody(way, "ended");
        int port = owner.state("evil", "web").path("port").asInt();
        try (Visit there = Visit.of(Way.of(way.desk(), owner, "evil"))) {
            long since = System.nanoTime();
            owner.stop("evil");
            DoorDesk.all(there.talks().socket);
            DoorDesk.all(there.listens().socket);
            owner.becomes("evil", "web", "ended");
            there.isOver(since, 410);
            way.owner().submit("next", "cd /userhome; exec python3 evil.py " + port + " next.kept 127.0.0.1", Map.of());
            way.owner().on("next", "web", "{\"recipe\":\"port\",\"port\":\"" + port + "\"}");
            way.owner().ready("next", "web");
            there.isOver(System.nanoTime(), 410);
            assertThat(status(
                            there.way(),
                            false,
                            there.way().upgrade("/ws", "Origin: " + there.way().origin())))
                    .isEqualTo(410);
            assertThat(Files.readString(way.owner().kept("next"), StandardCharsets.ISO_8859_1))
                    .doesNotContain("/echo", "/ws");
            way.owner().stop("next");
        }
    }

    /** What comes back is the same on both ways; by a name {@link ShortWayIT} compares more. */
    @ParameterizedTest
    @MethodSource("ways")
    void what_an_app_says_of_more_than_itself_is_kept_back_on_both_ways_alike(Way way) throws IOException {
        String fields = "/fields?f=Clear-Site-Data:%20%22*%22&f=Strict-Transport-Security:%20max-age=9"
                + "&f=Access-Control-Allow-Origin:%20*&f=Access-Control-Allow-Credentials:%20true&f=Alt-Svc:%20h3&f=Refresh:%200"
                + "&f=Cross-Origin-Opener-Policy:%20unsafe-none&f=Cross-Origin-Resource-Policy:%20cross-origin"
                + "&f=Connection:%20X-Hop&f=X-Hop:%201&f=X-Own:%20yes&f=Content-Security-Policy:%20frame-ancestors%20*"
                + "&f=Set-Cookie:%20a=1;%20Domain=localhost;%20Path=/x&f=Referrer-Policy:%20unsafe-url";
        List<Answer> said = both(way, way.request("GET", fields));
        assertThat(said)
                .allSatisfy(answer -> assertThat(answer.head())
                        .doesNotContainIgnoringCase("clear-site")
                        .doesNotContainIgnoringCase("strict-transport")
                        .doesNotContainIgnoringCase("allow-credentials")
                        .doesNotContainIgnoringCase("allow-origin: *")
                        .doesNotContainIgnoringCase("alt-svc")
                        .doesNotContainIgnoringCase("refresh")
                        .doesNotContainIgnoringCase("unsafe-none")
                        .doesNotContainIgnoringCase("x-hop")
                        .contains("X-Own: yes"));
        assertThat(sorted(said.getLast())).isEqualTo(sorted(said.getFirst()));
    }
}
