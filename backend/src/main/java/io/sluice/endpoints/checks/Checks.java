package io.sluice.endpoints.checks;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.endpoints.checks.Check.Finding;
import io.sluice.endpoints.checks.Check.Hop;
import io.sluice.endpoints.checks.Check.Step;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The door to checks: begins them, and tells how far they are. */
public final class Checks {
    public static final int SILENCE_SECONDS = 60;
    static final int MOST = 100;
    static final int MOST_OF_ONE = 5;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final System.Logger LOG = System.getLogger(Checks.class.getName());

    private final Vertx vertx;
    private final CheckStore store;
    private final Probes probes;
    private final CheckMetrics metrics;
    /** How many each user has. */
    private final Map<String, Integer> underway = new ConcurrentHashMap<>();

    private final Consumer<String> come;
    private final BiConsumer<String, String> leave;

    /**
     * @param come is told of the pass that a check goes on with
     * @param leave is told of the endpoint and the pass that a check does not need any more
     */
    public Checks(
            Vertx vertx,
            Database database,
            String topic,
            Probes probes,
            CollectorRegistry registry,
            Consumer<String> come,
            BiConsumer<String, String> leave) {
        this.vertx = vertx;
        this.store = new CheckStore(database, topic);
        this.probes = probes;
        this.come = come;
        this.leave = leave;
        this.metrics = new CheckMetrics(registry);
    }

    public Future<Optional<Check>> find(String endpoint) {
        return store.find(endpoint);
    }

    public Future<Map<String, Check>> ofJob(long job) {
        return store.ofJob(job);
    }

    /** What can not be gone to at all. */
    public static Check none(Hop hop, Finding finding, String value) {
        return new Check(Instant.now(), true, List.of(new Step(hop, false, finding, List.of(value))));
    }

    /** The answer comes when only the silence is left, or nothing. */
    public Future<Check> check(Subject subject, String user, int silence) {
        begins(user);
        long number = ThreadLocalRandom.current().nextLong();
        return store.begin(subject.id(), number)
                .onComplete(begun -> {
                    if (begun.failed() || !begun.result()) {
                        ends(user);
                    }
                })
                .compose(begun -> begun ? walk(subject, user, number, silence) : Future.succeededFuture())
                .compose(walked -> store.find(subject.id()))
                .map(found -> found.orElseGet(() -> none(Hop.TASK, Finding.LEFT, "")));
    }

    private void begins(String user) {
        if (underway.values().stream().mapToInt(Integer::intValue).sum() >= MOST) {
            throw Problem.tooMany("The gateway checks " + MOST + " endpoints already. Try again in a minute.", MINUTE);
        }
        if (underway.merge(user, 1, Integer::sum) > MOST_OF_ONE) {
            ends(user);
            throw Problem.tooMany(
                    "You check " + MOST_OF_ONE + " endpoints already. Try again when one of these checks has ended.",
                    MINUTE);
        }
    }

    private void ends(String user) {
        underway.computeIfPresent(user, (name, count) -> count > 1 ? count - 1 : null);
    }

    private Future<Void> walk(Subject subject, String user, long number, int silence) {
        var walk = new Walk(
                vertx, probes, subject, silence, come, (steps, over) -> store.went(subject.id(), number, steps, over));
        walk.over()
                .onSuccess(metrics::ended)
                .onFailure(e -> LOG.log(System.Logger.Level.WARNING, "event=check-broken endpoint=" + subject.id(), e))
                .onComplete(over -> {
                    ends(user);
                    walk.token().ifPresent(token -> leave.accept(subject.id(), token));
                });
        return walk.begin();
    }
}
