package io.sluice.telemetry.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Pictures;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    private static String written(Observation seen) {
        var families = new Families();
        var text = new Text(16);
        families.write(seen, text);
        new Legacy(families.labels()).write(seen, text);
        return new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8);
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

    @Test
    void a_device_and_a_job_that_are_gone_are_gone_from_the_next_answer() {
        var families = new Families();
        var text = new Text(16);
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        families.write(
                Pictures.at(
                        Instant.now(),
                        List.of(Pictures.device("n1", "g0", 0, 0.5, holder)),
                        List.of(Pictures.doing(holder, 1))),
                text);
        text.clear();
        families.write(Pictures.at(Instant.now(), List.of(Pictures.device("n1", "g1", 1, 0.5, null)), List.of()), text);
        String next = new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8);
        assertThat(next).doesNotContain("g0").doesNotContain("train").contains("g1");
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
