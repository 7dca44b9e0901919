package io.sluice.endpoints.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.Command;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is said beside the bytes. */
final class Words {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Words() {}

    /** What a browser may say, besides what is typed. */
    sealed interface Heard {}

    record Sized(Command.Screen screen) implements Heard {}

    /** All before this offset has been drawn. */
    record Drawn(long offset) implements Heard {}

    static Optional<Heard> read(String message) {
        try {
            JsonNode said = JSON.readTree(message);
            return switch (said.path("type").asText()) {
                case "resize" ->
                    Optional.of(new Sized(new Command.Screen(
                            said.path("columns").asInt(), said.path("rows").asInt())));
                case "read" -> Optional.of(new Drawn(said.path("offset").asLong()));
                default -> Optional.empty();
            };
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static String hello(String terminal, Backlog.Start from) {
        return text(Map.of("type", "hello", "terminal", terminal, "offset", from.offset(), "before", from.before()));
    }

    static String end(String reason, String detail, @Nullable Integer exitCode) {
        var end = new LinkedHashMap<String, @Nullable Object>();
        end.put("type", "end");
        end.put("reason", reason);
        end.put("detail", detail);
        end.put("exitCode", exitCode);
        return text(end);
    }

    private static String text(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
