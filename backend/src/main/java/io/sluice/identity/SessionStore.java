package io.sluice.identity;

import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.identity.Sessions.Session;
import io.sluice.identity.Sessions.Standing;
import io.sluice.identity.Sessions.Token;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Sessions and application tokens as rows. What ends one rings in the same statement. */
final class SessionStore {
    private static final String CUT = Doorbell.ringing(PeopleStore.CREDENTIALS);
    private static final int KEPT_PER_USER = 100;
    private static final int SWEEP = 10_000;

    private final Database database;

    SessionStore(Database database) {
        this.database = database;
    }

    /** What a refresh token was found to be. */
    enum Turn {
        /** The current one: the next is current now. */
        TURNED,
        /** The one before, shown by a request that ran beside the one that turned it. */
        BESIDE,
        /** One that was replaced long ago: somebody kept a copy. */
        STALE,
        /** Of a session that is over. */
        OVER
    }

    Future<Session> open(
            String id, long user, byte @Nullable [] refresh, String address, String client, Duration life) {
        String sql = """
                WITH oldest AS (DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
                    WHERE user_id = $2 AND kind = $3 ORDER BY created DESC OFFSET %d)),
                seen AS (UPDATE users SET last_seen = now() WHERE id = $2)
                INSERT INTO sessions (id, user_id, kind, refresh, address, client, created, expires)
                VALUES ($1, $2, $3, $4, $5, $6, date_trunc('second', now()),
                    date_trunc('second', now()) + make_interval(secs => $7)) RETURNING *
                """.formatted(KEPT_PER_USER - 1);
        Tuple values = Tuple.of(
                id,
                user,
                refresh == null ? "login" : "browser",
                refresh == null ? null : Buffer.buffer(refresh),
                address,
                client,
                (double) life.toSeconds());
        return rows(sql, values).map(rows -> session(rows.iterator().next()));
    }

    Future<Turn> turn(String id, byte[] shown, byte[] next, Duration idle, Duration most, Duration grace) {
        String sql = """
                WITH turned AS (UPDATE sessions SET previous = refresh, refresh = $3, rotated = now(), last_seen = now(),
                        expires = least(now() + make_interval(secs => $4), created + make_interval(secs => $5))
                    WHERE id = $1 AND kind = 'browser' AND refresh = $2 AND expires > now() RETURNING id)
                SELECT EXISTS (SELECT FROM turned) AS turned,
                    refresh = $2 OR previous = $2 AND rotated > now() - make_interval(secs => $6) AS beside
                FROM sessions WHERE id = $1 AND kind = 'browser' AND expires > now()
                """;
        Tuple values = Tuple.of(
                id,
                Buffer.buffer(shown),
                Buffer.buffer(next),
                (double) idle.toSeconds(),
                (double) most.toSeconds(),
                (double) grace.toSeconds());
        // the look sees the row as it was before the statement: "refresh = $2" there without "turned" is a lost race
        return rows(sql, values).map(rows -> {
            if (rows.size() == 0) {
                return Turn.OVER;
            }
            Row row = rows.iterator().next();
            return row.getBoolean("turned")
                    ? Turn.TURNED
                    : Boolean.TRUE.equals(row.getBoolean("beside")) ? Turn.BESIDE : Turn.STALE;
        });
    }

    Future<Optional<Standing>> ofSession(String id) {
        return rows("""
                        SELECT u.id, u.name, u.admin, s.kind, s.created, s.expires, s.last_seen > now() - interval '1 minute'
                            AND u.last_seen IS NOT NULL AND u.last_seen > now() - interval '1 minute' AS seen
                        FROM sessions s JOIN users u ON u.id = s.user_id
                        WHERE s.id = $1 AND s.expires > now() AND NOT u.disabled AND u.deleted IS NULL""", Tuple.of(id))
                .map(rows -> rows.stream()
                        .findFirst()
                        .map(row -> standing(
                                row,
                                row.getString("kind").equals("browser") ? Caller.Kind.SESSION : Caller.Kind.SIGN_IN,
                                Caller.EVERYTHING)));
    }

