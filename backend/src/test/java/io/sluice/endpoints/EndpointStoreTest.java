package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.sluice.endpoints.Endpoint.Reason;
import io.sluice.endpoints.Endpoint.State;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointStoreTest {
    private static final int FIRST = 18_000;

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database = TestDatabase.fresh(vertx);
    private final EndpointStore store = new EndpointStore(database.database());

    @BeforeEach
    void migrate() {
        database.database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS))
                .await();
        database.database().pool().query("""
                        INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, options, wanted, state)
                        SELECT 'web' || n, n, 'ann', 'train', 'web', 'port', 'main', 0, '{}', true, 'ready'
                        FROM generate_series(0, 8) n
                        """).execute().await();
    }

    @AfterEach
    void close() {
        database.close();
        vertx.close().await();
    }

    @Test
    void all_who_open_endpoints_at_once_get_a_port_each_while_there_are_some() {
        var given = IntStream.range(0, 8)
                .mapToObj(i -> store.givePort("web" + i, FIRST, FIRST + 7))
                .toList();
        assertThat(given).allMatch(one -> one.await());
        assertThat(store.withPorts().await())
                .extracting(Endpoint::roadPort)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(FIRST, FIRST + 8).boxed().toList());
        assertThat(store.givePort("web8", FIRST, FIRST + 7).await()).isFalse();
        store.unwant("web0").await();
        store.off("web0").await();
        assertThat(store.givePort("web8", FIRST, FIRST + 7).await())
                .as("who is switched off keeps it")
                .isFalse();
        store.ended(List.of(0L)).await();
        assertThat(store.givePort("web8", FIRST, FIRST + 7).await()).isTrue();
    }

    @Test
    void who_has_a_port_takes_no_other_from_anybody() {
        assertThat(store.givePort("web0", FIRST, FIRST).await()).isTrue();
        store.ended(List.of(0L)).await();
        assertThat(store.givePort("web1", FIRST, FIRST + 1).await()).isTrue();
        assertThat(store.givePort("web1", FIRST, FIRST + 1).await()).isFalse();
        assertThat(store.withPorts().await()).hasSize(2);
    }

    /** Whoever looks at it may have it print more, and would be rung by what they did. */
    @Test
    void what_one_prints_is_news_for_pages_alone() {
        List<String> rung = new CopyOnWriteArrayList<>();
        var listens = PgConnection.connect(vertx, database.url()).await();
        listens.notificationHandler(ring -> rung.add(ring.getPayload()));
        listens.query("LISTEN sluice").execute().await();
        Endpoint web = store.find("web0").await().orElseThrow();
        assertThat(store.became(web, State.READY, null, "a line").await()).isTrue();
        assertThat(store.became(web, State.STARTING, Reason.SILENT, "a line").await())
                .isTrue();
        assertThat(store.ended(List.of(0L)).await()).isTrue();
        listens.query("SELECT 1").execute().await();
        assertThat(rung.stream().filter(topic -> topic.startsWith(EndpointStore.TOPIC)))
                .containsExactly(EndpointStore.LINES, EndpointStore.TOPIC, EndpointStore.TOPIC);
        listens.close().await();
    }

    /** Another gateway answers for it too. */
    @Test
    void a_port_that_is_given_is_told_to_all_gateways() throws TimeoutException {
        var doorbell = database.database().doorbell();
        Promise<Void> rung = Promise.promise();
        store.givePort("web0", FIRST, FIRST + 7).await();
        doorbell.listen(
                EndpointStore.TOPIC,
                () -> store.find("web1").onSuccess(found -> {
                    if (found.orElseThrow().roadPort() != null) {
                        rung.tryComplete();
                    }
                }));
        store.givePort("web1", FIRST, FIRST + 7).await();
        rung.future().await(10, TimeUnit.SECONDS);
    }
}
