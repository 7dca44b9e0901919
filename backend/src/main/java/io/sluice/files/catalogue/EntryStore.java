package io.sluice.files.catalogue;

import io.sluice.database.Database;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Entries as rows. Each catalogue has a table of its own.
 *
 * @param <E> its entries
 * @param <C> what people say of one
 */
public abstract class EntryStore<E extends Entry<C>, C> {
    protected final Database database;
    private final Statements statements;

    /**
     * What the statements of a table have of their own.
     *
     * @param seen by whom, once it is accepted; {@code $1} is who looks
     * @param searched the text that words are found in
     * @param kind whether it is of the kind {@code $6}
     * @param add {@code $1} is whoever brings it, {@code $2} their name, then its values and how it stands
     * @param change {@code $1} is its number, {@code $2} how it stood, then its values and how it stands
     * @param answered what else becomes of it by the administrator's word, where {@code $2} is how it stands
     */
    public record Statements(
            String table, String seen, String searched, String kind, String add, String change, String answered) {

        private String page() {
            return """
                    SELECT * FROM %s WHERE %s AND ($3 = '' OR strpos(lower(%s), $3) > 0)
                        AND ($4 = '' OR standing = $4) AND (NOT $5 OR user_id = $1) AND ($6 = '' OR %s)
                    ORDER BY lower(name), id OFFSET $7 LIMIT $8
                    """.formatted(table, visible(), searched, kind);
        }

        private String visible() {
            return "($2 OR user_id = $1 OR standing = 'accepted' AND " + seen + ")";
        }

        private String waiting() {
            return "SELECT count(*) FROM " + table + " WHERE standing = 'proposed' AND ($2 OR user_id = $1)";
        }

        private String find() {
            return "SELECT * FROM " + table + " WHERE id = $3 AND " + visible();
        }

        private String answer() {
            return """
                    UPDATE %s SET standing = $2, word = $3, changed = now() %s
                    WHERE id = $1 AND date_trunc('milliseconds', changed) = date_trunc('milliseconds', $4::timestamptz) RETURNING *
                    """.formatted(table, answered);
        }

        private String remove() {
            return "DELETE FROM " + table + " WHERE id = $1 AND standing = $2";
        }
    }

    protected EntryStore(Database database, Statements statements) {
        this.database = database;
        this.statements = statements;
    }

    protected abstract E entry(Row row);

    /** As the statements that add and change it take them. */
    protected abstract Tuple values(Tuple first, C content);

    Future<List<E>> page(Caller caller, CatalogueQuery query, int most) {
        return database.read(
                statements.page(),
                of(caller)
                        .addString(query.words())
                        .addString(query.state())
                        .addBoolean(query.isMine())
                        .addString(query.kind())
                        .addInteger(query.from())
                        .addInteger(most),
                this::entry);
    }

    private static Tuple of(Caller caller) {
        return Tuple.of(caller.id(), caller.admin());
    }

    /** How many wait for an answer, as far as the caller may see. */
    Future<Long> waiting(Caller caller) {
        return database.pool()
                .preparedQuery(statements.waiting())
                .execute(of(caller))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    Future<Optional<E>> find(Caller caller, long id) {
        return one(statements.find(), of(caller).addLong(id));
    }

    Future<E> add(Caller caller, C content, Standing.State state) {
        return one(
                        statements.add(),
                        values(Tuple.of(caller.id(), caller.name()), content).addString(state.key()))
                .map(Optional::orElseThrow);
    }

    /**
     * Only as it stood when it was looked at: what the administrator has accepted meanwhile is not changed under their word. Nothing when it is
     * gone, or stands otherwise by now.
     */
    Future<Optional<E>> change(E old, C content, Standing.State state) {
        return one(statements.change(), values(stood(old), content).addString(state.key()));
    }

    private Tuple stood(E old) {
        return Tuple.of(old.id(), old.standing().state().key());
    }

    /** Nothing when it is another than what was read. */
    Future<Optional<E>> answer(long id, Standing.Word word) {
        return one(statements.answer(), Tuple.of(id, word.state().key(), word.text(), word.read()));
    }

    Future<Boolean> remove(E old) {
        return database.pool()
                .preparedQuery(statements.remove())
                .execute(stood(old))
                .map(rows -> rows.rowCount() > 0);
    }

    protected final Future<Optional<E>> one(String sql, Tuple values) {
        return database.read(sql, values, this::entry).map(read -> read.stream().findFirst());
    }

    protected static Standing standing(Row row) {
        return new Standing(
                Standing.State.valueOf(row.getString("standing").toUpperCase(Locale.ROOT)),
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getString("word"),
                Objects.requireNonNull(row.getOffsetDateTime("changed")).toInstant());
    }
}
