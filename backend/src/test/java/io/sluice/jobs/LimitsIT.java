package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What takes its time to test: how long a job may run, and how large it may be. */
class LimitsIT {
    private static final System.Logger log = System.getLogger(LimitsIT.class.getName());
    private final ScriptedEngine engine = new ScriptedEngine(2, 100, 2);

    private static String large(String name, int tasks) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  main:
                    instances: %d
                    dockerImage: image
                    resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}
                    commands: ["true"]
                """.formatted(name, tasks);
    }

    @Test
    void more_tasks_than_a_job_may_have_are_a_fault_that_says_how_many_it_may() {
        assertThat(desk.submit("ada", large("too-many", 10_001), null))
                .isInstanceOfSatisfying(
                        Submitted.Refused.class,
                        refused ->
                                assertThat(refused.message()).contains("10001").containsPattern("10,?000"));
    }

    @Test
    void a_job_of_two_thousand_tasks_starts_and_ends_whole() {
        engine.forgetful = true;
        long began = System.nanoTime();
        desk.submit("ada", large("crowd", 2_000));
        // on a machine that others use it takes its time, but each lot only its own
        for (int count = 200; count < 2_000; count += 200) {
            int some = count;
            desk.eventually(() -> engine.starts.size() >= some);
        }
        var runs = desk.running(2_000);
        long started = System.nanoTime();
        runs.forEach(run -> engine.end(run, 0));
        assertThat(desk.finished("ada", "crowd").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(engine.starts).doesNotHaveDuplicates().hasSize(2_000);
        log.log(
                System.Logger.Level.INFO,
                "tasks=2000 started_millis={0} ended_millis={1}",
                Duration.ofNanos(started - began).toMillis(),
                Duration.ofNanos(System.nanoTime() - started).toMillis());
    }

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @Test
    void the_time_that_a_limited_job_runs_under_another_gateway_is_counted_by_that_one_alone() {
        desk.submit(
                "ada",
                JobsTest.job(
                        "limited",
                        "\"extras\": {\"sluice\": {\"maxRunSeconds\": 3000}},",
                        "{\"name\": \"main\", \"command\": \"true\"}"));
        desk.running(1);
        desk.eventually(() -> desk.query("SELECT ran_ms FROM jobs") > 0);
        desk.query(
                "UPDATE job_leader SET epoch = epoch + 1, owner = 'another', until = now() + interval '3 s' RETURNING epoch");
        long counted = desk.query("UPDATE jobs SET ran_ms = 100000, epoch = epoch + 1 RETURNING ran_ms");
        var led = new AtomicLong();
        desk.eventually(() -> {
            long now = System.nanoTime();
            boolean other = desk.query("SELECT count(*) FROM job_leader WHERE owner = 'another'") == 1;
            led.set(other ? now : led.get());
            return !other;
        });
        var ran = new AtomicLong();
        desk.eventually(() -> {
            ran.set(desk.query("SELECT ran_ms FROM jobs"));
            return ran.get() > counted;
        });
        // however long that took: no more than what has passed since the other was last seen to lead
        assertThat(ran.get() - counted).isLessThanOrEqualTo((System.nanoTime() - led.get()) / 1_000_000);
    }
}
