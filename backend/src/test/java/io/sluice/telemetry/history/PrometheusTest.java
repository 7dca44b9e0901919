package io.sluice.telemetry.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PrometheusTest {
    @Test
    void what_is_no_answer_to_a_range_query_is_a_failure_and_no_line() {
        for (String lie : new String[] {
            "<html>busy</html>",
            "",
            "{}",
            "[]",
            "{\"status\":\"error\",\"error\":\"x\"}",
            "{\"status\":\"success\",\"data\":[]}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":7}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
        }) {
            assertThatThrownBy(() -> Prometheus.result(Buffer.buffer(lie)))
                    .as(lie)
                    .isInstanceOf(RuntimeException.class);
        }
        assertThat(Prometheus.result(
                        Buffer.buffer("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}")))
                .isEmpty();
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
    }
}
