package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.placement.Waiting;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is read of many jobs, and of one what a list shows of it. */
final class ListStore {
    /** In the order in which {@link #job} reads them. */
    private static final String COLUMNS =
            "id, user_id, user_name, name, virtual_cluster, priority, priority_class, shown, state, attempt,"
                    + " tasks, roles, devices, retries, user_retries, stop, due, submitted, created, launched, completed, exit_code,"
                    + " waiting::text AS waiting, doubt, tags";

    /** In the order in which {@link #summary} reads them: of many jobs no more than is told, for half the time goes into values. */
    private static final String SUMMARY =
            "id, user_name, name, virtual_cluster, priority_class, shown, state, tasks, roles, devices, retries, user_retries,"
                    + " stop, due, submitted, launched, completed, exit_code, tags";

    private static final String NEWEST = "submitted DESC, id DESC";

    private final Database database;

    ListStore(Database database) {
        this.database = database;
    }

    /** The next so many after a cursor, newest first. */
    Future<JobFilter.Page> page(JobFilter filter, @Nullable String after, int size) {
        var where = new Conditions(filter);
        if (after != null) {
            where.after(after);
        }
        return jobs(where, NEWEST, size + 1, 0)
                .map(jobs -> jobs.size() <= size
                        ? new JobFilter.Page(jobs, null)
                        : new JobFilter.Page(jobs.subList(0, size), cursor(jobs.get(size - 1))));
    }

    /** Microseconds, which the database counts in, and the number. */
    static String cursor(Job.Summary job) {
        Instant at = job.submitted();
        return (at.getEpochSecond() * 1_000_000 + at.getNano() / 1000) + "." + job.id();
    }

    Future<List<Job.Summary>> slice(JobFilter filter, JobFilter.Slice slice) {
        String direction = slice.descending() ? " DESC NULLS FIRST" : " ASC NULLS LAST";
        String order = slice.isNewest() ? NEWEST : slice.order().column + direction + ", id DESC";
        return jobs(new Conditions(filter), order, slice.limit(), slice.offset());
    }

