package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that are started in jobs, by recipes that an administrator adds. */
class RecipesIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;

    @BeforeAll
    static void open() throws IOException {
        Path recipes = Files.createDirectories(folder.resolve("recipes"));
        Files.writeString(recipes.resolve("pages.yaml"), """
                title: {en: Pages, zh: 网页}
                detect: command -v python3
                start: |
                  cd "$OPTION_FOLDER" || exit 9
                  echo "serves $OPTION_FOLDER with $SECRET" | sed "s/$SECRET/a secret/"
                  exec python3 -m http.server "$PORT" --bind "$HOST"
                options:
                  folder: {title: Folder, default: /userhome}
                probe: {path: /, status: 200}
                """);
        Files.writeString(recipes.resolve("missing.yaml"), """
                title: Nowhere
                detect: command -v no-such-program
                install: echo trying to install; exit 1
                missing: put it into the image
                start: exec no-such-program
                """);
        desk = new DoorDesk(folder);
        ann = desk.somebody("ann");
    }

    @AfterAll
    static void close() {
        desk.close();
    }

    private static Map<String, Object> extras(Object... endpoints) {
        return Map.of("sluice", Map.of("endpoints", List.of(endpoints)));
    }

    private static Answer get(Door door, String uri) {
        return desk.raw(door.request("GET", uri, "Connection: close"));
    }

    @Test
    void an_administrators_recipe_needs_no_code() throws IOException {
        Files.createDirectories(ann.home().resolve("pages"));
        Files.writeString(ann.home().resolve("pages/index.html"), "<h1>mine</h1>");
        ann.submit(
                "own",
                "sleep 600",
                extras(Map.of("recipe", "pages", "name", "site", "options", Map.of("folder", "/userhome/pages"))));
        ann.ready("own", "site");
        assertThat(get(ann.door("own", "site"), "/").body()).isEqualTo("<h1>mine</h1>");
        ann.call("DELETE", ann.endpoint("own", "site"), null);
        ann.becomes("own", "site", "off");
        ann.on("own", "site", "{\"recipe\":\"pages\"}");
        ann.ready("own", "site");
        assertThat(get(ann.door("own", "site"), "/").body()).contains("pages/");
        ann.stop("own");
        ann.becomes("own", "site", "ended");
    }

    @Test
    void what_can_not_be_had_or_ends_says_why_with_its_last_lines() {
        ann.submit(
                "sad",
                "sleep 600",
                extras("missing", Map.of("recipe", "pages", "options", Map.of("folder", "/nowhere"))));
        assertThat(ann.becomes("sad", "missing", "failed").path("reason").asText())
                .contains("could not be installed");
        assertThat(ann.state("sad", "missing").path("lines").asText()).contains("trying to install");
        var pages = ann.becomes("sad", "pages", "failed");
        assertThat(pages.path("reason").asText()).isEqualTo("The program ended with code 9.");
        assertThat(pages.path("lines").asText()).contains("/nowhere");
        ann.stop("sad");
    }

    @Test
    void a_program_that_is_killed_is_told_of_and_can_be_started_again() {
        ann.submit(
                "killed",
                "sleep 3; touch /tmp/go; until pkill -f 'http.server'; do sleep 0.1; done; sleep 600",
                extras("pages"));
        ann.becomes("killed", "pages", "failed");
        ann.on("killed", "pages", "{\"recipe\":\"pages\"}");
        ann.ready("killed", "pages");
        ann.stop("killed");
    }

    @Test
    void a_wish_that_can_not_be_granted_says_what_can() {
        ann.submit("wishes", "sleep 600", Map.of());
        assertThat(wish("wishes", "x", "{\"recipe\":\"nothing\"}"))
                .contains("400")
                .contains("jupyterlab");
        assertThat(wish("wishes", "X!", "{\"recipe\":\"port\"}"))
                .contains("400")
                .contains("small letters");
        assertThat(wish("wishes", "x", "{\"recipe\":\"port\",\"port\":\"22\"}"))
                .contains("400")
                .contains("1024");
        assertThat(wish("wishes", "x", "{\"recipe\":\"port\",\"host\":\"10.0.0.1\"}"))
                .contains("400")
                .contains("has no host");
        assertThat(wish("wishes", "x", "{\"recipe\":\"port\",\"role\":\"none\"}"))
                .contains("400")
                .contains("main");
        assertThat(wish("wishes", "x", "{\"recipe\":\"port\",\"index\":5}"))
                .contains("400")
                .contains("0 to 0");
        assertThat(wish("wishes", "x", "{\"recipe\":\"pages\",\"options\":{\"nope\":\"1\"}}"))
                .contains("400")
                .contains("nope");
        assertThat(wish("wishes", "x", "{\"recipe\":\"pages\",\"port\":\"8080\"}"))
                .contains("400");
        assertThat(wish("none", "x", "{\"recipe\":\"port\"}")).contains("404");
        ann.on("wishes", "label", "{\"recipe\":\"port\",\"port\":\"nolabel\"}");
        assertThat(ann.becomes("wishes", "label", "failed").path("reason").asText())
                .isEqualTo("The task has no port nolabel.");
        ann.on("wishes", "silent", "{\"recipe\":\"port\",\"port\":\"23456\"}");
        ann.becomes("wishes", "silent", "starting");
        assertThat(ann.call("POST", ann.endpoint("wishes", "silent") + "/check", "{}")
                        .body())
                .contains("\"failed\":\"port\"")
                .contains("23456");
        ann.stop("wishes");
    }

    private static String wish(String job, String name, String body) {
        var answer = ann.call("PUT", ann.endpoint(job, name).replace("!", "%21"), body);
        return answer.statusCode() + " " + answer.body();
    }

    /** code-server itself can not be had on every machine: a stand-in of its name, which takes its flags and no others. */
    @Test
    void code_server_is_begun_as_it_wants_to_be() throws IOException {
        Path program = Files.createDirectories(ann.home().resolve("bin")).resolve("code-server");
        Files.writeString(program, """
                #!/usr/bin/env python3
                import argparse, http.server, json
                flags = argparse.ArgumentParser(allow_abbrev=False)
                flags.add_argument("--bind-addr", required=True)
                flags.add_argument("--auth", choices=["none"], required=True)
                flags.add_argument("--disable-telemetry", action="store_true")
                flags.add_argument("--disable-update-check", action="store_true")
                flags.add_argument("folder")
                given = flags.parse_args()
                class App(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        known = self.path in ["/", "/healthz"]
                        self.send_response(200 if known else 404)
                        self.end_headers()
                        self.wfile.write(json.dumps(vars(given)).encode())
                host, port = given.bind_addr.rsplit(":", 1)
                http.server.ThreadingHTTPServer((host, int(port)), App).serve_forever()
                """);
        assertThat(program.toFile().setExecutable(true, false)).isTrue();
        ann.submit(
                "code",
                "sleep 600",
                Map.of(
                        "sluice",
                        Map.of(
                                "environment", Map.of("PATH", "/userhome/bin:/usr/local/bin:/usr/bin:/bin"),
                                "endpoints", List.of("code-server"))));
        ann.ready("code", "code-server");
        assertThat(get(ann.door("code", "code-server"), "/").body())
                .contains("\"disable_telemetry\": true", "\"disable_update_check\": true", "\"folder\": \"/userhome\"");
        ann.stop("code");
    }
}
