package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MigratorTest {

    private static final Vertx vertx = Vertx.vertx();

    private final TestDatabase test = TestDatabase.fresh(vertx);
    private final Database database = test.database();

    @AfterEach
    void drop() {
        test.close();
    }

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void each_change_is_applied_once_in_its_order() {
        database.migrate(room("001-notes")).await();
        database.migrate(room("001-notes", "002-times")).await();
        database.migrate(room("001-notes", "002-times")).await();
        assertThat(bodies()).containsExactly("first");
    }

    @Test
    void two_gateways_that_start_at_once_take_turns() {
        var other = Database.open(vertx, test.settings()).await();
        Future.all(database.migrate(room("001-notes", "002-times")), other.migrate(room("001-notes", "002-times")))
                .await();
        other.close().await();
        assertThat(bodies()).containsExactly("first");
    }

    @Test
    void a_change_that_fails_leaves_nothing_of_itself_and_all_before_it() {
        assertThatThrownBy(() -> database.migrate(room("001-notes", "002-times", "003-broken"))
                        .await())
                .isInstanceOf(Database.Unavailable.class)
                .hasMessage("The migration notes/003-broken failed: division by zero.");
        assertThat(bodies()).containsExactly("first");
    }

    @Test
    void a_database_made_by_a_newer_version_is_refused() {
        database.migrate(room("001-notes", "002-times")).await();
        assertThatThrownBy(() -> database.migrate(room("001-notes")).await())
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContaining("made by a newer Sluice (its migration notes/002-times is unknown here)")
                .message()
                .hasLineCount(1);
    }

    @Test
    void a_change_that_was_edited_later_is_refused() {
        database.migrate(room("001-notes")).await();
        database.pool()
                .preparedQuery("UPDATE sluice_migrations SET checksum = $1")
                .execute(Tuple.of("another"))
                .await();
        assertThatThrownBy(
                        () -> database.migrate(room("001-notes", "002-times")).await())
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContaining("another text of the migration notes/001-notes");
        assertThat(bodies()).isEmpty();
    }

    private List<String> bodies() {
        var rows = database.pool().query("SELECT body FROM notes").mapping(row -> row.getString(0));
        return List.copyOf(rows.execute().await().stream().toList());
    }

    private static List<Migrations> room(String... names) {
        return List.of(new Migrations("notes", MigratorTest.class, List.of(names)));
    }
}
