package io.sluice.jobs.drafts;

import io.sluice.database.Database;
import io.sluice.jobs.drafts.Templates.Content;
import io.sluice.jobs.drafts.Templates.Template;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What users keep to submit again. */
final class TemplateStore {
    private static final int MOST = 1000;
    private static final String SEEN = "SELECT id, user_id, user_name, name, description, shared, '' AS config"
            + " FROM job_templates WHERE user_id = $1 OR shared"
            + " ORDER BY user_id <> $1, lower(name), user_name LIMIT " + MOST;

    private static final String ADD = """
            INSERT INTO job_templates (user_id, user_name, name, description, shared, config) VALUES ($1, $2, $3, $4, $5, $6)
            RETURNING *
            """;

    private static final String CHANGE = """
            UPDATE job_templates SET name = $2, description = $3, shared = $4, config = $5, changed = pg_current_xact_id()
            WHERE id = $1 RETURNING *
            """;

    private final Database database;

    TemplateStore(Database database) {
        this.database = database;
    }

    /** One's own first; without their texts. */
    Future<List<Template>> seenBy(long user) {
        return database.read(SEEN, Tuple.of(user), TemplateStore::template);
    }

    Future<Optional<Template>> find(long user, long template) {
        return database.read(
                        "SELECT * FROM job_templates WHERE id = $2 AND (user_id = $1 OR shared)",
                        Tuple.of(user, template),
                        TemplateStore::template)
                .map(found -> found.stream().findFirst());
    }

    Future<Long> count(long user) {
        return database.pool()
                .preparedQuery("SELECT count(*) FROM job_templates WHERE user_id = $1")
                .execute(Tuple.of(user))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    Future<Template> add(long userId, String user, Content content, String config) {
        return all(ADD, Tuple.of(userId, user, content.name(), content.description(), content.shared(), config))
                .map(List::getFirst);
    }

    /** Nothing when it is gone. */
    Future<Optional<Template>> change(long template, Content content, String config) {
        return all(CHANGE, Tuple.of(template, content.name(), content.description(), content.shared(), config))
                .map(found -> found.stream().findFirst());
    }

    Future<Void> remove(long template) {
        return database.pool()
                .preparedQuery("DELETE FROM job_templates WHERE id = $1")
                .execute(Tuple.of(template))
                .mapEmpty();
    }

    private Future<List<Template>> all(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).map(rows -> {
            List<Template> all = new ArrayList<>();
            rows.forEach(row -> all.add(template(row)));
            return all;
        });
    }

    private static Template template(Row row) {
        return new Template(
                row.getLong("id"),
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getString("name"),
                row.getString("description"),
                row.getBoolean("shared"),
                row.getString("config"));
    }
}
