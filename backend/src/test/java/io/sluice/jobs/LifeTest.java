package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Started;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Waiting;
import java.nio.file.Files;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of jobs when things go wrong. */
class LifeTest {
    private final ScriptedEngine engine = new ScriptedEngine(2, 4, 2);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @Test
    void a_failure_of_unknown_cause_is_tried_again_as_often_as_was_asked() {
        desk.submit("ada", JobsTest.job("twice", "\"retryCount\": 1,", role("main", 1, "")));
        engine.end(desk.running(1).getFirst(), 7);
        desk.eventually(() -> engine.starts.size() == 2);
        engine.end(desk.running(1).getFirst(), 8);
        Job done = desk.finished("ada", "twice");
        assertThat(done.state()).isEqualTo(Job.State.FAILED);
        assertThat(done.exitCode()).isEqualTo(255);
        assertThat(done.retries()).isEqualTo(1);
        assertThat(done.userRetries()).isEqualTo(1);
        assertThat(desk.jobs().attempts(done).await())
                .extracting(attempt ->
                        attempt.exit() == null ? null : attempt.exit().original())
                .containsExactly(7, 8);
        assertThat(engine.starts.get(0)).endsWith("-0.0");
        assertThat(engine.starts.get(1)).endsWith("-1.0");
    }

