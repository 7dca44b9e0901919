package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.Templates.Template;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** What users keep to submit again. */
final class TemplateStore {
    private static final String SEEN =
            "SELECT * FROM job_templates WHERE user_id = $1 OR shared ORDER BY user_id <> $1, name";

    /** Under the same name it replaces what was there. */
    private static final String SAVE = """
            INSERT INTO job_templates (user_id, user_name, name, description, shared, config) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT ON CONSTRAINT job_templates_name DO UPDATE SET description = excluded.description, shared = excluded.shared,
                config = excluded.config, changed = pg_current_xact_id()
            RETURNING *
            """;

    private final Database database;

    TemplateStore(Database database) {
        this.database = database;
    }

    /** One's own first. */
    Future<List<Template>> seenBy(long user) {
        return database.pool().preparedQuery(SEEN).execute(Tuple.of(user)).map(rows -> {
            List<Template> all = new ArrayList<>();
            rows.forEach(row -> all.add(template(row)));
            return all;
        });
    }

    Future<Template> save(long userId, String user, String name, String description, boolean shared, String config) {
        return database.pool()
                .preparedQuery(SAVE)
                .execute(Tuple.of(userId, user, name, description, shared, config))
                .map(rows -> template(rows.iterator().next()));
    }

    /** Whether it was there, and one's own. */
    Future<Boolean> remove(long user, long template) {
        return database.pool()
                .preparedQuery("DELETE FROM job_templates WHERE user_id = $1 AND id = $2")
                .execute(Tuple.of(user, template))
                .map(rows -> rows.rowCount() > 0);
    }

    private static Template template(Row row) {
        return new Template(
                row.getLong("id"),
                row.getString("user_name"),
                row.getString("name"),
                row.getString("description"),
                row.getBoolean("shared"),
                row.getString("config"));
    }
}
