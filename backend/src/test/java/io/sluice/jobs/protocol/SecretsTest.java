package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.jobs.protocol.JobSpec.Auth;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;

class SecretsTest {
    private static final String AFTER = Texts.LEAST_V2.substring(Texts.LEAST_V2.indexOf("prerequisites:"));

    /** The secrets as given, between other fields. */
    private static String job(String secrets) {
        return "# mine\nprotocolVersion: 2\nname: least # short\ntype: job\n" + secrets + AFTER;
    }

    private static String masked(String secrets) {
        return Texts.accepted(job(secrets)).config();
    }

    private static void hidesAll(String secrets) {
        assertThat(masked(secrets)).isEqualTo(job("secrets: \"******\"\n"));
    }

    @Test
    void a_job_without_secrets_is_stored_as_it_is() {
        assertThat(Texts.accepted(Texts.LEAST_V2).config()).isEqualTo(Texts.LEAST_V2);
        assertThat(Texts.accepted(Texts.V1).config()).isEqualTo(Texts.V1);
    }

    @Test
    void secrets_are_masked_however_they_are_written() {
        hidesAll("secrets: {a: hunter2, b: hunter3}\n");
        hidesAll("secrets: {a: hunter2,\n  b: hunter3 }\n");
        hidesAll("secrets:\n  a: hunter2\n  b: 'hunter3'\n");
        hidesAll("secrets:\n  a: hunter2\n\n  b:\n    c: hunter3\n    d: [hunter4]\n");
        hidesAll("secrets:\n  a: |\n    hunter2\n    more\n  b: >-\n    hunter3\n");
        hidesAll("secrets:\n  a: \"hunter2\n    hunter3\"\n");
        hidesAll("secrets:\n  \"a\": hunter2\n");
        hidesAll("secrets:   \n    a:   hunter2\n");
        hidesAll("secrets:\n  a: hunter2 # and hunter3\n");
        hidesAll("secrets:\n  # once hunter2\n  a: hunter3\n  # or hunter4\n");
        hidesAll("secrets: # hunter2\n  a: hunter3\n");
        hidesAll("secrets : {a: hunter2}\n");
    }

    @Test
    void what_stands_around_secrets_stays() {
        assertThat(masked("secrets:\n  a: hunter2\n\n# about images\n"))
                .isEqualTo(job("secrets: \"******\"\n\n# about images\n"));
        assertThat(masked("secrets: {a: hunter2} # all of them\n"))
                .isEqualTo(job("secrets: \"******\" # all of them\n"));
        String last = Texts.LEAST_V2 + "secrets:\n  a: hunter2";
        assertThat(Texts.accepted(last).config()).isEqualTo(Texts.LEAST_V2 + "secrets: \"******\"");
        String windows = job("secrets:\n  a: hunter2\n").replace("\n", "\r\n");
        assertThat(Texts.accepted(windows).config())
                .isEqualTo(job("secrets: \"******\"\n").replace("\n", "\r\n"));
        String wide = "# 😀😀\n" + job("secrets:\n  a: 😀hunter2\n");
        assertThat(Texts.accepted(wide).config()).isEqualTo("# 😀😀\n" + job("secrets: \"******\"\n"));
    }

    @Test
    void secrets_in_json_are_masked() {
        String json =
                "{\"protocolVersion\": 2, \"name\": \"x\", \"type\": \"job\", \"secrets\" : {\"a\": \"😀 hunter2\"},\n"
                        + " \"prerequisites\": [{\"name\": \"base\", \"type\": \"dockerimage\", \"uri\": \"u\","
                        + " \"auth\": {\"password\": \"hunter3\"}}],\n"
                        + " \"taskRoles\": {\"w\": {\"dockerImage\": \"base\", \"commands\": [\"a\"],"
                        + " \"resourcePerInstance\": {\"cpu\": 1, \"memoryMB\": 1, \"gpu\": 0}}}}";
        assertThat(Texts.accepted(json).config())
                .isEqualTo(json.replace(" : {\"a\": \"😀 hunter2\"}", ": \"******\"")
                        .replace("\"hunter3\"", "\"******\""));
        assertThat(Texts.accepted(json).secrets()).isEqualTo(Map.of("a", "😀 hunter2", "password_of_base", "hunter3"));
    }

    @Test
    void a_password_in_the_text_becomes_a_secret() {
        String auth = "    auth:\n      username: ada\n      password: 'hunter2' # mine\n";
        String text = Texts.LEAST_V2.replace("    uri: ubuntu\n", "    uri: ubuntu\n" + auth);
        Read.Accepted accepted = Texts.accepted(text);
        Auth read = Objects.requireNonNull(
                accepted.spec().image(accepted.spec().roles().getFirst()).auth());
        assertThat(read).isEqualTo(new Auth("ada", "<% $secrets.password_of_base %>", Auth.DOCKER_HUB));
        assertThat(Secrets.render(Objects.requireNonNull(read.password()), accepted.secrets()))
                .isEqualTo("hunter2");
        assertThat(accepted.config()).isEqualTo(text.replace("'hunter2'", "\"******\""));
        assertThat(accepted.spec().secrets()).containsExactly("password_of_base");
    }

