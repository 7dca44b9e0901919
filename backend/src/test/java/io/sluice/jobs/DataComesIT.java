package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.Transfer;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.life.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Data that comes to jobs from a store of objects, before they begin. */
class DataComesIT extends AtStores {
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
    void many_small_objects_come() throws IOException {
        for (int i = 0; i < 200; i++) {
            objects.put("many/" + i % 10 + "/" + i, ("number " + i).getBytes(StandardCharsets.UTF_8));
        }
        desk.submit("ada", input("many", "s3://lab/many"));
        desk.running(1);
        try (var names = Files.walk(input("many"))) {
            assertThat(names.filter(Files::isRegularFile)).hasSize(200);
        }
        assertThat(input("many").resolve("7/137")).hasContent("number 137");
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
        use(Stores.NONE);
        assertThatThrownBy(() -> desk.submit("ada", input("none", "s3://lab/a")))
                .hasMessageContaining("This gateway knows no store of objects.");
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
}
