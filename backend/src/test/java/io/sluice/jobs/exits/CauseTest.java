package io.sluice.jobs.exits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.jobs.exits.ExitSpec.Reaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CauseTest {
    /** The end of an output that we once saw, or could have: samples.txt has them, with the line that tells marked. */
    record Sample(String title, int exitCode, int code, String cause, String output, String line) {
        @Override
        public String toString() {
            return title;
        }
    }

    static List<Sample> samples() throws IOException {
        try (var stream = CauseTest.class.getResourceAsStream("/exits/samples.txt")) {
            String text = new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.split("(?m)^=== ", -1))
                    .skip(1)
                    .map(CauseTest::sample)
                    .toList();
        }
    }

    private static Sample sample(String block) {
        int head = block.indexOf('\n');
        String[] parts = block.substring(0, head).split(" \\| ", -1);
        String marked = block.substring(head + 1);
        String line = marked.lines()
                .filter(one -> one.startsWith("> "))
                .findFirst()
                .orElse("")
                .replaceFirst("> ", "");
        String output = marked.replaceFirst("(?m)^> ", "");
        return new Sample(parts[3], Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), parts[2], output, line);
    }

    private static Cause ended(@Nullable Integer exitCode, @Nullable Integer signal, String output) {
        return Cause.of(exitCode, signal, false, output.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void a_cause_is_told_again_from_what_was_kept_of_it(Sample sample) {
        Cause cause = Cause.of(sample.exitCode(), null, false, sample.output().getBytes(StandardCharsets.UTF_8));
        Cause.Match match = cause.match();
        byte[] tail = sample.output().getBytes(StandardCharsets.UTF_8);
        String line = match == null
                ? null
                : new String(tail, match.start(), match.end() - match.start(), StandardCharsets.UTF_8);
        Cause kept = Cause.kept(cause.code(), cause.name(), line);
        assertThat(kept.reasonKey()).isEqualTo(cause.reasonKey());
        assertThat(kept.values()).isEqualTo(cause.values());
        assertThat(kept.reason()).isEqualTo(cause.reason());
    }

    @Test
    void a_rule_of_another_version_leaves_what_the_code_says() {
        assertThat(Cause.kept(232, "gone", "some line").reasonKey()).isEqualTo("exit.reason.232");
        assertThat(Cause.kept(232, "import", "another line").reasonKey()).isEqualTo("exit.reason.232");
    }

    @ParameterizedTest
    @MethodSource("samples")
    void the_end_of_an_output_tells_the_cause_and_where_it_stands(Sample sample) {
        byte[] tail = sample.output().getBytes(StandardCharsets.UTF_8);
        Cause cause = Cause.of(sample.exitCode(), null, false, tail);
        assertThat(cause.name()).isEqualTo(sample.cause());
        assertThat(cause.code()).isEqualTo(sample.code());
        Cause.Match match = Objects.requireNonNull(cause.match());
        String line = new String(tail, match.start(), match.end() - match.start(), StandardCharsets.UTF_8);
        assertThat(line).isEqualTo(sample.line());
        assertThat(cause.reason()).isNotBlank().doesNotContain("{0}");
        assertThat(cause.solutionKeys()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void a_program_that_prints_it_and_succeeds_has_succeeded(Sample sample) {
        Cause cause = ended(0, null, sample.output());
        assertThat(cause.code()).isZero();
        assertThat(cause.match()).isNull();
        assertThat(cause.spec().reaction()).isEqualTo(Reaction.NEVER_RETRY);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void who_is_stopped_from_outside_was_stopped_whatever_it_printed(Sample sample) {
        assertThat(ended(null, 15, sample.output()).code()).isEqualTo(143);
        assertThat(ended(null, 9, sample.output()).code()).isEqualTo(137);
        assertThat(ended(-210, null, sample.output()).code()).isEqualTo(-210);
    }

    @Test
    void every_rule_has_a_sample() throws IOException {
        var refusals = Stream.of(REFUSALS.split("\n")).map(row -> row.split("\\|")[0].strip());
        assertThat(Stream.concat(samples().stream().map(Sample::cause), refusals))
                .containsAll(Cause.names());
    }

    private static final String REFUSALS = """
            noShell        | -1203 | x/empty:1 | The image x/empty:1 has no shell, /bin/bash or /bin/sh, to run the commands with.
            imageProcessor | 254 | x/tools:1 | The image x/tools:1 is not made for this machine's processor. Choose a tag that is.
            imageProcessor | 254 | x/tools:1 | The image x/tools:1 is made for arm64, and this machine is amd64. Choose another.
            imagePassword  | 254 | r:5000/x:1 | The registry r:5000 does not accept the user ann for r:5000/x:1. Check the user.
            imageClosed    | 254 | r:5000/x:1 | The registry r:5000 does not give out r:5000/x:1 to everybody, or has no such image.
            imageMissing   | 254 | r:5000/x:1 | There is no image r:5000/x:1 in the registry r:5000. Check its name and tag.
            imageSignIn    | 254 | r:5000 | The sign-in is for the registry r:5000, and the image x:1 is in docker.io.
            registryTrust  | 254 | r:5000 | The registry r:5000 has no certificate that this Docker engine trusts.
            registryInside | 254 | localhost:5000 | The registry localhost:5000 is not for jobs, because it is on the engine's own machine or link.
            registryAway   | -120 | r:5000 | The registry r:5000 can not be reached at the moment, for the image r:5000/x:1.
            engineFull     | -120 | The disk of the Docker engine is full | The disk of the Docker engine is full: it has no room.
            imageName      | -200 | 镜像 -v /:/x | “镜像 -v /:/x” is no name of an image. Names look like ubuntu:24.04.
            """;

    @ParameterizedTest
    @CsvSource(textBlock = REFUSALS, delimiter = '|', quoteCharacter = '`')
    void why_an_engine_did_not_start_a_task_is_told_by_what_it_said(
            String name, int code, String value, String message) {
        var cause = Cause.refused(code, message);
        assertThat(cause.name()).isEqualTo(name);
        assertThat(cause.values()).containsExactly(value);
        assertThat(Cause.kept(code, name, message)).isEqualTo(cause);
        // and is never read out of what a task prints
        assertThat(ended(1, null, message).name()).isNotEqualTo(name);
    }

    @Test
    void only_a_broken_card_is_tried_again_without_end_because_of_what_was_printed() throws IOException {
        assertThat(samples())
                .filteredOn(sample -> ExitCatalogue.of(sample.code()).reaction() == Reaction.ALWAYS_RETRY)
                .extracting(Sample::cause)
                .containsOnly("ecc");
    }

    @ParameterizedTest
    @CsvSource({
        "0,,0", "1,,255", "2,,255", "3,,255", "255,,255", "250,,255", "124,,255", "126,,239", "127,,220", "128,,128",
        "130,,130", "137,,137", "139,,139", "143,,143", "129,,255", ",1,255", ",2,130", ",3,131", ",4,132", ",6,134",
        ",7,135", ",8,136", ",9,137", ",11,139", ",13,141", ",15,143", ",31,255", "-220,,-220", "-1001,,-1001"
    })
    void without_words_the_code_or_the_signal_decides(@Nullable Integer exitCode, @Nullable Integer signal, int code) {
        assertThat(ended(exitCode, signal, "epoch 1\n").code()).isEqualTo(code);
    }

    @Test
    void a_code_that_the_platform_uses_for_itself_is_not_taken_from_a_program() {
        // 250 would be retried without end
        assertThat(ended(250, null, "").spec().reaction()).isEqualTo(Reaction.RETRY_TO_MAX);
        assertThat(ended(253, null, "").code()).isEqualTo(255);
    }

    @Test
    void the_engine_that_saw_the_limit_reached_is_believed() {
        assertThat(Cause.of(137, 9, true, new byte[0]).code()).isEqualTo(-1200);
        assertThat(Cause.of(0, null, true, new byte[0]).code())
                .as("a child died of it, the program went on and succeeded")
                .isZero();
    }

    @Test
    void nothing_known_is_not_recognised() {
        assertThat(ended(null, null, "").code()).isEqualTo(255);
    }

    @Test
    void the_root_counts_before_what_followed_from_it() {
        String output = """
                RuntimeError: CUDA out of memory. Tried to allocate 2 GiB
                KeyError: 'loss'
                IndexError: list index out of range
                Segmentation fault (core dumped)
                """;
        assertThat(ended(1, null, output).name()).isEqualTo("cudaMemory");
    }

    @Test
    void of_errors_the_last_counts() {
        String output = "ImportError: no fast path, falling back\nepoch 1\nFileNotFoundError: [Errno 2] /data/x\n";
        assertThat(ended(1, null, output).name()).isEqualTo("data");
    }

    @Test
    void only_the_last_16_kib_are_looked_at_and_places_count_from_the_first_byte() {
        String early = "CUDA out of memory\n" + "é".repeat(9000) + "\n";
        assertThat(ended(1, null, early).name()).isNull();
        byte[] tail = (early + "ModuleNotFoundError: No module named 'é'\n").getBytes(StandardCharsets.UTF_8);
        Cause cause = Cause.of(1, null, false, tail);
        assertThat(cause.values()).containsExactly("é");
        Cause.Match match = Objects.requireNonNull(cause.match());
        assertThat(new String(tail, match.start(), match.end() - match.start(), StandardCharsets.UTF_8))
                .isEqualTo("ModuleNotFoundError: No module named 'é'");
    }

    @Test
    void a_tail_that_begins_in_the_middle_of_a_letter_or_holds_any_byte_is_read() {
        byte[] tail = new byte[20_000];
        for (int i = 0; i < tail.length; i++) {
            tail[i] = (byte) (i * 31);
        }
        assertThat(Cause.of(1, null, false, tail).code()).isEqualTo(255);
    }

    @Test
    void no_output_makes_the_search_slow() {
        var cruel = new ArrayList<String>();
        for (String piece : List.of(
                "NCCL",
                "HCCL ",
                "Killed ",
                "a",
                ": ",
                "IndexError: ",
                "AttributeError: ",
                "E",
                "\r",
                "'",
                "NameError: name ",
                "ImportError: No module named '",
                "exec: \"",
                "Loaded runtime CuDNN library: ")) {
            cruel.add(piece.repeat(16 * 1024 / piece.length()));
        }
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> cruel.forEach(output -> ended(1, null, output)));
    }
}
