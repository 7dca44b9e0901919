package io.sluice.jobs.images;

import io.sluice.database.Database;
import io.sluice.files.catalogue.Catalogue;
import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.Standing;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** Images as rows. */
final class ImageStore implements Catalogue.Rows<Image, Image.Content> {
    private static final String SEEN = "($2 OR user_id = $1 OR standing = 'accepted')";

    private static final String PAGE = """
            SELECT * FROM job_images WHERE %s
                AND ($3 = '' OR strpos(lower(concat_ws(' ', name, repository, framework, array_to_string(tags, ' '), description)), $3) > 0)
                AND ($4 = '' OR standing = $4) AND (NOT $5 OR user_id = $1) AND ($6 = '' OR device = $6)
            ORDER BY lower(name), id OFFSET $7 LIMIT $8
            """.formatted(SEEN);

    private static final String ADD = """
            INSERT INTO job_images (user_id, user_name, name, description, repository, tags, framework, device, standing)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *
            """;

    /** Only as it stood when it was looked at: what the administrator has accepted meanwhile is not changed under their word. */
    private static final String CHANGE = """
            UPDATE job_images SET name = $3, description = $4, repository = $5, tags = $6, framework = $7, device = $8, standing = $9,
                word = '', changed = now()
            WHERE id = $1 AND standing = $2 RETURNING *
            """;

    private static final String ANSWER = """
            UPDATE job_images SET standing = $2, word = $3, changed = now()
            WHERE id = $1 AND date_trunc('milliseconds', changed) = date_trunc('milliseconds', $4::timestamptz) RETURNING *
            """;

    private static final String ACCEPTED =
            "SELECT * FROM job_images WHERE standing = 'accepted' AND repository = $1 AND $2 = ANY(tags) LIMIT 1";

    private final Database database;

    ImageStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<List<Image>> page(Caller caller, CatalogueQuery query, int most) {
        return database.read(
                PAGE,
                seen(caller)
                        .addString(query.words())
                        .addString(query.state())
                        .addBoolean(query.isMine())
                        .addString(query.kind())
                        .addInteger(query.from())
                        .addInteger(most),
                ImageStore::image);
    }

    private static Tuple seen(Caller caller) {
        return Tuple.of(caller.id(), caller.admin());
    }

    @Override
    public Future<Long> waiting(Caller caller) {
        return database.pool()
                .preparedQuery("SELECT count(*) FROM job_images WHERE standing = 'proposed' AND ($2 OR user_id = $1)")
                .execute(seen(caller))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    @Override
    public Future<Optional<Image>> find(Caller caller, long id) {
        return one(
                "SELECT * FROM job_images WHERE id = $3 AND " + SEEN,
                seen(caller).addLong(id));
    }

    @Override
    public Future<Image> add(Caller caller, Image.Content content, Standing.State state) {
        return one(ADD, values(Tuple.of(caller.id(), caller.name()), content, state))
                .map(Optional::orElseThrow);
    }

    Future<Boolean> isAccepted(String repository, String tag) {
        return one(ACCEPTED, Tuple.of(repository, tag)).map(Optional::isPresent);
    }

    /** What the engines call this installation. */
    Future<String> install() {
        return database.pool()
                .query("SELECT install FROM job_leader")
                .execute()
                .map(rows -> rows.iterator().next().getString(0));
    }

    private static Tuple values(Tuple first, Image.Content content, Standing.State state) {
        return first.addString(content.name())
                .addString(content.description())
                .addString(content.repository())
                .addArrayOfString(content.tags().toArray(String[]::new))
                .addString(content.framework())
                .addString(content.device().key())
                .addString(state.key());
    }

    @Override
    public Future<Optional<Image>> change(Image old, Image.Content content, Standing.State state) {
        return one(CHANGE, values(Tuple.of(old.id(), old.standing().state().key()), content, state));
    }

    @Override
    public Future<Optional<Image>> answer(long id, Standing.Word word) {
        return one(ANSWER, Tuple.of(id, word.state().key(), word.text(), word.read()));
    }

    @Override
    public Future<Boolean> remove(Image old) {
        return database.pool()
                .preparedQuery("DELETE FROM job_images WHERE id = $1 AND standing = $2")
                .execute(Tuple.of(old.id(), old.standing().state().key()))
                .map(rows -> rows.rowCount() > 0);
    }

    private Future<Optional<Image>> one(String sql, Tuple values) {
        return database.pool()
                .preparedQuery(sql)
                .execute(values)
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(image(rows.iterator().next())));
    }

    private static Image image(Row row) {
        var content = new Image.Content(
                row.getString("name"),
                row.getString("description"),
                row.getString("repository"),
                List.of(row.getArrayOfStrings("tags")),
                row.getString("framework"),
                DeviceKind.of(row.getString("device")).orElseThrow());
        var standing = new Standing(
                Standing.State.valueOf(row.getString("standing").toUpperCase(Locale.ROOT)),
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getString("word"),
                Objects.requireNonNull(row.getOffsetDateTime("changed")).toInstant());
        return new Image(row.getLong("id"), content, standing);
    }
}
