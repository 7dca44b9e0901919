package io.sluice.telemetry.notices;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** What is still to be told, as rows. */
final class NoticeStore {
    /** Whoever takes some has them for a while; should it go away with them they are taken again. */
    private static final String TAKE = """
            UPDATE idle_notices SET due = $1::timestamptz + $2::bigint * interval '1 millisecond', tries = tries + 1
            WHERE id IN (SELECT id FROM idle_notices WHERE due <= $1 ORDER BY due LIMIT $3 FOR UPDATE SKIP LOCKED)
            RETURNING id, job_id, attempt, kind, message::text, made, tries
            """;

    private final Database database;

    NoticeStore(Database database) {
        this.database = database;
    }

    /** @param tries with this one */
    record Notice(long id, long job, int attempt, String kind, JsonObject message, Instant made, int tries) {}

    Future<List<Notice>> take(Instant now, Duration term, int most) {
        return database.read(
                TAKE,
                Tuple.of(at(now), term.toMillis(), most),
                row -> new Notice(
                        row.getLong(0),
                        row.getLong(1),
                        row.getInteger(2),
                        row.getString(3),
                        new JsonObject(row.getString(4)),
                        row.getOffsetDateTime(5).toInstant(),
                        row.getInteger(6)));
    }

    Future<Void> done(long id) {
        return database.pool()
                .preparedQuery("DELETE FROM idle_notices WHERE id = $1")
                .execute(Tuple.of(id))
                .mapEmpty();
    }

    Future<Void> again(long id, Instant due) {
        return database.pool()
                .preparedQuery("UPDATE idle_notices SET due = $2 WHERE id = $1")
                .execute(Tuple.of(id, at(due)))
                .mapEmpty();
    }

    Future<Long> waiting() {
        return database.read("SELECT count(*) FROM idle_notices", Tuple.tuple(), row -> row.getLong(0))
                .map(List::getFirst);
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
