package io.sluice.identity;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.database.Migrations;
import io.sluice.identity.colleagues.Colleagues;
import io.sluice.identity.grants.Grants;
import io.sluice.identity.keys.Keys;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The door to people: who is calling, and the pages and API where they sign in and are looked after. */
public final class Identity {
    public static final Migrations MIGRATIONS =
            new Migrations("identity", Identity.class, List.of("001-people", "002-grants", "003-numbers", "004-keys"));

    /** What an application token can be allowed to do; {@code *} stands for everything that applications may do at all. */
    public static final List<String> SCOPES = List.of(
            "jobs:read", "jobs:write", "files:read", "files:write", "endpoints:use", "users:read", "metrics:read");

    private static final String KEY_FILE = "signing.key";
    private static final Pattern ODD = Pattern.compile("[\\x7f-\\x9f\\u2028\\u2029]");
    private static final System.Logger AUDIT = System.getLogger("io.sluice.identity.audit");

    /** How much effort a password check takes (Argon2id). */
    public record Hashing(int kibibytes, int passes, int lanes) {
        public static final Hashing DEFAULT = new Hashing(19_456, 2, 1);
    }

    /**
     * @param data the data folder
     * @param administratorPassword of the first administrator, who is called {@code admin}; null prints a link instead
     * @param shared whether other gateways may use the same database, so that they must find the same signing key there
     */
    public record Settings(Path data, @Nullable String administratorPassword, boolean shared, Hashing hashing) {
        public Settings(Path data, @Nullable String administratorPassword) {
            this(data, administratorPassword, true);
        }

        public Settings(Path data, @Nullable String administratorPassword, boolean shared) {
            this(data, administratorPassword, shared, Hashing.DEFAULT);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "Settings[data=" + data + ", shared=" + shared + "]";
        }
    }

    /** What this room counts. */
    static final class Metrics {
        final Counter signIns;
        final Counter passwordsRefused;
        final Gauge passwordsWaiting;

        Metrics(CollectorRegistry registry) {
            signIns = Counter.build("sluice_identity_sign_ins_total", "Tries to sign in, by what came of them")
                    .labelNames("result")
                    .register(registry);
            passwordsRefused = Counter.build(
                            "sluice_identity_passwords_refused_total",
                            "Password checks refused because too many waited")
                    .register(registry);
            passwordsWaiting = Gauge.build("sluice_identity_passwords_waiting", "Password checks running or waiting")
                    .register(registry);
        }
    }

    private final Settings settings;
    private final People people;
    private final Passwords passwords;
    private final Sessions sessions;
    private final SignIn signIn;
    private final Doorbell doorbell;
    private final Grants grants;
    private final Keys keys;
    private final Colleagues colleagues;
    private final List<Doorbell.Subscription> subscriptions = new ArrayList<>();

    private Identity(Vertx vertx, Database database, CollectorRegistry registry, Settings settings, Signer signer) {
        var peopleStore = new PeopleStore(database);
        var metrics = new Metrics(registry);
        this.settings = settings;
        this.people = new People(peopleStore);
        this.passwords = new Passwords(vertx, settings.hashing(), metrics);
        this.sessions = new Sessions(vertx, signer, new SessionStore(database));
        this.signIn = new SignIn(vertx, peopleStore, new SignInStore(database), passwords, metrics);
        this.doorbell = database.doorbell();
        this.grants = new Grants(database, PeopleStore.PEOPLE);
        this.keys = new Keys(database);
        this.colleagues = new Colleagues(database);
    }

    public static Future<Identity> open(Vertx vertx, Database database, CollectorRegistry registry, Settings settings) {
        var store = new SignInStore(database);
        return signingKey(vertx, store, settings)
                .map(key -> new Identity(vertx, database, registry, settings, new Signer(vertx, key)));
    }

    public Authenticator authenticator() {
        return sessions;
    }

    /** Who may use what other rooms have. */
    public Grants grants() {
        return grants;
    }

    /** Whose SSH keys are whose. */
    public Keys keys() {
        return keys;
    }

    /** Where somebody is written to, and in which language; null: none was chosen. */
    public record Mailbox(String address, @Nullable String language) {}

    /** Empty: nobody of this name is here, or may not come in any more, or has no address. */
    public Future<Optional<Mailbox>> mailbox(String name) {
        return people.named(name)
                .map(found -> found.filter(user -> !user.disabled() && !user.gone())
                        .filter(user -> !user.email().isEmpty())
                        .map(user -> new Mailbox(user.email(), user.language())));
    }

    /** Whose names are offered to whom. */
    public Colleagues colleagues() {
        return colleagues;
    }

