package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that begin together, or not at all. */
class GangTest {
    private final ScriptedEngine engine = new ScriptedEngine(2, 4, 2);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private static String job(String name, String extras, String more) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                %s
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: 3
                    dockerImage: image
                    completion: {minFailedInstances: 1}
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                extras: %s
                """.formatted(name, more, extras);
    }

    private Path folder(String name, int attempt) {
        return desk.data().resolve("gangs/" + desk.job("ada", name).id() + "/" + attempt);
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void released(String name, int attempt) {
        desk.eventually(() -> Files.exists(folder(name, attempt).resolve("released")));
    }

    @Test
    void nobody_goes_on_before_all_have_begun_and_those_who_wait_can_tell_for_whom() {
        engine.broken = task -> task.name().contains("-worker-1-");
        desk.submit("ada", job("three", "{}", ""));
        desk.running(2);
        desk.eventually(() -> text(folder("three", 0).resolve("missing")).equals("worker 1\n"));
        assertThat(folder("three", 0).resolve("released")).doesNotExist();
        engine.broken = task -> false;
        released("three", 0);
        assertThat(desk.running(3))
                .allSatisfy(
                        run -> assertThat(engine.task(run).script())
                                .startsWith(
                                        "[ ! -d /pod/bin ] || export PATH=/pod/bin:$PATH\n[ ! -e /pod/barrier ] || . /pod/barrier\n"));
    }

    @Test
    void a_task_that_never_begins_ends_the_attempt_which_says_who_is_missing() {
        engine.broken = task -> task.name().contains("-worker-2-");
        desk.submit("ada", job("late", "{sluice: {distributed: {startWithin: 1}}}", ""));
        Job done = desk.finished("ada", "late");
        assertThat(done.state()).isEqualTo(Job.State.FAILED);
        assertThat(done.exitCode()).isEqualTo(-252);
        var exit = desk.detail("ada", "late").attempt().exit();
        assertThat(exit)
                .isNotNull()
                .satisfies(end -> assertThat(end.message())
                        .isEqualTo("Not all tasks had begun 1 s after the first. Missing: worker 2."));
        assertThat(engine.stops).anyMatch(run -> run.contains("-worker-0-"));
    }

    @Test
    void a_task_that_dies_while_it_waits_ends_the_attempt_and_the_next_one_waits_anew() {
        engine.broken =
                task -> task.name().contains("-worker-1-") && task.name().endsWith("-0.0");
        desk.submit("ada", job("dies", "{}", "jobRetryCount: 1"));
        engine.end(desk.running(2).getFirst(), 9);
        desk.eventually(() -> desk.job("ada", "dies").attempt() == 1);
        released("dies", 1);
        assertThat(desk.running(3)).allSatisfy(run -> assertThat(run).endsWith("-1.0"));
        desk.eventually(() -> !Files.exists(folder("dies", 0)));
    }

    @Test
    void another_gateway_that_takes_over_lets_them_go_on() {
        engine.broken = task -> task.name().contains("-worker-1-");
        desk.submit("ada", job("taken", "{}", ""));
        desk.running(2);
        desk.leave();
        engine.broken = task -> false;
        desk.open(desk.data());
        released("taken", 0);
    }

    @Test
    void who_does_not_begin_together_waits_for_nobody() {
        desk.submit("ada", job("apart", "{gangAllocation: false}", ""));
        assertThat(desk.running(3))
                .allSatisfy(run -> assertThat(engine.task(run).script()).doesNotContain("barrier"));
        desk.submit("ada", JobsTest.one("alone", 1, 0));
        assertThat(desk.running(4).stream()
                        .filter(run -> !run.contains("worker"))
                        .map(run -> engine.task(run).script()))
                .allSatisfy(script -> assertThat(script).doesNotContain("barrier"));
    }

    @Test
    void what_they_were_told_is_taken_away_with_the_job() {
        desk.submit("ada", job("gone", "{}", ""));
        List<String> runs = desk.running(3);
        released("gone", 0);
        Path folder = folder("gone", 0);
        runs.forEach(run -> engine.end(run, 0));
        assertThat(desk.finished("ada", "gone").state()).isEqualTo(Job.State.SUCCEEDED);
        desk.eventually(() -> !Files.exists(folder));
    }
}
