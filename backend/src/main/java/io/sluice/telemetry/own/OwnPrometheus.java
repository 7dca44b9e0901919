package io.sluice.telemetry.own;

import io.prometheus.client.CollectorRegistry;
import io.sluice.telemetry.history.Upstream;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Starts it when the gateway serves, again whenever it has ended, and ends it with the gateway, however that ends. It listens on this machine only, and
 * answers nobody but the gateway: tasks that share the machine's network would see everybody's numbers.
 */
public final class OwnPrometheus {
    private static final System.Logger LOG = System.getLogger(OwnPrometheus.class.getName());
    private static final Duration READY = Duration.ofMinutes(5);
    private static final Duration STEADY = Duration.ofMinutes(2);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final long STOP_MILLIS = 3_000;
    private static final long LOOK_MILLIS = 250;

    /** It ends when its standard input does, which it shares with nobody: also where the gateway is killed. */
    private static final String UNTIL_THE_GATEWAY_ENDS = """
            exec 3<&0
            "$@" </dev/null 3<&- &
            child=$!
            { cat <&3 >/dev/null; kill -TERM $child 2>/dev/null; } 3<&3 &
            exec 3<&-
            wait $child
            """;

    /**
     * @param program as it lies on the disk
     * @param folder for everything that it is given and keeps
     * @param bytes that its history may take; what is older than {@code days} goes anyhow
     */
    public record Settings(Path program, Path folder, long bytes, int days) {}

    private final Settings settings;
    private final OwnMetrics metrics;
    private final Configuration configuration;
    private final Vertx vertx;
    private volatile Upstream.@Nullable Place place;
    private volatile @Nullable Process running;
    private volatile boolean closing;
    private @Nullable Thread loop;

    public OwnPrometheus(Vertx vertx, Settings settings, CollectorRegistry registry) {
        this.vertx = vertx;
        this.settings = settings;
        this.metrics = new OwnMetrics(registry);
        this.configuration = new Configuration(settings.folder());
    }

    /** The first program of this name in a list of folders as {@code PATH} is one. */
    public static Optional<Path> found(String path) {
        return Stream.of(path.split(":"))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, "prometheus"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param gateway as it is reached from this machine */
    public synchronized void start(URI gateway) {
        if (loop == null && !closing) {
            loop = Thread.ofVirtual().name("sluice-own-prometheus").start(() -> keep(gateway));
        }
    }

    /** Where it answers; null: it does not at the moment. */
    public Upstream.@Nullable Place place() {
        return place;
    }

    /** Whether this is what it shows when it reads the gateway's numbers. */
    public boolean isItsOwn(String authorization) {
        return MessageDigest.isEqual(
                authorization.getBytes(StandardCharsets.UTF_8),
                ("Bearer " + configuration.token()).getBytes(StandardCharsets.UTF_8));
    }

    private void keep(URI gateway) {
        Duration pause = SHORTEST_PAUSE;
        while (!closing) {
            long begun = System.nanoTime();
            try {
                run(gateway);
            } catch (IOException | UncheckedIOException e) {
                LOG.log(System.Logger.Level.WARNING, "event=prometheus-not-started", e);
            } catch (InterruptedException e) {
                return;
            }
            if (closing) {
                return;
            }
            metrics.ended();
            boolean steady = System.nanoTime() - begun > STEADY.toNanos();
            pause = steady ? SHORTEST_PAUSE : pause;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "event=prometheus-ended again-in={0} said={1}",
                    pause,
                    configuration.lastWords());
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        }
    }

    /** Until it ends. */
    private void run(URI gateway) throws IOException, InterruptedException {
        int port = freePort();
        configuration.write(gateway);
        Process process = process(port);
        running = process;
        try {
            if (closing) {
                return;
            }
            var address = URI.create("http://127.0.0.1:" + port);
            var there = new Upstream.Place(address, configuration.authorization());
            if (isReady(process, there)) {
                place = there;
                metrics.up(true);
                LOG.log(System.Logger.Level.INFO, "event=prometheus-started program={0}", settings.program());
            }
            process.waitFor();
        } finally {
            place = null;
            metrics.up(false);
            process.getOutputStream().close();
        }
    }

    private Process process(int port) throws IOException {
        Path folder = settings.folder();
        var builder = new ProcessBuilder(
                "/bin/sh",
                "-c",
                UNTIL_THE_GATEWAY_ENDS,
                "sh",
                settings.program().toString(),
                "--config.file=" + configuration.file(),
                "--web.config.file=" + configuration.webFile(),
                "--web.listen-address=127.0.0.1:" + port,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--storage.tsdb.retention.time=" + settings.days() + "d",
                "--storage.tsdb.retention.size=" + settings.bytes() + "B",
                "--query.timeout=30s",
                "--log.level=warn");
        builder.environment().clear(); // the gateway's has its secrets
        builder.environment().put("PATH", "/usr/bin:/bin");
        return builder.directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(configuration.log().toFile())
                .start();
    }

    private static int freePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** It reads what it wrote before it ended, which takes a while where that is much. */
    private static boolean isReady(Process process, Upstream.Place there) throws IOException, InterruptedException {
        long end = System.nanoTime() + READY.toNanos();
        while (process.isAlive() && System.nanoTime() < end) {
            if (answers(there)) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        process.destroy();
        return false;
    }

    private static boolean answers(Upstream.Place there) throws IOException {
        var asked =
                (HttpURLConnection) there.address().resolve("/-/ready").toURL().openConnection();
        asked.setConnectTimeout((int) STOP_MILLIS);
        asked.setReadTimeout((int) STOP_MILLIS);
        asked.setRequestProperty("Authorization", there.authorization());
        try {
            return asked.getResponseCode() == 200;
        } catch (ConnectException | java.net.SocketTimeoutException notYet) {
            return false;
        } finally {
            asked.disconnect();
        }
    }

    /** It writes down what it knows first, for a few seconds at most. */
    public Future<Void> close() {
        closing = true;
        return vertx.executeBlocking(
                () -> {
                    Process process = running;
                    if (process != null && process.isAlive()) {
                        process.getOutputStream().close();
                        if (!process.waitFor(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
                            process.descendants().forEach(ProcessHandle::destroyForcibly);
                            process.destroyForcibly();
                        }
                    }
                    Thread waiting = loop;
                    if (waiting != null) {
                        waiting.interrupt();
                    }
                    return null;
                },
                false);
    }

    static String basic(String name, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
    }
}