    @Test
    void a_password_that_names_a_secret_stays() {
        String auth = "    auth: {username: ada, password: <% $secrets.a %>}\n";
        String text = job("secrets: {a: hunter2}\n").replace("    uri: ubuntu\n", "    uri: ubuntu\n" + auth);
        assertThat(Texts.accepted(text).config()).contains("password: <% $secrets.a %>");
        assertThat(Texts.accepted(text).secrets()).isEqualTo(Map.of("a", "hunter2"));
    }

    @Test
    void the_masked_text_asks_for_the_secrets_again() {
        assertThat(BadInputs.told(Texts.faults(masked("secrets: {a: hunter2}\n"))))
                .isEqualTo("5:10 secrets secretsMasked");
    }

    @Test
    void a_job_shows_its_secrets_nowhere() throws JsonProcessingException {
        Read.Accepted accepted = Texts.accepted(Texts.V2);
        assertThat(accepted.toString()).doesNotContain("s3cret").contains("registry", "token");
        assertThat(accepted.config()).doesNotContain("s3cret");
        assertThat(new ObjectMapper().writeValueAsString(accepted.spec())).doesNotContain("s3cret");
        assertThat(Protocols.export(accepted.spec())).doesNotContain("s3cret");
        assertThat(TaskScript.of(accepted.spec(), accepted.spec().role("worker")))
                .doesNotContain("s3cret")
                .contains("<% $secrets.token %>");
    }

    @ParameterizedTest
    @CsvSource({
        "<% $secrets.a %>, one",
        "<%$secrets.a%>, one",
        "x<%  $secrets.a  %>y, xoney",
        "<% $secrets.b.c %>, two",
        "<% $secrets.l[1] %>, four",
        "<% $secrets.none %>, <% $secrets.none %>",
        "<% $secrets %>, <% $secrets %>",
        "<% $parameters.a %>, <% $parameters.a %>",
        "<% secrets.a %>, <% secrets.a %>",
        "<% $secrets.a, <% $secrets.a",
        "<% $secrets.quote %>, $1 \\ <% $secrets.a %>",
    })
    void secrets_are_put_in_right_before_the_start(String text, String expected) {
        Map<String, String> values = Texts.accepted(
                        job("secrets: {a: one, b: {c: two}, l: [three, four], quote: '$1 \\ <% $secrets.a %>'}\n"))
                .secrets();
        assertThat(Secrets.render(text, values)).isEqualTo(expected);
    }

    @Test
    void a_secret_keeps_its_letters_whatever_they_look_like() {
        assertThat(Texts.accepted(job("secrets: {a: 007, b: true, c: null, d: 1.50, e: ''}\n"))
                        .secrets())
                .isEqualTo(Map.of("a", "007", "b", "true", "c", "", "d", "1.50", "e", ""));
    }

    @Test
    void an_anchor_elsewhere_does_no_harm_to_secrets() {
        String text = job("secrets: {a: hunter2}\nparameters: {x: &x 1, y: *x}\n");
        assertThat(Texts.spec(text).parameters()).isEqualTo(Map.of("x", 1, "y", 1));
    }

    /** Any secrets, in any style of YAML, with comments that hold old ones. */
    private static String section(int seed) {
        var random = new Random(seed);
        List<String> values = List.of(
                "s3cret",
                "s3cret with # and: more",
                "s3cret\nin two\n  lines\n",
                "- s3cret",
                "",
                " s3cret ",
                "😀s3cret",
                "'s3cret\"");
        var secrets = new LinkedHashMap<String, Object>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String value = values.get(random.nextInt(values.size()));
            secrets.put("k" + i, random.nextInt(4) == 0 ? Map.of("deep", List.of(value, Map.of("er", value))) : value);
        }
        DumpSettings settings = DumpSettings.builder()
                .setDefaultFlowStyle(random.nextBoolean() ? FlowStyle.BLOCK : FlowStyle.AUTO)
                .setDefaultScalarStyle(List.of(ScalarStyle.values()).get(random.nextInt(5)))
                .setWidth(random.nextBoolean() ? 10 : 200)
                .setIndent(2 + random.nextInt(3))
                .build();
        String text = new Dump(settings)
                .dumpToString(Map.of("secrets", secrets))
                .replaceFirst("^['\"]secrets['\"]", "secrets");
        return random.nextBoolean() ? text : text.replaceFirst("secrets:\n", "secrets: # s3cret\n  # s3cret\n");
    }

    static Stream<Integer> seeds() {
        return IntStream.range(0, 200).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void no_style_of_yaml_keeps_a_secret_in_the_stored_text(int seed) {
        String text = job(section(seed) + "# what follows\n");
        String config = Texts.accepted(text).config();
        assertThat(config).as(text).doesNotContain("s3cret").isEqualTo(job("secrets: \"******\"\n# what follows\n"));
        assertThat(Texts.faults(config)).extracting(Fault::key).containsExactly("secretsMasked");
    }

    @Test
    void secrets_that_are_merged_in_are_refused() {
        String text = "extras: &base {secrets: {a: hunter2}}\n<<: *base\n" + Texts.LEAST_V2;
        assertThat(Texts.refused(text).faults()).extracting(Fault::key).containsExactly("secretsShared");
    }
}