    @Test
    void what_is_nobodys_fault_is_tried_again_without_being_counted() {
        desk.submit("ada", JobsTest.one("killed", 1, 0));
        engine.end(desk.running(1).getFirst(), 137);
        desk.eventually(() -> engine.starts.size() == 2);
        engine.end(desk.running(1).getFirst(), 0);
        Job done = desk.finished("ada", "killed");
        assertThat(done.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(done.retries()).isEqualTo(1);
        assertThat(done.userRetries()).isZero();
    }

    @Test
    void the_first_failed_task_ends_the_job_and_the_others_with_it() {
        desk.submit("ada", JobsTest.job("pair", "", role("ps", 1, "") + "," + role("worker", 2, "")));
        var runs = desk.running(3);
        String worker = runs.stream()
                .filter(run -> run.contains("-worker-1-"))
                .findFirst()
                .orElseThrow();
        engine.end(worker, 3);
        Job done = desk.finished("ada", "pair");
        assertThat(done.exitCode()).isEqualTo(255);
        var detail = desk.detail("ada", "pair");
        assertThat(detail.attempt().exit()).isNotNull().satisfies(exit -> {
            assertThat(exit.role()).isEqualTo("worker");
            assertThat(exit.index()).isEqualTo(1);
        });
        assertThat(detail.tasks())
                .extracting(task -> task.exit() == null ? 0 : task.exit().code())
                .containsExactly(Exit.ATTEMPT_OVER, Exit.ATTEMPT_OVER, 255);
        assertThat(engine.stops).hasSize(2);
    }

    @Test
    void a_task_that_saves_its_state_is_told_to_stop_once_however_many_others_end() {
        engine.lingers = true;
        desk.submit("ada", JobsTest.job("saves", "", role("main", 4, "")));
        var runs = desk.running(4);
        desk.eventually(() -> desk.job("ada", "saves").state() == Job.State.RUNNING);
        desk.stop("ada", "saves");
        desk.eventually(() -> engine.stops.size() == 4);
        for (String run : runs) {
            engine.end(run, 0);
            desk.eventually(() -> desk.detail("ada", "saves").tasks().stream()
                    .anyMatch(task -> run.endsWith("-" + task.index() + "-0.0") && task.completed() != null));
        }
        assertThat(desk.finished("ada", "saves").state()).isEqualTo(Job.State.STOPPED);
        assertThat(engine.stops).containsExactlyInAnyOrderElementsOf(runs);
    }

    @Test
    void a_task_that_can_not_be_stopped_keeps_none_of_the_others_from_being_stopped_and_their_ends_from_being_stored() {
        desk.submit("ada", """
                protocolVersion: 2
                name: many
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: 20
                    dockerImage: image
                    resourcePerInstance: {cpu: 0, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                """);
        var runs = desk.running(20);
        desk.eventually(() -> desk.job("ada", "many").state() == Job.State.RUNNING);
        engine.unstoppable = runs.getFirst();
        desk.stop("ada", "many");
        desk.eventually(() -> desk.query("SELECT count(*) FROM tasks WHERE state = 'exited'") == 19);
        assertThat(engine.stops).containsAll(runs);
        assertThat(desk.job("ada", "many").isFinal()).isFalse();
        engine.unstoppable = null;
        assertThat(desk.finished("ada", "many").state()).isEqualTo(Job.State.STOPPED);
    }

    @Test
    void a_job_that_the_engine_fails_to_start_says_why_and_starts_once_it_can() {
        engine.fault = new java.io.IOException("no space for its control group\nat line 7");
        desk.submit("ada", JobsTest.one("unstarted", 1, 0));
        desk.eventually(() -> desk.job("ada", "unstarted").waiting() != null);
        var waiting = Objects.requireNonNull(desk.job("ada", "unstarted").waiting());
        assertThat(waiting.why()).isEqualTo(Waiting.Why.START);
        assertThat(waiting.outages())
                .containsExactly(new Waiting.Outage("node0", "main 0", "no space for its control group"));
        assertThat(desk.job("ada", "unstarted").state()).isEqualTo(Job.State.WAITING);
        engine.fault = null;
        desk.running(1);
        desk.eventually(() -> desk.job("ada", "unstarted").state() == Job.State.RUNNING);
        assertThat(desk.job("ada", "unstarted").waiting()).isNull();
    }

    @Test
    void a_job_that_gave_way_is_queued_at_once_however_often_and_its_faults_are_counted_apart() {
        desk.submit("ada", JobsTest.one("gives-way", 1, 0));
        for (int time = 0; time < 3; time++) {
            int times = time;
            desk.running(1);
            desk.eventually(() -> desk.job("ada", "gives-way").attempt() == times
                    && desk.job("ada", "gives-way").state() == Job.State.RUNNING);
            desk.query("UPDATE jobs SET halt = -1003, changed = pg_current_xact_id() RETURNING id");
            desk.eventually(() -> engine.starts.size() == times + 2);
        }
        assertThat(desk.query("SELECT count(*) FROM job_events WHERE message LIKE '%the next begins at once.'"))
                .isEqualTo(3);
        desk.eventually(() -> desk.job("ada", "gives-way").state() == Job.State.RUNNING);
        engine.end(desk.running(1).getFirst(), 137);
        desk.eventually(() -> engine.starts.size() == 5);
        Job job = desk.job("ada", "gives-way");
        assertThat(job.retries()).isEqualTo(4);
        assertThat(job.userRetries()).isZero();
    }

    @Test
    void enough_succeeded_tasks_end_the_job_well() {
        desk.submit("ada", JobsTest.job("enough", "", role("main", 3, "\"minSucceededTaskCount\": 1,")));
        engine.end(desk.running(3).getFirst(), 0);
        assertThat(desk.finished("ada", "enough").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    @Test
    void a_job_that_ended_while_no_gateway_was_there_gets_its_real_exit_code() {
        desk.submit("ada", JobsTest.one("alone", 1, 0));
        String run = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "alone").state() == Job.State.RUNNING);
        desk.leave();
        engine.end(run, 37);
        desk.open(desk.data());
        desk.finished("ada", "alone");
        assertThat(desk.detail("ada", "alone").attempt().exit())
                .isNotNull()
                .extracting(Exit::original)
                .isEqualTo(37);
        assertThat(engine.starts).hasSize(1);
    }

    @Test
    void what_an_earlier_gateway_did_not_come_to_forget_is_forgotten_by_the_next_at_once() {
        engine.keeps = true;
        desk.submit("ada", JobsTest.one("kept", 1, 0));
        String run = desk.running(1).getFirst();
        engine.end(run, 0);
        desk.finished("ada", "kept");
        desk.leave();
        assertThat(engine.runs).containsKey(run);
        engine.keeps = false;
        desk.open(desk.data());
        desk.eventually(() -> engine.runs.isEmpty());
        assertThat(engine.starts).hasSize(1);
    }

    @Test
    void a_running_job_is_adopted_and_not_started_again() {
        desk.submit("ada", JobsTest.one("goes-on", 1, 0));
        String run = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "goes-on").state() == Job.State.RUNNING);
        desk.leave();
        desk.open(desk.data());
        engine.end(run, 0);
        assertThat(desk.finished("ada", "goes-on").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(engine.starts).hasSize(1);
    }

