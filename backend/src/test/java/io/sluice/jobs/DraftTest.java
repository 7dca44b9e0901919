package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.drafts.Outlook;
import io.sluice.jobs.placement.Waiting.Why;
import io.sluice.jobs.protocol.Fault;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DraftTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path data;

    private final Desk desk = new Desk(new ScriptedEngine(1, 4, 0));

    @BeforeEach
    void open() {
        desk.open(data);
    }

    @AfterEach
    void close() {
        desk.close();
    }

    private Draft draft(String text) {
        return Draft.of(desk.jobs(), Desk.caller("ada"), text).await();
    }

    private Draft.Sound sound(String text) {
        return (Draft.Sound) draft(text);
    }

    @Test
    void a_text_with_faults_is_told_all_of_them() {
        assertThat(draft("{\"jobName\": \"a b\", \"taskRoles\": []}"))
                .isInstanceOfSatisfying(
                        Draft.Faulty.class,
                        faulty -> assertThat(faulty.faults())
                                .extracting(Fault::path)
                                .contains("jobName", "image", "taskRoles"));
    }

    @Test
    void what_fits_would_start_now_and_is_told_where() {
        var sound = sound(JobsTest.one("fits", 1, 0));
        assertThat(sound.fit().waiting()).isNull();
        assertThat(sound.fit().now()).hasSize(1);
        assertThat(sound.never()).isFalse();
        assertThat(sound.freeName()).isNull();
    }

    @Test
    void it_is_shown_with_its_tasks_their_ranks_and_what_its_devices_allow() {
        String text = """
                protocolVersion: 2
                name: shown
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  ps: {instances: 1, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 10, gpu: 0}, commands: [a]}
                  worker: {instances: 20, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 10, gpu: 4}, commands: [a]}
                extras: {sluice: {devices: {type: huawei_npu_arm64}, distributed: {launcher: card}}}
                """;
        var outlook = sound(text).outlook();
        assertThat(outlook.tasks()).hasSize(8);
        assertThat(outlook.more()).isEqualTo(13);
        assertThat(outlook.tasks().getFirst()).isEqualTo(new Outlook.Task("ps", 0, 0, "", -1, -1));
        assertThat(outlook.tasks().get(2)).isEqualTo(new Outlook.Task("worker", 1, 4, "", 4, 7));
        assertThat(outlook.kinds()).singleElement().satisfies(kind -> {
            assertThat(kind.type()).isEqualTo("huawei_npu_arm64");
            assertThat(kind.offer().most()).isZero();
            assertThat(kind.apart()).isTrue();
        });
        var placed = sound(JobsTest.one("placed", 1, 0)).outlook();
        assertThat(placed.tasks())
                .singleElement()
                .satisfies(task -> assertThat(task.node()).isEqualTo("node0"));
    }

    @Test
    void what_must_wait_is_told_for_what() {
        desk.submit("bob", JobsTest.one("first", 4, 0));
        desk.eventually(() -> desk.job("bob", "first").state() == Job.State.RUNNING);
        var waiting =
                Objects.requireNonNull(sound(JobsTest.one("second", 1, 0)).fit().waiting());
        assertThat(waiting).satisfies(why -> {
            assertThat(why.why()).isEqualTo(Why.MACHINES);
            assertThat(why.holders()).extracting(holder -> holder.user()).containsExactly("bob");
        });
    }

    @Test
    void what_can_never_run_is_told_so() {
        assertThat(sound(JobsTest.one("large", 5, 0)).never()).isTrue();
        assertThat(sound(JobsTest.one("cards", 1, 1)).never()).isTrue();
    }

    @Test
    void a_taken_name_comes_with_one_that_is_free() {
        desk.submit("ada", JobsTest.one("twice", 1, 0));
        assertThat(sound(JobsTest.one("twice", 1, 0)).freeName()).isEqualTo("twice_2");
        desk.submit("ada", JobsTest.one("twice_2", 1, 0));
        assertThat(sound(JobsTest.one("twice", 1, 0)).freeName()).isEqualTo("twice_3");
        desk.submit("bob", JobsTest.one("other", 1, 0));
        assertThat(sound(JobsTest.one("other", 1, 0)).freeName())
                .as("bob's is not ada's")
                .isNull();
    }
}
