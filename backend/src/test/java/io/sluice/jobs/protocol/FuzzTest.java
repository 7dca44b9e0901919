package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.gang.PaiVariables;
import io.sluice.jobs.gang.PaiVariables.Self;
import io.sluice.jobs.protocol.JobSpec.Role;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole jobs with a few places changed at random: what comes of them is told, or it is a job in every respect. */
class FuzzTest {
    private static final List<String> PIECES = List.of(
            "\n",
            "  ",
            "- ",
            ": ",
            "\"",
            "'",
            "{",
            "}",
            "[",
            "]",
            "#",
            "&a ",
            "*a",
            "!t ",
            "|\n",
            ">-\n",
            "<<: ",
            "null",
            "-1",
            "0",
            "1.5",
            "true",
            "~",
            "%",
            "\t",
            ",",
            "é",
            "😀",
            "\\",
            "99999999999",
            "\u0007",
            "---\n",
            "<% $secrets.token %>");

    private static final List<String> WHOLE = List.of(Texts.V2, Texts.V1, Texts.LEAST_V2, Texts.of("least-v1.yaml"));

    static Stream<Integer> seeds() {
        return IntStream.range(0, Integer.getInteger("sluice.fuzz", 200)).boxed();
    }

    private static String changed(int seed) {
        var random = new Random(seed);
        var text = new StringBuilder(WHOLE.get(random.nextInt(WHOLE.size())));
        for (int i = random.nextInt(3); i >= 0; i--) {
            int from = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), from + random.nextInt(random.nextInt(10) == 0 ? 200 : 4));
            switch (random.nextInt(3)) {
                case 0 -> text.delete(from, to);
                case 1 -> text.insert(from, PIECES.get(random.nextInt(PIECES.size())));
                default -> text.insert(from, text.substring(from, to));
            }
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_job_with_changes_is_refused_with_places_or_whole(int seed) {
        String text = changed(seed);
        switch (Protocols.read(text)) {
            case Read.Refused refused -> placed(text, refused);
            case Read.Accepted accepted -> whole(accepted);
        }
    }

    private static void placed(String text, Read.Refused refused) {
        long lines = text.lines().count() + 1;
        assertThat(refused.faults()).isNotEmpty().allSatisfy(fault -> {
            assertThat(fault.line()).isBetween(1, (int) lines);
            assertThat(fault.column()).isPositive();
            assertThat(fault.message()).isNotBlank();
        });
    }

    private static void whole(Read.Accepted accepted) {
        JobSpec spec = accepted.spec();
        accepted.secrets().values().stream()
                .filter(secret -> secret.contains("s3cret"))
                .forEach(secret -> assertThat(accepted.config()).doesNotContain(secret));
        for (Role role : spec.roles()) {
            assertThat(TaskScript.of(spec, role)).isNotBlank();
            assertThat(TaskScript.image(spec, role)).isNotBlank();
            assertThat(new PaiVariables(spec, "ada", "", List.of()).of(new Self(role.name(), 0, 0, 0, "run", null)))
                    .containsEntry("PAI_CURRENT_TASK_ROLE_NAME", role.name());
        }
        JobSpec again = Texts.spec(Protocols.export(spec, accepted.secrets()));
        if (spec.protocol() == 2) {
            assertThat(again).isEqualTo(spec);
        }
    }
}
