package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.data.Transfer;
import io.sluice.jobs.life.Exit;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Data of jobs whose gateway ends, and another leads. */
class DataElsewhereIT extends AtStores {
    /** Another gateway leads, with a data folder of its own. */
    private Path elsewhere() throws IOException {
        desk.leave();
        Path other = Files.createDirectories(desk.data().resolve("other"));
        Files.copy(desk.data().resolve("secrets.key"), other.resolve("secrets.key"));
        desk.open(other, objects.stores());
        return other;
    }

    private static String again(String job) {
        return job.replace("dockerImage: image", "dockerImage: image\n    taskRetryCount: 1")
                .replace("extras: {", "extras: {gangAllocation: false, ");
    }

    @Test
    void a_gateway_with_another_data_folder_fetches_what_only_the_first_one_has() throws IOException {
        objects.put("twice/a", bytes(10, 7));
        desk.submit("ada", again(input("twice", "s3://lab/twice")));
        String run = desk.running(1).getFirst();
        Path here = desk.data().relativize(input("twice"));
        Path other = elsewhere();
        engine.end(run, 1);
        desk.eventually(() -> engine.starts.size() == 2);
        assertThat(other.resolve(here).resolve("a")).hasBinaryContent(bytes(10, 7));
    }

    @Test
    void what_lies_in_the_data_folder_of_another_gateway_is_told_not_to_be_brought_back() throws IOException {
        desk.submit("ada", output("far", "s3://lab/far"));
        String run = desk.running(1).getFirst();
        Path file = Files.write(output("far").resolve("model"), bytes(10, 5));
        elsewhere();
        engine.end(run, 0);
        var job = desk.finished("ada", "far");
        assertThat(job.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(desk.reasons(job)).contains("DataNotBroughtBack");
        assertThat(data("far")).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.FAILED);
            assertThat(one.message()).contains("data folder of another gateway");
        });
        assertThat(file).exists();
    }

    @Test
    void no_task_begins_beside_others_that_write_elsewhere() throws IOException {
        desk.submit("ada", again(output("beside", "s3://lab/beside")));
        String run = desk.running(1).getFirst();
        elsewhere();
        engine.end(run, 1);
        desk.eventually(() -> desk.query("SELECT count(*) FROM tasks t JOIN jobs j ON j.id = t.job_id"
                        + " WHERE j.name = 'beside' AND t.exit_code = " + Exit.NOT_FETCHED_YET)
                > 0);
        assertThat(engine.starts).hasSize(1);
    }

    /** Bytes that are on the disk, and not under way only. */
    private long arrived(String name) {
        try (var all = Files.walk(Objects.requireNonNull(input(name).getParent()))) {
            return all.map(Path::toFile)
                    .filter(File::isFile)
                    .mapToLong(File::length)
                    .sum();
        } catch (IOException | UncheckedIOException changing) {
            return 0;
        }
    }

    @Test
    void another_gateway_goes_on_with_what_one_has_begun() {
        objects.put("resumed/first", bytes(1_000_000, 7));
        objects.put("resumed/second", bytes(2_000_000, 8));
        objects.put("resumed/third", bytes(500_000, 9));
        objects.stall(2_500_000);
        desk.submit("ada", input("resumed", "s3://lab/resumed"));
        desk.eventually(() -> objects.isStalled() && arrived("resumed") > 2_300_000);
        desk.leave();
        objects.breakOff();
        long before = objects.sent();
        desk.open(desk.data(), objects.stores());
        desk.running(1);
        assertThat(input("resumed").resolve("second")).hasBinaryContent(bytes(2_000_000, 8));
        assertThat(input("resumed").resolve("third")).hasBinaryContent(bytes(500_000, 9));
        assertThat(objects.sent() - before).isLessThan(1_500_000);
    }

    @Test
    void another_gateway_brings_back_what_one_has_not() throws IOException {
        desk.submit("ada", output("taken", "s3://lab/taken"));
        String run = desk.running(1).getFirst();
        for (int i = 0; i < 20; i++) {
            Files.write(output("taken").resolve("part-" + i), bytes(50_000, i));
        }
        objects.stall(2_000);
        engine.end(run, 0);
        desk.eventually(objects::isStalled);
        desk.leave();
        objects.breakOff();
        desk.open(desk.data(), objects.stores());
        desk.finished("ada", "taken");
        for (int i = 0; i < 20; i++) {
            assertThat(objects.content("taken/part-" + i)).isEqualTo(bytes(50_000, i));
        }
    }
}
