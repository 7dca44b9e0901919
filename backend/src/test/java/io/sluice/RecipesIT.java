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
        // it says what it does, and is not done before it may
        Files.writeString(recipes.resolve("made.yaml"), """
                title: Made
                detect: command -v made-here
                install: |
                  echo "fetches the program"
                  echo "$TOOLS" >> "$HOME/made.times"
                  until [ -e "$HOME/made.go" ]; do sleep 0.1; done
                  mkdir -p "$TOOLS/bin"
                  printf '#!/bin/sh\\nexec python3 -m http.server "$2" --bind "$1" --directory /userhome/pages\\n' > "$TOOLS/bin/made-here"
                  chmod +x "$TOOLS/bin/made-here"
                start: exec made-here "$HOST" "$PORT"
                probe: {path: /, status: 200}
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
        program("code-server", """
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
        ann.submit("code", "sleep 600", withPrograms("code-server"));
        ann.ready("code", "code-server");
        assertThat(get(ann.door("code", "code-server"), "/").body())
                .contains("\"disable_telemetry\": true", "\"disable_update_check\": true", "\"folder\": \"/userhome\"");
        ann.stop("code");
    }

    @Test
    void what_is_installed_says_so_is_there_for_later_jobs_and_is_never_installed_by_two_at_once() throws IOException {
        Files.createDirectories(ann.home().resolve("pages"));
        for (String job : List.of("first", "second")) {
            ann.submit(job, "sleep 600", extras("made"));
        }
        DoorDesk.until("both wait for it", () -> isInstalling("first") && isInstalling("second"));
        DoorDesk.until(
                "one installs",
                () -> lines("first").contains("fetches the program")
                        || lines("second").contains("fetches the program"));
        String installs = lines("first").isEmpty() ? "second" : "first";
        assertThat(ann.call("GET", "/jobs/ann~" + installs + "/panels/endpoints", null)
                        .body())
                .contains("fetches the program")
                .contains("being installed into your own folder");
        Files.createFile(ann.home().resolve("made.go"));
        ann.submit("third", "sleep 600", extras("made"));
        for (String job : List.of("first", "second", "third")) {
            ann.ready(job, "made");
            assertThat(get(ann.door(job, "made"), "/").status()).as(job).isEqualTo(200);
            ann.stop(job);
        }
        assertThat(Files.readAllLines(ann.home().resolve("made.times")))
                .singleElement()
                .asString()
                .startsWith("/userhome/.sluice/tools/made-");
    }

    private static boolean isInstalling(String job) {
        return ann.state(job, "made").path("reason").asText().contains("being installed");
    }

    private static String lines(String job) {
        return ann.state(job, "made").path("lines").asText();
    }

    /** Scripts written for Apulis and DLWorkspace put their events there. TensorBoard itself is tried in {@code NotebookIT}. */
    @Test
    void tensorboard_reads_where_scripts_write_that_call_the_job_by_its_id() throws IOException {
        program("tensorboard", """
                import argparse, http.server, json, os
                flags = argparse.ArgumentParser(allow_abbrev=False)
                for name in ["--host", "--port", "--logdir"]:
                    flags.add_argument(name, required=True)
                given = flags.parse_args()
                class App(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        self.send_response(200)
                        self.end_headers()
                        self.wfile.write(json.dumps([given.logdir, os.listdir(given.logdir)]).encode())
                http.server.ThreadingHTTPServer((given.host, int(given.port)), App).serve_forever()
                """);
        ann.submit(
                "board",
                "logs=~/tensorboard/$DLWS_JOB_ID/logs; mkdir -p $logs; echo $logs > ~/board.logs; touch $logs/events; sleep 600",
                withPrograms("tensorboard"));
        ann.ready("board", "tensorboard");
        Door board = ann.door("board", "tensorboard");
        DoorDesk.until(
                "the events are there", () -> get(board, "/data/logdir").body().contains("\"events\""));
        String logs = Files.readString(ann.home().resolve("board.logs")).strip();
        assertThat(logs).matches("/userhome/tensorboard/\\d+/logs");
        assertThat(get(board, "/data/logdir").body()).contains("\"" + logs + "\"");
        ann.stop("board");
    }

    /** In the home, as a stand-in for the one of this name. */
    private static void program(String name, String python) throws IOException {
        Path program = Files.createDirectories(ann.home().resolve("bin")).resolve(name);
        Files.writeString(program, "#!/usr/bin/env python3\n" + python);
        assertThat(program.toFile().setExecutable(true, false)).isTrue();
    }

    private static Map<String, Object> withPrograms(String endpoint) {
        return Map.of(
                "sluice",
                Map.of(
                        "environment", Map.of("PATH", "/userhome/bin:/usr/local/bin:/usr/bin:/bin"),
                        "endpoints", List.of(endpoint)));
    }
}
