package io.sluice.telemetry.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.web.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PanelTest {
    @Test
    void no_time_in_a_question_reaches_back_before_the_job() {
        Instant now = Instant.now();
        var gaps = Map.of("$job", "ann~99999d", "$__rate_interval", "99999d", "$__range", "1h");
        assertThat(Questions.within(gaps, now.minusSeconds(600), now))
                .isEqualTo(Map.of("$job", "ann~99999d", "$__rate_interval", "600s", "$__range", "600s"));
        assertThat(Questions.within(gaps, now.minusSeconds(5), now)).containsEntry("$__rate_interval", "60s");
    }

    private static final Panel RATE = Panel.of("rate(x_total{job_id=\"$job\"}[$__rate_interval])");

    private static Optional<Map<String, String>> filled(Panel panel, String asked) {
        return panel.filled(Words.of(asked));
    }

    @Test
    void a_panel_knows_its_own_expression_however_it_is_spaced_and_quoted() {
        for (String asked : List.of(
                "rate(x_total{job_id=\"ann~a\"}[1m0s])",
                "  rate ( x_total {job_id = 'ann~a' } [ 1m0s ] ) \n",
                "rate(x_total{job_id=`ann~a`}[1m0s])")) {
            assertThat(filled(RATE, asked)).as(asked).contains(Map.of("$job", "ann~a", "$__rate_interval", "1m0s"));
        }
        assertThat(RATE.written(Map.of("$job", "ann~a", "$__rate_interval", "15s")))
                .isEqualTo("rate(x_total{job_id=\"ann~a\"}[15s])");
    }

    @Test
    void anything_more_or_less_or_else_is_another_expression() {
        for (String asked : List.of(
                "rate(x_total{job_id=\"ann~a\"}[1m0s]) or y",
                "rate(x_total{job_id=~\"ann~a\"}[1m0s])",
                "rate(x_total{job_id!=\"ann~a\"}[1m0s])",
                "rate(x_total{job_id=\"ann~a\",}[1m0s])",
                "rate(x_total{job_id=ann}[1m0s])",
                "rate(x_total{job_id=\"ann~a\"}[1m0s:])",
                "rate(x_total{job_id=\"ann~a\"}[\"1m\"])",
                "rate(x_total{job_id=\"ann~a\"}[0s])",
                "rate(x_total{job_id=\"ann~a\"}[1y])",
                "rate(x_total{job_id=\"ann~a\"}[1])",
                "rate(y_total{job_id=\"ann~a\"}[1m0s])",
                "rate(x_total{user=\"ann~a\"}[1m0s])",
                "")) {
            assertThat(filled(RATE, asked)).as(asked).isEmpty();
        }
        assertThat(filled(Panel.of("a{j=\"$job\"} or b{j=\"$job\"}"), "a{j=\"x~a\"} or b{j=\"y~b\"}"))
                .as("one gap, two fillings")
                .isEmpty();
    }

    @Test
    void what_prometheus_reads_besides_is_refused() {
        for (String odd : List.of(
                "a # b",
                "a{x=\"\\\"\"}",
                "a{x=\"",
                "a;b",
                "a\u0000",
                "安",
                "a{x=\"y\nz\"}",
                "a|b",
                "a&b",
                "{\"a\\u0062\"}")) {
            assertThatThrownBy(() -> Words.of(odd)).as(odd).isInstanceOf(Problem.class);
        }
        assertThatThrownBy(() -> Words.of("a".repeat(9_000))).hasMessageContaining("longer than");
        assertThat(Words.of("(".repeat(8_000))).as("and takes no time").hasSize(8_000);
    }

    @Test
    void times_are_read_as_grafana_writes_them() {
        assertThat(Panel.seconds("1m0s")).isEqualTo(60);
        assertThat(Panel.seconds("21600s")).isEqualTo(21_600);
        assertThat(Panel.seconds("1h30m")).isEqualTo(5_400);
        assertThat(Panel.seconds("")).isZero();
        assertThat(Panel.seconds("99999999999999999999s")).isZero();
    }

    @Test
    void every_expression_that_everybody_may_ask_is_bound_to_a_job_or_a_user() throws IOException {
        assertThat(Questions.panels()).hasSizeGreaterThan(14);
        for (String dashboard : Questions.DASHBOARDS) {
            String text = Files.readString(Path.of("../grafana/dashboards/" + dashboard + ".json"));
            assertThat(text).contains("\"sluice-" + dashboard + "\"");
        }
    }
}
