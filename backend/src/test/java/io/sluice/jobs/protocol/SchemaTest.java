package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.sluice.jobs.protocol.BadInputs.Bad;
import io.sluice.jobs.protocol.document.Document;
import io.sluice.jobs.protocol.document.Item;
import io.sluice.jobs.protocol.document.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the editor offers and marks is what the server takes. */
class SchemaTest {
    /** Between fields a schema can not compare; and what a text is before it is a tree, it does not see. */
    private static final Set<String> BEYOND_A_SCHEMA = Set.of(
            "exact.minTaskCount",
            "portRange",
            "exact.duplicatePrerequisite",
            "exact.duplicateDeployment",
            "exact.noPrerequisite",
            "exact.noDeployment",
            "duplicateName",
            "noRole",
            "endpointTwice",
            "dataFolder",
            "skuOrCell",
            "callbacksOrCommands",
            "shmOverMemory",
            "secretsShared",
            "tooManyTasks");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<Integer, Schema> SCHEMAS = Map.of(1, schema("job-v1"), 2, schema("job-v2"));

    private static Schema schema(String name) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(text(name));
    }

    private static String text(String name) {
        try (var stream = SchemaTest.class.getResourceAsStream("/schemas/" + name + ".json")) {
            return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean accepts(int protocol, String text) {
        return accepts(
                protocol,
                Objects.requireNonNull(Document.read(text, Limits.DEFAULT).root()));
    }

    private static boolean accepts(int protocol, Item root) {
        return Objects.requireNonNull(SCHEMAS.get(protocol))
                .validate(JSON.valueToTree(root.plain()))
                .isEmpty();
    }

    /** A bad job that is a tree, and whose faults are of one field each. */
    record Case(Bad bad, int protocol, Item root) {
        @Override
        public String toString() {
            return bad.toString();
        }
    }

    private static final List<Case> CASES =
            BadInputs.all().stream().flatMap(SchemaTest::comparable).toList();

    private static Stream<Case> comparable(Bad bad) {
        Item root = Document.read(bad.text(), Limits.DEFAULT).root();
        if (root == null) {
            return Stream.of();
        }
        Read.Refused refused = Texts.refused(bad.text());
        boolean beyond = refused.faults().stream().anyMatch(fault -> BEYOND_A_SCHEMA.contains(fault.key()));
        return beyond ? Stream.of() : Stream.of(new Case(bad, refused.protocol(), root));
    }

    static List<Case> bad() {
        return CASES;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "whole-v2.yaml",
                "least-v2.yaml",
                "whole-v1.json",
                "least-v1.json",
                "least-v1.yaml",
                "hello.json",
                "mnist.json",
                "imagenet.json",
                "cifar.json"
            })
    void a_schema_accepts_good_jobs(String name) {
        String text = Texts.of(name);
        assertThat(accepts(Texts.spec(text).protocol(), text)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("bad")
    void a_schema_refuses_what_the_parser_refuses(Case one) {
        assertThat(accepts(one.protocol(), one.root())).isFalse();
    }

    @Test
    void many_bad_inputs_were_compared() {
        assertThat(CASES).hasSizeGreaterThan(150);
    }

    static Stream<String> exports() {
        return Stream.iterate(0, i -> i + 1)
                .limit(20)
                .map(seed -> Protocols.export(new RandomJob(seed).spec(), Map.of("one", "1", "two.three", "3")));
    }

    @ParameterizedTest
    @MethodSource("exports")
    void a_schema_accepts_what_the_parser_accepts(String text) {
        assertThat(accepts(Texts.spec(text).protocol(), text)).as(text).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"job-v1", "job-v2"})
    void every_description_is_in_both_languages(String name) throws IOException {
        var descriptions = new ObjectMapper()
                .readTree(text(name)).findParents("description").stream()
                        .filter(node -> node.get("description").isTextual())
                        .toList();
        assertThat(descriptions)
                .hasSizeGreaterThan(20)
                .allSatisfy(node -> assertThat(node.has("x-description-zh")).isTrue());
    }

    @Test
    void a_schema_names_its_dialect() {
        assertThat(text("job-v1")).contains("https://json-schema.org/draft/2020-12/schema");
        assertThat(text("job-v2")).contains("https://json-schema.org/draft/2020-12/schema");
    }
}
