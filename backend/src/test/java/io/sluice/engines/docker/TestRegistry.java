package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.jspecify.annotations.Nullable;

/** A real registry that asks for a password, behind a slow line that can be cut. */
public final class TestRegistry implements AutoCloseable {

    public static final String USER = "ann";
    public static final String PASSWORD = "let me in, registry";
    private static final int SALT = 16;
    private static final int COST = 4;
    private static final int PIECE = 64 * 1024;

    private final TestDaemon daemon;
    private final Path folder;
    private final Process registry;
    private final int behind;
    private final ServerSocket line;
    private volatile boolean cut;
    private volatile long pauseNanos;
    private volatile @Nullable CountDownLatch gate;
    private final AtomicInteger held = new AtomicInteger();

    public TestRegistry(TestDaemon daemon) throws Exception {
        var program = Path.of("/usr/bin/docker-registry");
        assumeThat(Files.exists(program)).as("docker-registry is installed").isTrue();
        this.daemon = daemon;
        this.folder = Files.createTempDirectory("registry");
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.behind = free.getLocalPort();
        }
        var salt = new byte[SALT];
        ThreadLocalRandom.current().nextBytes(salt);
        Files.writeString(
                folder.resolve("htpasswd"),
                USER + ":" + OpenBSDBCrypt.generate(PASSWORD.toCharArray(), salt, COST) + "\n");
        Files.writeString(folder.resolve("config.yml"), """
                version: 0.1
                log: { level: warn }
                storage: { filesystem: { rootdirectory: %1$s/images } }
                http: { addr: "127.0.0.1:%2$d" }
                auth: { htpasswd: { realm: test, path: %1$s/htpasswd } }
                """.formatted(folder, behind));
        this.registry = new ProcessBuilder(
                        program.toString(),
                        "serve",
                        folder.resolve("config.yml").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        TestDocker.until("the registry", this::answers);
        this.line = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    private boolean answers() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** As jobs name it: the engine takes it without TLS, because it is on this machine. */
    public String address() {
        return "127.0.0.1:" + line.getLocalPort();
    }

    /** Puts an image into it, and takes it off the engine. */
    public String push(String image, String name) throws Exception {
        var full = address() + "/" + name;
        daemon.docker("tag", image, full);
        var cli = Files.createDirectories(folder.resolve("cli"));
        var sign = Base64.getEncoder().encodeToString((USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                cli.resolve("config.json"), "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}".formatted(address(), sign));
        TestDaemon.sh(List.of("docker", "--config", cli.toString(), "--host", daemon.host(), "push", "-q", full), null);
        daemon.docker("rmi", full);
        return full;
    }

    /** An image with so many bytes that no compression makes fewer. */
    public String pushLarge(String name, int mebibytes) throws Exception {
        var layer = folder.resolve("layer.tar");
        var script = "cd \"$0\"; mkdir l; head -c %dM /dev/urandom > l/random; tar -C l -c . > layer.tar; rm -r l"
                .formatted(mebibytes);
        TestDaemon.sh(List.of("sh", "-c", script, folder.toString()), null);
        daemon.docker("import", layer.toString(), "large:1");
        var full = push("large:1", name);
        daemon.docker("rmi", "large:1");
        Files.delete(layer);
        return full;
    }

    public void slow(long pauseMillis) {
        pauseNanos = pauseMillis * 1_000_000;
    }

    /** Who comes from now on waits until that is counted down; null = nobody does. */
    void hold(@Nullable CountDownLatch until) {
        gate = until;
    }

    int held() {
        return held.get();
    }

    public void cut(boolean now) {
        cut = now;
    }

    private void serve() {
        try {
            while (true) {
                var client = line.accept();
                Thread.ofPlatform().daemon().start(() -> pass(client));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void pass(Socket client) {
        var closed = gate;
        try {
            if (closed != null) {
                held.incrementAndGet();
                closed.await();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        try (client;
                var server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            if (cut) {
                client.setSoLinger(true, 0);
                return;
            }
            var up = Thread.ofPlatform().daemon().start(() -> copy(client, server, 0));
            copy(server, client, pauseNanos);
            client.close();
            up.join();
        } catch (IOException | InterruptedException e) {
            // either side went away
        }
    }

    private void copy(Socket from, Socket to, long pause) {
        var piece = new byte[PIECE];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(piece); read >= 0 && !cut; read = in.read(piece)) {
                out.write(piece, 0, read);
                if (read == PIECE && pause > 0) {
                    LockSupport.parkNanos(pause);
                }
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // either side went away
        }
    }

    @Override
    public void close() throws IOException {
        line.close();
        registry.destroy();
        try {
            assertThat(registry.waitFor()).isNotNegative();
            TestDaemon.sh(List.of("rm", "-rf", folder.toString()), null);
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
