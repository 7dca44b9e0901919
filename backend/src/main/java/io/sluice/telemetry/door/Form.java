package io.sluice.telemetry.door;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What Grafana sends with a question, in the address or as a form. Nothing of it is passed on that is not read here. */
final class Form {
    private static final long MOST_POINTS = 11_000;
    private static final String NUMBER = "\\d{1,12}(\\.\\d{1,9})?";

    private final Call call;

    Form(Call call) {
        this.call = call;
    }

    String expression() {
        return text("query").orElseThrow(() -> Problem.invalid("There is no query."));
    }

    /** The selectors of a list; a list may have none. */
    List<String> selectors() {
        List<String> all = new ArrayList<>(posted() ? call.fields("match[]") : List.of());
        all.addAll(call.queries("match[]"));
        return all;
    }

    Optional<Instant> time(String name) {
        return text(name).map(value -> {
            try {
                return value.matches(NUMBER)
                        ? Instant.ofEpochMilli(
                                new BigDecimal(value).movePointRight(3).longValue())
                        : Instant.parse(value);
            } catch (DateTimeException e) {
                throw Problem.invalid(name + " is a time, as seconds since 1970 or as 2026-01-31T12:00:00Z.");
            }
        });
    }

    Instant required(String name) {
        return time(name).orElseThrow(() -> Problem.invalid("There is no " + name + "."));
    }

    long stepMillis(Instant start, Instant end) {
        String step = text("step").orElseThrow(() -> Problem.invalid("There is no step."));
        long millis =
                step.matches(NUMBER) ? new BigDecimal(step).movePointRight(3).longValue() : Panel.seconds(step) * 1000;
        if (millis < 1) {
            throw Problem.invalid("step is a number of seconds above 0.");
        }
        if (end.isBefore(start)) {
            throw Problem.invalid("end lies before start.");
        }
        if ((end.toEpochMilli() - start.toEpochMilli()) / millis > MOST_POINTS) {
            throw Problem.invalid("This is more than " + MOST_POINTS + " points of a line. Choose a longer step.");
        }
        return millis;
    }

    /** As Prometheus reads it. */
    static Map.Entry<String, String> time(String name, Instant time) {
        return Map.entry(name, BigDecimal.valueOf(time.toEpochMilli(), 3).toPlainString());
    }

    private Optional<String> text(String name) {
        Optional<String> field = posted() ? call.field(name) : Optional.empty();
        return field.or(() -> call.query(name)).filter(text -> !text.isEmpty());
    }

    private boolean posted() {
        return call.body().length() > 0;
    }
}
