package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Applies what is missing, forward only, each change in a transaction of its own. */
final class Migrator {

    private static final long LIMIT_MINUTES = 30;
    private static final String UNDEFINED_TABLE = "42P01";
    private static final String APPLIED = "SELECT room || '/' || name, checksum FROM sluice_migrations";
    private static final String RECORD = "INSERT INTO sluice_migrations (room, name, checksum) VALUES ($1, $2, $3)";
    private static final String PREPARE = """
            SET client_min_messages = warning;
            SET lock_timeout = '60s';
            SELECT pg_advisory_lock(7958347201936);
            SET lock_timeout = 0;
            CREATE TABLE IF NOT EXISTS sluice_migrations (
                room text NOT NULL,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (room, name))
            """;

    private final Vertx vertx;
    private final Target target;
    private final Leases leases;

    Migrator(Vertx vertx, Target target, Leases leases) {
        this.vertx = vertx;
        this.target = target;
        this.leases = leases;
    }

    private record Change(String room, String name, String sql, String checksum) {
        String id() {
            return room + "/" + name;
        }
    }

    Future<Void> run(List<Migrations> all) {
        var wanted = read(all);
        return leases.lend(Migrator::applied)
                .recover(e -> e instanceof PgException refusal && UNDEFINED_TABLE.equals(refusal.getSqlState())
                        ? Future.succeededFuture(Map.of())
                        : Future.failedFuture(e))
                .compose(applied -> missing(wanted, applied).isEmpty() ? Future.succeededFuture() : apply(wanted));
    }

    /** On a connection of its own: a change may take longer than a request may, and the lock goes with it. */
    private Future<Void> apply(List<Change> wanted) {
        return PgConnection.connect(vertx, target.unbounded())
                .compose(connection -> connection
                        .query(PREPARE)
                        .execute()
                        .compose(locked -> applied(connection))
                        .compose(applied -> applyEach(connection, missing(wanted, applied)))
                        .eventually(connection::close))
                .timeout(LIMIT_MINUTES, TimeUnit.MINUTES)
                .recover(e -> Future.failedFuture(
                        e instanceof TimeoutException
                                ? new Database.Unavailable(
                                        "The migrations took longer than %d minutes.".formatted(LIMIT_MINUTES))
                                : Failures.ofWork(e)));
    }

    private static Future<Void> applyEach(SqlConnection connection, List<Change> missing) {
        Future<Void> done = Future.succeededFuture();
        for (var change : missing) {
            done = done.compose(before -> applyOne(connection, change));
        }
        return done;
    }

    private static Future<Void> applyOne(SqlConnection connection, Change change) {
        return connection
                .begin()
                .compose(begun -> connection
                        .query(change.sql)
                        .execute()
                        .compose(done -> connection
                                .preparedQuery(RECORD)
                                .execute(Tuple.of(change.room, change.name, change.checksum)))
                        .compose(
                                recorded -> begun.commit(),
                                first -> begun.rollback().transform(rolledBack -> Future.failedFuture(first))))
                .recover(e -> Future.failedFuture(new Database.Unavailable(
                        "The migration %s failed: %s.".formatted(change.id(), Failures.line(e)), e)));
    }

    private static Future<Map<String, String>> applied(SqlClient client) {
        return client.query(APPLIED).execute().map(rows -> {
            var checksums = new LinkedHashMap<String, String>();
            rows.forEach(row -> checksums.put(row.getString(0), row.getString(1)));
            return checksums;
        });
    }

    private static List<Change> missing(List<Change> wanted, Map<String, String> applied) {
        var unknown = new ArrayList<>(applied.keySet());
        var missing = new ArrayList<Change>();
        for (var change : wanted) {
            unknown.remove(change.id());
            var checksum = applied.get(change.id());
            if (checksum == null) {
                missing.add(change);
            } else if (!checksum.equals(change.checksum)) {
                throw new Database.Unavailable(
                        "The database was built with another text of the migration %s; start the version of Sluice that built it, or use another database."
                                .formatted(change.id()));
            }
        }
        if (!unknown.isEmpty()) {
            throw new Database.Unavailable(
                    "The database was made by a newer Sluice (its migration %s is unknown here); start that version or a newer one, or use another database."
                            .formatted(unknown.getFirst()));
        }
        return missing;
    }

    private static List<Change> read(List<Migrations> all) {
        return all.stream()
                .flatMap(room -> room.names().stream().map(name -> read(room, name)))
                .toList();
    }

    private static Change read(Migrations room, String name) {
        try (var in = room.beside().getResourceAsStream("migrations/" + name + ".sql")) {
            if (in == null) {
                throw new IllegalArgumentException("no migration " + room.room() + "/" + name);
            }
            var text = in.readAllBytes();
            return new Change(room.room(), name, new String(text, StandardCharsets.UTF_8), checksum(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String checksum(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
