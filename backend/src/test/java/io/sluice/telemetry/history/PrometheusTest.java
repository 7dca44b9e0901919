package io.sluice.telemetry.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Pictures;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Prometheus in every mood: with an HTTP server that says what it would not. */
class PrometheusTest {
    private static final Instant BEGUN = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final long FROM = BEGUN.toEpochMilli();
    private static final String EMPTY = "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}";
    private static final Set<String> ALL = Set.of(
            "cpu",
            "memory",
            "network_received",
            "network_sent",
            "disk_read",
            "disk_written",
            "utilization",
            "memory_used",
            "power",
            "temperature",
            "memory_bandwidth");

    private final Vertx vertx = Vertx.vertx();
    private final CollectorRegistry registry = new CollectorRegistry();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile Consumer<HttpServerRequest> says = request -> {};
    private @Nullable HttpServer server;
    private @Nullable Prometheus prometheus;

    @BeforeEach
    void open() {
        server = vertx.createHttpServer()
                .requestHandler(request -> request.bodyHandler(body -> {
                    asked.add(URLDecoder.decode(body.toString(), StandardCharsets.UTF_8));
                    says.accept(request);
                }))
                .listen(0, "127.0.0.1")
                .await();
        prometheus = new Prometheus(
                vertx,
                place(server.actualPort()),
                tasks -> Future.succeededFuture(tasks.contains(7L) ? List.of(kept()) : List.of()),
                new HistoryMetrics(registry));
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    private static Supplier<Upstream.Place> place(int port) {
        var place = new Upstream.Place(URI.create("http://127.0.0.1:" + port), null);
        return () -> place;
    }

    private static Kept kept() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        var device = Pictures.device("n1", "g0", 0, 0.5, holder);
        Kept kept = Kept.begun(7, List.of(device));
        for (int at = 0; at < 50; at++) {
            kept.take(BEGUN.plusSeconds(5L * at), Pictures.doing(holder, at), List.of(device), 1000);
        }
        return kept;
    }

    private static JobDetail.Task task(long id, int index) {
        return task(id, index, BEGUN, null);
    }

    private static JobDetail.Task task(long id, int index, Instant launched, @Nullable Instant completed) {
        return new JobDetail.Task(
                id,
                "ma.in",
                index,
                0,
                Job.Phase.STARTED,
                "n1",
                "",
                List.of("g0"),
                Map.of(),
                null,
                0,
                0,
                BEGUN,
                BEGUN,
                BEGUN,
                launched,
                completed,
                null,
                "log");
    }

    private Series series(JobDetail.Task... tasks) {
        return Objects.requireNonNull(prometheus)
                .series(new Prometheus.Wish("ann~train", 3, List.of(tasks), ALL, FROM, FROM + 240_000, 0, true))
                .await();
    }

    private double ended(String how) {
        Double count = registry.getSampleValue(
                "sluice_telemetry_prometheus_queries_total", new String[] {"end"}, new String[] {how});
        return count == null ? 0 : count;
    }

