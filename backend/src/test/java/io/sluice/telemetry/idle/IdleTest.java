package io.sluice.telemetry.idle;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.identity.Identity;
import io.sluice.jobs.Desk;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.ScriptedEngine;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.Telemetry;
import io.sluice.telemetry.observe.Pictures;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What follows when devices do nothing, with a clock of the test's own. */
class IdleTest {
    @RegisterExtension
    private final Desk desk = new Desk(new ScriptedEngine(1, 8, 2));

    private final Map<Long, Instant> uses = new HashMap<>();
    private Instant now = Instant.now();
    private double load;

    @BeforeEach
    void run_a_job() {
        desk.database
                .database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Telemetry.MIGRATIONS))
                .await();
        desk.submit("ada", """
                {"jobName": "train", "image": "none", "retryCount": 3, "taskRoles": [
                    {"name": "main", "taskNumber": 1, "cpuNumber": 1, "memoryMB": 100, "gpuNumber": 2, "command": "true"}]}
                """);
        desk.running(1);
        desk.eventually(() -> desk.job("ada", "train").state() == Job.State.RUNNING);
        now = Instant.now();
    }

    private void rule(Then then, boolean quiet, boolean unused) {
        rule(new IdleRule(30, 5, null, quiet, unused, then, 20, 4, true, "https://chat.example.org/1"));
    }

    private void rule(@Nullable IdleRule rule) {
        desk.jobs()
                .clusters()
                .put(Desk.caller("root"), new Cluster("default", "", null, null, Map.of(), false, rule), null)
                .await();
    }

    private Idle gateway() {
        return new Idle(
                desk.database.database(),
                desk.jobs(),
                new CollectorRegistry(),
                jobs -> Future.succeededFuture(Map.copyOf(uses)),
                () -> {});
    }

    /** Looks every five seconds, and decides every fifteen; NaN: no sample. */
    private void minutes(int minutes, Idle... gateways) throws Exception {
        List<Holder> holders = desk.jobs().lists().holders().await();
        for (int round = 0; round < minutes * 12; round++) {
            now = now.plusSeconds(5);
            for (Idle gateway : gateways) {
                gateway.take(Pictures.at(
                        now,
                        holders.stream()
                                .flatMap(holder -> holder.devices().stream()
                                        .map(device -> Pictures.device(holder.node(), device, 0, load, holder)))
                                .toList(),
                        holders.stream()
                                .map(holder -> Pictures.doing(holder, 1))
                                .toList()));
                if (round % 3 == 0) {
                    gateway.look(now);
                }
            }
        }
    }

    @Test
    void a_gateway_that_has_seen_nothing_yet_forgets_nothing() throws Exception {
        rule(Then.STOP, false, false);
        Idle before = gateway();
        minutes(31, before);
        assertThat(before.keep(id(), "ada", now).await()).isTrue();
        gateway().look(now);
        assertThat(count("kept_until IS NOT NULL")).isEqualTo(1);
        Idle after = gateway();
        after.take(Pictures.at(now, List.of(), List.of()));
        after.look(now);
        assertThat(count("TRUE")).as("it is seen that no job is there").isZero();
    }

    private long warnings() {
        return desk.query("SELECT count(*) FROM idle_notices WHERE kind = 'history'");
    }

    private long count(String where) {
        return desk.query("SELECT count(*) FROM idle_jobs WHERE " + where);
    }

    private long id() {
        return desk.job("ada", "train").id();
    }

    @Test
    void a_job_that_does_nothing_is_warned_once_by_two_gateways_and_told_in_every_way_of_its_rule() throws Exception {
        rule(Then.WARN, true, true);
        Idle one = gateway();
        Idle other = gateway();
        minutes(29, one, other);
        assertThat(warnings()).isZero();
        minutes(3, one, other);
        assertThat(warnings()).isEqualTo(1);
        assertThat(desk.query("SELECT count(*) FROM idle_notices")).isEqualTo(3);
        minutes(60, one, other);
        assertThat(desk.query("SELECT count(*) FROM idle_notices")).as("once").isEqualTo(3);
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
    }

    @Test
    void what_was_seen_before_a_restart_counts_and_a_long_absence_begins_anew() throws Exception {
        rule(Then.WARN, false, false);
        minutes(20, gateway());
        now = now.plusSeconds(90);
        minutes(12, gateway());
        assertThat(warnings()).isEqualTo(1);
        desk.query("DELETE FROM idle_jobs RETURNING 1");
        minutes(20, gateway());
        now = now.plus(Duration.ofHours(1));
        minutes(12, gateway());
        assertThat(warnings()).isEqualTo(1);
    }

    @Test
    void whoever_keeps_it_is_not_asked_again_for_the_hours_of_the_rule() throws Exception {
        rule(Then.STOP, false, false);
        Idle idle = gateway();
        minutes(32, idle);
        assertThat(idle.keep(id(), "ada", now).await()).isTrue();
        assertThat(idle.keep(id(), "ada", now).await()).as("a second click").isFalse();
        minutes(230, idle, gateway());
        assertThat(warnings()).isEqualTo(1);
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
        minutes(12, idle);
        assertThat(warnings()).isEqualTo(2);
        assertThat(desk.reasons(desk.job("ada", "train"))).contains("IdleKept");
    }

    @Test
    void one_that_nobody_keeps_is_stopped_when_its_time_is_over() throws Exception {
        rule(Then.STOP, true, false);
        Idle idle = gateway();
        minutes(48, idle);
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
        minutes(4, idle, gateway());
        var stopped = desk.finished("ada", "train");
        assertThat(stopped.state()).isEqualTo(Job.State.STOPPED);
        assertThat(stopped.exitCode()).as("it says why").isEqualTo(Exit.IDLE_STOPPED);
        assertThat(desk.query("SELECT count(*) FROM tasks WHERE exit_code = -253"))
                .isEqualTo(1);
        assertThat(desk.query("SELECT count(*) FROM job_events WHERE message LIKE 'Stopped because its devices did"
                        + " nothing for 5_ minutes.'"))
                .isEqualTo(1);
        assertThat(count("done IS NOT NULL")).as("its page can say why").isEqualTo(1);
        assertThat(idle.keep(id(), "ada", now).await()).as("too late").isFalse();
    }

    @Test
    void one_that_is_put_back_runs_again_as_another_attempt_and_is_no_failure() throws Exception {
        rule(Then.REQUEUE, false, false);
        Idle idle = gateway();
        minutes(52, idle);
        desk.eventually(() -> desk.job("ada", "train").attempt() == 1
                && desk.job("ada", "train").state() == Job.State.RUNNING);
        Job job = desk.job("ada", "train");
        assertThat(job.userRetries()).isZero();
        assertThat(desk.reasons(job)).contains("IdleRequeued");
        minutes(32, idle);
        assertThat(count("attempt = 1 AND warned IS NOT NULL"))
                .as("it idles again")
                .isEqualTo(1);
    }

    @Test
    void work_after_the_warning_lifts_it() throws Exception {
        rule(Then.STOP, false, false);
        Idle idle = gateway();
        minutes(35, idle);
        load = 0.9;
        minutes(10, idle);
        assertThat(count("true")).isZero();
        assertThat(desk.reasons(desk.job("ada", "train"))).contains("IdleOver");
        minutes(30, idle);
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
    }

    @Test
    void samples_that_are_missing_stop_nothing() throws Exception {
        rule(Then.STOP, false, false);
        Idle idle = gateway();
        minutes(35, idle);
        load = Double.NaN;
        minutes(60, idle);
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
        assertThat(count("warned IS NOT NULL AND done IS NULL")).isEqualTo(1);
    }

    @Test
    void one_that_prints_is_not_idle_where_the_rule_wants_silence() throws Exception {
        rule(Then.STOP, true, false);
        Idle idle = gateway();
        minutes(25, idle);
        print();
        minutes(20, idle);
        assertThat(warnings()).isZero();
        minutes(12, idle);
        assertThat(warnings()).isEqualTo(1);
        print();
        minutes(1, idle);
        assertThat(count("warned IS NOT NULL")).as("lifted").isZero();
    }

    private void print() throws Exception {
        var detail = desk.jobs().detail(desk.job("ada", "train"), null).await();
        var file = desk.jobs().output(detail.job(), detail.tasks().getFirst());
        Files.createDirectories(file.getParent());
        Files.writeString(file, "step 1\n");
        Files.setLastModifiedTime(file, FileTime.from(now));
    }

    @Test
    void one_whose_endpoints_are_used_is_not_idle_where_the_rule_says_so() throws Exception {
        rule(Then.STOP, false, true);
        uses.put(id(), now.plus(Duration.ofMinutes(20)));
        Idle idle = gateway();
        minutes(45, idle);
        assertThat(warnings()).isZero();
        minutes(6, idle);
        assertThat(warnings()).isEqualTo(1);
    }

    @Test
    void a_rule_that_is_taken_away_takes_its_warnings_with_it() throws Exception {
        rule(Then.STOP, false, false);
        Idle idle = gateway();
        minutes(35, idle);
        rule(null);
        minutes(40, idle);
        assertThat(count("warned IS NOT NULL")).isZero();
        assertThat(desk.job("ada", "train").state()).isEqualTo(Job.State.RUNNING);
    }
}
