package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.sluice.web.Route;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route of the portal, tried by everybody, against {@code authorisation-matrix.txt}. */
class AuthorisationMatrixTest {
    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Set<String> WITH_JOBS = ConcurrentHashMap.newKeySet();
    private static final Map<String, String> TEMPLATES = new ConcurrentHashMap<>();
    private static Person owner;
    private static Person another;
    private static Person admin;
    private static Person disabled;

    /** In the order of the columns. */
    enum Who {
        NOBODY,
        ANOTHER,
        OWNER,
        ADMIN,
        DISABLED,
        PROGRAM
    }

    record Row(String method, String path, Map<Who, String> statuses, String body) {
        static Row of(String line) {
            String[] words = line.strip().split("\\s+", 9);
            var statuses = new EnumMap<Who, String>(Who.class);
            var columns = List.of(words).subList(2, 8).iterator();
            EnumSet.allOf(Who.class).forEach(who -> statuses.put(who, columns.next()));
            return new Row(words[0], words[1], statuses, words.length > 8 ? words[8] : "");
        }

        String status(Who who) {
            return Objects.requireNonNull(statuses.get(who));
        }

        String route() {
            return method + " " + path;
        }

        boolean isApi() {
            return path.startsWith("/api/");
        }

        @Override
        public String toString() {
            return route();
        }
    }

