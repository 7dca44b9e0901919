package io.sluice.identity;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.sluice.web.Web;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A whole gateway on a free port: the web room, this room and a real database. Several may share one database. */
final class Gateway implements AutoCloseable {
    static final String PASSWORD = "correct horse battery";
    static final Identity.Hashing QUICK = new Identity.Hashing(64, 1, 1);

    final Vertx vertx;
    final Database database;
    final Identity identity;
    final CollectorRegistry registry = new CollectorRegistry();
    final Path data;
    final List<String> printed = new ArrayList<>();
    private final Web web;
    private final String address;
    private final WebClient client;

    private Gateway(Vertx vertx, Database database, @Nullable String password, Set<String> proxies) {
        this.vertx = vertx;
        this.database = database;
        this.data = folder();
        this.client = Browser.client(vertx);
        database.migrate(List.of(Identity.MIGRATIONS)).await();
        identity = Identity.open(vertx, database, registry, new Identity.Settings(data, password, true, QUICK))
                .await();
        web = new Web(
                vertx,
                Web.Settings.of("127.0.0.1", 0, data).trusting(proxies),
                identity.authenticator(),
                Gateway::problem,
                registry);
        List<Route> routes = new ArrayList<>(web.routes(database::check));
        routes.addAll(identity.routes(web.live()));
        address = web.serve(routes).await();
        identity.welcome(address, printed::add).await();
    }

    /** With the administrator {@code admin}, whose password is {@link #PASSWORD}. */
    static Gateway open(Vertx vertx, Database database) {
        return new Gateway(vertx, database, PASSWORD, Set.of());
    }

    static Gateway open(Vertx vertx, Database database, @Nullable String password, Set<String> proxies) {
        return new Gateway(vertx, database, password, proxies);
    }

    String address() {
        return address;
    }

    Browser browser() {
        return new Browser(vertx, client, address);
    }

    @Override
    public void close() {
        client.close();
        web.close().await();
        identity.close().await();
    }

    private static @Nullable Problem problem(Throwable failure, boolean reading) {
        return Database.isUnavailable(failure)
                ? Problem.unavailable("The database does not answer.", failure, Duration.ofSeconds(2))
                : null;
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory(Files.createDirectories(Path.of("target")), "gateway-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