    /** All of its rows. From now on what changes in the database is told to open pages and streams. */
    public List<Route> routes(Live live) {
        subscriptions.add(doorbell.listen(PeopleStore.CREDENTIALS, () -> {
            sessions.forget();
            live.recheck();
        }));
        subscriptions.add(doorbell.listen(PeopleStore.PEOPLE, () -> {
            people.forgetTotal();
            live.ring(PeopleStore.PEOPLE);
        }));
        var routes = new ArrayList<Route>();
        routes.addAll(new EntryRoutes(signIn, sessions, people).routes());
        routes.addAll(new PeopleRoutes(people, sessions, passwords, live).routes());
        routes.addAll(new ProfileRoutes(people, sessions, signIn).routes());
        routes.addAll(new AccountRoutes(signIn, sessions).routes());
        routes.addAll(new UserRoutes(people, signIn, sessions).routes());
        return routes;
    }

    /** @param created when the account was made */
    public record Named(Caller caller, Instant created) {}

    /** Who has this name, in whatever case, where the account is open: for programs that are trusted to say for whom they ask. */
    public Future<Optional<Named>> named(String name) {
        return people.named(name)
                .map(found -> found.filter(user -> !user.disabled())
                        .map(user -> new Named(
                                new Caller(
                                        user.id(),
                                        user.name(),
                                        user.admin(),
                                        Caller.Kind.APPLICATION,
                                        "named",
                                        Set.of("jobs:read")),
                                user.created())));
    }

    /** @param people how many there are; for administrators, otherwise 0 */
    public record Belongings(long people, int tokens, int keys) {}

    /** What somebody has here, for the first steps of who is new. */
    public Future<Belongings> belongings(Caller caller) {
        var total = caller.admin() ? people.total() : Future.succeededFuture(0L);
        var tokens = sessions.tokens(caller.id());
        var keys = people.keys(caller.id());
        return Future.all(total, tokens, keys)
                .map(read -> new Belongings(
                        total.result(), tokens.result().size(), keys.result().size()));
    }

    /** Makes the first administrator, or tells how to. */
    public Future<Void> welcome(String address, Consumer<String> print) {
        return signIn.isEmpty().compose(empty -> {
            if (!empty) {
                return Future.succeededFuture();
            }
            String password = settings.administratorPassword();
            return password == null
                    ? signIn.link()
                            .onSuccess(token -> print.accept(link(address, token)))
                            .mapEmpty()
                    : unattended(password);
        });
    }

    private Future<Void> unattended(String password) {
        return password.length() < Passwords.SHORTEST || password.length() > Passwords.LONGEST
                ? Future.failedFuture(new IllegalArgumentException("The first administrator's password"
                        + " (SLUICE_ADMIN_PASSWORD) must have " + Passwords.SHORTEST + " to " + Passwords.LONGEST
                        + " characters. Choose another, or leave it out to have a set-up link printed."))
                : signIn.setUp("admin", password);
    }

    /** From this machine only, so with its own name for itself where the portal listens on every address. */
    private static String link(String address, String token) {
        String local = address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:");
        return "set up: " + local + "/set-up?token=" + token + "  (" + SignIn.LINK.toMinutes()
                + " minutes, from this machine only)";
    }

    public Future<Void> close() {
        subscriptions.forEach(Doorbell.Subscription::cancel);
        sessions.close();
        signIn.close();
        return passwords.close();
    }

    /** One line of JSON per event of security, with whoever did it to whom, and never a secret. */
    public static void audit(String event, String... pairs) {
        var line = new JsonObject().put("event", event);
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            line.put(pairs[i], pairs[i + 1]);
        }
        // JSON lets some characters stand that end a line or steer a terminal all the same
        AUDIT.log(
                System.Logger.Level.INFO,
                () -> ODD.matcher(line.encode())
                        .replaceAll(odd ->
                                String.format("\\\\u%04x", (int) odd.group().charAt(0))));
    }

    /** The file wins; without one, gateways that share a database share the key that the first of them put there. */
    private static Future<byte[]> signingKey(Vertx vertx, SignInStore store, Settings settings) {
        byte[] fresh = new byte[Signer.KEY_BYTES];
        new SecureRandom().nextBytes(fresh);
        return vertx.executeBlocking(() -> keyFile(settings, fresh), false)
                .compose(key -> key.length > 0 ? Future.succeededFuture(key) : store.sharedKey(fresh));
    }

    private static byte[] keyFile(Settings settings, byte[] fresh) throws IOException {
        Path file = settings.data().resolve(KEY_FILE);
        if (!Files.exists(file) && settings.shared()) {
            return new byte[0];
        }
        try {
            var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            Files.createDirectories(settings.data());
            try (var channel = Files.newByteChannel(
                    file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
                channel.write(java.nio.ByteBuffer.wrap(fresh));
            }
        } catch (FileAlreadyExistsException e) { // from an earlier start
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        byte[] key = Files.readAllBytes(file);
        if (key.length != Signer.KEY_BYTES) {
            throw new IllegalStateException(file + " is not a signing key of " + Signer.KEY_BYTES
                    + " bytes. Remove it to have a new one made; everybody then signs in again.");
        }
        return key;
    }
}
