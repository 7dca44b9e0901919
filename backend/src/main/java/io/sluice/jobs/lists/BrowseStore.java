package io.sluice.jobs.lists;

import io.sluice.database.Database;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.Json;
import io.sluice.jobs.life.Exit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the numbers of jobs, in order and by key; whoever asks reads the jobs themselves. */
final class BrowseStore {
    /** Without an index that leads to what is looked for, so many jobs are looked at for one page. */
    static final int LOOKED_AT = 10_000;

    private static final Set<Job.State> MANY = Job.State.FINAL;

    private static final String EXTRAS = """
            SELECT j.id, a.cause::text AS cause,
                (SELECT string_agg(DISTINCT role ->> 'deviceType', ', ')
                    FROM jsonb_array_elements(j.demand) role WHERE j.devices > 0) AS device_type
            FROM jobs j
            LEFT JOIN job_attempts a ON a.job_id = j.id AND a.attempt = j.attempt AND j.shown = 'FAILED'
            WHERE j.id = ANY($1)
            """;

    private final Database database;

    BrowseStore(Database database) {
        this.database = database;
    }

    /** @param last the farthest that was looked at where the looking ended before the list did, null: it came to the end */
    record Found(List<Long> ids, @Nullable Long last) {}

    record Extra(@Nullable String deviceType, @Nullable Exit exit) {}

    Future<Found> ids(JobFilter filter, Lists.Place place, List<Object> key, int most) {
        var query = new Query();
        var order = Order.of(place.sort(), filter.users().size() == 1);
        String led = led(query, filter) + (place.sort().isOfLength() ? " AND state = 'finalised'" : "");
        String looked = looked(query, filter);
        // states of which there are few are read whole, and those of which there are many by their index, one at a time
        boolean window = !looked.isEmpty() && filter.states().size() <= 1;
        // in the text: with a value the database would plan anew each time
        String reach = Integer.toString(window ? LOOKED_AT : most);
        var part = new Part(query, order, place.before(), led + (window ? "" : looked), reach);
        String inner = switch (place.sort()) {
            case STATE -> part.byState(key);
            case USER -> key.isEmpty() ? part.of("true") : part.byUser(key);
            default -> part.of(key.isEmpty() ? "true" : part.after(key));
        };
        String by = order.by(place.before());
        String found = "WITH looked AS MATERIALIZED (" + inner
                + ") SELECT (SELECT count(*) FROM looked) AS seen, (SELECT id FROM looked ORDER BY "
                + order.by(!place.before())
                + " LIMIT 1) AS last, found.id FROM (SELECT) one LEFT JOIN (SELECT * FROM looked WHERE true"
                + (window ? looked : "") + " ORDER BY " + by + " LIMIT " + most
                + ") found ON true ORDER BY " + by;
        return database.pool().preparedQuery(found).execute(query.values()).map(rows -> {
            List<Long> ids = new ArrayList<>();
            Long last = null;
            for (Row row : rows) {
                Long id = row.getLong("id");
                if (id != null) {
                    ids.add(id);
                }
                last = window && row.getLong("seen") == LOOKED_AT ? row.getLong("last") : null;
            }
            return new Found(ids, last);
        });
    }

    /** So many jobs of a list that follow a place, or come before it. */
    private record Part(Query query, Order order, boolean back, String led, String most) {
        private static final String COLUMNS = "id, user_name, name, virtual_cluster, priority, priority_class, tags,"
                + " submitted, shown, tasks, devices, launched, created, completed";

        String of(String bound) {
            return "SELECT " + COLUMNS + " FROM jobs WHERE " + led + " AND " + bound + " ORDER BY " + order.by(back)
                    + " LIMIT " + most;
        }

        /** All terms go the same way, so it is one range. */
        String after(List<Object> key) {
            String first = query.value(key.getFirst());
            String bound = switch (order.sort()) {
                case NEWEST, OLDEST, LONGEST, SHORTEST -> time(first);
                case TOOK_LONGEST, TOOK_SHORTEST -> first + " * interval '1 microsecond'";
                default -> first;
            };
            return order.row() + (order.rises(back) ? " > (" : " < (") + bound + ", " + query.value(key.getLast())
                    + ")";
        }

        /** What is left of the user at whom the page before ended, and the users that follow. */
        String byUser(List<Object> key) {
            String user = query.value(key.getFirst());
            String place = "(" + time(query.value(key.get(1))) + ", " + query.value(key.getLast()) + ")";
            return "(" + of("user_name = " + user + " AND (submitted, id)" + (back ? " > " : " < ") + place)
                    + ") UNION ALL (" + of("user_name" + (back ? " < " : " > ") + user) + ") ORDER BY "
                    + order.by(back) + " LIMIT " + most;
        }

