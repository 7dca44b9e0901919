package io.sluice.files.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.uploads.Receiving;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that leave. */
@Timeout(20)
class SendingTest {
    private final Vertx vertx = Vertx.vertx();
    private final Receiving.Worker worker = new Aside(vertx);

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** A disk that takes its time, and knows whether it was left in the middle. */
    private static final class Slow implements Sending.Source {
        final CountDownLatch reads = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final CountDownLatch given = new CountDownLatch(1);
        final AtomicBoolean reading = new AtomicBoolean();
        final CompletableFuture<Boolean> closedInTheMiddle = new CompletableFuture<>();

        @Override
        public Sending.Piece next() {
            reading.set(true);
            reads.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            reading.set(false);
            return new Sending.Piece(Buffer.buffer("piece"), given::countDown);
        }

        @Override
        public void close() {
            closedInTheMiddle.complete(reading.get());
        }
    }

    @Test
    void nothing_is_closed_while_it_is_read_though_its_reader_has_left() throws Exception {
        var source = new Slow();
        var left = new CountDownLatch(1);
        var server = vertx.createHttpServer()
                .requestHandler(request -> {
                    request.connection().closeHandler(closed -> vertx.setTimer(1, later -> left.countDown()));
                    Sending.send(source, worker, request.response(), sent -> {}).onFailure(gone -> left.countDown());
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(source.reads.await(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
        // whatever closes has had its turn when another has had it
        worker.run(() -> "").toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(source.closedInTheMiddle).isNotDone();
        source.goOn.countDown();
        assertThat(source.closedInTheMiddle.get(10, TimeUnit.SECONDS)).isFalse();
        assertThat(source.given.await(10, TimeUnit.SECONDS))
                .as("what was read for nobody is given back")
                .isTrue();
    }
}
