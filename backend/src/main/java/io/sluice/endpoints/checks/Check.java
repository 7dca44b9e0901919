package io.sluice.endpoints.checks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One walk to an endpoint, as far as it is.
 *
 * @param steps in order; all that follows one that failed was not tried
 */
public record Check(Instant began, boolean over, List<Step> steps) {
    /** A gateway that goes on takes less: one that does not say how it ended has ended with its gateway. */
    static final Duration LONGEST = Duration.ofMinutes(3);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** From the task outwards to a browser's place, then what a browser would do there. */
    public enum Hop {
        TASK,
        PORT,
        APP,
        NAME,
        DOOR,
        PAGE,
        ASSET,
        SOCKET,
        SILENCE;

        /** In the texts. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What was found at a hop. The words of pages stand in the texts under {@code endpoint.found.}. */
    public enum Finding {
        TRYING("Being tried."),
        RUNS("It runs as {0}."),
        NO_TASK("No task runs for it: the endpoint is {0}."),
        NO_RECIPE("There is no recipe {0} here (any more)."),
        ENGINE("The engine can not say where it is: {0}"),
        LISTENS("Something listens at {0}."),
        SILENT("Nothing inside of the task listens at port {0}."),
        ANSWERS("GET {0} answers {1}."),
        ANSWERS_BADLY("GET {0} answers {1}. What it prints says why."),
        NO_ANSWER("GET {0} is not answered: {1}"),
        LEADS("{0} leads to {1}."),
        NOWHERE("{0} leads nowhere: the DNS record for all names beneath the domain is missing."),
        LET_IN("The gateway lets in at {0}."),
        NOT_LET_IN("The gateway does not let in at {0}: {1}"),
        NO_ASSET("The page names none."),
        ECHOES("The WebSocket {0} opens, and what is sent comes back."),
        OWN_ECHO("A WebSocket of the gateway’s own comes through; of the app none is known."),
        NO_SOCKET("The WebSocket {0} does not work: {1}"),
        WAITS("Open, and left silent for {0} s."),
        STAYS("Open and silent for {0} s, and it still answers."),
        CUT("It was cut within {0} s of silence: {1}"),
        LEFT("The gateway that was checking has ended. Check again.");

        final String sentence;

        Finding(String sentence) {
            this.sentence = sentence;
        }

        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** @param ok null: it is being tried */
    public record Step(Hop hop, @Nullable Boolean ok, Finding finding, List<String> values) {
        public Step {
            values = List.copyOf(values);
        }

        /** For programs, in English. */
        public String sentence() {
            String text = finding.sentence;
            for (int i = 0; i < values.size(); i++) {
                text = text.replace("{" + i + "}", values.get(i));
            }
            return text;
        }
    }

    public Check {
        steps = List.copyOf(steps);
    }

    /** The hop that failed. */
    public Optional<Step> failed() {
        return steps.stream().filter(step -> Boolean.FALSE.equals(step.ok())).findFirst();
    }

    public boolean isWell() {
        return over && failed().isEmpty();
    }

    static String written(List<Step> steps) {
        var array = JSON.createArrayNode();
        steps.forEach(step -> {
            var one = array.addObject()
                    .put("hop", step.hop().name())
                    .put("ok", step.ok())
                    .put("finding", step.finding().name());
            step.values().forEach(one.putArray("values")::add);
        });
        return array.toString();
    }

    /** What is kept, as of now. */
    static Check read(Instant began, boolean over, String text) {
        try {
            List<Step> steps = new ArrayList<>();
            JSON.readTree(text).forEach(one -> {
                List<String> values = new ArrayList<>();
                one.path("values").forEach(value -> values.add(value.asText()));
                steps.add(new Step(
                        Hop.valueOf(one.path("hop").asText()),
                        one.path("ok").isBoolean()
                                ? Boolean.valueOf(one.path("ok").asBoolean())
                                : null,
                        Finding.valueOf(one.path("finding").asText()),
                        values));
            });
            boolean left = !over && began.plus(LONGEST).isBefore(Instant.now());
            if (left && !steps.isEmpty()) {
                steps.set(steps.size() - 1, new Step(steps.getLast().hop(), false, Finding.LEFT, List.of()));
            }
            return new Check(began, over || left, steps);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
