package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.jobs.protocol.BadInputs.Bad;
import io.sluice.jobs.protocol.document.Limits;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BadInputTest {
    /** A bad job, read once for all tests here. */
    record Case(Bad bad, Read.Refused refused) {
        @Override
        public String toString() {
            return bad.toString();
        }
    }

    private static final List<Case> CASES = BadInputs.all().stream()
            .map(bad -> new Case(bad, Texts.refused(bad.text())))
            .toList();

    static List<Case> cases() {
        return CASES;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_fault_is_told_with_its_place(Case one) {
        assertThat(BadInputs.told(one.refused().faults())).isEqualTo(one.bad().faults());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_fault_says_what_is_wrong_and_what_is_allowed(Case one) {
        assertThat(one.refused().faults()).isNotEmpty().allSatisfy(fault -> {
            assertThat(fault.message()).isNotBlank().doesNotContainPattern("\\{\\d");
            assertThat(fault.allowed()).doesNotContainPattern("\\{\\d");
            assertThat(fault.allowed().isEmpty()).isEqualTo(fault.key().startsWith("exact."));
        });
    }

    @Test
    void there_are_many_bad_inputs() {
        assertThat(CASES).hasSizeGreaterThan(230);
    }

    @Test
    void no_fault_shows_a_secret() {
        assertThat(CASES)
                .filteredOn(one -> one.bad().to().contains("hunter2"))
                .hasSizeGreaterThan(4)
                .allSatisfy(one -> {
                    assertThat(one.refused().toString()).doesNotContain("hunter2");
                    assertThat(one.refused().message()).doesNotContain("hunter2");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void every_fault_has_words_in_both_languages(String language) throws IOException {
        var texts = new Properties();
        try (var stream = getClass().getResourceAsStream("/texts/" + language + ".properties")) {
            texts.load(new InputStreamReader(Objects.requireNonNull(stream), StandardCharsets.UTF_8));
        }
        Stream<String> keys = CASES.stream()
                .flatMap(one -> one.refused().faults().stream())
                .flatMap(fault -> fault.allowed().isEmpty()
                        ? Stream.of(fault.key())
                        : Stream.of(fault.key(), fault.key() + ".allowed"));
        assertThat(Read.Warning.values())
                .allSatisfy(warning -> assertThat(texts).containsKey(warning.key()));
        assertThat(keys.distinct()).allSatisfy(key -> assertThat(texts).containsKey("fault.protocol." + key));
    }

    @Test
    void all_faults_are_told_at_once_in_the_order_of_the_text() {
        String text = Texts.LEAST_V2
                .replace("name: least", "name: a b")
                .replace("type: job", "type: jib")
                .replace("uri: ubuntu", "uri: 1")
                .replace("dockerImage: base", "dockerImage: bass\n    instnces: 2")
                .replace("cpu: 1", "cpu: x")
                .replace("gpu: 0", "gpu: -1")
                .replace("- echo hello", "- 5\n      - 6");
        assertThat(BadInputs.told(Texts.faults(text)))
                .isEqualTo("2:7 name name; 3:7 type choice; 7:10 prerequisites[0].uri notText; "
                        + "10:18 taskRoles.worker.dockerImage exact.noPrerequisite; "
                        + "11:5 taskRoles.worker.instnces unknown.near; "
                        + "13:12 taskRoles.worker.resourcePerInstance.cpu notInteger; "
                        + "15:12 taskRoles.worker.resourcePerInstance.gpu outside; "
                        + "17:9 taskRoles.worker.commands[0] notText; 18:9 taskRoles.worker.commands[1] notText");
    }

    @Test
    void a_thousand_faults_are_not_listed_one_by_one() {
        String commands = "      - 5\n".repeat(1000);
        List<Fault> faults = Texts.faults(Texts.LEAST_V2.replace("      - echo hello\n", commands));
        assertThat(faults).hasSize(101);
        assertThat(faults.getLast().message()).isEqualTo("And 900 more faults");
    }

    @Test
    void the_error_of_the_api_reads_as_openpai_had_it() {
        Read.Refused one =
                Texts.refused(Texts.LEAST_V1.replace("\"echo hello\"", "\"echo hello\", \"minFailedTaskCount\": 2"));
        assertThat(one.code()).isEqualTo("InvalidParametersError");
        assertThat(one.message())
                .isEqualTo("minFailedTaskCount or minSucceededTaskCount should not be greater than tasks number."
                        + " (taskRoles[0].minFailedTaskCount, line 5, column 72)");
        Read.Refused two = Texts.refused(Texts.LEAST_V2.replace("dockerImage: base", "dockerImage: nope"));
        assertThat(two.code()).isEqualTo("InvalidProtocolError");
        assertThat(two.message())
                .isEqualTo("Prerequisite nope does not exist. (taskRoles.worker.dockerImage, line 10, column 18)");
        assertThat(Texts.refused(Texts.LEAST_V2.replace("cpu: 1", "cpu: -1")).message())
                .isEqualTo("taskRoles.worker.resourcePerInstance.cpu: -1 is outside of what is possible. "
                        + "It may be 0 to 1000000000. (line 12, column 12)");
    }

    @Test
    void each_line_of_the_error_of_the_api_has_its_place() {
        assertThat(CASES)
                .flatExtracting(one -> one.refused().faults())
                .filteredOn(fault -> !fault.key().equals("more"))
                .allSatisfy(fault -> assertThat(fault.sentence())
                        .contains(fault.path())
                        .contains("line " + fault.line() + ", column " + fault.column()));
    }

    @Test
    void a_slip_is_answered_with_what_was_meant() {
        assertThat(Texts.faults(Texts.LEAST_V2.replace("dockerImage: base", "dockerImage: base\n    instnaces: 2")))
                .extracting(Fault::message)
                .containsExactly("There is no field instnaces here; did you mean instances?");
    }

    @Test
    void bytes_that_are_no_utf8_are_told_with_their_place() {
        byte[] text = Texts.LEAST_V2.getBytes(StandardCharsets.UTF_8);
        text[Texts.LEAST_V2.indexOf("echo")] = (byte) 0xFF;
        Read read = Protocols.read(text);
        assertThat(BadInputs.told(((Read.Refused) read).faults())).isEqualTo("16:9 - notUtf8");
    }

    @Test
    void a_text_in_utf16_is_told_so() {
        Read read = Protocols.read(Texts.LEAST_V2.getBytes(StandardCharsets.UTF_16));
        assertThat(BadInputs.told(((Read.Refused) read).faults())).isEqualTo("1:1 - notUtf8");
    }

    @Test
    void the_size_counts_in_bytes_and_its_limit_can_be_set() {
        String text = Texts.LEAST_V2 + "#" + "é".repeat(500);
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        assertThat(Protocols.read(text, new Limits(bytes, 50, 1000))).isInstanceOf(Read.Accepted.class);
        Read read = Protocols.read(text, new Limits(bytes - 1, 50, 1000));
        assertThat(((Read.Refused) read).faults()).extracting(Fault::key).containsExactly("tooLarge");
    }

    @Test
    void more_tasks_than_the_limit_are_refused_over_all_roles() {
        String role =
                "{dockerImage: base, instances: 4000, resourcePerInstance: {cpu: 1, memoryMB: 1, gpu: 0}, commands: [a]}";
        String text = Texts.LEAST_V2 + "  b: " + role + "\n  c: " + role + "\n";
        assertThat(Texts.spec(text).taskCount()).isEqualTo(8001);
        assertThat(BadInputs.told(Texts.faults(text + "  d: " + role + "\n"))).isEqualTo("8:1 taskRoles tooManyTasks");
    }

    static Stream<String> cruel() {
        int size = 256 * 1024;
        return Stream.of(
                "[".repeat(size),
                "{".repeat(size),
                "{\"a\":".repeat(size / 5),
                "- ".repeat(size / 2),
                "? ".repeat(size / 2),
                "a: ".repeat(size / 3),
                "&a ".repeat(size / 3),
                "!".repeat(size),
                "\"".repeat(size),
                "'".repeat(size),
                "[a, ".repeat(size / 4),
                "{a: ".repeat(size / 4),
                "a: |\n " + "x".repeat(size / 2),
                "a: " + "9".repeat(size / 2),
                "a: 0x" + "f".repeat(size / 2),
                "a".repeat(size) + ": b",
                "#".repeat(size),
                "\n".repeat(size),
                "a: [" + "x,".repeat(size / 3) + "]",
                "a: &a b\nc: [" + "*a,".repeat(size / 4) + "]",
                "a: {" + "k: v, ".repeat(size / 8) + "}",
                "😀: [" + "😀,".repeat(size / 6) + "]",
                "a: &x {b: c}\nd: [" + "{<<: *x, e: f}, ".repeat(size / 20) + "]",
                IntStream.range(0, size / 12)
                        .mapToObj(i -> "key" + i + ": v\n")
                        .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append)
                        .toString());
    }

    @ParameterizedTest
    @MethodSource("cruel")
    void no_text_takes_long(String text) {
        Read read = assertTimeoutPreemptively(Duration.ofSeconds(60), () -> Protocols.read(text));
        assertThat(read).isInstanceOf(Read.Refused.class);
    }
}
