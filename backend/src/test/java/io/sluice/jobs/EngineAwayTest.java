package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Run;
import io.sluice.jobs.life.EngineLine.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of jobs while their engine can not be asked, and what comes of it. */
class EngineAwayTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path data;

    private final ScriptedEngine engine = new ScriptedEngine(2, 4, 2);
    private final Desk desk = new Desk(engine);

    @BeforeEach
    void open() {
        desk.open(data, new Patience(SHORT, SHORT, SHORT, SHORT));
    }

    @AfterEach
    void close() {
        engine.hangs = false;
        desk.close();
    }

    @Test
    void while_an_engine_hangs_its_jobs_are_unknown_with_a_reason_and_come_back_by_themselves() {
        String run = started("trains");
        engine.hangs = true;
        desk.submit("ada", JobsTest.one("waits", 1, 0));
        desk.eventually(() -> desk.job("ada", "trains").state() == Job.State.UNKNOWN);
        assertThat(desk.job("ada", "trains").doubt()).contains("can not be reached", "did not answer within 100 ms");
        assertThat(desk.job("ada", "trains").phase()).isEqualTo(Job.Phase.STARTED);
        assertThat(desk.registry.getSampleValue("sluice_jobs_engine_away")).isEqualTo(1);
        assertThat(notAnswered()).isPositive();
        engine.hangs = false;
        desk.eventually(() -> desk.job("ada", "trains").state() == Job.State.RUNNING);
        assertThat(desk.job("ada", "trains").doubt()).isNull();
        assertThat(desk.reasons(desk.job("ada", "trains"))).containsOnlyOnce("EngineAway", "EngineBack");
        desk.running(2).forEach(one -> engine.end(one, 0));
        assertThat(desk.finished("ada", "trains").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(desk.finished("ada", "waits").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(engine.starts).hasSize(2).contains(run);
    }

    private double notAnswered() {
        return Objects.requireNonNull(desk.registry.getSampleValue(
                "sluice_jobs_engine_call_seconds_count", new String[] {"call", "answer"}, new String[] {"list", "none"
                }));
    }

    @Test
    void what_ended_while_its_engine_was_away_ends_with_its_real_code() {
        String run = started("ends");
        engine.hangs = true;
        becomesUnknown("ends");
        engine.silent = true;
        engine.end(run, 37);
        engine.hangs = false;
        Job done = desk.finished("ada", "ends");
        assertThat(done.state()).isEqualTo(Job.State.FAILED);
        assertThat(Objects.requireNonNull(desk.detail("ada", "ends").attempt().exit())
                        .original())
                .isEqualTo(37);
        assertThat(engine.starts).doesNotHaveDuplicates();
    }

    @Test
    void a_job_that_is_stopped_while_its_engine_is_away_is_stopped_when_it_is_back() {
        started("stops");
        engine.hangs = true;
        becomesUnknown("stops");
        desk.stop("ada", "stops");
        assertThat(desk.job("ada", "stops").state()).isEqualTo(Job.State.STOPPING);
        assertThat(desk.job("ada", "stops").doubt()).isNotNull();
        engine.hangs = false;
        assertThat(desk.finished("ada", "stops").state()).isEqualTo(Job.State.STOPPED);
        assertThat(desk.job("ada", "stops").doubt()).isNull();
    }

    @Test
    void a_gateway_that_comes_while_the_engine_is_away_says_so_and_starts_nothing_twice() {
        started("goes-on");
        desk.leave();
        engine.hangs = true;
        desk.open(data, new Patience(SHORT, SHORT, SHORT, SHORT));
        becomesUnknown("goes-on");
        engine.hangs = false;
        desk.eventually(() -> desk.job("ada", "goes-on").state() == Job.State.RUNNING);
        assertThat(engine.starts).hasSize(1);
    }

    @Test
    void a_run_that_its_engine_can_not_see_is_unknown_and_not_lost() {
        String run = started("hidden");
        started("seen");
        engine.hide(run, Run.State.UNKNOWN);
        desk.leave();
        desk.open(data);
        desk.eventually(() -> desk.job("ada", "hidden").state() == Job.State.UNKNOWN);
        assertThat(desk.job("ada", "hidden").doubt()).isEqualTo("The node is silent.");
        assertThat(desk.job("ada", "seen").state()).isEqualTo(Job.State.RUNNING);
        engine.hide(run, Run.State.RUNNING);
        desk.leave();
        desk.open(data);
        desk.eventually(() -> desk.job("ada", "hidden").state() == Job.State.RUNNING);
    }

    private void becomesUnknown(String job) {
        desk.submit("ada", JobsTest.one(job + "-asks", 1, 0));
        desk.eventually(() -> desk.job("ada", job).state() == Job.State.UNKNOWN);
    }

    private String started(String job) {
        int before = engine.starts.size();
        desk.submit("ada", JobsTest.one(job, 1, 0));
        desk.eventually(() -> desk.job("ada", job).state() == Job.State.RUNNING);
        return engine.starts.get(before);
    }
}
