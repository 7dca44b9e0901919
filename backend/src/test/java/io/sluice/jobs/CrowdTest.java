package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.life.EngineLine.Patience;
import io.vertx.core.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many jobs at once. */
class CrowdTest {
    private static final int MANY = 20;
    /** Longer than a test waits: an answer that does not come is waited for. */
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path data;

    private final ScriptedEngine engine = new ScriptedEngine(1, 40, 0);
    private final Desk desk = new Desk(engine);
    private final Promise<Void> stopping = Promise.promise();

    @BeforeEach
    void open() {
        desk.open(data, new Patience(LONG, LONG, LONG, LONG));
    }

    @AfterEach
    void close() {
        engine.stopping = null;
        stopping.tryComplete();
        desk.close();
    }

    @Test
    void a_job_begins_while_an_engine_that_is_slow_to_stop_has_a_crowd_to_end() {
        IntStream.range(0, MANY).forEach(n -> desk.submit("ada", JobsTest.one("stops" + n, 1, 0)));
        desk.running(MANY);
        engine.stopping = stopping;
        IntStream.range(0, MANY).forEach(n -> desk.stop("ada", "stops" + n));
        desk.eventually(() -> !engine.stops.isEmpty());
        desk.submit("ada", JobsTest.one("begins", 1, 0));
        desk.eventually(() -> desk.job("ada", "begins").state() == Job.State.RUNNING);
        assertThat(engine.starts).hasSize(MANY + 1);
        desk.eventually(() -> turns("end") == MANY);
        engine.stopping = null;
        desk.running(MANY + 1).forEach(run -> engine.end(run, 0));
        stopping.complete();
        IntStream.range(0, MANY)
                .forEach(n ->
                        assertThat(desk.finished("ada", "stops" + n).state()).isEqualTo(Job.State.STOPPED));
        assertThat(desk.finished("ada", "begins").state()).isEqualTo(Job.State.SUCCEEDED);
        desk.eventually(() -> turns("end") == 0 && turns("begin") == 0);
    }

    private double turns(String kind) {
        return desk.registry.getSampleValue("sluice_jobs_turns", new String[] {"kind"}, new String[] {kind});
    }
}
