package io.sluice.endpoints.checks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.endpoints.recipes.Recipe;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProbesTest {
    private static final Recipe.Probe PROBE = new Recipe.Probe("/", List.of(200));

    private final Vertx vertx = Vertx.vertx();
    private final Probes probes = new Probes(vertx);
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private volatile boolean answers;
    private NetServer app;

    /** It takes every connection, and says something or not. */
    @BeforeEach
    void open() {
        app = vertx.createNetServer().connectHandler(socket -> {
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            socket.closeHandler(closed -> open.decrementAndGet());
            socket.handler(asked -> {
                if (answers) {
                    socket.write(Buffer.buffer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
                }
            });
        });
        app.listen(0, "127.0.0.1").await();
    }

    @AfterEach
    void close() {
        probes.close().await();
        vertx.close().await();
    }

    private Future<Boolean> isWell() {
        return probes.isWell(SocketAddress.inetSocketAddress(app.actualPort(), "127.0.0.1"), PROBE, Map.of());
    }

    @Test
    void an_app_that_hangs_is_well_at_once_when_it_answers_however_often_it_was_asked() throws TimeoutException {
        var asked = IntStream.range(0, 20).mapToObj(i -> isWell()).toList();
        assertThat(asked).allMatch(one -> !one.await());
        assertThat(most).hasValueLessThanOrEqualTo(2);
        answers = true;
        assertThat(isWell().await(2, TimeUnit.SECONDS)).isTrue();
    }

    /** Inside of the portal's own address they all go to one host. */
    @Test
    void as_many_checks_as_there_may_be_hold_a_socket_at_once() {
        HttpServer door = vertx.createHttpServer()
                .webSocketHandler(socket -> {})
                .requestHandler(request -> request.response().end());
        door.listen(0, "127.0.0.1").await();
        var way = new Entrance(
                SocketAddress.inetSocketAddress(door.actualPort(), "127.0.0.1"),
                false,
                "127.0.0.1",
                door.actualPort(),
                "/",
                "",
                null,
                null,
                0);
        var sockets = IntStream.range(0, Checks.MOST)
                .mapToObj(i -> probes.open(way, "/echo"))
                .toList();
        assertThat(sockets).allMatch(socket -> !socket.await().isClosed());
    }
}
