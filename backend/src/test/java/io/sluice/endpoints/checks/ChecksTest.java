package io.sluice.endpoints.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.endpoints.Endpoints;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChecksTest {
    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database = TestDatabase.fresh(vertx);
    private final Probes probes = new Probes(vertx);
    /** Passes that checks have. */
    private final Set<String> come = ConcurrentHashMap.newKeySet();

    private final Checks checks = new Checks(
            vertx,
            database.database(),
            "endpoints",
            probes,
            new CollectorRegistry(),
            come::add,
            (id, token) -> come.remove(token));
    /** Nobody is told where a task listens before this comes. */
    private final Promise<Optional<SocketAddress>> place = Promise.promise();

    @BeforeEach
    void migrate() {
        database.database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS))
                .await();
        database.database().pool().query("""
                        INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, options, wanted, state)
                        SELECT 'web' || n, 1, 'ann', 'train', 'web' || n, 'port', 'main', 0, '{}', true, 'ready'
                        FROM generate_series(0, 9) n
                        """).execute().await();
    }

    @AfterEach
    void close() {
        probes.close().await();
        database.close();
        vertx.close().await();
    }

    private Future<Check> check(String user, int number) {
        return check(user, number, 1);
    }

    private Future<Check> check(String user, int number, int port) {
        return checks.check(
                new Subject(
                        "web" + number,
                        "run",
                        80,
                        place::future,
                        Map.of(),
                        "/",
                        null,
                        null,
                        () -> Future.succeededFuture("http://127.0.0.1:" + port + "/.sluice/enter?ticket=x&to=/"),
                        SocketAddress.inetSocketAddress(port, "127.0.0.1"),
                        false,
                        false),
                user,
                0);
    }

    @Test
    void who_checks_many_endpoints_keeps_nobody_else_from_checking_one() {
        var five = List.of(check("ann", 0), check("ann", 1), check("ann", 2), check("ann", 3), check("ann", 4));
        assertThatThrownBy(() -> check("ann", 5))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("You check 5 endpoints already");
        var other = check("bob", 6);
        place.complete(Optional.empty());
        assertThat(five).allMatch(one -> one.await().over());
        assertThat(other.await().over()).isTrue();
        assertThat(check("ann", 5).await().failed()).isPresent();
    }

    @Test
    void an_endpoint_that_is_being_checked_is_not_counted_again() {
        var first = check("ann", 0);
        // of two that come at once any may be the one that goes
        while (checks.find("web0").await().isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(check("ann", 0).await().over()).isFalse();
        }
        place.complete(Optional.empty());
        assertThat(first.await().over()).isTrue();
    }

    /** What it asks for from then on is nobody's use of the endpoint. */
    @Test
    void the_pass_of_a_check_is_told_before_it_is_used_and_when_it_is_not_any_more() {
        List<Set<String>> told = new CopyOnWriteArrayList<>();
        var door = vertx.createHttpServer().requestHandler(request -> {
            if (request.path().equals("/.sluice/enter")) {
                request.response().putHeader("Location", "/").putHeader("Set-Cookie", "pass=token; Path=/");
                request.response().setStatusCode(303).end();
                return;
            }
            if (request.headers().contains("Cookie")) {
                told.add(Set.copyOf(come));
            }
            request.response().end("app");
        });
        door.listen(0, "127.0.0.1").await();
        place.complete(Optional.of(SocketAddress.inetSocketAddress(door.actualPort(), "127.0.0.1")));
        Check check = check("ann", 0, door.actualPort()).await();
        assertThat(check.failed().orElseThrow().hop()).isEqualTo(Check.Hop.SOCKET);
        assertThat(told).isNotEmpty().allMatch(Set.of("token")::equals);
        assertThat(come).isEmpty();
    }
}
