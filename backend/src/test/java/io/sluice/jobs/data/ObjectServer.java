package io.sluice.jobs.data;

import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.StoreAddress;
import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.Stored;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.protocol.data.Data;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server of S3 with the bucket {@code lab}, on the loopback, and a line to it that lets pass what is signed with the key, and that a test can cut. */
public final class ObjectServer implements AutoCloseable {
    public static final AccessKey KEY = new AccessKey("S3RVER", "S3RVER");
    private static final Path SOURCE = Path.of("src/test/s3");
    private static final Path HOME = Path.of("target/s3");
    private static final String REGION = "us-east-1";
    private static final int PIECE = 16 << 10;

    private final Signatures signatures = new Signatures(KEY, REGION);

    private final Process server;
    private final int port;
    private final ServerSocket line;
    /** Past the line that may be cut. */
    private final StoreLine store;

    private final AtomicLong sent = new AtomicLong();
    /** Of {@link #sent}, after which the line breaks. */
    private final AtomicLong cutAt = new AtomicLong(Long.MAX_VALUE);

    private final AtomicLong stallAt = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger cuts = new AtomicInteger();
    /** Done when it flows again, with whether what stood still breaks. */
    private volatile CompletableFuture<Boolean> flows = CompletableFuture.completedFuture(false);

    private volatile boolean stalled;
    private volatile boolean away;
    private final AtomicInteger refused = new AtomicInteger();
    private volatile Consumer<String> asked = text -> {};

