package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.endpoints.Endpoint.State;
import io.sluice.endpoints.checks.Probes;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.endpoints.road.Excuse;
import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.road.Road;
import io.sluice.engines.Engine;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Places;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KeeperTest {
    private static final String ID = "aaaaaaaaaabbbbbbbbbb";

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database = TestDatabase.fresh(vertx);
    private final CollectorRegistry registry = new CollectorRegistry();
    private final EndpointStore store = new EndpointStore(database.database());
    private final EndpointMetrics metrics = new EndpointMetrics(registry);
    private final Probes probes = new Probes(vertx);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean hangs;
    private HttpServer app;
    private Road road;
    private Steps steps;
    private Keeper keeper;

    private static final class Everybody implements Authenticator {
        @Override
        public Future<Verdict> authenticate(Credentials shown) {
            return Future.succeededFuture(Verdict.NOBODY);
        }

        @Override
        public Future<Boolean> stillValid(Caller caller) {
            return Future.succeededFuture(true);
        }
    }

    @BeforeEach
    void open() throws IOException {
        database.database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS))
                .await();
        app = vertx.createHttpServer().requestHandler(request -> {
            asked.incrementAndGet();
            if (!hangs) {
                request.response().end("the app");
            }
        });
        app.listen(0, "127.0.0.1").await();
        sql("""
                WITH job AS (
                    INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, preemptible, demand, tasks, roles, devices,
                        retry_count, state, shown)
                    VALUES (1, 'ann', 'train', 'default', 0, false, '[]', 1, 1, 0, 0, 'started', 'RUNNING') RETURNING id),
                    task AS (
                        INSERT INTO tasks (job_id, attempt, role_number, role, task_index, state, run_name, node, address, devices,
                            ports, cpus, memory_mb)
                        SELECT id, 1, 0, 'main', 0, 'started', 'run', 'here', '127.0.0.1', '{}', '{"http": [8080]}', 1, 1 FROM job)
                INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, options, wanted, state)
                SELECT '%s', id, 'ann', 'train', 'web', 'port', 'main', 0, '{}', true, 'waiting' FROM job
                """.formatted(ID));
        road = new Road(
                vertx,
                database.database(),
                new Everybody(),
                registry,
                Names.beneath(Names.LOCAL),
                (id, guest) -> keeper.excuse(id, guest),
                (caller, id) -> true,
                port -> null);
        steps = new Steps(store, engine(), Recipes.read(Path.of("none")), road, probes, metrics);
        keeper = new Keeper(vertx, new Places(database.database()), store, steps, road, metrics);
    }

    @AfterEach
    void close() {
        keeper.close();
        road.close();
        probes.close().await();
        database.close();
        vertx.close().await();
    }

    /** One that only says where a task listens. */
    private Engine engine() {
        return (Engine) Proxy.newProxyInstance(
                Engine.class.getClassLoader(), new Class<?>[] {Engine.class}, (self, method, values) -> {
                    assertThat(method.getName()).isEqualTo("reach");
                    return Future.succeededFuture(
                            Optional.of(SocketAddress.inetSocketAddress(app.actualPort(), "127.0.0.1")));
                });
    }

    private void sql(String text) {
        database.database().pool().query(text).execute().await();
    }

    private State state() {
        return store.find(ID).await().orElseThrow().state();
    }

    private static void until(BooleanSupplier holds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void ready() {
        keeper.ring();
        until(() -> state() == State.READY && road.isOpen(ID));
    }

    /** Of an earlier gateway, which took what the database can not read. */
    @Test
    void a_job_that_can_not_be_read_keeps_nobody_from_being_looked_at() {
        sql("""
                WITH job AS (
                    INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, preemptible, demand, tasks, roles, devices,
                        retry_count, state, shown)
                    VALUES (2, 'eve', 'bad', 'default', 0, false, '[]', 1, 1, 0, 0, 'started', 'RUNNING') RETURNING id)
                INSERT INTO job_specs (job_id, spec, config) SELECT id, '{"zero\\u0000": 1}', '' FROM job
                """);
        ready();
    }

    @Test
    void nothing_is_remembered_of_an_endpoint_that_is_over() {
        ready();
        assertThat(steps.remembered()).containsExactly(ID);
        sql("UPDATE jobs SET state = 'finalised'");
        keeper.ring();
        until(() -> state() == State.ENDED);
        keeper.ring();
        until(() -> steps.remembered().isEmpty());
        assertThat(road.isOpen(ID)).isFalse();
    }

    private double looks() {
        return registry.getSampleValue("sluice_endpoints_looks_total");
    }

    /** Whose questions nobody counts. */
    @Test
    void who_has_no_pass_does_not_keep_the_gateway_looking() {
        ready();
        until(() -> keeper.known(ID) != null && keeper.known(ID).state() == State.READY);
        long began = System.nanoTime();
        double before = looks();
        for (int i = 0; i < 20; i++) {
            var told = keeper.excuse(ID, false);
            assertThat(steps.remembered()).as("it is not doubted").containsExactly(ID);
            assertThat(told.await().kind()).isEqualTo(Excuse.Kind.STARTING);
            keeper.excuse("cccccccccccccccccccc", false).await();
        }
        assertThat(looks() - before).isLessThanOrEqualTo(2 + atMost(began, 700));
        assertThat(keeper.excuse("cccccccccccccccccccc", false).await().kind()).isEqualTo(Excuse.Kind.UNKNOWN);
        var told = keeper.excuse(ID, true);
        assertThat(steps.remembered())
                .as("whom a guest has found away is looked at")
                .isEmpty();
        assertThat(told.await().kind()).isEqualTo(Excuse.Kind.STARTING);
    }

    @Test
    void however_many_guests_knock_there_is_a_pause_between_looks() {
        ready();
        long began = System.nanoTime();
        double before = looks();
        until(() -> {
            keeper.excuse(ID, true).await();
            return looks() - before >= 4;
        });
        assertThat(looks() - before).isLessThanOrEqualTo(2 + atMost(began, 100) + atMost(began, 700));
    }

    /** Its port listens on. Whoever has something open there keeps it. */
    @Test
    void an_app_that_hangs_after_it_was_ready_is_said_to_be_unwell_until_it_answers() {
        ready();
        hangs = true;
        keeper.excuse(ID, true).await();
        until(() -> state() == State.STARTING);
        assertThat(store.find(ID).await().orElseThrow().reason()).isEqualTo(Endpoint.Reason.UNWELL);
        assertThat(road.isOpen(ID)).isTrue();
        hangs = false;
        until(() -> state() == State.READY);
        assertThat(road.isOpen(ID)).isTrue();
    }

    @Test
    void an_app_that_is_well_is_asked_once_for_one_doubt() {
        ready();
        int before = asked.get();
        keeper.excuse(ID, true).await();
        until(() -> asked.get() > before && !steps.remembered().isEmpty());
        double looks = looks();
        until(() -> {
            keeper.ring();
            return looks() - looks > 3;
        });
        assertThat(asked).hasValue(before + 1);
        assertThat(state()).isEqualTo(State.READY);
    }

    /** Looks with this many milliseconds between them. */
    private static double atMost(long since, long millis) {
        return (double) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) / millis;
    }
}