    Future<Optional<Standing>> ofToken(byte[] hash) {
        return rows("""
                        SELECT u.id, u.name, u.admin, t.scopes, t.created, t.expires, t.last_used IS NOT NULL
                            AND t.last_used > now() - interval '1 minute' AS seen
                        FROM application_tokens t JOIN users u ON u.id = t.user_id
                        WHERE t.hash = $1 AND (t.expires IS NULL OR t.expires > now())
                            AND NOT u.disabled AND u.deleted IS NULL""", Tuple.of(Buffer.buffer(hash)))
                .map(rows -> rows.stream()
                        .findFirst()
                        .map(row -> standing(row, Caller.Kind.APPLICATION, Set.of(row.getArrayOfStrings("scopes")))));
    }

    /** Notes that these were used just now. Out of any request's way. */
    Future<Void> seen(List<String> sessions, List<byte[]> tokens) {
        return rows(
                        """
                        WITH s AS (UPDATE sessions SET last_seen = now() WHERE id = ANY($1) RETURNING user_id),
                            t AS (UPDATE application_tokens SET last_used = now() WHERE hash = ANY($2) RETURNING user_id)
                        UPDATE users SET last_seen = now()
                        WHERE id IN (SELECT user_id FROM s UNION SELECT user_id FROM t)""",
                        Tuple.tuple()
                                .addArrayOfString(sessions.toArray(String[]::new))
                                .addArrayOfBuffer(
                                        tokens.stream().map(Buffer::buffer).toArray(Buffer[]::new)))
                .mapEmpty();
    }

    Future<Boolean> end(String id, long user) {
        return rows(
                        "WITH gone AS (DELETE FROM sessions WHERE id = $1 AND user_id = $2 RETURNING id) SELECT " + CUT
                                + " FROM gone",
                        Tuple.of(id, user))
                .map(rows -> rows.size() == 1);
    }

    Future<Boolean> endStolen(String id) {
        return rows(
                        "WITH gone AS (DELETE FROM sessions WHERE id = $1 RETURNING id) SELECT " + CUT + " FROM gone",
                        Tuple.of(id))
                .map(rows -> rows.size() == 1);
    }

    Future<List<Session>> sessions(long user) {
        return rows("""
                        SELECT * FROM sessions WHERE user_id = $1 AND expires > now()
                        ORDER BY last_seen DESC, id LIMIT\s""" + 2 * KEPT_PER_USER, Tuple.of(user))
                .map(rows -> rows.stream().map(SessionStore::session).toList());
    }

    /** False when there are as many as allowed. */
    Future<Optional<Token>> addToken(
            long user, String name, byte[] hash, List<String> scopes, @Nullable Duration life, int most) {
        Tuple values = Tuple.of(user, name, Buffer.buffer(hash))
                .addArrayOfString(scopes.toArray(String[]::new))
                .addValue(life == null ? null : Instant.now().plus(life).atOffset(ZoneOffset.UTC))
                .addInteger(most);
        return rows("""
                        INSERT INTO application_tokens (user_id, name, hash, scopes, expires) SELECT $1, $2, $3, $4, $5
                        WHERE (SELECT count(*) FROM application_tokens WHERE user_id = $1) < $6 RETURNING *""", values).map(rows -> rows.stream().findFirst().map(SessionStore::token));
    }

    Future<List<Token>> tokens(long user) {
        return rows("SELECT * FROM application_tokens WHERE user_id = $1 ORDER BY id DESC", Tuple.of(user))
                .map(rows -> rows.stream().map(SessionStore::token).toList());
    }

    Future<Optional<String>> revoke(long id, long user) {
        return rows(
                        "WITH gone AS (DELETE FROM application_tokens WHERE id = $1 AND user_id = $2 RETURNING name) SELECT name, "
                                + CUT + " FROM gone",
                        Tuple.of(id, user))
                .map(rows -> rows.stream().findFirst().map(row -> row.getString("name")));
    }

