package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.HostileListing;
import io.sluice.jobs.data.ObjectServer;
import io.sluice.jobs.data.PartServer;
import io.sluice.jobs.data.Transfer;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.life.Exit;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Data that comes to jobs from a store of objects, and goes there. */
class DataWithJobsIT {
    @TempDir
    static Path folder;

    private static ObjectServer objects;

    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 0);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @BeforeAll
    static void begin() throws IOException, InterruptedException {
        objects = new ObjectServer(folder);
    }

    @AfterAll
    static void end() throws IOException {
        objects.close();
    }

    @BeforeEach
    void stores() {
        desk.leave();
        desk.open(desk.data(), objects.stores());
        key("ada", ObjectServer.KEY);
    }

    private void key(String user, AccessKey key) {
        desk.jobs().stores().put(Desk.caller(user), "near", key).await();
    }

    private static String job(String name, String data) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                extras: {sluice: {data: %s}}
                """.formatted(name, data);
    }

    private static String input(String name, String address) {
        return job(name, "{inputs: [{name: data_url, from: \"" + address + "\"}]}");
    }

    private static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private Path input(String name) {
        return desk.data()
                .resolve("inputs/" + "ada".hashCode() + "/"
                        + desk.job("ada", name).id() + "/data_url");
    }

    private List<Transfer> data(String name) {
        return desk.jobs().data(desk.job("ada", name)).await();
    }

    private String failure(String name) {
        var job = desk.finished("ada", name);
        assertThat(job.state()).isEqualTo(Job.State.FAILED);
        assertThat(engine.starts).isEmpty();
        var exit = Objects.requireNonNull(
                desk.jobs().detail(job, null).await().attempt().exit());
        assertThat(exit.code()).isEqualTo(Exit.NOT_FETCHED);
        return String.valueOf(exit.message());
    }

    @Test
    void a_task_begins_when_all_objects_are_there() throws IOException {
        objects.put("train/a.bin", bytes(300_000, 1));
        objects.put("train/sub folder/数据.txt", "hello".getBytes(StandardCharsets.UTF_8));
        objects.put("train/empty", new byte[0]);
        objects.put("trainer/not-this", bytes(10, 2));
        desk.submit("ada", input("all", "s3://near/lab/train/"));
        String run = desk.running(1).getFirst();
        assertThat(input("all").resolve("a.bin")).hasBinaryContent(bytes(300_000, 1));
        assertThat(input("all").resolve("sub folder/数据.txt")).hasContent("hello");
        assertThat(input("all").resolve("empty")).isEmptyFile();
        try (var names = Files.walk(input("all"))) {
            assertThat(names.filter(Files::isRegularFile)).hasSize(3);
        }
        assertThat(engine.task(run).mounts()).anySatisfy(mount -> {
            assertThat(mount.target()).isEqualTo("/input");
            assertThat(mount.source()).isEqualTo(input("all").getParent());
        });
        assertThat(engine.task(run).environment()).containsEntry("SLUICE_INPUT_DATA_URL", "/input/data_url");
        assertThat(data("all")).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.DONE);
            assertThat(one.files()).isEqualTo(3);
            assertThat(one.bytes()).isEqualTo(300_005);
        });
        Path input = input("all");
        engine.end(run, 0);
        desk.finished("ada", "all");
        desk.eventually(() -> !Files.exists(input));
    }

    @Test
    void a_thousand_small_objects_come() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            objects.put("many/" + i % 10 + "/" + i, ("number " + i).getBytes(StandardCharsets.UTF_8));
        }
        desk.submit("ada", input("many", "s3://lab/many"));
        desk.running(1);
        try (var names = Files.walk(input("many"))) {
            assertThat(names.filter(Files::isRegularFile)).hasSize(1_000);
        }
        assertThat(input("many").resolve("7/337")).hasContent("number 337");
    }

    @Test
    void a_body_that_is_cut_goes_on_where_it_was() {
        objects.put("cut/big", bytes(3_000_000, 3));
        objects.cut(2_000_000);
        long before = objects.sent();
        desk.submit("ada", input("cut", "s3://lab/cut"));
        desk.running(1);
        assertThat(objects.cuts()).isPositive();
        assertThat(input("cut").resolve("big")).hasBinaryContent(bytes(3_000_000, 3));
        assertThat(objects.sent() - before).isLessThan(4_000_000);
    }

    @Test
    void an_object_that_changes_between_listing_and_reading_comes_as_it_is_now() {
        objects.put("changing/one", bytes(1_000, 4));
        objects.when("GET /lab/changing/one", () -> objects.put("changing/one", bytes(2_000, 5)));
        desk.submit("ada", input("changing", "s3://lab/changing"));
        desk.running(1);
        assertThat(input("changing").resolve("one")).hasBinaryContent(bytes(2_000, 5));
    }

    @Test
    void wrong_credentials_fail_the_job_and_tell_where_to_mend_them() {
        key("ada", new AccessKey("NOBODY", "another"));
        objects.put("train/a", bytes(10, 1));
        desk.submit("ada", input("wrong", "s3://lab/train"));
        assertThat(failure("wrong"))
                .contains(
                        "data_url",
                        "Store near does not know the access key, or its secret is another",
                        "profile page");
        assertThat(data("wrong"))
                .singleElement()
                .satisfies(one -> assertThat(one.state()).isEqualTo(Transfer.State.FAILED));
    }

    @Test
    void a_bucket_that_is_missing_fails_the_job() {
        desk.submit("ada", input("bucket", "s3://near/nowhere/train"));
        assertThat(failure("bucket")).contains("There is no bucket nowhere in store near.");
    }

    @Test
    void a_prefix_with_nothing_in_it_fails_the_job() {
        desk.submit("ada", input("nothing", "s3://near/lab/never/was"));
        assertThat(failure("nothing")).contains("There is nothing at s3://near/lab/never/was.");
    }

    @Test
    void a_store_that_is_away_for_a_while_is_waited_for() {
        objects.put("later/a", bytes(10, 6));
        objects.away(true);
        try {
            desk.submit("ada", input("later", "s3://lab/later"));
            desk.eventually(() -> desk.job("ada", "later").waiting() != null);
        } finally {
            objects.away(false);
        }
        desk.running(1);
        assertThat(input("later").resolve("a")).hasBinaryContent(bytes(10, 6));
    }

    @Test
    void a_store_that_is_away_for_long_is_nobodys_fault_and_the_job_is_tried_again() throws IOException {
        objects.put("long/a", bytes(10, 6));
        objects.away(true);
        try {
            desk.submit("ada", input("long", "s3://lab/long"));
            desk.eventually(() -> desk.reasons(desk.job("ada", "long")).contains("AttemptFailed"));
        } finally {
            objects.away(false);
        }
        desk.running(1);
        assertThat(input("long").resolve("a")).hasBinaryContent(bytes(10, 6));
        var first = desk.jobs().detail(desk.job("ada", "long"), 0).await().attempt();
        assertThat(Objects.requireNonNull(first.exit()).code()).isEqualTo(Exit.NOT_FETCHED_YET);
        assertThat(desk.query("SELECT user_retries FROM jobs WHERE name = 'long'"))
                .isZero();
    }

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

    @Test
    void another_gateway_goes_on_with_what_one_has_begun() {
        objects.put("resumed/first", bytes(1_000_000, 7));
        objects.put("resumed/second", bytes(2_000_000, 8));
        objects.put("resumed/third", bytes(500_000, 9));
        objects.stall(2_500_000);
        desk.submit("ada", input("resumed", "s3://lab/resumed"));
        desk.eventually(objects::isStalled);
        desk.leave();
        long before = objects.sent();
        objects.flow();
        desk.open(desk.data(), objects.stores());
        desk.running(1);
        assertThat(input("resumed").resolve("second")).hasBinaryContent(bytes(2_000_000, 8));
        assertThat(input("resumed").resolve("third")).hasBinaryContent(bytes(500_000, 9));
        assertThat(objects.sent() - before).isLessThan(2_500_000);
    }

    @Test
    void a_job_that_is_stopped_while_its_data_comes_ends_at_once() {
        objects.put("stopped/a", bytes(1_000_000, 10));
        objects.stall(10_000);
        desk.submit("ada", input("stopped", "s3://lab/stopped"));
        desk.eventually(objects::isStalled);
        desk.stop("ada", "stopped");
        objects.flow();
        assertThat(desk.finished("ada", "stopped").state()).isEqualTo(Job.State.STOPPED);
        assertThat(engine.starts).isEmpty();
    }

    @Test
    void who_has_no_key_or_names_no_store_is_told_so_when_they_submit() {
        assertThatThrownBy(() -> desk.submit("bob", input("none", "s3://lab/a")))
                .hasMessageContaining("You have left no access key for store near here.");
        desk.leave();
        desk.open(desk.data(), Stores.NONE);
        assertThatThrownBy(() -> desk.submit("ada", input("none", "s3://lab/a")))
                .hasMessageContaining("This gateway knows no store of objects.");
    }

    @Test
    void a_file_that_would_have_to_be_a_folder_too_fails_the_job() {
        try (var hostile = new HostileListing(List.of("x/a", "x/a/b"))) {
            desk.leave();
            desk.open(desk.data(), hostile.stores());
            desk.submit("ada", input("both", "s3://lab/x"));
            assertThat(failure("both")).contains("“x/a” and “x/a/b”", "a file and a folder at once");
        }
    }

    @Test
    void objects_that_would_have_one_name_are_both_named() {
        try (var hostile = new HostileListing(List.of("train", "train/data/a", "train/train"))) {
            desk.leave();
            desk.open(desk.data(), hostile.stores());
            desk.submit("ada", input("same", "s3://lab/train"));
            assertThat(failure("same")).contains("“train” and “train/train” in s3://near/lab would be one name here.");
        }
    }

    @Test
    void a_name_that_only_begins_as_another_does_is_no_clash() {
        try (var hostile = new HostileListing(List.of("t/a", "t/a-b/c", "t/a.b", "t/ab/a"))) {
            desk.leave();
            desk.open(desk.data(), hostile.stores());
            desk.submit("ada", input("alike", "s3://lab/t"));
            desk.running(1);
            assertThat(input("alike").resolve("a-b/c")).hasContent("x");
        }
    }

    @Test
    void a_draft_tells_what_a_submission_would() {
        var known = (Draft.Sound) Draft.of(desk.jobs(), Desk.caller("bob"), input("none", "s3://lab/a"))
                .await();
        assertThat(known.never()).isTrue();
        assertThat(Objects.requireNonNull(known.unsupplied()).message())
                .contains("You have left no access key for store near here.");
        var fine = (Draft.Sound) Draft.of(desk.jobs(), Desk.caller("ada"), input("none", "s3://lab/a"))
                .await();
        assertThat(fine.unsupplied()).isNull();
    }

    @Test
    void names_that_no_file_can_have_are_refused_before_anything_is_written() throws IOException {
        List<String> keys = new ArrayList<>(
                List.of("x/../../../escape", "x//etc/passwd", "x/./a", "x/..", "x/a\u0000b", "x/" + "n".repeat(300)));
        keys.add("x/"
                + String.join("/", IntStream.range(0, 250).mapToObj(i -> "d").toList()));
        try (var hostile = new HostileListing(keys)) {
            desk.leave();
            desk.open(desk.data(), hostile.stores());
            desk.submit("ada", input("hostile", "s3://lab/x"));
            assertThat(failure("hostile")).contains(keys.size() + " of the objects", "../../../escape");
        }
        try (var names = Files.walk(desk.data())) {
            assertThat(names.map(Path::toString)).noneMatch(name -> name.contains("escape"));
        }
    }

    private static String output(String name, String address) {
        return job(name, "{outputs: [{name: train_url, to: \"" + address + "\"}]}");
    }

    private Path output(String name) {
        return desk.data().resolve("outputs/" + "ada".hashCode() + "/" + name + "/train_url");
    }

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
        objects.flow();
        desk.open(desk.data(), objects.stores());
        desk.finished("ada", "taken");
        for (int i = 0; i < 20; i++) {
            assertThat(objects.content("taken/part-" + i)).isEqualTo(bytes(50_000, i));
        }
    }

    /** A job that has written more than goes in one piece, to a store that lists parts. */
    private String large(String name, PartServer parts) throws IOException {
        desk.leave();
        desk.open(desk.data(), parts.stores());
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
            desk.leave();
            desk.open(desk.data(), parts.stores());
            desk.eventually(() -> uploads() == 0);
            assertThat(parts.aborted()).containsExactly("own-1");
        }
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
}
