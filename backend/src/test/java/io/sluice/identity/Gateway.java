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
public final class Gateway implements AutoCloseable {
    public static final String PASSWORD = "correct horse battery";
    static final Identity.Hashing QUICK = new Identity.Hashing(64, 1, 1);

    static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHngW8IaG8jN2hoIxDDGgPVyI23yBJT3qkbJEFk2O/Ay li@laptop";

    final Vertx vertx;
    final Database database;
    final Identity identity;
    final CollectorRegistry registry = new CollectorRegistry();
    final Path data;
    final List<String> printed = new ArrayList<>();
    private final Web web;
    private final List<Route> routes;
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
        routes = new ArrayList<>(web.routes(database::check));
        routes.addAll(identity.routes(web.live()));
        address = web.serve(routes).await();
        identity.welcome(address, printed::add).await();
    }

    /** With the administrator {@code admin}, whose password is {@link #PASSWORD}. */
    public static Gateway open(Vertx vertx, Database database) {
        return new Gateway(vertx, database, PASSWORD, Set.of());
    }

    static Gateway open(Vertx vertx, Database database, @Nullable String password, Set<String> proxies) {
        return new Gateway(vertx, database, password, proxies);
    }

    public String address() {
        return address;
    }

    public List<Route> routes() {
        return routes;
    }

    public Browser browser() {
        return new Browser(vertx, client, address);
    }

    /** Somebody with everything that a person can have. */
    public record Person(String name, String bearer, String session, String key, String token, String program) {}

    /** Made beneath the API, so that it costs no password check. The program's token may read files, and nothing else. */
    public Person person(String name, boolean admin) {
        var people = new PeopleStore(database);
        var sessions = (Sessions) identity.authenticator();
        long id = people.add(name, "", "unusable", admin).await().id();
        String bearer = sessions.login(id, name, "127.0.0.1", "test", Duration.ofHours(1)).await();
        String program = Sessions.newToken();
        people.addKey(id, People.SshKey.parse(KEY, "laptop"), 1).await();
        sessions.store().addToken(id, "program", Signer.digest(program), List.of("files:read"), null, 9).await();
        return new Person(
                name,
                bearer,
                sessions.store().sessions(id).await().getFirst().id(),
                "" + people.keys(id).await().getFirst().id(),
                "" + sessions.store().tokens(id).await().getFirst().id(),
                program);
    }

    /** Another sign-in of somebody. */
    public String bearer(Person person) {
        long id = new PeopleStore(database).named(person.name()).await().orElseThrow().id();
        return ((Sessions) identity.authenticator())
                .login(id, person.name(), "127.0.0.1", "test", Duration.ofHours(1))
                .await();
    }

    public void disable(Person person) {
        var people = new PeopleStore(database);
        long id = people.named(person.name()).await().orElseThrow().id();
        people.change(id, People.Change.NONE.disabled(true)).await();
        ((Sessions) identity.authenticator()).forget();
    }

    @Override
    public void close() {
        client.close();
        web.close().await();
        identity.close().await();
    }

    private static @Nullable Problem problem(Throwable failure) {
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
