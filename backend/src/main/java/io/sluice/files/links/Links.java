package io.sluice.files.links;

import io.sluice.database.Database;
import io.sluice.identity.Identity;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The door to links. Whoever is signed in and has one may have what it leads to, with the rights of who made it, for as long as that was allowed. */
public final class Links {
    public static final int LONGEST_HOURS = 30 * 24;
    private static final int MOST = 200;
    private static final int BYTES = 20;

    /** A link as it is told once. */
    public record Made(Link link, String token) {}

    /** Whose it is, and what it leads to. */
    public record Opened(long user, String name, boolean admin, String space, String path, Instant expires) {
        /** By whose rights it is read: nothing else is done with them. */
        public Caller owner() {
            return new Caller(user, name, admin, Caller.Kind.APPLICATION, "link", Set.of("files:read"));
        }
    }

    private final LinkStore store;
    private final SecureRandom random = new SecureRandom();

    public Links(Database database) {
        this.store = new LinkStore(database);
    }

    public Future<Made> make(Caller caller, String space, String path, int hours) {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        String token = HexFormat.of().formatHex(secret);
        return store.make(caller.id(), hash(token), space, path, hours, MOST).map(made -> {
            Link link = made.orElseThrow(() -> Problem.of(
                    Problem.Kind.UNPROCESSABLE, "You have " + MOST + " links already. Take one back first."));
            Identity.audit(
                    "link-made",
                    "link",
                    "" + link.id(),
                    "space",
                    space,
                    "path",
                    path,
                    "hours",
                    "" + hours,
                    "by",
                    caller.name());
            return new Made(link, token);
        });
    }

    private static Buffer hash(String token) {
        try {
            return Buffer.buffer(
                    MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Those that still lead somewhere. */
    public Future<List<Link>> of(Caller caller) {
        return store.of(caller.id());
    }

    /** Empty: there is no such link, or none any more. */
    public Future<Optional<Opened>> open(String token) {
        return isOne(token) ? store.open(hash(token)) : Future.succeededFuture(Optional.empty());
    }

    /** The same, and it does not count as opened. */
    public Future<Optional<Opened>> look(String token) {
        return isOne(token) ? store.look(hash(token)) : Future.succeededFuture(Optional.empty());
    }

    private static boolean isOne(String token) {
        return token.matches("[0-9a-f]{40}");
    }

    public Future<Boolean> remove(Caller caller, long id) {
        return store.remove(caller.id(), id);
    }

    public Future<Void> purge() {
        return store.purge();
    }
}
