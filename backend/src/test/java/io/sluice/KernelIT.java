package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real kernel under a gateway that restarts: what it has computed is still there. */
@Tag("notebooks")
class KernelIT {
    private static final Path APPS = Path.of("/opt/sluice-test/apps/bin");

    @TempDir
    private Path folder;

    @Test
    void a_kernel_keeps_its_state_while_the_gateway_restarts() throws Exception {
        try (var desk = new DoorDesk(folder)) {
            var ann = desk.somebody("ann");
            ann.submit(
                    "lab",
                    "sleep 600",
                    Map.of(
                            "sluice",
                            Map.of(
                                    "environment", Map.of("PATH", APPS + ":/usr/local/bin:/usr/bin:/bin"),
                                    "endpoints", List.of("jupyterlab"))));
            ann.ready("lab", "jupyterlab");
            Door lab = ann.door("lab", "jupyterlab");
            String kernel = kernel(desk, lab);
            var cut = new CountDownLatch(1);
            WebSocket before = channel(desk, lab, kernel);
            before.closeHandler(closed -> cut.countDown());
            assertThat(printed(before, "state = 41; print(state)")).isEqualTo("41\n");
            desk.server.restart();
            assertThat(cut.await(5, TimeUnit.SECONDS)).isTrue();
            DoorDesk.until(
                    "the lab is open again to the same browser",
                    () -> get(desk, lab, "/api/kernels/" + kernel).status() == 200);
            assertThat(printed(channel(desk, lab, kernel), "print(state + 1)")).isEqualTo("42\n");
            ann.stop("lab");
        }
    }

    private static Answer get(DoorDesk desk, Door door, String uri) {
        return desk.raw(door.request("GET", uri, "Connection: close"));
    }

    private static String kernel(DoorDesk desk, Door lab) throws IOException {
        Answer made = desk.raw(lab.request(
                        "POST",
                        "/api/kernels",
                        "Origin: " + lab.origin(),
                        "Content-Type: application/json",
                        "Content-Length: 2",
                        "Connection: close")
                + "{}");
        return DoorDesk.JSON.readTree(made.body()).path("id").asText();
    }

    private static WebSocket channel(DoorDesk desk, Door lab, String kernel) {
        var options = new WebSocketConnectOptions();
        options.setServer(SocketAddress.inetSocketAddress(desk.port(), "127.0.0.1"))
                .setHost(lab.host().replaceFirst(":.*", ""))
                .setPort(desk.port())
                .setURI("/api/kernels/" + kernel + "/channels");
        options.addHeader("Cookie", lab.cookie()).addHeader("Origin", lab.origin());
        return desk.server
                .vertx()
                .createWebSocketClient(new WebSocketClientOptions().setMaxMessageSize(1 << 20))
                .connect(options)
                .await();
    }

    /** What a cell that is run prints. */
    private static String printed(WebSocket channel, String code) throws InterruptedException {
        String id = UUID.randomUUID().toString();
        var heard = new AtomicReference<>("");
        var printed = new CountDownLatch(1);
        channel.textMessageHandler(text -> {
            JsonNode message = read(text);
            boolean mine = message.path("parent_header").path("msg_id").asText().equals(id);
            if (mine && message.path("msg_type").asText().equals("stream")) {
                heard.set(message.path("content").path("text").asText());
                printed.countDown();
            }
        });
        var message = DoorDesk.JSON.createObjectNode().put("channel", "shell");
        message.putObject("header")
                .put("msg_id", id)
                .put("msg_type", "execute_request")
                .put("username", "")
                .put("session", id)
                .put("date", "2026-01-01T00:00:00Z")
                .put("version", "5.3");
        message.putObject("parent_header");
        message.putObject("metadata");
        message.putObject("content")
                .put("code", code)
                .put("silent", false)
                .put("store_history", false)
                .put("allow_stdin", false)
                .put("stop_on_error", true)
                .putObject("user_expressions");
        message.putArray("buffers");
        channel.writeTextMessage(message.toString()).await();
        assertThat(printed.await(30, TimeUnit.SECONDS)).as(heard.get()).isTrue();
        return Objects.requireNonNull(heard.get());
    }

    private static JsonNode read(String text) {
        try {
            return DoorDesk.JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
