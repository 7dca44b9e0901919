package io.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The OpenAPI document, put together from the part that each room keeps beside its code, and a page to browse it. */
public final class ApiDocument {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param groups the operations by their tag, in the order in which the parts name them */
    public record Page(String version, List<Group> groups) {}

    public record Group(String name, List<Operation> operations) {}

    /** @param open whether nobody needs to sign in for it */
    public record Operation(
            String method,
            String path,
            String summary,
            String description,
            boolean open,
            List<Parameter> parameters,
            List<Answer> answers) {}

    public record Parameter(String name, String in, boolean required, String description) {}

    public record Answer(String status, String description) {}

    private final List<Class<?>> rooms;

    /** @param rooms the doors of the rooms that have an {@code openapi.json} beside them */
    ApiDocument(List<Class<?>> rooms) {
        this.rooms = rooms;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/openapi.json", call -> Future.succeededFuture(Reply.json(whole())))
                        .forAnyone(),
                Route.get("/api-reference", call -> Future.succeededFuture(Reply.page("web/api.jte", page())))
                        .forAnyone());
    }

    ObjectNode whole() {
        ObjectNode whole = part(Server.class);
        ObjectNode paths = whole.withObject("/paths");
        ObjectNode schemas = whole.withObject("/components/schemas");
        for (Class<?> room : rooms) {
            ObjectNode part = part(room);
            part.path("paths").properties().forEach(path -> paths.set(path.getKey(), path.getValue()));
            part.path("components")
                    .path("schemas")
                    .properties()
                    .forEach(schema -> schemas.set(schema.getKey(), schema.getValue()));
        }
        return whole;
    }

    private Page page() {
        Map<String, List<Operation>> groups = new LinkedHashMap<>();
        JsonNode whole = whole();
        whole.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> groups.computeIfAbsent(
                                        operation
                                                .getValue()
                                                .path("tags")
                                                .path(0)
                                                .asText(),
                                        tag -> new ArrayList<>())
                                .add(operation(path.getKey(), operation.getKey(), operation.getValue()))));
        return new Page(
                whole.path("info").path("version").asText(),
                groups.entrySet().stream()
                        .map(group -> new Group(group.getKey(), group.getValue()))
                        .toList());
    }

    private static Operation operation(String path, String method, JsonNode operation) {
        return new Operation(
                method.toUpperCase(Locale.ROOT),
                path,
                operation.path("summary").asText(),
                operation.path("description").asText(),
                operation.has("security") && operation.path("security").isEmpty(),
                operation
                        .path("parameters")
                        .valueStream()
                        .map(ApiDocument::parameter)
                        .toList(),
                operation.path("responses").properties().stream()
                        .map(answer -> new Answer(
                                answer.getKey(),
                                answer.getValue().path("description").asText()))
                        .toList());
    }

    private static Parameter parameter(JsonNode parameter) {
        return new Parameter(
                parameter.path("name").asText(),
                parameter.path("in").asText(),
                parameter.path("required").asBoolean(),
                parameter.path("description").asText());
    }

    private static ObjectNode part(Class<?> beside) {
        try (InputStream stream = beside.getResourceAsStream("openapi.json")) {
            if (stream == null) {
                throw new IllegalStateException(beside.getPackageName() + " has no openapi.json");
            }
            return (ObjectNode) JSON.readTree(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
