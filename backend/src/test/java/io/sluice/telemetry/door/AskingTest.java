package io.sluice.telemetry.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.telemetry.history.Upstream;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Prometheus that takes a question and says nothing. */
class AskingTest {
    private static final long LIMIT_MILLIS = 300;
    private static final int MOST_BYTES = 1_000;

    private final Vertx vertx = Vertx.vertx();
    private final CollectorRegistry registry = new CollectorRegistry();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();
    private volatile Consumer<HttpServerRequest> says = request -> {};
    private Asking asking;

    @BeforeEach
    void open() {
        int port = vertx.createHttpServer()
                .requestHandler(request -> {
                    asked.incrementAndGet();
                    says.accept(request);
                })
                .listen(0, "127.0.0.1")
                .await()
                .actualPort();
        var place = new Upstream.Place(URI.create("http://127.0.0.1:" + port), null);
        var upstream = new Upstream(vertx, () -> place, new Upstream.Limits(8, 8, LIMIT_MILLIS, MOST_BYTES));
        asking = new Asking(upstream, clock::get, new DoorMetrics(registry));
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    private Future<Upstream.Answer> ask() {
        return asking.ask(HttpMethod.GET, "labels", List.of());
    }

    @Test
    void one_that_hangs_costs_its_limit_three_times_and_then_nobody_waits_for_it() {
        IntStream.range(0, 3)
                .mapToObj(one -> ask())
                .toList()
                .forEach(one -> assertThatThrownBy(one::await).isInstanceOf(TimeoutException.class));
        int before = asked.get();
        var refused = ask();
        assertThat(refused.isComplete()).as("at once").isTrue();
        assertThatThrownBy(refused::await)
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.UNAVAILABLE))
                .hasMessageContaining("asked again within half a minute");
        assertThat(asked).as("it is left alone").hasValue(before);
        assertThat(registry.getSampleValue("sluice_telemetry_door_unasked_total"))
                .isEqualTo(1);
        says = request -> request.response().end("{}");
        clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
        assertThat(ask().await().status()).isEqualTo(200);
        assertThat(ask().await().status()).isEqualTo(200);
    }

    @Test
    void one_that_closes_the_line_counts_too_and_one_answer_makes_it_good() {
        says = request -> request.connection().close();
        for (int at = 0; at < 2; at++) {
            assertThatThrownBy(() -> ask().await()).hasMessageContaining("closed");
        }
        says = request -> request.response().setStatusCode(422).end("{}");
        assertThat(ask().await().status()).isEqualTo(422);
        says = request -> request.connection().close();
        for (int at = 0; at < 2; at++) {
            assertThatThrownBy(() -> ask().await()).hasMessageContaining("closed");
        }
        says = request -> request.response().end("{}");
        assertThat(ask().await().status()).isEqualTo(200);
    }

    @Test
    void an_answer_that_is_too_long_keeps_nobody_else_from_asking() {
        says = request -> request.response().end(Buffer.buffer(new byte[2 * MOST_BYTES]));
        for (int at = 0; at < 5; at++) {
            assertThatThrownBy(() -> ask().await()).hasMessageContaining("it answers more than");
        }
        assertThat(asked).hasValue(5);
    }
}