    private static String matrix(String lines) {
        return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" + lines + "]}}";
    }

    @Test
    void a_job_is_one_question_a_metric_however_many_tasks_it_has_and_of_the_attempt_that_is_shown() {
        says = request -> request.response()
                .end(matrix("{\"metric\":{\"task_id\":\"3.ma.in.1.0\",\"node\":\"n1\",\"device\":\"g0\"},\"values\":[["
                        + (FROM + 7_500) / 1000.0 + ",\"0.25\"],[" + (FROM + 22_500) / 1000.0 + ",\"NaN\"]]}"));
        Series series = series(task(7, 0), task(8, 1));
        assertThat(series.source()).isEqualTo("prometheus");
        assertThat(asked).hasSize(ALL.size());
        assertThat(asked)
                .filteredOn(query -> query.contains("sluice_task"))
                .hasSize(Lines.OfTask.values().length)
                .allMatch(query -> query.contains("job_id=\"ann~train\""))
                .allMatch(query ->
                        query.contains("task_id=~\"3\\\\.ma\\\\.in\\\\.0\\\\.0|3\\\\.ma\\\\.in\\\\.1\\\\.0\""));
        assertThat(asked)
                .filteredOn(query -> query.contains("accelerator"))
                .allMatch(query -> query.contains("{node=\"n1\",device=~\"g0\"}"));
        var line = series.lines().stream()
                .filter(one -> one.line().metric().equals("cpu"))
                .findFirst()
                .orElseThrow();
        assertThat(line.taskIndex()).isEqualTo(1);
        assertThat(line.value(0)).isEqualTo(0.25f);
        assertThat(line.value(1)).isNaN();
    }

    @Test
    void what_a_device_did_before_and_after_the_task_had_it_is_not_shown() {
        var all = new StringBuilder();
        for (String node : List.of("n1", "n2")) {
            all.append(all.isEmpty() ? "" : ",")
                    .append("{\"metric\":{\"node\":\"%s\",\"device\":\"g0\"},\"values\":[".formatted(node));
            for (int at = 0; at <= 16; at++) {
                all.append(at == 0 ? "" : ",").append("[%s,\"0.5\"]".formatted((FROM + 7_500 + at * 15_000L) / 1000.0));
            }
            all.append("]}");
        }
        says = request -> request.response().end(matrix(all.toString()));
        JobDetail.Task short0 = task(8, 0, BEGUN.plusSeconds(60), BEGUN.plusSeconds(180));
        var lines = series(short0).lines().stream()
                .filter(one -> one.line().metric().equals("utilization"))
                .toList();
        assertThat(lines)
                .as("the other machine's device of that name is not the task's")
                .hasSize(1);
        for (int at = 0; at <= 16; at++) {
            long seconds = at * 15L + 7;
            if (seconds < 60 || seconds > 180) {
                assertThat(lines.getFirst().value(at)).as("at " + seconds).isNaN();
            } else {
                assertThat(lines.getFirst().value(at)).as("at " + seconds).isEqualTo(0.5f);
            }
        }
    }

    @Test
    void where_it_has_nothing_or_lies_or_hangs_what_is_kept_here_is_shown() {
        says = request -> request.response().end(EMPTY);
        assertThat(series(task(7, 0)).source()).as("nothing").isEqualTo("memory");
        assertThat(ended("empty")).isEqualTo(1);
        for (String lie : List.of(
                "<html>busy</html>",
                matrix("{\"metric\":{},\"values\":[[1,2]]}"),
                matrix("{\"metric\":{\"device\":7},\"values\":[]}"))) {
            says = request -> request.response().end(lie);
            assertThat(series(task(7, 0)).source()).as(lie).isEqualTo("memory");
        }
        assertThat(ended("failed")).isEqualTo(3);
    }

    @Test
    void an_answer_of_a_gigabyte_is_hung_up_on() {
        var sent = new AtomicLong();
        says = request -> endless(request.response().setChunked(true), sent);
        assertThat(series(task(7, 0)).source()).isEqualTo("memory");
        assertThat(ended("failed") + ended("too_slow")).isEqualTo(1);
        assertThat(sent.get()).as("bytes of the gigabyte that were taken").isLessThan(1L << 29);
    }

    /** As fast as it is read. */
    private static void endless(HttpServerResponse response, AtomicLong sent) {
        Buffer piece = Buffer.buffer(new byte[1 << 20]);
        while (!response.closed() && !response.writeQueueFull() && sent.get() < 1L << 30) {
            response.write(piece);
            sent.addAndGet(piece.length());
        }
        if (!response.closed()) {
            response.drainHandler(more -> endless(response, sent));
        }
    }

    @Test
    void what_is_no_answer_to_a_range_query_is_a_failure_and_no_line() throws IOException {
        var axis = new Matrix.Axis(FROM, 15_000, 4);
        for (String lie : new String[] {
            "<html>busy</html>",
            "",
            "{}",
            "[]",
            "{\"status\":\"error\",\"error\":\"x\"}",
            "{\"status\":\"success\",\"data\":[]}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":7}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[",
            matrix("{\"metric\":{}}"),
            matrix("{\"metric\":{},\"values\":[[\"1\",\"2\"]]}"),
            matrix("{\"metric\":{},\"values\":[],\"values\":7}"),
            matrix("7")
        }) {
            assertThatThrownBy(() -> Matrix.of(lie.getBytes(StandardCharsets.UTF_8), axis))
                    .as(lie)
                    .isInstanceOf(IOException.class);
        }
        assertThat(Matrix.of(EMPTY.getBytes(StandardCharsets.UTF_8), axis)).isEmpty();
        String many = matrix("{\"metric\":{},\"values\":[]},".repeat(600_000) + "{\"metric\":{},\"values\":[]}");
        assertThatThrownBy(() -> Matrix.of(many.getBytes(StandardCharsets.UTF_8), axis))
                .hasMessageContaining("more than " + Matrix.MOST_LINES);
    }

    @Test
    void after_three_failures_nobody_asks_for_half_a_minute_and_then_one() {
        var clock = new AtomicLong();
        var breaker = new Breaker(clock::get);
        for (int at = 0; at < 3; at++) {
            assertThat(breaker.isOpen()).isFalse();
            breaker.failed();
        }
        assertThat(breaker.isOpen()).isTrue();
        clock.addAndGet(31_000_000_000L);
        assertThat(breaker.isOpen()).as("one may try").isFalse();
        assertThat(breaker.isOpen()).as("the others wait for it").isTrue();
        breaker.succeeded();
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void names_are_quoted_in_a_query_whatever_they_hold() {
        assertThat(Lines.quoted("a\"} or vector(1) #\\\n")).isEqualTo("a\\\"} or vector(1) #\\\\\\n");
        assertThat(Lines.selecting("a~b", List.of("0.x|.*.0.0")))
                .isEqualTo("job_id=\"a~b\",task_id=~\"0\\\\.x\\\\|\\\\.\\\\*\\\\.0\\\\.0\"");
    }

    @Test
    void a_rate_has_room_for_two_samples_and_a_long_step_is_a_mean_and_no_moment() {
        assertThat(Lines.OfTask.CPU.query("x=\"1\"", 15_000))
                .isEqualTo("max by (task_id) (rate(sluice_task_cpu_seconds_total{x=\"1\"}[150s]))");
        assertThat(Lines.OfTask.CPU.query("x=\"1\"", 600_000)).contains("[600s]");
        var devices = Map.of("n1", Set.of("g0"));
        assertThat(Lines.query(Metric.POWER, devices, 15_000))
                .isEqualTo("max by (node, device) (accelerator_power_watts{node=\"n1\",device=~\"g0\"})");
        assertThat(Lines.query(Metric.POWER, devices, 600_000))
                .isEqualTo(
                        "max by (node, device) (avg_over_time(accelerator_power_watts{node=\"n1\",device=~\"g0\"}[600s]))");
    }
}
