package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that are no gang start as many of their tasks as fit; and nothing starts on a device with a fault. */
class PartsOfJobsTest {
    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 2);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private static String loose(String name, int tasks) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: %d
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 1}
                    commands: ["true"]
                extras: {gangAllocation: false}
                """.formatted(name, tasks);
    }

    private Waiting waiting(String name) {
        var seen = new ArrayList<Waiting>();
        desk.eventually(() -> {
            Optional.ofNullable(desk.job("ada", name).waiting()).ifPresent(seen::add);
            return !seen.isEmpty();
        });
        return seen.getFirst();
    }

    @Test
    void what_fits_starts_and_the_rest_follows_in_order_when_there_is_room() {
        desk.submit("ada", loose("loose", 5));
        assertThat(desk.running(2)).allMatch(run -> run.contains("-worker-0-") || run.contains("-worker-1-"));
        desk.eventually(() -> desk.job("ada", "loose").state() == Job.State.RUNNING);
        var waiting = waiting("loose");
        assertThat(waiting.why()).isEqualTo(Waiting.Why.MACHINES);
        assertThat(waiting.shortages().getFirst().needed()).isEqualTo(3);
        engine.end(desk.running(2).getFirst(), 0);
        desk.eventually(() -> engine.starts.size() == 3);
        engine.end(desk.running(2).getLast(), 0);
        desk.eventually(() -> engine.starts.size() == 4);
        desk.leave();
        desk.open(desk.data());
        engine.end(desk.running(2).getFirst(), 0);
        desk.eventually(() -> engine.starts.size() == 5);
        desk.running(2).forEach(run -> engine.end(run, 0));
        Job done = desk.finished("ada", "loose");
        assertThat(done.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(done.waiting()).isNull();
        assertThat(desk.detail("ada", "loose").tasks())
                .extracting(JobDetail.Task::index)
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(engine.starts).doesNotHaveDuplicates().hasSize(5);
        assertThat(desk.query("SELECT count(*) FROM allocations")).isZero();
    }

    @Test
    void who_asks_for_nothing_gets_the_least_and_is_counted() {
        desk.submit("ada", JobsTest.job("nothing", "", """
                {"name": "main", "cpuNumber": 0, "memoryMB": 0, "shmMB": 0, "command": "true"}
                """));
        assertThat(engine.task(desk.running(1).getFirst()).memoryMB()).isEqualTo(64);
        var held = desk.jobs().machines().await().running().getFirst().tasks().getFirst();
        assertThat(held.memoryMB()).isEqualTo(64);
        desk.jobs()
                .clusters()
                .put(Desk.caller("root"), new Cluster("default", "", null, 100, Map.of(), false), null)
                .await();
        desk.submit("ada", JobsTest.job("too-much", "", """
                {"name": "main", "taskNumber": 2, "cpuNumber": 0, "memoryMB": 0, "shmMB": 0, "command": "true"}
                """));
        assertThat(waiting("too-much").why()).isEqualTo(Waiting.Why.NEVER_IN_QUOTA);
        desk.submit("ada", JobsTest.job("too-many", "", """
                {"name": "main", "taskNumber": 10000, "cpuNumber": 0, "memoryMB": 0, "shmMB": 0, "command": "true"}
                """));
        assertThat(waiting("too-many").why()).isEqualTo(Waiting.Why.NEVER);
    }

    @Test
    void a_gang_waits_until_all_of_it_fits() {
        desk.submit("ada", JobsTest.one("first", 1, 1));
        desk.running(1);
        desk.submit("ada", loose("gang", 2).replace("extras: {gangAllocation: false}\n", ""));
        assertThat(waiting("gang").why()).isEqualTo(Waiting.Why.MACHINES);
        assertThat(engine.starts).hasSize(1);
        engine.end(engine.starts.getFirst(), 0);
        desk.running(2);
    }

    @Test
    void one_that_runs_in_part_can_be_stopped_and_started_again_whole() {
        desk.submit("ada", loose("halved", 3));
        desk.running(2);
        waiting("halved");
        desk.stop("ada", "halved");
        assertThat(desk.finished("ada", "halved").state()).isEqualTo(Job.State.STOPPED);
        assertThat(desk.running(0)).isEmpty();
        desk.jobs().start(Desk.caller("ada"), desk.job("ada", "halved")).await();
        assertThat(desk.job("ada", "halved").stop()).isFalse();
        desk.running(2);
        desk.eventually(() -> Optional.ofNullable(desk.job("ada", "halved").waiting()).stream()
                .flatMap(waiting -> waiting.shortages().stream())
                .anyMatch(shortage -> shortage.needed() == 1));
        engine.end(desk.running(2).getFirst(), 0);
        desk.eventually(() -> engine.starts.size() == 5);
    }

    @Test
    void a_failure_ends_what_runs_of_it_and_the_rest_never_starts() {
        desk.submit("ada", loose("fails", 4));
        desk.running(2);
        engine.end(desk.running(2).getFirst(), 3);
        assertThat(desk.finished("ada", "fails").state()).isEqualTo(Job.State.FAILED);
        assertThat(desk.detail("ada", "fails").tasks())
                .extracting(task -> Objects.requireNonNull(task.exit()).code())
                .contains(255)
                .hasSizeLessThan(4);
        assertThat(desk.running(0)).isEmpty();
    }

    @Test
    void before_it_is_submitted_it_is_said_what_of_it_would_start() {
        var spec = desk.submit("ada", loose("asked", 3));
        assertThat(spec.name()).isEqualTo("asked");
        desk.running(2);
        var detail = desk.detail("ada", "asked");
        desk.stop("ada", "asked");
        desk.finished("ada", "asked");
        desk.eventually(() -> fit(detail.spec()).now().size() == 2);
        assertThat(Objects.requireNonNull(fit(detail.spec()).waiting())
                        .shortages()
                        .getFirst()
                        .needed())
                .isEqualTo(1);
    }

    private Placement.Fit fit(JobSpec spec) {
        return desk.jobs().fit(Desk.caller("ada"), spec).await();
    }

    @Test
    void nothing_starts_on_a_device_with_a_fault_and_its_reason_is_said() {
        engine.tell(0, "Uncorrectable ECC errors");
        desk.submit("ada", JobsTest.one("one", 1, 1));
        String run = desk.running(1).getFirst();
        assertThat(engine.task(run).devices()).containsExactly("d1");
        desk.submit("ada", JobsTest.one("both", 1, 2));
        desk.eventually(() -> desk.job("ada", "both").waiting() != null);
        var waiting = waiting("both");
        assertThat(waiting.why()).isEqualTo(Waiting.Why.OUT_OF_SERVICE);
        assertThat(waiting.outages()).containsExactly(new Waiting.Outage("node0", "d0", "Uncorrectable ECC errors"));
        engine.end(run, 0);
        engine.tell(0, null);
        assertThat(engine.task(desk.running(1).getFirst()).devices()).isEqualTo(List.of("d0", "d1"));
    }

    @Test
    void a_fault_that_comes_later_ends_nothing() {
        desk.submit("ada", JobsTest.one("goes-on", 1, 2));
        String run = desk.running(1).getFirst();
        engine.tell(1, "Fallen off the bus");
        desk.submit("ada", JobsTest.one("next", 1, 1));
        desk.eventually(() -> desk.job("ada", "next").waiting() != null);
        assertThat(desk.running(1)).containsExactly(run);
        engine.end(run, 0);
        assertThat(engine.task(desk.running(1).getFirst()).devices()).containsExactly("d0");
        assertThat(desk.finished("ada", "goes-on").state()).isEqualTo(Job.State.SUCCEEDED);
    }
}
