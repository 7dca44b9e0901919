package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Terminals in tasks, as a browser has them: over a WebSocket that may break, with a real shell at the other end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class TerminalIT {
    private static final int WINDOW = 128 << 10;
    private static final int PIECE = 16 << 10;

    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static WebSocketClient client;
    private static DoorDesk.Somebody ann;
    private static DoorDesk.Somebody bob;

    /** With the engine that tasks are to have. */
    DoorDesk desk(Path data) throws Exception {
        return new DoorDesk(data);
    }

    @BeforeAll
    void open() throws Exception {
        desk = desk(folder);
        client = desk.server.vertx().createWebSocketClient();
        ann = desk.somebody("ann");
        bob = desk.somebody("bob");
    }

    @AfterAll
    void close() {
        desk.close();
    }

    /** A job that runs. */
    private static void started(DoorDesk.Somebody who, String job) {
        who.submit(job, "sleep 600", Map.of());
        DoorDesk.until(
                job + " runs",
                () -> who.call("GET", "/api/v2/jobs/" + who.name() + "~" + job, null)
                        .body()
                        // of the task: a job runs from when it has a place
                        .contains("\"taskState\":\"RUNNING\""));
    }

    /** One that a page has open. */
    private static final class Window {
        final ClientWebSocket socket;
        private final Buffer shown = Buffer.buffer();
        private final List<JsonNode> words = new ArrayList<>();
        private boolean draws = true;

        Window(ClientWebSocket socket) {
            this.socket = socket;
            socket.binaryMessageHandler(this::show);
            socket.textMessageHandler(this::hear);
        }

        private synchronized void show(Buffer piece) {
            shown.appendBuffer(piece);
            if (draws) {
                draw();
            }
        }

        private void hear(String text) {
            try {
                synchronized (this) {
                    words.add(DoorDesk.JSON.readTree(text));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        synchronized void draws(boolean now) {
            draws = now;
            if (now) {
                draw();
            }
        }

        private void draw() {
            long offset = words.getFirst().path("offset").asLong() + shown.length();
            socket.writeTextMessage("{\"type\":\"read\",\"offset\":" + offset + "}");
        }

        synchronized int size() {
            return shown.length();
        }

        synchronized String text() {
            return shown.toString(StandardCharsets.UTF_8);
        }

        synchronized JsonNode word(String type) {
            return words.stream()
                    .filter(word -> word.path("type").asText().equals(type))
                    .findFirst()
                    .orElse(DoorDesk.JSON.createObjectNode());
        }

        Window type(String keys) {
            socket.writeBinaryMessage(Buffer.buffer(keys));
            return this;
        }

        void shows(String text) {
            try {
                DoorDesk.until("it shows " + text, () -> text().contains(text));
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + ", but shows: " + text() + words, e);
            }
        }

        String ends() {
            DoorDesk.until("it ends", () -> word("end").has("reason"));
            return word("end").path("reason").asText();
        }

        String id() {
            DoorDesk.until("it is greeted", () -> word("hello").has("terminal"));
            return word("hello").path("terminal").asText();
        }

        void leave() {
            await(socket.close());
        }
    }

    private static <T> T await(io.vertx.core.Future<T> future) {
        CompletableFuture<T> waited = future.toCompletionStage().toCompletableFuture();
        return waited.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static Window window(DoorDesk.Somebody who, String job, String more) {
        var options = new WebSocketConnectOptions()
                .setHost("127.0.0.1")
                .setPort(desk.port())
                .setURI("/live/jobs/" + job + "/terminal?role=main&index=0&columns=91&rows=33" + more)
                .addSubProtocol("sluice.terminal.v1")
                .addHeader("Authorization", "Bearer " + who.token);
        // some are closed as soon as they are open, so it listens before
        var window = new Window(client.webSocket());
        await(window.socket.connect(options));
        return window;
    }

    private static Window window(DoorDesk.Somebody who, String job) {
        return window(who, who.name() + "~" + job, "");
    }

    @Test
    void a_shell_in_the_task_has_a_size_speaks_utf_8_and_ends_with_its_code() {
        started(ann, "shell");
        var window = window(ann, "shell");
        window.type("stty size; pwd; echo grün-$((40 + 2)); echo $TERM\n").shows("grün-42");
        window.shows("33 91");
        window.shows("/userhome");
        window.shows("xterm-256color");
        window.socket.writeTextMessage("{\"type\":\"resize\",\"columns\":120,\"rows\":40}");
        // the size arrives beside what is typed, in its own time
        window.type("until [ \"$(stty size)\" = '40 120' ]; do sleep 0.1; done; echo now-$(stty size)\n");
        window.shows("now-40 120");
        window.type("é中".repeat(3) + "\u007f".repeat(6) + "echo back-$?\n").shows("back-0");
        window.type("exit 3\n");
        assertThat(window.ends()).isEqualTo("exit");
        assertThat(window.word("end").path("exitCode").asInt()).isEqualTo(3);
        ann.stop("shell");
    }

    @Test
    void who_comes_back_gets_what_was_missed_and_a_new_page_the_whole_screen() {
        started(ann, "lost");
        var window = window(ann, "lost");
        window.type("touch /tmp/go; echo first-$((1 + 1))\n").shows("first-2");
        String id = window.id();
        window.type("(while [ -e /tmp/go ]; do sleep 0.1; done; echo missed-$((2 + 2))) & echo begun-$!\n");
        window.shows("begun-");
        window.leave();
        int had = window.size();
        var again = window(ann, "ann~lost", "&terminal=" + id + "&offset=" + had);
        assertThat(again.id()).isEqualTo(id);
        assertThat(again.word("hello").path("offset").asInt()).isEqualTo(had);
        again.type("rm /tmp/go\n").shows("missed-4");
        assertThat(again.text()).doesNotContain("first-2");
        var fresh = window(ann, "ann~lost", "&terminal=" + id);
        fresh.shows("missed-4");
        assertThat(fresh.text()).contains("first-2");
        assertThat(again.ends()).isEqualTo("taken");
        ann.stop("lost");
        assertThat(fresh.ends()).isEqualTo("exit");
        assertThat(window(ann, "ann~lost", "&terminal=" + id).ends()).isEqualTo("gone");
        DoorDesk.until(
                "none runs",
                () -> ann.call("GET", "/api/v2/jobs/ann~lost", null).body().contains("\"STOPPED\""));
        assertThat(window(ann, "lost").ends()).isEqualTo("over");
    }

    @Test
    void a_stranger_finds_neither_the_task_nor_the_terminal() {
        started(ann, "mine");
        started(bob, "his");
        var window = window(ann, "mine");
        window.type("echo secret-$((3 + 3))\n").shows("secret-6");
        assertThatThrownBy(() -> window(bob, "ann~mine", "&terminal=" + window.id()))
                .hasRootCauseInstanceOf(UpgradeRejectedException.class)
                .rootCause()
                .hasMessageContaining("404");
        assertThat(window(bob, "bob~his", "&terminal=" + window.id()).ends()).isEqualTo("gone");
        ann.stop("mine");
        bob.stop("his");
    }

    /** Who may open one of their own there is not shown another's. */
    @Test
    void an_administrator_does_not_type_into_anothers_terminal_nor_its_owner_into_it_as_another_tasks() {
        started(ann, "own");
        started(ann, "other");
        var boss = desk.administrator("boss");
        String id = window(ann, "own").id();
        assertThat(window(boss, "ann~own", "&terminal=" + id).ends()).isEqualTo("gone");
        assertThat(window(ann, "ann~other", "&terminal=" + id).ends()).isEqualTo("gone");
        assertThat(window(ann, "ann~own", "&terminal=" + id).id()).isEqualTo(id);
        ann.stop("own");
        ann.stop("other");
    }

    @Test
    void a_program_that_prints_faster_than_it_is_drawn_waits_and_nothing_is_lost() {
        started(ann, "fast");
        var window = window(ann, "fast");
        window.type("stty -echo; echo ready-$((4 + 4))\n").shows("ready-8");
        window.draws(false);
        int before = window.size();
        window.type("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo done-$((5 + 5))\n");
        DoorDesk.until("the window is full", () -> window.size() - before >= WINDOW - PIECE);
        assertThat(window.size() - before).isLessThanOrEqualTo(WINDOW + 2 * PIECE);
        assertThat(window.text()).doesNotContain("done-10");
        window.draws(true);
        window.shows("done-10");
        assertThat(window.text().chars().filter(letter -> letter == 'x').count())
                .isEqualTo(3_000_000);
        ann.stop("fast");
    }

    @Test
    void one_user_has_so_many_at_once_and_a_closed_account_none() {
        var eve = desk.somebody("eve");
        started(eve, "many");
        var windows = new ArrayList<Window>();
        for (int i = 0; i < 10; i++) {
            windows.add(window(eve, "many"));
            windows.getLast().id();
        }
        var refused = window(eve, "many");
        assertThat(refused.ends()).isEqualTo("limit");
        assertThat(refused.word("end").path("detail").asText()).isEqualTo("10");
        windows.getFirst().type("exit\n");
        assertThat(windows.getFirst().ends()).isEqualTo("exit");
        var last = window(eve, "many");
        last.id();
        desk.crowd.disable(eve.person);
        DoorDesk.until("it is closed", last.socket::isClosed);
        assertThat(last.socket.closeStatusCode()).isEqualTo((short) 4401);
    }
}