        /** Each state is a range of its own. */
        String byState(List<Object> key) {
            String states = query.value(Order.STATES);
            String newest = back ? "submitted, id" : "submitted DESC, id DESC";
            String rank = key.isEmpty() ? "" : query.value(key.getFirst());
            // only the state at which the page before ended has a place in it
            String place = key.isEmpty()
                    ? "true"
                    : "(submitted, id)" + (back ? " > " : " < ") + "(CASE WHEN wanted.rank = " + rank + " THEN "
                            + time(query.value(key.get(1))) + " ELSE timestamptz '" + (back ? "-" : "")
                            + "infinity' END, CASE WHEN wanted.rank = " + rank + " THEN " + query.value(key.getLast())
                            + " ELSE 0 END)";
            return "SELECT found.* FROM unnest(" + states + ") WITH ORDINALITY AS wanted (state, rank)"
                    + " CROSS JOIN LATERAL (SELECT " + COLUMNS + " FROM jobs WHERE shown = wanted.state AND " + led
                    + " AND " + place + " ORDER BY " + newest + " LIMIT " + most + ") found WHERE "
                    + (key.isEmpty() ? "true" : "wanted.rank " + (back ? "<= " : ">= ") + rank)
                    + " ORDER BY wanted.rank" + (back ? " DESC, " : ", ") + newest + " LIMIT " + most;
        }

        private static String time(String micros) {
            return "timestamptz 'epoch' + " + micros + " * interval '1 microsecond'";
        }
    }

    /** What an index leads to. */
    private static String led(Query query, JobFilter filter) {
        var led = new StringBuilder("true");
        if (!filter.users().isEmpty()) {
            led.append(
                    filter.users().size() == 1
                            ? " AND user_name = "
                                    + query.value(filter.users().iterator().next())
                            : " AND user_name = ANY(" + query.value(filter.users()) + ")");
        }
        if (filter.states().size() == 1) {
            led.append(" AND shown = "
                    + query.value(filter.states().iterator().next().name()));
        } else if (!filter.states().isEmpty()) {
            String shown = query.value(filter.states().stream().map(Enum::name).toList());
            boolean active = filter.states().stream().noneMatch(MANY::contains)
                    && !filter.states().contains(Job.State.WAITING);
            // as the small index of what holds machines has it
            led.append(active ? " AND state IN ('claimed', 'creating', 'started', 'exited')" : "")
                    .append(" AND shown = ANY(" + shown + ")");
        }
        if (!filter.tags().isEmpty()) {
            led.append(" AND tags <> '{}' AND tags && " + query.value(filter.tags()));
        }
        return led.toString();
    }

    /** What each job has to be looked at for. */
    private static String looked(Query query, JobFilter filter) {
        var looked = new StringBuilder();
        if (!filter.virtualClusters().isEmpty()) {
            looked.append(" AND virtual_cluster = ANY(" + query.value(filter.virtualClusters()) + ")");
        }
        if (!filter.priorities().isEmpty()) {
            looked.append(
                    " AND coalesce(lower(priority_class), 'default') = ANY(" + query.value(filter.priorities()) + ")");
        }
        String keyword = filter.keyword();
        if (keyword != null && !keyword.isEmpty()) {
            String word = query.value(keyword);
            looked.append(" AND (strpos(lower(user_name), lower(" + word + ")) > 0 OR strpos(lower(name), lower(" + word
                    + ")) > 0 OR " + word + " = ANY(tags))");
        }
        return looked.toString();
    }

    Future<Map<Long, Extra>> extras(List<Long> ids) {
        return database.pool()
                .preparedQuery(EXTRAS)
                .execute(Tuple.of(ids.toArray(Long[]::new)))
                .map(rows -> {
                    Map<Long, Extra> extras = new HashMap<>();
                    rows.forEach(row -> extras.put(
                            row.getLong("id"),
                            new Extra(
                                    row.getString("device_type"), Json.readIfAny(row.getString("cause"), Exit.class))));
                    return extras;
                });
    }

    Future<Long> count(JobFilter filter, Job.State state, int most) {
        var query = new Query();
        return counted(query, led(query, filter.in(Set.of(state))), most);
    }

    Future<Optional<Long>> total(JobFilter filter, int most) {
        var query = new Query();
        String led = led(query, filter);
        return looked(new Query(), filter).isEmpty()
                ? counted(query, led, most).map(Optional::of)
                : Future.succeededFuture(Optional.empty());
    }

    private Future<Long> counted(Query query, String led, int most) {
        return database.pool()
                .preparedQuery("SELECT count(*) FROM (SELECT FROM jobs WHERE " + led + " LIMIT "
                        + query.value((long) most) + ") few")
                .execute(query.values())
                .map(rows -> rows.iterator().next().getLong(0));
    }

    Future<List<String>> clusters() {
        return database.read("SELECT name FROM virtual_clusters ORDER BY name", Tuple.tuple(), row -> row.getString(0));
    }

    private static final class Query {
        private final List<Object> values = new ArrayList<>();

        /** Adds a value, and names it. */
        String value(Object value) {
            boolean many = value instanceof java.util.Collection<?>;
            values.add(many ? ((java.util.Collection<?>) value).toArray(String[]::new) : value);
            return "$" + values.size() + (value instanceof Long ? "::bigint" : many ? "::text[]" : "::text");
        }

        Tuple values() {
            return Tuple.wrap(values);
        }
    }
}
