package io.sluice.jobs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.JobDetail.Event;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HappeningTest {
    private static Event event(long id, @Nullable String role, String reason, String message) {
        return new Event(id, Instant.EPOCH, 0, role, role == null ? null : (int) id, false, reason, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Accepted|The job is stored and in the queue.|accepted||",
                "StopRequested|Stopped by li.wei.|stopRequested|li.wei|",
                "StartRequested|Started again by li.wei.|startRequested|li.wei|",
                "Placed|Placed on a-03|placed|a-03|",
                "Placed|Placed on 12 nodes|placedOnSome|12|",
                "Started|Started on a-03|started|a-03|",
                "Exited|Exited with 0|exitedWell|0|0",
                "Exited|Exited with 232: This could not be imported: torch|exited|232|232",
                "Exited|Exited with -210: Stopped on request.|exitedStopped|-210|-210",
                "Exited|Not started any more|notStarted||",
                "Queued|Tried again: attempt 1|queued|2|",
                "AttemptFailed|The attempt ended with 255; the next begins at once.|againAtOnce|255|255",
                "AttemptFailed|The attempt ended with -1001; the next begins after 4 s.|again|-1001,4|-1001",
                "Succeeded|The job succeeded.|succeeded||",
                "Stopped|The job is stopped.|stopped||",
                "Failed|The job failed: Exited with 1: no|failed|1|1",
                "Failed|The job failed.|failedSomehow||",
                "EngineAway|The engine does not answer.|engineAway||",
                "EngineBack|The engine answers again.|engineBack||"
            })
    void an_event_is_told_in_words_that_every_language_has(
            String reason, String message, String key, @Nullable String values, @Nullable Integer code)
            throws IOException {
        var happening = Happening.of(event(1, null, reason, message));
        var words = Objects.requireNonNull(happening.words());
        assertThat(words.key()).isEqualTo("job.event." + key);
        assertThat(words.values().stream().map(String::valueOf).toList())
                .isEqualTo(values == null ? List.of() : List.of(values.split(",")));
        assertThat(happening.code()).isEqualTo(code);
        for (String language : List.of("en", "zh")) {
            assertThat(texts(language)).containsKey(words.key());
        }
    }

    private static Properties texts(String language) throws IOException {
        var texts = new Properties();
        try (Reader reader = new InputStreamReader(
                Objects.requireNonNull(HappeningTest.class.getResourceAsStream("/texts/" + language + ".properties")),
                StandardCharsets.UTF_8)) {
            texts.load(reader);
        }
        return texts;
    }

    /** Whoever writes another event has to give it words, or to leave it in English on purpose. */
    @Test
    void every_reason_that_the_code_writes_is_known() throws IOException {
        var reasons = new ArrayList<String>();
        var pattern = java.util.regex.Pattern.compile("SELECT (?:[a-z_]+, )*'([A-Z][A-Za-z]+)',");
        try (var files = Files.walk(Path.of("src/main/java/io/sluice/jobs"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith("Store.java")).toList()) {
                pattern.matcher(Files.readString(file)).results().forEach(found -> reasons.add(found.group(1)));
            }
        }
        assertThat(reasons).isNotEmpty();
        assertThat(Happening.reasons()).containsAll(reasons);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Started", "Placed", "SomethingNew"})
    void an_event_of_another_version_is_shown_as_it_was_kept(String reason) {
        var happening = Happening.of(event(1, null, reason, "Words that nobody knows"));
        assertThat(happening.words()).isNull();
        assertThat(happening.event().message()).isEqualTo("Words that nobody knows");
    }

    @Test
    void many_that_say_the_same_of_their_tasks_are_one() {
        var events = new ArrayList<Event>();
        IntStream.range(0, 40).forEach(i -> events.add(event(i, "worker", "Started", "Started on node-" + i)));
        IntStream.range(0, 2).forEach(i -> events.add(event(i, "server", "Started", "Started on a")));
        events.add(event(50, null, "Placed", "Placed on 3 nodes"));
        var told = Happening.told(events);
        assertThat(told).hasSize(4);
        assertThat(told.getFirst().isMany()).isTrue();
        assertThat(told.getFirst().events()).hasSize(40);
        assertThat(told.get(1).isMany()).isFalse();
    }
}
