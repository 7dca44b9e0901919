package io.sluice.telemetry.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Pictures;
import io.sluice.telemetry.tasks.Usage;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    private static String written(Observation seen) {
        var text = new Text(16);
        write(new Round(text), seen);
        return new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8);
    }

    private static void write(Round round, Observation seen) {
        round.of(seen);
        Families.write(round);
        Legacy.write(round);
        Processes.write(round);
    }

    @Test
    void numbers_are_written_as_they_are_to_four_places() {
        for (double value : new double[] {
            0, 1, -1, 0.5, 0.07, 100.25, 68719476736.0, 1e15, 9e14 + 0.5, 1e-7, 0.99999, 12345.6789, -3.25
        }) {
            var text = new Text(1);
            text.add(value);
            String said = new String(text.bytes(), 0, text.size(), StandardCharsets.US_ASCII);
            assertThat(Double.parseDouble(said))
                    .as(said)
                    .isEqualTo(value, within(Math.max(0.00005, Math.abs(value) * 1e-12)));
        }
        var random = new Random(4);
        for (int at = 0; at < 10_000; at++) {
            double value = random.nextDouble() * Math.pow(10, random.nextInt(12));
            var text = new Text(1);
            text.add(value);
            String said = new String(text.bytes(), 0, text.size(), StandardCharsets.US_ASCII);
            assertThat(Double.parseDouble(said)).isEqualTo(value, within(Math.max(0.000051, value * 1e-12)));
        }
    }

    @Test
    void names_of_users_and_jobs_can_not_break_out_of_a_label() {
        var hostile = Pictures.holder(7, "eve", "x\"} 1\nevil{a=\"\\", List.of("g0"));
        String text = written(Pictures.at(
                Instant.now(),
                List.of(Pictures.device("n\"1", "g0", 0, 0.5, hostile)),
                List.of(Pictures.doing(hostile, 3))));
        assertThat(text.lines().noneMatch(line -> line.startsWith("evil"))).isTrue();
        assertThat(text).contains("job_id=\"eve~x\\\"} 1\\nevil{a=\\\"\\\\\"").contains("node=\"n\\\"1\"");
    }

    @Test
    void a_family_is_told_once_and_all_together_and_no_series_twice() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0", "g1"));
        String text = written(Pictures.at(
                Instant.now(),
                List.of(
                        Pictures.device("n1", "g0", 0, 0.5, holder),
                        Pictures.device("n1", "g1", 1, 0.7, holder),
                        Pictures.device("n1", "g2", 2, Double.NaN, null)),
                List.of(Pictures.doing(holder, 3))));
        List<String> families = new ArrayList<>();
        var series = new HashSet<String>();
        String present = "";
        for (String line : text.lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                present = line.split(" ")[2];
                assertThat(families).doesNotContain(present);
                families.add(present);
            } else if (!line.startsWith("#")) {
                assertThat(line).startsWith(present + "{").matches("[a-z_]+\\{.*} [-0-9.eE+]+");
                assertThat(series.add(line.substring(0, line.lastIndexOf(' '))))
                        .as(line)
                        .isTrue();
            }
        }
        assertThat(families)
                .contains(
                        "accelerator_utilization_ratio",
                        "accelerator_assignment",
                        "job_info",
                        "task_gpu_percent",
                        "sluice_task_cpu_seconds_total");
        assertThat(text).contains("accelerator_utilization_ratio{node=\"n1\",device=\"g1\"} 0.7\n");
        assertThat(text)
                .as("absent is absent")
                .doesNotContain("accelerator_utilization_ratio{node=\"n1\",device=\"g2\"}");
        assertThat(text).doesNotContain("instance=").doesNotContain("job=");
    }

    /** One answer after another of the same exposition, each of one device. */
    private static final class Answers {
        private final Text text = new Text(16);
        private final Round round = new Round(text);

        String of(String device, int index, @Nullable Holder holder) {
            text.clear();
            write(
                    round,
                    Pictures.at(
                            Instant.now(),
                            List.of(Pictures.device("n1", device, index, 0.5, holder)),
                            holder == null ? List.of() : List.of(Pictures.doing(holder, 1))));
            return new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void a_device_and_a_job_that_are_gone_are_gone_from_the_next_answer() {
        var answers = new Answers();
        assertThat(answers.of("g0", 0, Pictures.holder(7, "ann", "train", List.of("g0"))))
                .contains("g0", "train");
        assertThat(answers.of("g1", 1, null)).contains("g1").doesNotContain("g0", "train");
    }

    @Test
    void a_device_that_comes_back_with_another_number_or_holder_is_told_with_it() {
        var answers = new Answers();
        assertThat(answers.of("g0", 0, Pictures.holder(7, "ann", "train", List.of("g0"))))
                .contains(",index=\"0\"", "minor_number=\"0\"", "ann~train");
        assertThat(answers.of("g0", 5, Pictures.holder(8, "bob", "test", List.of("g0"))))
                .contains(",index=\"5\"", "minor_number=\"5\"", "job_id=\"bob~test\"")
                .doesNotContain(",index=\"0\"", "minor_number=\"0\"", "ann~train");
    }

    @Test
    void processes_on_devices_are_told_with_whose_they_are() {
        var ann = Pictures.holder(7, "ann", "train", List.of("g0"));
        var doing = new Doing(
                ann,
                new Usage(1, 1, Double.NaN, Double.NaN, 0, 0, java.util.Set.of(10L, 11L)),
                Observation.Rates.NONE,
                true);
        var seen = new Observation(
                Instant.now(),
                List.of(),
                List.of(occupied("g0", 0, ann, 10, 20), occupied("g1", 1, null, 30, 31, 40)),
                List.of(doing),
                List.of(),
                java.util.Map.of(30L, "run-6", 31L, "run-6"));
        String text = written(seen);
        assertThat(text)
                .contains(
                        "accelerator_process_memory_bytes{node=\"n1\",device=\"g0\",pid=\"10\",job_id=\"ann~train\",task_id=\"0.main.0.0\"} 1024\n",
                        "accelerator_process_memory_bytes{node=\"n1\",device=\"g1\",pid=\"40\",job_id=\"\",task_id=\"\"} 1024\n",
                        "gpu_used_by_external_process_count{node=\"n1\",minor_number=\"0\",pid=\"20\"} 1\n",
                        "gpu_used_by_external_process_count{node=\"n1\",minor_number=\"1\",pid=\"40\"} 1\n",
                        "gpu_used_by_zombie_container_count{node=\"n1\",minor_number=\"1\",container_id=\"run-6\"} 1\n")
                .doesNotContain("pid=\"10\"} ", "pid=\"30\"} ");
        assertThat(text.lines().filter(line -> line.startsWith("gpu_used_by_zombie")))
                .as("two processes of one run are one")
                .hasSize(1);
        var unknown = new Observation(
                Instant.now(),
                List.of(),
                List.of(occupied("g0", 0, ann, 10)),
                List.of(new Doing(ann, null, Observation.Rates.NONE, true)),
                List.of(),
                java.util.Map.of());
        assertThat(written(unknown)).as("whose they are is not known").doesNotContain("external");
    }

    private static Seen occupied(String id, int index, @Nullable Holder holder, long... pids) {
        Seen plain = Pictures.device("n1", id, index, 0.5, holder);
        var device = new Device(id, "H100", "nvidia", index, null, null, false, null);
        var occupants = Arrays.stream(pids)
                .mapToObj(pid -> new Reading.Occupant(pid, "python", 1024))
                .toList();
        return new Seen("n1", device, Objects.requireNonNull(plain.reading()).occupants(occupants), true, holder);
    }

    @Test
    void those_who_ask_within_a_second_get_the_same_answer_compressed_once() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            var registry = new CollectorRegistry();
            Counter.build("sluice_tests_total", "Of this test")
                    .register(registry)
                    .inc(3);
            var seen = new AtomicReference<>(Pictures.many(500));
            var exposition = new Exposition(vertx, registry, seen::get);
            var first = exposition.scrape();
            var second = exposition.scrape();
            assertThat(second).isSameAs(first);
            Exposition.Scrape scrape = first.await();
            String plain = scrape.plain().toString(StandardCharsets.UTF_8);
            String inflated = new String(
                    new GZIPInputStream(
                                    new ByteArrayInputStream(scrape.compressed().getBytes()))
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
            assertThat(inflated)
                    .isEqualTo(plain)
                    .contains("sluice_tests_total 3.0")
                    .endsWith("\n");
            assertThat(scrape.compressed().length()).isLessThan(plain.length() / 3);
            exposition.close().await();
        } finally {
            vertx.close().await();
        }
    }
}
