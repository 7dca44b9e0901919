package io.sluice;

import io.sluice.database.Database;
import io.sluice.database.TestDatabase;
import io.sluice.identity.Identity;
import io.sluice.logs.Logs;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.web.Route;
import io.sluice.web.Web;
import io.vertx.core.Vertx;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The whole gateway in this JVM, on a free port and a fresh database, with the administrator admin. */
public final class TestServer implements AutoCloseable {
    public static final String PASSWORD = "a long enough password";
    /** How much a password costs is a test's business only where that is what it tests. */
    private static final Identity.Hashing QUICK = new Identity.Hashing(64, 1, 1);

    static final String GRAFANA_TOKEN = "known-to-grafana-and-the-gateway";

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database;
    /** Whether another gateway keeps it. */
    private final boolean shared;

    private final Path data;
    private final UnaryOperator<Settings> fitted;
    private final UnaryOperator<DeviceWatch.Settings> tools;
    private final List<String> flags;
    private volatile Server server;

    public TestServer(Path data, String... flags) {
        this(data, Logs.Settings.of(data), flags);
    }

    TestServer(Path data, Logs.Settings logs, String... flags) {
        this(data, logs, UnaryOperator.identity(), flags);
    }

    TestServer(Path data, Logs.Settings logs, UnaryOperator<Web.Settings> web, String... flags) {
        this(null, data, logs, web, UnaryOperator.identity(), flags);
    }

    /** A second gateway on the same database, with a folder of its own. It is closed before the first. */
    TestServer beside(Path data, String... flags) {
        var logs = Logs.Settings.of(data);
        return new TestServer(database, data, logs, UnaryOperator.identity(), UnaryOperator.identity(), flags);
    }

    /** With programs in the place of the vendors' tools, which are asked often. */
    static TestServer withTools(Path data, Path tools, String... flags) {
        var often = new DeviceWatch.Settings(List.of(tools), Duration.ofMillis(100), Duration.ofSeconds(1));
        return new TestServer(null, data, Logs.Settings.of(data), UnaryOperator.identity(), usual -> often, flags);
    }

    private TestServer(
            @Nullable TestDatabase before,
            Path data,
            Logs.Settings logs,
            UnaryOperator<Web.Settings> web,
            UnaryOperator<DeviceWatch.Settings> tools,
            String... flags) {
        this.shared = before != null;
        this.database = before != null ? before : TestDatabase.with(vertx, Server.MIGRATIONS);
        this.data = data;
        this.tools = tools;
        var all = new ArrayList<>(
                List.of("--port", "0", "--engine", "process", "--data", data.toString(), "--db", database.url()));
        if (!List.of(flags).contains("--calls-per-minute")) {
            all.addAll(List.of("--calls-per-minute", "100000"));
        }
        if (!List.of(flags).contains("--ssh-port")) {
            all.addAll(List.of("--ssh-port", "off"));
        }
        if (!List.of(flags).contains("--prometheus")) {
            all.addAll(List.of("--prometheus", "off"));
        }
        all.addAll(List.of(flags));
        this.flags = all;
        this.fitted = settings -> with(logs, web, settings);
        server = started(all);
    }

    private Server started(List<String> all) {
        var read = Settings.read(
                all.toArray(String[]::new),
                Map.of(
                        "SLUICE_ADMIN_PASSWORD",
                        PASSWORD,
                        "SLUICE_GRAFANA_TOKEN",
                        GRAFANA_TOKEN,
                        "PATH",
                        String.valueOf(System.getenv("PATH"))));
        var started = new Server(
                fitted.apply(((Settings.Right) read).settings()),
                QUICK,
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        started.start();
        return started;
    }

    /** Ends the gateway, and starts another on the same port, database and data. */
    void restart() {
        var again = new ArrayList<>(flags);
        again.set(again.indexOf("--port") + 1, "" + URI.create(address()).getPort());
        server.stop();
        server = started(again);
    }

    private Settings with(Logs.Settings logs, UnaryOperator<Web.Settings> web, Settings settings) {
        return new Settings(
                settings.data(),
                settings.database(),
                settings.administratorPassword(),
                web.apply(settings.web()),
                settings.engine(),
                settings.docker(),
                settings.simulatedDevices(),
                tools.apply(settings.devices()),
                settings.sharedProcesses(),
                settings.userIds(),
                settings.quota(),
                settings.stores(),
                settings.dataWeb(),
                settings.submissionsPerHour(),
                settings.listsPerMinute(),
                logs,
                settings.endpoints(),
                settings.telemetry().pause(Duration.ofMillis(300)),
                settings.url(),
                settings.failpoint());
    }

    public List<Route> routes() {
        return server.routes();
    }

    Database database() {
        return database.database();
    }

    Vertx vertx() {
        return vertx;
    }

    public String address() {
        return server.address();
    }

    @Override
    public void close() {
        server.stop();
        Leftovers.end(data);
        if (!shared) {
            database.close();
        }
        vertx.close().await();
    }
}
