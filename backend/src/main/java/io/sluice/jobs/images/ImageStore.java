package io.sluice.jobs.images;

import io.sluice.database.Database;
import io.sluice.files.catalogue.EntryStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;

/** Images as rows. */
final class ImageStore extends EntryStore<Image, Image.Content> {
    private static final String ADD = """
            INSERT INTO job_images (user_id, user_name, name, description, repository, tags, framework, device, standing)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *
            """;

    private static final String CHANGE = """
            UPDATE job_images SET name = $3, description = $4, repository = $5, tags = $6, framework = $7, device = $8, standing = $9,
                word = '', changed = now()
            WHERE id = $1 AND standing = $2 RETURNING *
            """;

    private static final Statements STATEMENTS = new Statements(
            "job_images",
            "true",
            "concat_ws(' ', name, repository, framework, array_to_string(tags, ' '), description)",
            "device = $6",
            ADD,
            CHANGE,
            "");

    private static final String ACCEPTED =
            "SELECT * FROM job_images WHERE standing = 'accepted' AND repository = $1 AND $2 = ANY(tags) LIMIT 1";

    ImageStore(Database database) {
        super(database, STATEMENTS);
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

    @Override
    protected Tuple values(Tuple first, Image.Content content) {
        return first.addString(content.name())
                .addString(content.description())
                .addString(content.repository())
                .addArrayOfString(content.tags().toArray(String[]::new))
                .addString(content.framework())
                .addString(content.device().key());
    }

    @Override
    protected Image entry(Row row) {
        var content = new Image.Content(
                row.getString("name"),
                row.getString("description"),
                row.getString("repository"),
                List.of(row.getArrayOfStrings("tags")),
                row.getString("framework"),
                DeviceKind.of(row.getString("device")).orElseThrow());
        return new Image(row.getLong("id"), content, standing(row));
    }
}
