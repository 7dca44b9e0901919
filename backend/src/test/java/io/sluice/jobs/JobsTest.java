package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.life.Exit;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path data;

    private final ScriptedEngine engine = new ScriptedEngine(1, 4, 2);
    private final Desk desk = new Desk(engine);

    @AfterEach
    void close() {
        desk.close();
    }

    @Test
    void a_job_goes_from_the_queue_to_success() {
        desk.open(data);
        desk.submit("ada", one("first", 1, 0));
        String run = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "first").state() == Job.State.RUNNING);
        engine.end(run, 0);
        Job done = desk.finished("ada", "first");
        assertThat(done.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(done.exitCode()).isZero();
        assertThat(desk.reasons(done)).containsExactly("Succeeded", "Exited", "Started", "Placed", "Accepted");
        assertThat(engine.starts).hasSize(1);
        desk.eventually(() -> engine.removed.equals(List.of(run)));
    }

    @Test
    void what_does_not_fit_waits_and_says_why_until_there_is_room() {
        desk.open(data);
        desk.submit("ada", one("big", 4, 2));
        desk.submit("ada", one("next", 1, 1));
        String first = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "next").waiting() != null);
        assertThat(engine.starts).containsExactly(first);
        engine.end(first, 0);
        desk.eventually(() -> engine.starts.size() == 2);
        assertThat(desk.finished("ada", "big").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    @Test
    void a_stopped_job_ends_stopped_wherever_it_is() {
        desk.open(data);
        desk.submit("ada", one("runs", 4, 0));
        desk.submit("ada", one("waits", 4, 0));
        desk.running(1);
        desk.stop("ada", "waits");
        assertThat(desk.job("ada", "waits").state()).isEqualTo(Job.State.STOPPED);
        desk.stop("ada", "runs");
        Job done = desk.finished("ada", "runs");
        assertThat(done.state()).isEqualTo(Job.State.STOPPED);
        assertThat(done.exitCode()).isEqualTo(Exit.STOPPED);
        assertThat(engine.stops).hasSize(1);
    }

    static String one(String name, int cpus, int devices) {
        return job(name, "", """
                {"name": "main", "taskNumber": 1, "cpuNumber": %d, "memoryMB": 100, "gpuNumber": %d, "command": "true"}
                """.formatted(cpus, devices));
    }

    static String job(String name, String more, String roles) {
        return "{\"jobName\": \"%s\", \"image\": \"none\", %s \"taskRoles\": [%s]}".formatted(name, more, roles);
    }
}
