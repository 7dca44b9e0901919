package io.sluice.logs.keep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.logs.Logs;
import io.sluice.logs.files.LogFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Taking in, deleting and compressing, on a real database. */
class KeepTest {
    private static final long LARGE = 1L << 40;
    private final Instant noon = Instant.now().minusSeconds(7_200);

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final Logger retentions = Logger.getLogger(Retention.class.getName());
    private final TestDatabase database = TestDatabase.with(vertx, List.of(Logs.MIGRATIONS));
    private final LogStore store = new LogStore(database.database(), "here");
    private final CollectorRegistry registry = new CollectorRegistry();
    private final KeepMetrics metrics = new KeepMetrics(registry);
    private final Told told = new Told();
    private final Intake intake = new Intake(told, store, metrics);

    /** What jobs there are. */
    private static final class Told implements Intake.Ended {
        final List<Output> outputs = new ArrayList<>();
        final Map<Long, Instant> over = new HashMap<>();

        @Override
        public Future<List<Output>> outputs(Instant since, long after, int most) {
            return Future.succeededFuture(outputs.stream()
                    .sorted(Comparator.comparing(Told::completed).thenComparingLong(Output::task))
                    .filter(output -> completed(output).isAfter(since)
                            || (completed(output).equals(since) && output.task() > after))
                    .limit(most)
                    .toList());
        }

        private static Instant completed(Output output) {
            return Objects.requireNonNull(output.completed());
        }

        @Override
        public Future<Map<Long, Instant>> jobs(Collection<Long> jobs) {
            return Future.succeededFuture(jobs.stream()
                    .filter(over::containsKey)
                    .collect(Collectors.toMap(job -> job, job -> Objects.requireNonNull(over.get(job)))));
        }
    }

    @AfterEach
    void close() {
        database.close();
        vertx.close().await();
    }

    private LogFile printed(long task, long job, int minute) throws IOException {
        Path file = Files.write(folder.resolve(task + ".log"), new byte[1_000]);
        told.outputs.add(new Output(task, job, file, noon, noon.plusSeconds(60L * minute), 0));
        return new LogFile(file);
    }

    private void ended(long job, int minute) {
        told.over.put(job, noon.plusSeconds(60L * minute));
    }

    private Retention retention(long total, Duration age, Duration setback) throws IOException {
        var settings = new Logs.Settings(folder, LARGE, total, age, Duration.ZERO);
        return new Retention(told, store, settings, metrics, Disk.open(folder), setback);
    }

    private double trouble(String what) {
        Double count = registry.getSampleValue("sluice_logs_trouble_total", new String[] {"what"}, new String[] {what});
        return count == null ? 0 : count;
    }

    @Test
    void a_job_that_runs_keeps_the_logs_of_its_finished_attempts_and_others_go_by_the_end_of_their_job()
            throws Exception {
        LogFile running = printed(1, 10, 1);
        LogFile long1 = printed(2, 20, 2);
        LogFile short1 = printed(3, 30, 3);
        LogFile long2 = printed(4, 20, 50);
        ended(20, 51);
        ended(30, 4);
        intake.run();
        var retention = retention(2_500, Duration.ofDays(1), Duration.ZERO);
        retention.run(() -> true);
        assertThat(short1.gone().map(LogFile.Gone::reason)).contains("space");
        assertThat(List.of(running, long1, long2)).allMatch(LogFile::exists);
        retention(0, Duration.ofDays(1), Duration.ZERO).run(() -> true);
        assertThat(List.of(long1, long2)).noneMatch(LogFile::exists);
        retention(0, Duration.ZERO, Duration.ZERO).run(() -> true);
        assertThat(running.exists()).isTrue();
        ended(10, 60);
        intake.run();
        retention(LARGE, Duration.ZERO, Duration.ZERO).run(() -> true);
        assertThat(running.gone().map(LogFile.Gone::reason)).contains("age");
    }

    @Test
    void any_number_of_tasks_may_have_ended_at_one_time() throws Exception {
        for (long task = 1; task <= 1_001; task++) {
            told.outputs.add(new Output(task, 10, folder.resolve("none"), null, noon, 0));
        }
        printed(2_000, 10, 1);
        intake.run();
        assertThat(store.running(0, 10).await()).containsExactly(10L);
    }

    @Test
    void a_job_that_was_started_again_keeps_its_logs() throws Exception {
        LogFile log = printed(1, 10, 1);
        ended(10, 2);
        intake.run();
        told.over.clear();
        retention(0, Duration.ZERO, Duration.ZERO).run(() -> true);
        assertThat(log.exists()).isTrue();
        assertThat(store.stored().await()).isZero();
        ended(10, 3);
        intake.run();
        retention(0, Duration.ZERO, Duration.ZERO).run(() -> true);
        assertThat(log.exists()).isFalse();
    }