    public ObjectServer(Path folder) throws IOException, InterruptedException {
        install();
        server = new ProcessBuilder(
                        "node",
                        HOME.resolve("node_modules/s3rver/bin/s3rver.js").toString(),
                        "--directory",
                        folder.toString(),
                        "--address",
                        "127.0.0.1",
                        "--port",
                        "0",
                        "--no-vhost-buckets",
                        "--service-endpoint",
                        "localhost",
                        "--configure-bucket",
                        "lab")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        port = port(server);
        store = StoreLine.open(stores(port).all().getFirst(), KEY);
        Thread.ofVirtual().start(() -> drain(server));
        line = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Once for all who need it, by npm, as the browser's part is. */
    private static void install() throws IOException, InterruptedException {
        Files.createDirectories(HOME);
        try (var lock =
                FileChannel.open(HOME.resolveSibling("s3.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            Objects.requireNonNull(lock.lock());
            if (Files.exists(HOME.resolve("installed"))) {
                return;
            }
            for (String name : List.of("package.json", "package-lock.json")) {
                Files.copy(SOURCE.resolve(name), HOME.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
            int code = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
                    .directory(HOME.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(HOME.resolve("npm.log").toFile())
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("npm ci ended with " + code + ": " + Files.readString(HOME.resolve("npm.log")));
            }
            Files.createFile(HOME.resolve("installed"));
        }
    }

    private static int port(Process server) throws IOException {
        var text = new StringBuilder();
        InputStream out = server.getInputStream();
        for (int one = out.read(); one >= 0; one = out.read()) {
            text.append((char) one);
            if (one == '\n' && text.toString().matches("(?s).*listening on [^\\n]*:(\\d+)\\s*\\n")) {
                return Integer.parseInt(text.toString().strip().replaceAll("(?s).*:", ""));
            }
        }
        throw new IOException("the server of objects ended: " + text);
    }

    private static void drain(Process server) {
        try {
            server.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException over) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = line.accept();
                if (away) {
                    refused.incrementAndGet();
                    client.close();
                    continue;
                }
                Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
                // each answer of many small ones would wait for an acknowledgement
                client.setTcpNoDelay(true);
                to.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> requests(client, to));
                Thread.ofVirtual().start(() -> answers(to, client));
            }
        } catch (IOException closed) {
            server.destroy();
        }
    }

    /** The server itself looks at no signature of version 4. */
    private void requests(Socket client, Socket to) {
        try (client;
                to) {
            var from = new BufferedInputStream(client.getInputStream(), PIECE);
            for (var one = Asking.next(from); one.isPresent(); one = Asking.next(from)) {
                Asking asking = one.get();
                if (isAway()) {
                    return;
                }
                asked.accept(asking.text());
                String fault = signatures.fault(asking, Instant.now());
                if (fault.isEmpty()) {
                    to.getOutputStream().write(asking.text().getBytes(StandardCharsets.ISO_8859_1));
                    body(from, asking.length(), to.getOutputStream());
                } else {
                    body(from, asking.waits() ? 0 : asking.length(), OutputStream.nullOutputStream());
                    refuse(client, fault);
                    return;
                }
            }
        } catch (IOException broken) {
            close(to);
        }
    }

    private void body(InputStream from, long length, OutputStream to) throws IOException {
        byte[] piece = new byte[PIECE];
        for (long left = length; left > 0; ) {
            int count = from.read(piece, 0, (int) Math.min(left, PIECE));
            if (count < 0 || isAway()) {
                throw new IOException("the line breaks");
            }
            to.write(piece, 0, count);
            left -= count;
        }
    }

    private static void refuse(Socket client, String code) throws IOException {
        String body = "<Error><Code>" + code + "</Code><Message>refused</Message></Error>";
        int status = code.equals("AuthorizationHeaderMalformed") ? 400 : 403;
        client.getOutputStream()
                .write(("HTTP/1.1 " + status + " Refused\r\nContent-Type: application/xml\r\nContent-Length: "
                                + body.length() + "\r\nConnection: close\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
    }

    /** A line that was kept for the next request breaks too. */
    private boolean isAway() {
        if (away) {
            refused.incrementAndGet();
        }
        return away;
    }

    private void answers(Socket from, Socket to) {
        byte[] piece = new byte[PIECE];
        try (from;
                to) {
            for (int count = from.getInputStream().read(piece);
                    count >= 0;
                    count = from.getInputStream().read(piece)) {
                if (isAway() || isBroken(count)) {
                    return;
                }
                to.getOutputStream().write(piece, 0, count);
            }
        } catch (IOException broken) {
            close(to);
        }
    }

    private boolean isBroken(int count) {
        long now = sent.addAndGet(count);
        if (now > stallAt.get()) {
            var end = flows;
            stalled = true;
            if (end.join()) {
                return true;
            }
        }
        boolean broken = now > cutAt.get();
        if (broken) {
            cutAt.set(Long.MAX_VALUE);
            cuts.incrementAndGet();
        }
        return broken;
    }

    /** Of what has gone to clients. */
    public long sent() {
        return sent.get();
    }

    /** The line breaks once when so much more has gone through it. */
    public void cut(long after) {
        cuts.set(0);
        cutAt.set(sent.get() + after);
    }

    public int cuts() {
        return cuts.get();
    }

    /** No more than that goes through until it flows again. */
    public void stall(long after) {
        stalled = false;
        flows = new CompletableFuture<>();
        stallAt.set(sent.get() + after);
    }

    public boolean isStalled() {
        return stalled;
    }

    public void flow() {
        stallAt.set(Long.MAX_VALUE);
        flows.complete(false);
    }

    /** It flows again for others; the lines that stood still end, as those of a gateway that was killed do. */
    public void breakOff() {
        stallAt.set(Long.MAX_VALUE);
        flows.complete(true);
    }

    /** Connections that ended so. */
    public int refused() {
        return refused.get();
    }

    /** Whether connections end as soon as they begin. */
    public void away(boolean away) {
        refused.set(0);
        this.away = away;
    }

    /** Once, before the first request that begins so goes on. */
    public void when(String begin, Runnable then) {
        asked = text -> {
            if (text.startsWith(begin)) {
                asked = other -> {};
                then.run();
            }
        };
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Stores stores() {
        return stores(line.getLocalPort());
    }

    /** As an administrator would write it, the port and what comes behind it left out. */
    public Stores stores(String address, String behind) {
        List<String> faults = new ArrayList<>();
        Stores stores = Stores.read("near=" + address + ":" + line.getLocalPort() + behind, faults);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(faults.toString());
        }
        return stores;
    }

    private static Stores stores(int port) {
        return new Stores(List.of(new StoreAddress("near", URI.create("http://127.0.0.1:" + port), false, REGION)));
    }

    Stores.Place place(String address) {
        return stores(port).place(new Data.Named("", address).inStore());
    }

    public void put(String key, byte[] content) {
        try {
            String digest = Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("MD5").digest(content));
            store.write(place("s3://lab"), key, content.length, digest, () -> new ByteArrayInputStream(content));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Null: it is not there, or is being written at this moment. */
    public byte @Nullable [] content(String key) {
        try {
            Stored object = store.look(place("s3://lab"), key).orElse(null);
            if (object == null) {
                return null;
            }
            try (var coming = store.read(place("s3://lab"), object, 0)) {
                return coming.body().readAllBytes();
            }
        } catch (StoreFault e) {
            if (e.why() == StoreFault.Why.CHANGED) {
                return null;
            }
            throw new UncheckedIOException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        line.close();
        store.close();
        server.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
