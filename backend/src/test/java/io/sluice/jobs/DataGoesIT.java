package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.data.PartServer;
import io.sluice.jobs.data.Transfer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Data that jobs have written, and that goes to a store of objects. */
class DataGoesIT extends AtStores {
    @Test
    void what_a_job_has_written_is_brought_back_when_it_is_over() throws IOException {
        objects.put("models/same", bytes(1_000, 1));
        desk.submit("ada", output("back", "s3://lab/models/"));
        String run = desk.running(1).getFirst();
        assertThat(engine.task(run).environment()).containsEntry("SLUICE_OUTPUT_TRAIN_URL", "/output/train_url");
        Files.write(output("back").resolve("model.bin"), bytes(200_000, 2));
        Files.write(output("back").resolve("same"), bytes(1_000, 1));
        Files.createDirectories(output("back").resolve("deep/数据"));
        Files.writeString(output("back").resolve("deep/数据/log.txt"), "done");
        Files.createSymbolicLink(output("back").resolve("secret"), Path.of("/etc/passwd"));
        engine.end(run, 0);
        assertThat(desk.finished("ada", "back").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(objects.content("models/model.bin")).isEqualTo(bytes(200_000, 2));
        assertThat(objects.content("models/deep/数据/log.txt")).asString().isEqualTo("done");
        assertThat(objects.content("models/secret")).isNull();
        assertThat(data("back")).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.DONE);
            assertThat(one.files()).isEqualTo(3);
            assertThat(one.message()).contains("Left out", "secret");
        });
    }

    @Test
    void what_running_tasks_have_written_is_brought_back_now_and_then() throws IOException {
        desk.submit("ada", output("running", "s3://lab/checkpoints"));
        String run = desk.running(1).getFirst();
        Path file = Files.write(output("running").resolve("step-1"), bytes(5_000, 3));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
        desk.eventually(() -> {
            engine.repeat(run);
            return objects.content("checkpoints/step-1") != null;
        });
        assertThat(desk.job("ada", "running").state()).isEqualTo(Job.State.RUNNING);
        Files.write(file, bytes(6_000, 4));
        engine.end(run, 1);
        assertThat(desk.finished("ada", "running").state()).isEqualTo(Job.State.FAILED);
        assertThat(objects.content("checkpoints/step-1")).isEqualTo(bytes(6_000, 4));
    }

    @Test
    void what_can_not_be_brought_back_is_told_and_kept() throws IOException {
        desk.submit("ada", output("lost", "s3://nowhere/models"));
        String run = desk.running(1).getFirst();
        Path file = Files.write(output("lost").resolve("model"), bytes(10, 5));
        engine.end(run, 0);
        var job = desk.finished("ada", "lost");
        assertThat(job.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(desk.reasons(job)).contains("DataNotBroughtBack");
        assertThat(data("lost")).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.FAILED);
            assertThat(one.message()).contains("There is no bucket nowhere", "kept in /output");
        });
        assertThat(file).hasBinaryContent(bytes(10, 5));
    }

    @Test
    void a_store_that_is_away_at_the_end_is_tried_again() throws IOException {
        desk.submit("ada", output("patient", "s3://lab/patient"));
        String run = desk.running(1).getFirst();
        Files.write(output("patient").resolve("model"), bytes(70_000, 6));
        objects.away(true);
        engine.end(run, 0);
        desk.eventually(() -> objects.refused() > 1);
        objects.away(false);
        assertThat(desk.finished("ada", "patient").state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(objects.content("patient/model")).isEqualTo(bytes(70_000, 6));
    }

    /** A job that has written more than goes in one piece, to a store that lists parts. */
    private String large(String name, PartServer parts) throws IOException {
        use(parts.stores());
        desk.submit("ada", output(name, "s3://lab/" + name));
        String run = desk.running(1).getFirst();
        try (var file = new RandomAccessFile(output(name).resolve("big").toFile(), "rw")) {
            file.setLength(65L << 20);
            file.write(bytes(1_000, 1));
        }
        return run;
    }

    private long uploads() {
        return desk.query("SELECT count(*) FROM job_uploads");
    }

    @Test
    void an_upload_in_parts_that_was_cut_off_goes_on_and_somebody_elses_is_left_alone() throws IOException {
        try (var parts = new PartServer()) {
            String run = large("parts", parts);
            parts.refuse(503, request -> request.startsWith("PUT") && request.contains("partNumber=2"));
            engine.end(run, 0);
            desk.eventually(() -> parts.received().containsKey("own-1/1"));
            desk.leave();
            parts.refuse(503, request -> false);
            desk.open(desk.data(), parts.stores());
            assertThat(desk.finished("ada", "parts").state()).isEqualTo(Job.State.SUCCEEDED);
            assertThat(parts.received()).isEqualTo(Map.of("own-1/1", 1, "own-1/2", 1));
            assertThat(parts.finished()).containsExactly("own-1");
            assertThat(parts.aborted()).isEmpty();
            assertThat(uploads()).isZero();
        }
    }

    @Test
    void an_upload_that_the_store_has_thrown_away_begins_anew() throws IOException {
        try (var parts = new PartServer()) {
            String run = large("anew", parts);
            desk.query(
                    "INSERT INTO job_uploads (job_id, user_id, store, bucket, key, upload) SELECT id, user_id, 'near', 'lab',"
                            + " 'anew/big', 'gone' FROM jobs WHERE name = 'anew' RETURNING job_id");
            engine.end(run, 0);
            desk.finished("ada", "anew");
            assertThat(parts.finished()).containsExactly("own-1");
            assertThat(uploads()).isZero();
        }
    }

    @Test
    void an_upload_that_is_given_up_leaves_no_parts_in_the_store() throws IOException {
        try (var parts = new PartServer()) {
            String run = large("given", parts);
            parts.refuse(403, request -> request.startsWith("POST uploadId"));
            engine.end(run, 0);
            assertThat(desk.reasons(desk.finished("ada", "given"))).contains("DataNotBroughtBack");
            assertThat(uploads()).isOne();
            use(parts.stores());
            desk.eventually(() -> uploads() == 0);
            assertThat(parts.aborted()).containsExactly("own-1");
        }
    }
}