    @Test
    void a_second_gateway_takes_over_and_what_the_first_still_writes_finds_nothing() throws Exception {
        desk.submit("ada", JobsTest.one("handed-on", 1, 0));
        String run = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "handed-on").state() == Job.State.RUNNING);
        var second = desk.another(Files.createDirectory(desk.data().resolve("second")));
        desk.expireTerm();
        desk.eventually(() -> desk.epoch() > 1);
        engine.end(run, 0);
        assertThat(desk.finished("ada", "handed-on").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(engine.starts).hasSize(1);
        assertThat(desk.reasons(desk.job("ada", "handed-on"))).containsOnlyOnce("Exited", "Succeeded");
        second.close().await();
    }

    @Test
    void a_dead_leader_is_followed_although_the_clock_was_set_back() {
        desk.leave();
        desk.query("UPDATE job_leader SET owner = 'dead', until = now() + interval '9 hours' RETURNING epoch");
        desk.open(desk.data());
        desk.submit("ada", JobsTest.one("led", 1, 0));
        engine.end(desk.running(1).getFirst(), 0);
        assertThat(desk.finished("ada", "led").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    @Test
    void a_job_that_asks_for_a_port_by_number_waits_for_it_and_says_so() {
        desk.submit("ada", port("holds"));
        String first = desk.running(1).getFirst();
        desk.submit("ada", port("wants"));
        desk.eventually(() -> desk.reasons(desk.job("ada", "wants")).contains("PortTaken"));
        var waiting = Objects.requireNonNull(desk.job("ada", "wants").waiting());
        assertThat(waiting.why()).isEqualTo(Waiting.Why.PORT);
        assertThat(waiting.outages().getFirst().reason()).contains("Port 8090").contains("node");
        engine.end(first, 0);
        desk.eventually(() -> engine.starts.size() == 2);
        assertThat(desk.reasons(desk.job("ada", "wants"))).containsOnlyOnce("PortTaken");
    }

    private static String port(String name) {
        return JobsTest.job(name, "", """
                {"name": "main", "taskNumber": 1, "cpuNumber": 1, "memoryMB": 100, "command": "true",
                 "portList": [{"label": "web", "beginAt": 8090, "portNumber": 1}]}
                """);
    }

    @Test
    void a_run_that_the_engine_has_lost_is_tried_again() {
        desk.submit("ada", JobsTest.one("lost", 1, 0));
        String run = desk.running(1).getFirst();
        desk.eventually(() -> desk.job("ada", "lost").state() == Job.State.RUNNING);
        desk.leave();
        engine.lose(run);
        desk.open(desk.data());
        desk.eventually(() -> engine.starts.size() == 2);
        assertThat(desk.jobs()
                        .attempts(desk.job("ada", "lost"))
                        .await()
                        .getFirst()
                        .exit())
                .isNotNull()
                .extracting(Exit::code)
                .isEqualTo(Exit.NODE_LOST);
    }

    @Test
    void an_engine_that_does_not_answer_is_asked_again_under_the_same_name() {
        engine.away = true;
        desk.submit("ada", JobsTest.one("patient", 1, 0));
        desk.eventually(() -> desk.job("ada", "patient").phase() == Job.Phase.CREATING);
        engine.away = false;
        desk.running(1);
        assertThat(engine.starts).hasSize(1);
    }

    @Test
    void the_end_of_the_output_tells_the_cause() {
        desk.submit("ada", JobsTest.one("imports", 1, 0));
        engine.end(desk.running(1).getFirst(), 1, "hello\nModuleNotFoundError: No module named 'torch'\n");
        assertThat(desk.finished("ada", "imports").exitCode()).isEqualTo(232);
        assertThat(desk.detail("ada", "imports").attempt().exit()).isNotNull().satisfies(exit -> {
            assertThat(exit.line()).isEqualTo("ModuleNotFoundError: No module named 'torch'");
            assertThat(exit.offset()).isEqualTo(6);
            assertThat(exit.message()).contains("torch");
        });
    }

    @Test
    void what_an_engine_refuses_fails_with_its_reason() {
        engine.refusal = task -> new Started.Refused(Started.Reason.UNSAFE, "no such folder");
        desk.submit("ada", JobsTest.one("refused", 1, 0));
        Job done = desk.finished("ada", "refused");
        assertThat(done.state()).isEqualTo(Job.State.FAILED);
        assertThat(done.exitCode()).isEqualTo(Exit.CREATION_REFUSED);
        assertThat(desk.detail("ada", "refused").attempt().exit())
                .isNotNull()
                .extracting(Exit::message)
                .isEqualTo("no such folder");
    }

    @Test
    void without_gang_a_task_is_tried_again_alone_in_its_place() {
        desk.submit("ada", """
                protocolVersion: 2
                name: alone
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: 2
                    taskRetryCount: 1
                    completion: {minFailedInstances: 1, minSucceededInstances: 2}
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                extras: {gangAllocation: false}
                """);
        var first = desk.running(2);
        engine.end(first.getFirst(), 5);
        desk.eventually(() -> engine.starts.size() == 3);
        assertThat(engine.starts.getLast()).isEqualTo(first.getFirst().replace("-0.0", "-0.1"));
        desk.running(2).forEach(run -> engine.end(run, 0));
        assertThat(desk.finished("ada", "alone").state()).isEqualTo(Job.State.SUCCEEDED);
        var attempts = desk.jobs()
                .taskAttempts(desk.job("ada", "alone"), 0, "worker", 0)
                .await();
        assertThat(attempts).extracting(JobDetail.Task::attempt).containsExactly(1, 0);
        assertThat(attempts.getFirst().ports()).isEqualTo(attempts.getLast().ports());
    }

    @Test
    void a_job_that_was_stopped_can_be_started_again() {
        desk.submit("ada", JobsTest.one("again", 1, 0));
        desk.running(1);
        desk.stop("ada", "again");
        desk.finished("ada", "again");
        var stopped = desk.job("ada", "again").completed();
        desk.jobs().start(Desk.caller("ada"), desk.job("ada", "again")).await();
        engine.end(desk.running(1).getFirst(), 0);
        Job done = desk.finished("ada", "again");
        assertThat(done.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(done.attempt()).isEqualTo(1);
        assertThat(done.launched())
                .as("time before it was started again does not count")
                .isAfter(stopped);
    }

    @Test
    void nobody_gets_a_device_or_port_that_another_has() {
        for (int i = 0; i < 4; i++) {
            desk.submit("ada", JobsTest.one("device" + i, 1, 1));
        }
        var runs = desk.running(4);
        var given = runs.stream()
                .map(run -> engine.task(run).node() + engine.task(run).devices())
                .toList();
        assertThat(given).doesNotHaveDuplicates();
        desk.submit("ada", JobsTest.one("one-more", 1, 1));
        engine.end(runs.getFirst(), 0);
        desk.eventually(() -> engine.starts.size() == 5);
        assertThat(engine.task(engine.starts.getLast()).devices())
                .isEqualTo(engine.task(runs.getFirst()).devices());
    }

    private static String role(String name, int tasks, String more) {
        return """
                {"name": "%s", "taskNumber": %d, %s "cpuNumber": 1, "memoryMB": 100, "command": "true"}
                """.formatted(name, tasks, more);
    }
}
