package io.sluice.engines;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExportsTest {
    private static final List<String> PIECES = List.of(
            " ",
            "\n",
            "'",
            "\"",
            "\\",
            "$()",
            "$(touch RAN)",
            "`touch RAN`",
            "${x:-$(touch RAN)}",
            "';touch RAN;'",
            "=",
            "#",
            "!",
            "!!",
            "*",
            "~",
            "\t",
            "\r",
            "训练",
            "\u001b[1m",
            "a",
            "EOF\n",
            "\\\n",
            "$'\\x41'",
            "&",
            "|",
            "<",
            ">",
            "{1..3}",
            "export A=1\n");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"bash", "sh"})
    void a_shell_that_sources_them_has_the_same_values_whatever_they_contain_and_runs_nothing(String shell)
            throws Exception {
        for (long seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            var written = new LinkedHashMap<String, String>();
            for (int i = 0; i < 100; i++) {
                var value = new StringBuilder();
                random.ints(random.nextInt(12), 0, PIECES.size()).forEach(piece -> value.append(PIECES.get(piece)));
                written.put("VALUE_" + i, value.toString());
            }
            assertThat(sourced(shell, Exports.forAll(written)))
                    .as("seed %d", seed)
                    .containsAllEntriesOf(written);
        }
        assertThat(folder.resolve("RAN")).doesNotExist();
    }

    @Test
    void what_belongs_to_the_shell_that_reads_them_stays_as_it_is_there() throws Exception {
        var text = Exports.forAll(Map.of(
                "HOME", "/userhome", "PATH", "/nowhere", "PWD", "/", "UID", "5", "PAI_x-y", "no", "GOOD", "yes"));
        assertThat(text).isEqualTo("export GOOD='yes'\n");
    }

    /** All that a shell has after it has read them, by its own word: zero bytes are between them. */
    private Map<String, String> sourced(String shell, String exports) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("pod.env"), exports);
        var process = new ProcessBuilder(shell, "-c", ". \"$0\" && exec env -0", file.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        Map<String, String> values = new HashMap<>();
        Arrays.stream(said.split("\0"))
                .map(line -> line.split("=", 2))
                .forEach(parts -> values.put(parts[0], parts[1]));
        return values;
    }
}
