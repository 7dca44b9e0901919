package io.sluice.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Values as the JSON columns hold them. A field that a newer version wrote is passed over. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addDeserializer(Instant.class, new Times()))
            .build();

    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .build();

    private Json() {}

    private static final class Times extends FromStringDeserializer<Instant> {
        private static final long serialVersionUID = 1;

        Times() {
            super(Instant.class);
        }

        @Override
        protected Instant _deserialize(String text, DeserializationContext context) {
            return Instant.parse(text);
        }
    }

    public static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not writable as JSON: " + value.getClass(), e);
        }
    }

    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Of what somebody sent; fails with {@link IllegalArgumentException} where it is none. */
    public static <T> T of(JsonNode value, Class<T> type) {
        return STRICT.convertValue(value, type);
    }

    public static <T> T read(String text, Class<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "the database holds no " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
        }
    }

    public static <T> @Nullable T readIfAny(@Nullable String text, Class<T> type) {
        return text == null ? null : read(text, type);
    }

    public static <T> T read(String text, TypeReference<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "the database holds no " + type.getType() + ": " + e.getOriginalMessage(), e);
        }
    }
}