    @Test
    void a_log_that_the_database_could_not_take_is_taken_the_next_time() throws Exception {
        printed(1, 10, 1);
        ended(10, 2);
        query("ALTER TABLE kept_logs RENAME COLUMN stored TO lost");
        assertThatThrownBy(intake::run).hasMessageContaining("stored");
        query("ALTER TABLE kept_logs RENAME COLUMN lost TO stored");
        intake.run();
        assertThat(store.oldest(List.of(), null, 10).await()).hasSize(1);
    }

    @Test
    void a_log_that_can_not_be_deleted_keeps_no_other_and_is_tried_again() throws Exception {
        LogFile stuck = printed(1, 10, 1);
        LogFile free = printed(2, 20, 2);
        ended(10, 1);
        ended(20, 2);
        intake.run();
        Path wall = Files.createDirectories(folder.resolve("1.log.times.part/in the way"));
        retention(0, Duration.ofDays(1), Duration.ofHours(1)).run(() -> true);
        assertThat(trouble("delete")).isEqualTo(1);
        assertThat(free.exists()).isFalse();
        Files.delete(wall);
        retention(0, Duration.ofDays(1), Duration.ofHours(1)).run(() -> true);
        assertThat(store.oldest(List.of(), null, 10).await()).isEmpty();
        assertThat(stuck.exists()).isFalse();
    }

    @Test
    void of_more_logs_that_can_not_be_deleted_than_are_remembered_each_is_tried_once_and_the_others_go()
            throws Exception {
        LogFile free = printed(9_999, 20, 2);
        ended(10, 1);
        ended(20, 2);
        intake.run();
        Path wall = Files.createFile(folder.resolve("wall"));
        query(
                "INSERT INTO kept_logs (gateway, task_id, job_id, file, completed, job_ended, stored) SELECT 'here', n, 10, '"
                        + wall + "/' || n, '" + noon + "', '" + noon.plusSeconds(60) + "', 1 FROM generate_series(1, "
                        + (Setbacks.MOST + 1) + ") n");
        var rounds = new AtomicInteger();
        retentions.setLevel(Level.OFF); // a thousand stack traces take a second
        try {
            retention(0, Duration.ofDays(1), Duration.ofHours(1)).run(() -> rounds.incrementAndGet() < 50);
        } finally {
            retentions.setLevel(null);
        }
        assertThat(rounds.get()).isLessThan(50);
        assertThat(trouble("delete")).isEqualTo(Setbacks.MOST + 1);
        assertThat(free.exists()).isFalse();
    }

    @Test
    void a_log_that_could_not_be_compressed_is_tried_again_and_none_waits_for_it() throws Exception {
        LogFile stuck = printed(1, 10, 1);
        LogFile free = printed(2, 20, 2);
        intake.run();
        var settings = new Logs.Settings(folder, LARGE, LARGE, Duration.ofDays(1), Duration.ZERO);
        Path wall = Files.createDirectories(folder.resolve("1.log.gz.part/in the way"));
        var packer = new Packer(store, settings, metrics, Duration.ofHours(1));
        packer.run(() -> true);
        assertThat(trouble("pack")).isEqualTo(1);
        assertThat(free.compressed()).isNotNull();
        assertThat(store.toPack(Instant.now(), List.of(), 10).await()).hasSize(1);
        packer.run(() -> true);
        assertThat(trouble("pack")).as("left alone for a while").isEqualTo(1);
        Files.delete(wall);
        Files.delete(folder.resolve("1.log.gz.part"));
        new Packer(store, settings, metrics, Duration.ZERO).run(() -> true);
        assertThat(stuck.compressed()).isNotNull();
        assertThat(store.toPack(Instant.now(), List.of(), 10).await()).isEmpty();
    }

    @Test
    void setbacks_are_remembered_up_to_a_limit() {
        var setbacks = new Setbacks(Duration.ofSeconds(1));
        for (long task = 0; task < Setbacks.MOST + 5; task++) {
            setbacks.add(task, 1_000);
        }
        assertThat(setbacks.at(1_999))
                .hasSize(Setbacks.MOST)
                .doesNotContain(0L, 4L)
                .contains(5L);
        assertThat(setbacks.at(2_000)).isEmpty();
    }

    private void query(String sql) {
        database.database().pool().query(sql).execute().await();
    }
}