    Future<Long> count(JobFilter filter) {
        var where = new Conditions(filter);
        return database.pool()
                .preparedQuery("SELECT count(*) FROM jobs WHERE " + where.all())
                .execute(where.values())
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** How many there are of each state, without the final ones: those never end. */
    Future<Map<Job.State, Long>> unfinished(@Nullable String user) {
        String mine = user == null ? "" : " AND user_name = $1";
        // the two small indexes, each by its own condition
        return database.pool()
                .preparedQuery(
                        "SELECT shown, count(*) FROM (SELECT shown FROM jobs WHERE state IN ('accepted', 'queued')"
                                + mine
                                + " UNION ALL SELECT shown FROM jobs WHERE state IN ('claimed', 'creating', 'started', 'exited')"
                                + mine
                                + ") unfinished GROUP BY shown")
                .execute(user == null ? Tuple.tuple() : Tuple.of(user))
                .map(rows -> {
                    Map<Job.State, Long> counts = new EnumMap<>(Job.State.class);
                    rows.forEach(row -> counts.put(Job.State.valueOf(row.getString(0)), row.getLong(1)));
                    return counts;
                });
    }

    /** The same of every user. */
    Future<Map<String, Map<Job.State, Long>>> unfinishedOfAll() {
        return database.pool()
                .preparedQuery(
                        "SELECT user_name, shown, count(*) FROM (SELECT user_name, shown FROM jobs WHERE state IN ('accepted', 'queued')"
                                + " UNION ALL SELECT user_name, shown FROM jobs WHERE state IN ('claimed', 'creating', 'started', 'exited')"
                                + ") unfinished GROUP BY user_name, shown")
                .execute()
                .map(rows -> {
                    Map<String, Map<Job.State, Long>> counts = new HashMap<>();
                    rows.forEach(row -> counts.computeIfAbsent(row.getString(0), user -> new EnumMap<>(Job.State.class))
                            .put(Job.State.valueOf(row.getString(1)), row.getLong(2)));
                    return counts;
                });
    }

    /**
     * One index range per state, merged, so that a rare state among a million of another is found at once. From the beginning of a list the limit
     * stands in the text: if it came with the values it might be of the whole table, and the database would plan anew each time.
     */
    private Future<List<Job.Summary>> jobs(Conditions where, String order, int limit, int offset) {
        String cut = offset == 0
                ? " LIMIT " + limit
                : " LIMIT " + where.value((long) limit) + " OFFSET " + where.value((long) offset);
        String sql;
        if (where.states().size() < 2) {
            sql = "SELECT " + SUMMARY + " FROM jobs WHERE " + where.all() + " ORDER BY " + order + cut;
        } else {
            String each = offset == 0 ? Integer.toString(limit) : where.value((long) offset + limit);
            sql = "SELECT found.* FROM unnest(" + where.value(where.states())
                    + "::text[]) AS wanted CROSS JOIN LATERAL (SELECT " + SUMMARY
                    + " FROM jobs WHERE shown = wanted AND "
                    + where.butStates() + " ORDER BY " + order + " LIMIT " + each + ") found ORDER BY " + order + cut;
        }
        return database.read(sql, where.values(), ListStore::summary);
    }

    Future<Optional<Job>> job(String user, String name) {
        return database.read(
                        "SELECT " + COLUMNS + " FROM jobs WHERE user_name = $1 AND name = $2",
                        Tuple.of(user, name),
                        ListStore::job)
                .map(jobs -> jobs.stream().findFirst());
    }

    /** In any order. */
    Future<List<Job>> numbered(List<Long> ids) {
        return database.read(
                "SELECT " + COLUMNS + " FROM jobs WHERE id = ANY($1)",
                Tuple.of(ids.toArray(Long[]::new)),
                ListStore::job);
    }

    /** The cursor is of before the read: what is committed later is above it, or is told again. */
    Future<JobFilter.Changes> changes(JobFilter filter, @Nullable String from, @Nullable String cursor, int most) {
        var where = new Conditions(filter);
        if (from != null) {
            where.from(from);
        }
        String since = cursor == null ? "false" : "changed >= " + where.value(cursor) + "::text::xid8";
        String sql =
                "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor, found.* FROM (SELECT) one LEFT JOIN (SELECT "
                        + COLUMNS + " FROM jobs WHERE " + since + " AND " + where.all()
                        + " ORDER BY changed DESC LIMIT " + where.value(most + 1L)
                        + ") found ON true";
        return database.pool().preparedQuery(sql).execute(where.values()).map(rows -> {
            List<Job> jobs = new ArrayList<>();
            String next = "";
            for (Row row : rows) {
                next = row.getString("cursor");
                if (row.getLong("id") != null) {
                    jobs.add(job(row, 1));
                }
            }
            return jobs.size() > most
                    ? new JobFilter.Changes(jobs.subList(0, most), next, true)
                    : new JobFilter.Changes(jobs, next, false);
        });
    }

    /** One job, if it changed since a cursor; without one, it did. */
    Future<JobFilter.Changes> since(String user, String name, @Nullable String cursor) {
        String sql =
                "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor, found.* FROM (SELECT) one LEFT JOIN (SELECT "
                        + COLUMNS + " FROM jobs WHERE user_name = $1 AND name = $2"
                        + " AND ($3::text IS NULL OR changed >= $3::text::xid8)) found ON true";
        return database.pool()
                .preparedQuery(sql)
                .execute(Tuple.of(user, name, cursor))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    return new JobFilter.Changes(
                            row.getLong("id") == null ? List.of() : List.of(job(row, 1)),
                            row.getString("cursor"),
                            false);
                });
    }

    private static Job job(Row row) {
        return job(row, 0);
    }

    /** By place, for to look for a column by its name takes longer than to read it: a list has more than a thousand values. */
    private static Job job(Row row, int from) {
        int at = from;
        return new Job(
                row.getLong(at++),
                row.getLong(at++),
                row.getString(at++),
                row.getString(at++),
                row.getString(at++),
                row.getInteger(at++),
                row.getString(at++),
                Job.State.valueOf(row.getString(at++)),
                Job.Phase.ofColumn(row.getString(at++)),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getBoolean(at++),
                instant(row, at++),
                row.getOffsetDateTime(at++).toInstant(),
                instant(row, at++),
                instant(row, at++),
                instant(row, at++),
                row.getInteger(at++),
                Json.readIfAny(row.getString(at++), Waiting.class),
                row.getString(at++),
                List.of(row.getArrayOfStrings(at++)));
    }

    private static Job.Summary summary(Row row) {
        int at = 0;
        return new Job.Summary(
                row.getLong(at++),
                row.getString(at++),
                row.getString(at++),
                row.getString(at++),
                row.getString(at++),
                Job.State.valueOf(row.getString(at++)),
                Job.Phase.ofColumn(row.getString(at++)),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getBoolean(at++),
                instant(row, at++),
                row.getOffsetDateTime(at++).toInstant(),
                instant(row, at++),
                instant(row, at++),
                row.getInteger(at++),
                List.of(row.getArrayOfStrings(at)));
    }

    private static @Nullable Instant instant(Row row, int place) {
        OffsetDateTime time = row.getOffsetDateTime(place);
        return time == null ? null : time.toInstant();
    }

    /** The conditions of a filter, with their values. */
    private static final class Conditions {
        private final List<@Nullable Object> values = new ArrayList<>();
        private final List<String> conditions = new ArrayList<>();
        private final List<String> states;

        Conditions(JobFilter filter) {
            states = filter.states().stream().map(Enum::name).toList();
            if (filter.users().size() == 1) {
                conditions.add("user_name = " + value(filter.users().iterator().next()));
            } else {
                anyOf("user_name", List.copyOf(filter.users()));
            }
            anyOf("virtual_cluster", List.copyOf(filter.virtualClusters()));
            anyOf("coalesce(lower(priority_class), 'default')", List.copyOf(filter.priorities()));
            String keyword = filter.keyword();
            if (keyword != null && !keyword.isEmpty()) {
                String found = value(keyword);
                conditions.add("(strpos(user_name, " + found + ") > 0 OR strpos(name, " + found
                        + ") > 0 OR strpos(virtual_cluster, " + found + ") > 0)");
            }
            if (!filter.tags().isEmpty()) {
                conditions.add("tags && " + value(List.copyOf(filter.tags())));
            }
            if (!filter.withoutTags().isEmpty()) {
                conditions.add("NOT tags && " + value(List.copyOf(filter.withoutTags())));
            }
        }

        private void anyOf(String column, List<String> allowed) {
            if (!allowed.isEmpty()) {
                conditions.add(column + " = ANY(" + value(allowed) + ")");
            }
        }

        /** Those after it, the newest first. */
        void after(String cursor) {
            place("<", cursor);
        }

        /** It, and what comes before it. */
        void from(String cursor) {
            place(">=", cursor);
        }

        private void place(String side, String cursor) {
            int dot = cursor.indexOf('.');
            String micros = value(Long.valueOf(cursor.substring(0, dot)));
            String id = value(Long.valueOf(cursor.substring(dot + 1)));
            // as sub-selects: for a place that it could see the database would plan anew each time, which takes as long
            // as the page
            conditions.add("(submitted, id) " + side + " ((SELECT timestamptz 'epoch' + " + micros
                    + " * interval '1 microsecond'), (SELECT " + id + "))");
        }

        /** Adds a value, and names it. */
        String value(Object value) {
            values.add(value instanceof List<?> list ? list.toArray(String[]::new) : value);
            return "$" + values.size()
                    + (value instanceof Long ? "::bigint" : value instanceof List ? "::text[]" : "::text");
        }

        List<String> states() {
            return states;
        }

        String butStates() {
            return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
        }

        String all() {
            if (states.size() == 1) {
                conditions.add("shown = " + value(states.getFirst()));
            } else if (!states.isEmpty()) {
                anyOf("shown", states);
            }
            return butStates();
        }

        Tuple values() {
            return Tuple.wrap(new ArrayList<>(values));
        }
    }
}
