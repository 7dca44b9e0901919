package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.web.Route;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document and the route table say the same, in both directions. */
class ApiDocumentTest {
    private static final Set<String> MACHINES = Set.of("/healthz", "/readyz", "/metrics");
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch", "head", "options");

    private final JsonNode document = new ApiDocument(Server.ROOMS).whole();

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void every_route_for_programs_is_documented_and_every_documented_one_exists() {
        Set<String> served = server.routes().stream()
                .filter(route -> route.path().startsWith("/api/") || MACHINES.contains(route.path()))
                .map(route -> route.method() + " " + route.path().replaceAll(":(\\w+)", "{$1}"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented()).isEqualTo(served);
    }

    @Test
    void who_may_come_is_documented_as_it_is() {
        for (Route route : server.routes()) {
            JsonNode operation = operation(route);
            if (!operation.isMissingNode() && !MACHINES.contains(route.path())) {
                boolean open =
                        operation.has("security") && operation.path("security").isEmpty();
                assertThat(open).as(route.toString()).isEqualTo(route.access() == Route.Access.ANYONE);
            }
        }
    }

    @Test
    void every_operation_says_what_it_does_and_what_it_answers() {
        Set<String> names = new HashSet<>();
        operations().forEach(operation -> {
            assertThat(operation.path("summary").asText()).isNotBlank();
            assertThat(operation.path("tags")).hasSize(1);
            assertThat(operation.path("responses")).isNotEmpty();
            assertThat(names.add(operation.path("operationId").asText()))
                    .as(operation.path("operationId").asText())
                    .isTrue();
        });
    }

    @Test
    void path_parameters_are_declared() {
        document.path("paths").properties().forEach(path -> {
            List<String> inPath = java.util.regex.Pattern.compile("\\{(\\w+)}")
                    .matcher(path.getKey())
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            path.getValue().properties().stream()
                    .filter(method -> METHODS.contains(method.getKey()))
                    .forEach(method -> assertThat(method.getValue()
                                    .path("parameters")
                                    .valueStream()
                                    .filter(parameter ->
                                            parameter.path("in").asText().equals("path"))
                                    .map(parameter -> parameter.path("name").asText())
                                    .toList())
                            .as(method.getKey() + " " + path.getKey())
                            .containsExactlyInAnyOrderElementsOf(inPath));
        });
    }

    @Test
    void every_reference_leads_somewhere() {
        document.findValuesAsText("$ref")
                .forEach(reference -> assertThat(
                                document.at(reference.substring(1)).isMissingNode())
                        .as(reference)
                        .isFalse());
    }

    private Set<String> documented() {
        Set<String> documented = new TreeSet<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(method -> METHODS.contains(method.getKey()))
                        .forEach(method -> documented.add(
                                method.getKey().toUpperCase(java.util.Locale.ROOT) + " " + path.getKey())));
        return documented;
    }

    private Stream<JsonNode> operations() {
        return document.path("paths").properties().stream()
                .flatMap(path -> path.getValue().properties().stream())
                .filter(method -> METHODS.contains(method.getKey()))
                .map(java.util.Map.Entry::getValue);
    }

    private JsonNode operation(Route route) {
        return document.path("paths")
                .path(route.path().replaceAll(":(\\w+)", "{$1}"))
                .path(route.method().name().toLowerCase(java.util.Locale.ROOT));
    }
}
