package io.sluice.jobs.exits;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.exits.ExitSpec.Behavior;
import io.sluice.jobs.exits.ExitSpec.Reaction;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExitCatalogueTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvFileSource(resources = "/exits/openpai.txt", delimiter = '|')
    void every_code_of_openpai_says_what_openpai_says(
            int code, String phrase, ExitSpec.Type type, Behavior behavior, Reaction reaction) {
        ExitSpec spec = ExitCatalogue.of(code);
        assertThat(spec.code()).isEqualTo(code);
        assertThat(spec.phrase()).isEqualTo(phrase);
        assertThat(spec.type()).isEqualTo(type);
        assertThat(spec.behavior()).isEqualTo(behavior);
        assertThat(spec.reaction()).isEqualTo(reaction);
    }

    @Test
    void codes_and_phrases_are_unique() {
        assertThat(ExitCatalogue.all()).extracting(ExitSpec::phrase).doesNotHaveDuplicates();
        assertThat(ExitCatalogue.all()).extracting(ExitSpec::code).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 42, 227, 257, 100_000})
    void a_positive_code_that_is_not_listed_keeps_its_number(int code) {
        assertThat(ExitCatalogue.of(code))
                .isEqualTo(ExitCatalogue.of(256).withCode(code))
                .extracting(ExitSpec::phrase)
                .isEqualTo("PAIRuntimeExitAbnormally");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -7351, -8001, Integer.MIN_VALUE})
    void a_negative_code_that_is_not_listed_keeps_its_number(int code) {
        assertThat(ExitCatalogue.of(code))
                .isEqualTo(ExitCatalogue.of(-8000).withCode(code))
                .extracting(ExitSpec::phrase)
                .isEqualTo("ContainerUndefinedNegativeExitCode");
    }

    @Test
    void the_way_a_code_behaves_decides_how_it_is_answered() {
        assertThat(ExitCatalogue.all())
                .allSatisfy(spec -> assertThat(spec.reaction())
                        .isEqualTo(
                                switch (spec.behavior()) {
                                    case TRANSIENT -> Reaction.ALWAYS_RETRY;
                                    case TRANSIENT_CONFLICT -> Reaction.ALWAYS_BACKOFF_RETRY;
                                    case PERMANENT -> Reaction.NEVER_RETRY;
                                    case UNKNOWN -> spec.code() == 0 ? Reaction.NEVER_RETRY : Reaction.RETRY_TO_MAX;
                                }));
    }

    @Test
    void every_failure_says_why_and_what_to_do() {
        assertThat(ExitCatalogue.all()).allSatisfy(spec -> {
            assertThat(spec.reason()).isNotBlank();
            assertThat(spec.repro()).isNotEmpty();
            boolean fine = spec.type() == ExitSpec.Type.USER_SUCCESS || spec.type() == ExitSpec.Type.USER_STOP;
            assertThat(spec.solution().isEmpty()).isEqualTo(fine && spec.code() != -1004);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void every_text_is_there_in_both_languages(String language) throws IOException {
        var texts = new Properties();
        try (var stream = getClass().getResourceAsStream("/texts/" + language + ".properties")) {
            texts.load(new InputStreamReader(Objects.requireNonNull(stream), StandardCharsets.UTF_8));
        }
        assertThat(ExitCatalogue.all()).allSatisfy(spec -> {
            assertThat(texts).containsKey(ExitCatalogue.reasonKey(spec.code()));
            assertThat(texts.keySet()).containsAll(List.copyOf(ExitCatalogue.solutionKeys(spec.code())));
        });
        assertThat(Cause.names()).allSatisfy(name -> assertThat(texts).containsKey("exit.cause." + name));
    }
}