    @BeforeAll
    static void start() {
        // neither answers: what is seen is who is let through to them
        server = new TestServer(folder, "--grafana", "http://127.0.0.1:9", "--prometheus", "http://127.0.0.1:9");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        owner = crowd.person("owner", false);
        another = crowd.person("another", false);
        admin = crowd.person("boss", true);
        disabled = crowd.person("disabled", false);
        crowd.disable(disabled);
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    static Stream<Row> rows() throws IOException {
        try (InputStream file = Objects.requireNonNull(
                AuthorisationMatrixTest.class.getResourceAsStream("/authorisation-matrix.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.isBlank() && !line.startsWith("#")).map(Row::of).toList().stream();
        }
    }

    static Stream<Row> readingRows() throws IOException {
        return rows().filter(row -> row.method.equals("GET"));
    }

    @Test
    void every_route_has_a_row_and_every_row_a_route() throws IOException {
        assertThat(rows().map(Row::route))
                .containsExactlyInAnyOrderElementsOf(
                        server.routes().stream().map(Route::toString).toList());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void everybody_is_answered_as_the_row_says(Row row) {
        var answered = Stream.of(Who.values()).map(who -> status(row, who, "")).toList();
        assertThat(String.join(" ", answered)).isEqualTo(String.join(" ", row.statuses.values()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("readingRows")
    void a_head_and_an_upgrade_open_nothing_that_a_get_does_not(Row row) {
        for (Who who : List.of(Who.NOBODY, Who.ANOTHER, Who.DISABLED)) {
            String expected = row.status(who);
            var head = caller(who, owner)
                    .send(HttpMethod.HEAD, path(row, owner), null, null)
                    .await();
            assertThat("" + head.statusCode()).as(who + " HEAD").isEqualTo(expected);
            // 400: let through, and told to come as a WebSocket
            if (!expected.startsWith("2") && !expected.equals("400")) {
                var upgrade = caller(who, owner);
                upgrade.headers.set("Connection", "Upgrade");
                upgrade.headers.set("Upgrade", "websocket");
                upgrade.headers.set("Sec-WebSocket-Version", "13");
                upgrade.headers.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
                upgrade.headers.set("Origin", server.address());
                assertThat("" + upgrade.get(path(row, owner)).statusCode())
                        .as(who + " upgrade")
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void the_other_prefix_of_the_api_is_guarded_alike(Row row) {
        if (row.isApi()) {
            for (Who who : List.of(Who.NOBODY, Who.ANOTHER)) {
                assertThat(status(row, who, "/rest-server")).isEqualTo(row.status(who));
            }
        }
    }

    /** T14. */
    @Test
    void a_page_of_another_site_changes_nothing_on_any_route() throws IOException {
        List<Row> all = rows().toList();
        if (WITH_JOBS.add(owner.name())) {
            submit(owner);
        }
        List<String> paths = all.stream().map(row -> path(row, owner)).toList();
        try (var pages = new ForeignPages(server, crowd.browser())) {
            for (int i = 0; i < paths.size(); i++) {
                String method = all.get(i).method;
                boolean reads = List.of("GET", "HEAD", "OPTIONS").contains(method);
                if (!reads) {
                    pages.send(method, paths.get(i));
                }
                pages.follow(paths.get(i), reads ? "POST" : method);
            }
            pages.haveChangedNothing();
        }
    }

    /** What is touched belongs to somebody who is new where it may be spoilt. */
    private static Person touched(Row row, Who who) {
        boolean spoils = !row.method.equals("GET") && (who == Who.OWNER || who == Who.ADMIN);
        Person touched = who == Who.DISABLED
                ? disabled
                : spoils ? crowd.person("owner" + NUMBER.incrementAndGet(), false) : owner;
        if (row.path.contains("/jobs/:") && who != Who.DISABLED && WITH_JOBS.add(touched.name())) {
            submit(touched);
        }
        return touched;
    }

    /** A job that bears the name of its owner. */
    private static void submit(Person owner) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(owner));
        String job = """
                {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "command": "true"}]}
                """.formatted(owner.name());
        var answer = browser.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).isEqualTo(202);
    }

    /** The number of a template that the owner keeps and shares with nobody. */
    private static String template(Person owner) {
        return TEMPLATES.computeIfAbsent(owner.name(), name -> {
            if (owner.equals(disabled)) {
                return "1";
            }
            Browser browser = crowd.browser();
            browser.headers.set("Authorization", "Bearer " + crowd.bearer(owner));
            var content = new JsonObject()
                    .put("name", name)
                    .put("config", "{jobName: kept, image: none, taskRoles: [{name: main, command: x}]}");
            var answer = browser.send(HttpMethod.POST, "/api/v2/templates", "application/json", content.toBuffer())
                    .await();
            assertThat(answer.statusCode()).isEqualTo(201);
            return answer.bodyAsJsonObject().getString("id");
        });
    }

    /** The number of what the owner proposes for a catalogue, which nobody has answered. */
    private static String proposal(Person owner, String catalogue, JsonObject content) {
        return TEMPLATES.computeIfAbsent(owner.name() + catalogue, name -> {
            if (owner.equals(disabled)) {
                return "1";
            }
            Browser browser = crowd.browser();
            browser.headers.set("Authorization", "Bearer " + crowd.bearer(owner));
            var answer = browser.send(HttpMethod.POST, "/api/v2/" + catalogue, "application/json", content.toBuffer())
                    .await();
            assertThat(answer.statusCode()).isEqualTo(201);
            return "" + answer.bodyAsJsonObject().getLong("id");
        });
    }

    private static String dataset(Person owner) {
        return proposal(
                owner, "datasets", new JsonObject().put("name", owner.name()).put("path", "/gdata/" + owner.name()));
    }

    private static String image(Person owner) {
        var content = new JsonObject().put("name", owner.name()).put("repository", "one");
        return proposal(owner, "images", content.put("tags", new JsonArray().add("1")));
    }

    private static String status(Row row, Who who, String prefix) {
        Person owner = touched(row, who);
        String text = row.body.replace("OWNER", owner.name());
        boolean head = row.method.equals("HEAD"); // has no body, neither way
        Buffer body =
                head || row.method.equals("GET") ? null : Buffer.buffer(text.isEmpty() && row.isApi() ? "{}" : text);
        String type = row.isApi() ? "application/json" : "application/x-www-form-urlencoded";
        var answer = caller(who, owner)
                .send(HttpMethod.valueOf(row.method), prefix + path(row, owner), body == null ? null : type, body)
                .await();
        if (row.isApi() && !head && answer.statusCode() >= 400) {
            assertThat(answer.bodyAsJsonObject().fieldNames()).containsExactlyInAnyOrder("code", "message");
        }
        return "" + answer.statusCode();
    }

    private static String path(Row row, Person owner) {
        return row.path
                .replace(":name", owner.name())
                .replace(":user", owner.name())
                .replace(":job", owner.name() + "~" + owner.name())
                .replace(":attempt", "0")
                .replace(":taskAttempt", "0")
                .replace(":index", "0")
                .replace(":role", "main")
                .replace(":vc", "default")
                .replace(":storage", "none")
                .replace(":share", "-none")
                .replace(":group", row.method.equals("DELETE") ? "nogroup" : "default")
                .replace(":token", owner.program())
                .replace(":owner", "1")
                .replace(":saved", "none:1")
                .replace(":dataset", row.path.contains(":dataset") ? dataset(owner) : "")
                .replace(":image", row.path.contains(":image") ? image(owner) : "")
                .replace(
                        ":id",
                        row.path.contains("/keys/")
                                ? owner.key()
                                : row.path.contains("/tokens/")
                                        ? owner.token()
                                        : row.path.contains("/templates/") ? template(owner) : owner.session());
    }

    private static Browser caller(Who who, Person owner) {
        Browser caller = crowd.browser();
        String bearer = switch (who) {
            case NOBODY -> null;
            case ANOTHER -> crowd.bearer(another);
            case OWNER -> crowd.bearer(owner);
            case ADMIN -> crowd.bearer(admin);
            case DISABLED -> disabled.bearer();
            case PROGRAM -> owner.program();
        };
        if (bearer != null) {
            caller.headers.set("Authorization", "Bearer " + bearer);
        }
        return caller;
    }
}
