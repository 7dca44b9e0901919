package io.sluice.files.sending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Owner;
import io.sluice.files.uploads.Receiving;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that many read at once, slowly, and leave. */
@Timeout(30)
class PartTest {
    private static final long SIZE = (16 << 20) + 5;
    private static final long MOST = 8 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path home;

    private final Vertx vertx = Vertx.vertx();
    private final Pieces pieces = new Pieces(MOST, () -> {});
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong most = new AtomicLong();
    private final AtomicInteger ended = new AtomicInteger();
    private final Receiving.Worker worker = new Aside(vertx);

    @BeforeEach
    void write() throws IOException {
        try (var file = new RandomAccessFile(home.resolve("large").toFile(), "rw")) {
            file.setLength(SIZE);
            file.seek(SIZE - 3);
            file.write("end".getBytes(StandardCharsets.US_ASCII));
        }
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private Part part(long from) throws IOException {
        OpenFile file = Folder.open(home, Owner.GATEWAY).read("large");
        return new Part(file, file.found(), from, SIZE, pieces);
    }

    private int serve() throws Exception {
        // what kernels keep of a line is little, so that slow readers are slow at once
        var options = new HttpServerOptions().setSendBufferSize(32 << 10).setHttp2ClearTextEnabled(true);
        return vertx.createHttpServer(options)
                .requestHandler(request -> {
                    request.response().putHeader("Content-Length", Long.toString(SIZE));
                    worker.run(() -> part(0))
                            .compose(part -> Sending.send(part, worker, request.response(), this::sent))
                            .onComplete(over -> ended.incrementAndGet());
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .actualPort();
    }

    private void sent(long bytes) {
        sent.addAndGet(bytes);
        most.accumulateAndGet(pieces.taken(), Math::max);
    }

    private static Socket reader(int port) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static void until(Callable<Boolean> holds) throws Exception {
        for (long end = System.nanoTime() + LIMIT.toNanos(); !holds.call(); LockSupport.parkNanos(1_000_000)) {
            assertThat(System.nanoTime()).as("when it was to be so").isLessThan(end);
        }
    }

    @Test
    void many_who_do_not_read_take_no_more_memory_than_there_is_and_all_of_it_comes_back_when_they_leave()
            throws Exception {
        int port = serve();
        List<Socket> readers = new ArrayList<>();
        for (int i = 0; i < pieces.readers(); i++) {
            readers.add(reader(port));
        }
        assertThat(readers).hasSizeGreaterThan(30);
        // two of each, however small, and nobody's third
        until(() -> sent.get() > 0 && pieces.taken() > readers.size() * (long) Pieces.SMALLEST);
        for (Socket reader : readers) {
            reader.close();
        }
        until(() -> ended.get() == readers.size() && pieces.taken() == 0);
        assertThat(most).satisfies(seen -> assertThat(seen.get()).isBetween(1L, MOST));
    }

    @Test
    void who_reads_has_the_whole_file_beside_others_who_do_not() throws Exception {
        int port = serve();
        List<Socket> others = new ArrayList<>();
        for (int i = 0; i < pieces.readers() - 1; i++) {
            others.add(reader(port));
        }
        until(() -> sent.get() >= others.size() * (long) Pieces.SMALLEST);
        try (Socket reader = reader(port)) {
            InputStream in = reader.getInputStream();
            var head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            in.skipNBytes(SIZE - 3);
            assertThat(in.readNBytes(3)).asString(StandardCharsets.US_ASCII).isEqualTo("end");
        }
        for (Socket other : others) {
            other.close();
        }
        until(() -> ended.get() == others.size() + 1 && pieces.taken() == 0);
        assertThat(most).satisfies(seen -> assertThat(seen.get()).isBetween(1L, MOST));
    }

    @Test
    void a_stream_of_http_2_that_is_reset_gives_back_what_was_read_for_it() throws Exception {
        int port = serve();
        var client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        var request = client.request(HttpMethod.GET, port, "127.0.0.1", "/")
                .compose(one -> one.send().map(response -> {
                    response.pause();
                    return one;
                }))
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        until(() -> pieces.taken() > Pieces.SMALLEST);
        request.reset();
        until(() -> ended.get() == 1 && pieces.taken() == 0);
    }

    @Test
    void what_can_not_be_read_any_more_is_given_back() throws Exception {
        try (Part part = part(SIZE - 10)) {
            try (var file = new RandomAccessFile(home.resolve("large").toFile(), "rw")) {
                file.setLength(SIZE - 5);
            }
            assertThatThrownBy(part::next).isInstanceOf(IOException.class).hasMessageContaining("shorter");
            assertThat(pieces.taken()).isZero();
        }
    }

    @Test
    void it_ends_with_the_last_byte_and_tells_it_once() throws Exception {
        try (Part part = part(SIZE - 10)) {
            Sending.Piece piece = java.util.Objects.requireNonNull(part.next());
            assertThat(piece.bytes().getString(7, 10)).isEqualTo("end");
            assertThat(part.next()).isNull();
            assertThat(pieces.taken()).isEqualTo(10);
            piece.gone().run();
            assertThat(pieces.taken()).isZero();
        }
    }
}
