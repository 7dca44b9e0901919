package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of the way to an app: whichever hop fails, it is named; and what an administrator is told of the ways that there are. */
class WayCheckIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static Door door;

    @BeforeAll
    static void open() throws IOException {
        Path recipes = Files.createDirectories(folder.resolve("recipes"));
        recipe(recipes, "faulty", "open: /status?s=500");
        recipe(recipes, "talks", "open: /\nsocket: /pong");
        recipe(recipes, "mute", "open: /\nsocket: /echo");
        recipe(recipes, "tires", "open: /\nsocket: /pong?once");
        desk = new DoorDesk(folder);
        ann = desk.somebody("ann");
        door = ann.evil("evil");
        int port = ann.state("evil", "web").path("port").asInt();
        for (String name : List.of("faulty", "talks", "mute", "tires")) {
            on(name, name, port);
        }
        on("minute", "talks", port);
        on("minute-of-api", "talks", port);
    }

    private static void on(String name, String recipe, int port) {
        ann.on("evil", name, "{\"recipe\":\"" + recipe + "\",\"port\":\"" + port + "\"}");
        ann.ready("evil", name);
    }

    private static void recipe(Path recipes, String name, String more) throws IOException {
        Files.writeString(recipes.resolve(name + ".yaml"), "title: " + name + "\nprobe: {path: /}\n" + more + "\n");
    }

    @AfterAll
    static void close() {
        ann.stop("evil");
        desk.close();
    }

    private static JsonNode check(String name, int silence) throws IOException {
        var answer = ann.call("POST", ann.endpoint("evil", name) + "/check", "{\"silence\":" + silence + "}");
        assertThat(answer.statusCode()).isEqualTo(200);
        return DoorDesk.JSON.readTree(answer.body());
    }

    private static JsonNode over(String name) {
        var last = new JsonNode[1];
        DoorDesk.until("the check is over", () -> {
            last[0] = known(name);
            return last[0].path("over").asBoolean();
        });
        return last[0];
    }

    private static JsonNode known(String name) {
        try {
            return DoorDesk.JSON.readTree(
                    ann.call("GET", ann.endpoint("evil", name) + "/check", null).body());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> hops(JsonNode check) {
        List<String> hops = new ArrayList<>();
        check.path("steps").forEach(step -> hops.add(step.path("step").asText()));
        return hops;
    }

    private static String detail(JsonNode check, String hop) {
        for (JsonNode step : check.path("steps")) {
            if (step.path("step").asText().equals(hop)) {
                return step.path("detail").asText();
            }
        }
        return "";
    }

    @Test
    void the_whole_way_is_gone_as_a_browser_goes_it() throws IOException {
        JsonNode answered = check("talks", 1);
        assertThat(hops(answered)).containsExactly("task", "port", "app", "door", "page", "asset", "socket", "silence");
        assertThat(answered.path("over").asBoolean()).isFalse();
        JsonNode check = over("talks");
        assertThat(check.path("failed").isNull()).as(check.toString()).isTrue();
        assertThat(detail(check, "silence")).contains("1 s");
        assertThat(detail(check, "door")).contains(".localhost:" + desk.port());
        check("web", 0);
        assertThat(detail(over("web"), "socket")).contains("of the gateway");
    }

    /** Of which the page speaks as a minute; who asks by the API without a number gets the same. */
    @Test
    void the_page_asks_for_a_minute_of_silence() throws IOException {
        var pressed = ann.call("POST", "/jobs/ann~evil/endpoints/minute/check", "{}");
        assertThat(pressed.statusCode()).isEqualTo(303);
        DoorDesk.until(
                "the silence has begun",
                () -> detail(known("minute"), "silence").contains("silent for 60 s"));
        assertThat(known("minute").path("over").asBoolean()).isFalse();
        var asked = ann.call("POST", ann.endpoint("evil", "minute-of-api") + "/check", "{}");
        assertThat(detail(DoorDesk.JSON.readTree(asked.body()), "silence")).contains("silent for 60 s");
    }

    @Test
    void the_hop_that_fails_is_named_and_nothing_after_it_is_tried() throws IOException {
        check("faulty", 0);
        JsonNode faulty = over("faulty");
        assertThat(faulty.path("failed").asText()).isEqualTo("app");
        assertThat(hops(faulty)).endsWith("app");
        assertThat(detail(faulty, "app")).contains("/status?s=500").contains("500");
        check("mute", 0);
        assertThat(over("mute").path("failed").asText()).isEqualTo("socket");
        check("tires", 1);
        JsonNode tires = over("tires");
        assertThat(tires.path("failed").asText()).isEqualTo("silence");
        assertThat(detail(tires, "silence")).contains("within 1 s").contains("closed");
    }

    @Test
    void what_is_off_or_gone_is_told_of_and_nonsense_refused() throws IOException {
        ann.start("gone");
        ann.call("DELETE", ann.endpoint("gone", "web"), null);
        ann.becomes("gone", "web", "off");
        var off = ann.call("POST", ann.endpoint("gone", "web") + "/check", "{}");
        assertThat(off.body()).contains("\"failed\":\"task\"").contains("off");
        ann.stop("gone");
        for (String silence : List.of("61", "-1", "\"x\"", "1.5")) {
            assertThat(ann.call("POST", ann.endpoint("evil", "web") + "/check", "{\"silence\":" + silence + "}")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void a_check_leaves_nothing_open() throws IOException {
        check("web", 0);
        over("web");
        DoorDesk.until(
                "its pass is gone",
                () -> desk.server
                                .database()
                                .pool()
                                .preparedQuery("SELECT 1 FROM endpoint_passes WHERE endpoint = $1")
                                .execute(Tuple.of(door.host().substring(0, 20)))
                                .toCompletionStage()
                                .toCompletableFuture()
                                .join()
                                .size()
                        == 1);
        assertThat(desk.raw(door.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(200);
    }

    @Test
    void a_browser_finds_out_whether_it_gets_here_and_nothing_else() {
        for (String host : List.of("probe.localhost", door.host())) {
            Answer answer = desk.raw("GET /.sluice/probe HTTP/1.1\r\nHost: " + host
                    + "\r\nOrigin: http://elsewhere.example\r\nConnection: close\r\n\r\n");
            assertThat(answer.body()).isEqualTo("sluice");
            assertThat(answer.field("Access-Control-Allow-Origin")).isEqualTo("*");
            assertThat(answer.fields("Set-Cookie")).isEmpty();
        }
        assertThat(desk.raw(door.request("POST", "/.sluice/probe", "Content-Length: 0", "Connection: close"))
                        .status())
                .isNotEqualTo(200);
        var stranger = new Door(door.host(), "none=1", "", "");
        assertThat(desk.raw(stranger.upgrade("/.sluice/echo", "Origin: " + door.origin()), 3_000)
                        .status())
                .isEqualTo(401);
        assertThat(desk.raw(door.upgrade("/.sluice/echo", "Origin: http://elsewhere.example"), 3_000)
                        .status())
                .isEqualTo(403);
        assertThat(desk.raw(door.upgrade("/.sluice/echo", "Origin: " + door.origin()), 1_000)
                        .status())
                .isEqualTo(101);
    }

    @Test
    void an_administrator_is_told_how_apps_are_reached() throws IOException {
        var boss = desk.administrator("boss");
        var page = boss.call("GET", "/endpoints", null);
        assertThat(page.body())
                .contains("*.localhost")
                .contains("http://probe.localhost:" + desk.port() + "/.sluice/probe");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("connect-src 'self' http://probe.localhost:" + desk.port() + "/.sluice/probe;");
        assertThat(ann.call("GET", "/endpoints", null).statusCode()).isEqualTo(403);
    }
}
