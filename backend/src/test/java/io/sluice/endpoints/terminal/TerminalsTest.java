package io.sluice.endpoints.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.endpoints.terminal.Terminals.Limits;
import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How terminals end that nobody needs, with a shell that says nothing in the place of a task's. */
class TerminalsTest {
    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofHours(1);

    private final Vertx vertx = Vertx.vertx();
    // one that nobody holds is closed
    private final WebSocketClient client = vertx.createWebSocketClient();
    private final BlockingQueue<String> audit = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> words = new LinkedBlockingQueue<>();
    private final Logger log = Logger.getLogger("io.sluice.identity.audit");
    private final java.util.logging.Handler listening = new java.util.logging.Handler() {
        @Override
        public void publish(LogRecord event) {
            // others are tested beside this
            if (event.getMessage().contains("\"event\":\"terminal-")) {
                audit.add(event.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private @Nullable Level before;

    @BeforeEach
    void listen() {
        before = log.getLevel();
        log.setLevel(Level.INFO);
        log.addHandler(listening);
    }

    @AfterEach
    void close() {
        log.removeHandler(listening);
        log.setLevel(before);
        vertx.close().await();
    }

    /** Reads what is typed, and prints nothing until it is ended. */
    private static final class Silent implements Exec {
        final Promise<Integer> exit = Promise.promise();

        @Override
        public ReadStream<Buffer> output() {
            return new Nothing();
        }

        @Override
        public ReadStream<Buffer> errors() {
            return new Nothing();
        }

        @Override
        @SuppressWarnings("unchecked")
        public WriteStream<Buffer> input() {
            return (WriteStream<Buffer>) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {WriteStream.class},
                    (self, method, given) -> switch (method.getName()) {
                        case "write" -> Future.succeededFuture();
                        case "writeQueueFull" -> false;
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }

        @Override
        public Future<Integer> exit() {
            return exit.future();
        }

        @Override
        public Future<Void> resize(Command.Screen screen) {
            return Future.succeededFuture();
        }

        @Override
        public void end() {
            exit.tryComplete(137);
        }
    }

    private static final class Nothing implements ReadStream<Buffer> {
        @Override
        public ReadStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> handler) {
            return this;
        }

        @Override
        public ReadStream<Buffer> handler(@Nullable Handler<Buffer> handler) {
            return this;
        }

        @Override
        public ReadStream<Buffer> pause() {
            return this;
        }

        @Override
        public ReadStream<Buffer> resume() {
            return this;
        }

        @Override
        public ReadStream<Buffer> fetch(long amount) {
            return this;
        }

        @Override
        public ReadStream<Buffer> endHandler(@Nullable Handler<Void> handler) {
            return this;
        }
    }

    /** A browser with a terminal of ann's open. */
    private ClientWebSocket open(Exec shell, Limits limits) {
        return open(Future.succeededFuture(shell), Promise.promise(), limits);
    }

    /** @param gone when the gateway knows that the browser has left */
    private ClientWebSocket open(Future<Exec> shell, Promise<Void> gone, Limits limits) {
        Engine engine = (Engine) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Engine.class}, (self, method, given) -> {
                    if (!method.getName().equals("exec")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return shell;
                });
        var terminals = new Terminals(
                vertx,
                engine,
                (job, role, index) -> Future.succeededFuture(Optional.of("run")),
                limits,
                new CollectorRegistry());
        var visit = new Visit(1, "ann", 7, "ann~train", "main", 0, new Command.Screen(80, 24), null, 0);
        var server = vertx.createHttpServer()
                .webSocketHandler(socket -> {
                    socket.closeHandler(gone::tryComplete);
                    terminals.serve(visit, socket);
                })
                .listen(0, "127.0.0.1")
                .await();
        var socket = client.webSocket();
        socket.textMessageHandler(words::add);
        socket.connect(server.actualPort(), "127.0.0.1", "/").await();
        return socket;
    }

    private static String next(BlockingQueue<String> said) throws InterruptedException {
        String next = said.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return String.valueOf(next);
    }

    private void isAudited(String reason) throws InterruptedException {
        assertThat(List.of(next(audit), next(audit)))
                .satisfiesExactly(
                        opened -> assertThat(opened)
                                .contains("\"event\":\"terminal-opened\"")
                                .contains("\"user\":\"ann\",\"job\":\"ann~train\",\"task\":\"main/0\""),
                        ended -> assertThat(ended)
                                .contains("\"event\":\"terminal-ended\"")
                                .contains("\"user\":\"ann\",\"job\":\"ann~train\",\"task\":\"main/0\"")
                                .contains("\"reason\":\"" + reason + "\""));
    }

    @Test
    void one_in_which_nothing_is_typed_or_printed_ends_and_says_so() throws Exception {
        var shell = new Silent();
        open(shell, new Limits(10, 100, SOON, LONG));
        assertThat(next(words)).contains("\"hello\"");
        assertThat(next(words)).contains("\"type\":\"end\"").contains("\"reason\":\"idle\"");
        assertThat(shell.exit.future().isComplete()).isTrue();
        isAudited("idle");
    }

    @Test
    void one_that_nobody_looks_at_ends_though_its_shell_would_go_on() throws Exception {
        var shell = new Silent();
        var socket = open(shell, new Limits(10, 100, LONG, SOON));
        assertThat(next(words)).contains("\"hello\"");
        assertThat(shell.exit.future().isComplete()).isFalse();
        socket.close().await();
        isAudited("left");
        assertThat(shell.exit.future().isComplete()).isTrue();
    }

    @Test
    void who_leaves_while_the_shell_is_begun_leaves_one_that_nobody_looks_at() throws Exception {
        var shell = new Silent();
        Promise<Exec> begun = Promise.promise();
        Promise<Void> gone = Promise.promise();
        var socket = open(begun.future(), gone, new Limits(10, 100, LONG, SOON));
        socket.close().await();
        gone.future().await(20, TimeUnit.SECONDS);
        begun.complete(shell);
        isAudited("left");
        assertThat(shell.exit.future().isComplete()).isTrue();
    }

    /** The page's texts say two hours, and a quarter of one. */
    @Test
    void the_usual_limits_are_those_of_which_the_page_speaks() {
        assertThat(Limits.USUAL.idle()).isEqualTo(Duration.ofHours(2));
        assertThat(Limits.USUAL.left()).isEqualTo(Duration.ofMinutes(15));
    }
}
