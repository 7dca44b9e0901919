package io.sluice.endpoints.road.lines;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponse;
import io.prometheus.client.CollectorRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinesTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final Vertx vertx = Vertx.vertx();
    private final EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
    /** What each connection of the app is answered, question by question. */
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private final Object browser = new Object();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private ServerSocket app;
    private Lines lines;

    @BeforeEach
    void listen() throws IOException {
        app = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        lines = new Lines(
                vertx, new LinesMetrics(registry), SocketAddress.inetSocketAddress(app.getLocalPort(), "127.0.0.1"));
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket socket = app.accept();
                    connections.add(socket);
                    Thread.ofVirtual().start(() -> serve(socket));
                }
            } catch (IOException closed) {
                assertThat(app.isClosed()).isTrue();
            }
        });
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line; (line = in.readLine()) != null; ) {
                if (line.isEmpty()) {
                    String answer = answers.take();
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                    if (answer.contains("Until: close")) {
                        return;
                    }
                }
            }
        } catch (SocketException closed) {
            assertThat(closed).hasMessageMatching("(?i).*(reset|closed|broken pipe).*");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void close() throws Exception {
        lines.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(5, TimeUnit.SECONDS);
        app.close();
    }

    /** Asks as soon as it has a line, and keeps what it hears. */
    private static final class Asker implements Talk {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final boolean onlyHead;
        private final boolean whole;
        private final Object origin;

        Asker(Object origin, boolean onlyHead, boolean whole) {
            this.origin = origin;
            this.onlyHead = onlyHead;
            this.whole = whole;
        }

        @Override
        public boolean isWanted() {
            return true;
        }

        @Override
        public Object origin() {
            return origin;
        }

        @Override
        public void connected(Line line) {
            line.ask(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII), onlyHead, whole);
        }

        @Override
        public void answered(HttpResponse head) {
            heard.add("" + head.status().code());
        }

        @Override
        public void heard(ByteBuf bytes) {
            heard.add(bytes.toString(StandardCharsets.ISO_8859_1));
            bytes.release();
        }

        @Override
        public void quiet() {}

        @Override
        public void ended() {
            heard.add("end");
        }

        @Override
        public void drained() {}

        @Override
        public void broken(Throwable cause) {
            heard.add("broken");
        }

        String next() throws InterruptedException {
            String next = heard.poll(10, TimeUnit.SECONDS);
            assertThat(next).as("something is heard").isNotNull();
            return next;
        }
    }

    private Asker asked(boolean onlyHead, boolean whole, boolean fresh) {
        return asked(browser, onlyHead, whole, fresh);
    }

    private Asker asked(Object origin, boolean onlyHead, boolean whole, boolean fresh) {
        var asker = new Asker(origin, onlyHead, whole);
        loop.execute(() -> lines.lend(loop, asker, fresh));
        return asker;
    }

    private Asker asked() {
        return asked(false, true, false);
    }

    private void answerWith(String answer) {
        answers.add(answer.replace("\n", "\r\n"));
    }

    @Test
    void a_line_that_rests_is_used_again_unless_a_fresh_one_is_wanted() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            answerWith("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi");
            Asker asker = asked();
            assertThat(List.of(asker.next(), asker.next(), asker.next())).containsExactly("200", "hi", "end");
        }
        assertThat(connections).hasSize(1);
        answerWith("HTTP/1.1 204 No Content\n\n");
        Asker fresh = asked(false, true, true);
        assertThat(List.of(fresh.next(), fresh.next())).containsExactly("204", "end");
        assertThat(connections).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n\n",
                "HTTP/1.0 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\nmore than was said"
            })
    void a_line_of_which_more_could_come_is_nobody_elses(String answer) throws InterruptedException {
        answerWith(answer);
        Asker first = asked();
        assertThat(List.of(first.next(), first.next())).containsExactly("200", "end");
        answerWith("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi");
        Asker second = asked();
        assertThat(List.of(second.next(), second.next())).containsExactly("200", "hi");
        assertThat(connections).hasSize(2);
    }

    @Test
    void a_line_that_was_just_used_is_not_another_browsers() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            answerWith("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
            Asker asker = asked(new Object(), false, true, false);
            assertThat(List.of(asker.next(), asker.next())).containsExactly("200", "end");
        }
        assertThat(connections).hasSize(2);
    }

    @Test
    void an_answer_to_half_a_question_ends_the_line() throws InterruptedException {
        answerWith("HTTP/1.1 413 Too Large\nContent-Length: 0\n\n");
        Asker early = asked(false, false, false);
        assertThat(List.of(early.next(), early.next())).containsExactly("413", "end");
        answerWith("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
        assertThat(asked().next()).isEqualTo("200");
        assertThat(connections).hasSize(2);
    }

    @Test
    void of_an_answer_to_head_there_is_only_the_head() throws InterruptedException {
        answerWith("HTTP/1.1 200 OK\nContent-Length: 5000\n\n");
        Asker asker = asked(true, true, false);
        assertThat(List.of(asker.next(), asker.next())).containsExactly("200", "end");
    }

    @Test
    void what_is_said_before_the_answer_is_none() throws InterruptedException {
        answerWith("HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nhi");
        Asker asker = asked();
        assertThat(List.of(asker.next(), asker.next(), asker.next())).containsExactly("200", "hi", "end");
    }

    @Test
    void an_answer_without_a_length_ends_with_its_line() throws InterruptedException {
        answerWith("HTTP/1.1 200 OK\nUntil: close\n\nhi");
        Asker asker = asked();
        assertThat(List.of(asker.next(), asker.next(), asker.next())).containsExactly("200", "hi", "end");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\nUntil: close\nContent-Length: 9\n\nhi",
                "HTTP/1.1 200 OK\nUntil: close\nTransfer-Encoding: chunked\n\n2\nhi\n",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nnothing\n",
            })
    void half_an_answer_is_none(String answer) throws InterruptedException {
        answerWith(answer);
        Asker asker = asked();
        assertThat(asker.next()).isEqualTo("200");
        String next = asker.next();
        assertThat(next.equals("hi") ? asker.next() : next).isEqualTo("broken");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no HTTP at all\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\nhi",
                "HTTP/1.1 200 OK\nContent-Length: -2\n\n",
                "HTTP/1.1 42 The Answer\n\n",
                "HTTP/1.1 099 Low\nContent-Length: 0\n\n",
                "HTTP/1.1 -200 Negative\n\n",
                "HTTP/1.1 +200 Signed\n\n",
                "HTTP/1.1 2000 Long\n\n",
                "HTTP/1.1 600 High\n\n",
                "HTTP/1.1 2OO Letters\n\n",
                "HTTP/1.1 ２００ Wide\n\n",
                "HTTP/1.1\n\n",
                "HTTP/1.1200 OK\n\n",
                "HTTP/2.0 200 OK\nContent-Length: 0\n\n",
                "HTTP/0.9 200 OK\nContent-Length: 0\n\n",
                "HTTPS/1.1 200 OK\nContent-Length: 0\n\n",
                "ICY 200 OK\n\n",
                "RTSP/1.0 200 OK\nContent-Length: 0\n\n",
                "200 OK\n\n",
                "GET / HTTP/1.1\nHost: you\n\n",
                "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n"
            })
    void what_is_no_answer_breaks_the_line(String answer) throws InterruptedException {
        answerWith(answer);
        assertThat(asked().next()).isEqualTo("broken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200\n", "HTTP/1.1 200 \n", "\n\nHTTP/1.1 200 OK\n", "HTTP/1.0 200 OK\n"})
    void what_can_be_read_in_one_way_only_is_an_answer(String head) throws InterruptedException {
        answerWith(head + "Content-Length: 2\n\nhi");
        Asker asker = asked();
        assertThat(List.of(asker.next(), asker.next(), asker.next())).containsExactly("200", "hi", "end");
    }

    @Test
    void who_only_says_that_an_answer_will_come_is_not_waited_for() throws InterruptedException {
        answerWith("HTTP/1.1 102 Processing\n\n".repeat(Line.INTERIM) + "HTTP/1.1 204 No Content\n\n");
        assertThat(asked().next()).isEqualTo("204");
        answerWith("HTTP/1.1 100 Continue\n\n".repeat(Line.INTERIM + 1));
        assertThat(asked().next()).isEqualTo("broken");
    }

    @Test
    void beyond_the_limit_talks_wait_for_their_turn() throws InterruptedException {
        for (int i = 0; i < Lines.MOST; i++) {
            asked();
        }
        Asker last = asked();
        waits(1);
        for (int i = 0; i <= Lines.MOST; i++) {
            answerWith("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
        }
        assertThat(last.next()).isEqualTo("200");
        waits(0);
        assertThat(connections).hasSizeLessThanOrEqualTo(Lines.MOST + 1);
    }

    /** As the metrics have it. */
    private void waits(int talks) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                registry.getSampleValue("sluice_endpoints_lines_waiting") != talks; ) {
            assertThat(System.nanoTime()).as(talks + " wait").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void who_waits_for_a_line_for_too_long_is_told() throws InterruptedException {
        lines = new Lines(
                vertx,
                new LinesMetrics(new CollectorRegistry()),
                SocketAddress.inetSocketAddress(app.getLocalPort(), "127.0.0.1"),
                1);
        for (int i = 0; i < Lines.MOST; i++) {
            asked();
        }
        assertThat(asked().next()).isEqualTo("broken");
    }

    @Test
    void who_talks_or_comes_when_the_app_goes_is_told() throws InterruptedException {
        Asker talking = asked();
        answerWith("HTTP/1.1 200 OK\nContent-Length: 9\n\nhi");
        assertThat(talking.next()).isEqualTo("200");
        assertThat(talking.next()).isEqualTo("hi");
        lines.close();
        assertThat(talking.next()).isEqualTo("broken");
        assertThat(asked().next()).isEqualTo("broken");
        var tunnel = new Asker(browser, false, true);
        loop.execute(() -> lines.open(loop, tunnel));
        assertThat(tunnel.next()).isEqualTo("broken");
    }

    @Test
    void nobody_there_is_told() throws IOException, InterruptedException {
        int nobodys;
        try (var gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobodys = gone.getLocalPort();
        }
        lines = new Lines(
                vertx,
                new LinesMetrics(new CollectorRegistry()),
                SocketAddress.inetSocketAddress(nobodys, "127.0.0.1"));
        assertThat(asked().next()).isEqualTo("broken");
    }
}