    Future<Boolean> revoke(byte[] hash, long user) {
        return rows(
                        "WITH gone AS (DELETE FROM application_tokens WHERE hash = $1 AND user_id = $2 RETURNING id) SELECT "
                                + CUT + " FROM gone",
                        Tuple.of(Buffer.buffer(hash), user))
                .map(rows -> rows.size() == 1);
    }

    /** Forgets what is over. */
    Future<Integer> sweep() {
        return rows(
                        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires < now() LIMIT " + SWEEP
                                + ")",
                        Tuple.tuple())
                .map(RowSet::rowCount);
    }

    private static Standing standing(Row row, Caller.Kind kind, Set<String> scopes) {
        return new Standing(
                row.getLong("id"),
                row.getString("name"),
                row.getBoolean("admin"),
                kind,
                scopes,
                PeopleStore.instant(row, "created"),
                PeopleStore.maybe(row, "expires"),
                row.getBoolean("seen"));
    }

    private static Session session(Row row) {
        return new Session(
                row.getString("id"),
                row.getLong("user_id"),
                row.getString("kind").equals("browser"),
                row.getString("address"),
                row.getString("client"),
                PeopleStore.instant(row, "created"),
                PeopleStore.instant(row, "last_seen"),
                PeopleStore.instant(row, "expires"));
    }

    private static Token token(Row row) {
        return new Token(
                row.getLong("id"),
                row.getString("name"),
                List.of(row.getArrayOfStrings("scopes")),
                PeopleStore.instant(row, "created"),
                PeopleStore.maybe(row, "expires"),
                PeopleStore.maybe(row, "last_used"));
    }

    private Future<RowSet<Row>> rows(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values);
    }

    /**
     * What the database last said about credentials. Asked again when it is older than the caller accepts, and when the doorbell rang; used
     * a little longer while the database is away, but never so long that a revocation elsewhere takes more than five seconds.
     */
    static final class Cache {
        static final Duration FRESH = Duration.ofMillis(2_500);
        static final Duration RECHECKED = Duration.ofMillis(1_500);
        private static final Duration AWAY = Duration.ofSeconds(5);
        /** The caller's own statement has to find out that the database stands still, and to say so in two seconds. */
        private static final Duration PATIENCE = Duration.ofMillis(50);

        private static final int MOST = 10_000;

        private final Function<String, Future<Optional<Standing>>> source;
        private final Map<String, Kept> kept = new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
                return size() > MOST;
            }
        };
        private final LongSupplier clock;
        private long forgotten;

        private record Kept(Optional<Standing> standing, long asked) {}

        Cache(Function<String, Future<Optional<Standing>>> source, LongSupplier clock) {
            this.clock = clock;
            this.forgotten = clock.getAsLong();
            this.source = source;
        }

        Future<Optional<Standing>> of(String credential, Duration age) {
            long now = clock.getAsLong();
            Kept known = known(credential);
            if (known != null && now - known.asked < age.toNanos() && isSinceForgotten(known)) {
                return Future.succeededFuture(known.standing);
            }
            var asked = source.apply(credential).onSuccess(standing -> keep(credential, new Kept(standing, now)));
            if (known == null) {
                return asked;
            }
            var soon = isSinceForgotten(known) ? asked.timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) : asked;
            return soon.recover(late ->
                    clock.getAsLong() - known.asked < AWAY.toNanos() ? Future.succeededFuture(known.standing) : asked);
        }

        synchronized void forget() {
            forgotten = clock.getAsLong();
        }

        private synchronized @Nullable Kept known(String credential) {
            return kept.get(credential);
        }

        private synchronized boolean isSinceForgotten(Kept known) {
            return known.asked - forgotten > 0;
        }

        private synchronized void keep(String credential, Kept fresh) {
            Kept other = kept.get(credential);
            if (other == null || other.asked - fresh.asked < 0) {
                kept.put(credential, fresh);
            }
        }
    }
}
