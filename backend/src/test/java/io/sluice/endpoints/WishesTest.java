package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.Json;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.Texts;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WishesTest {
    private static final String WISH = "\nextras: {sluice: {endpoints: [jupyter]}}\n";

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database = TestDatabase.fresh(vertx);
    private final CollectorRegistry registry = new CollectorRegistry();
    private final EndpointStore store = new EndpointStore(database.database());
    private final Wishes wishes = new Wishes(new Places(database.database()), store, new EndpointMetrics(registry));

    @BeforeEach
    void migrate() {
        database.database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS))
                .await();
    }

    @AfterEach
    void close() {
        database.close();
        vertx.close().await();
    }

    private Places.Active job(String name, String spec) {
        long id = database.database()
                .pool()
                .preparedQuery("""
                        WITH job AS (
                            INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, preemptible, demand, tasks, roles,
                                devices, retry_count, state, shown)
                            VALUES (1, 'ann', $1, 'default', 0, false, '[]', 1, 1, 0, 0, 'started', 'RUNNING') RETURNING id),
                            spec AS (INSERT INTO job_specs (job_id, spec, config) SELECT id, $2::text::json, '' FROM job)
                        SELECT id FROM job
                        """)
                .execute(Tuple.of(name, spec))
                .await()
                .iterator()
                .next()
                .getLong(0);
        return new Places.Active(id, "ann", name, 1, List.of());
    }

    private List<String> live() {
        return store.live().await().stream().map(Endpoint::jobName).sorted().toList();
    }

    private double faults() {
        return registry.getSampleValue("sluice_endpoints_faults_total");
    }

    /** Of an earlier gateway, which took what the database can not read. */
    @Test
    void a_job_that_can_not_be_read_keeps_nobody_elses_endpoints_waiting() {
        String good = Json.write(Texts.spec(Texts.LEAST_V2 + WISH));
        String bad = good.replace("\"sluice\":", "\"zero\\u0000\":1,\"sluice\":");
        assertThat(bad).isNotEqualTo(good);
        var jobs = List.of(job("before", good), job("bad", bad), job("after", good));
        wishes.read(jobs).await();
        assertThat(live()).containsExactly("after", "before");
        assertThat(faults()).isEqualTo(1);
        wishes.read(jobs).await();
        assertThat(faults()).as("it is told once").isEqualTo(1);
    }

    @Test
    void what_was_switched_off_is_not_switched_on_by_reading_again() {
        var job = job("train", Json.write(Texts.spec(Texts.LEAST_V2 + WISH)));
        wishes.read(List.of(job)).await();
        Endpoint added = store.live().await().getFirst();
        store.unwant(added.id()).await();
        wishes.read(List.of()).await();
        wishes.read(List.of(job)).await();
        assertThat(store.live().await()).singleElement().matches(one -> !one.wanted());
    }
}
