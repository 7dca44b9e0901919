package io.sluice.jobs.protocol.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** JSON as its standard has it; what is looser is tried as YAML. */
final class JsonReader {
    private final String text;
    private final Tree tree;
    private final JsonFactory factory;

    JsonReader(String text, Limits limits) {
        this.text = text;
        this.tree = new Tree(limits);
        this.factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(limits.depth() + 1)
                        .maxStringLength(limits.bytes())
                        .maxNameLength(limits.bytes())
                        .build())
                .build();
    }

    Document read() {
        try (JsonParser parser = factory.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                take(parser, token);
            }
        } catch (Tree.Broken broken) {
            tree.flaws().add(broken.flaw());
        } catch (JsonProcessingException broken) {
            tree.flaws().add(told(broken));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return tree.document(text);
    }

    private void take(JsonParser parser, JsonToken token) throws IOException {
        switch (token) {
            case START_OBJECT -> tree.begin(place(parser), true, null);
            case START_ARRAY -> tree.begin(place(parser), false, null);
            case END_OBJECT, END_ARRAY -> tree.end(offset(parser.currentLocation()));
            case FIELD_NAME -> tree.key(parser.currentName(), keyPlace(parser));
            default -> scalar(parser, token);
        }
    }

    private void scalar(JsonParser parser, JsonToken token) throws IOException {
        String raw = parser.getText(); // reads the token to its end, which its place needs
        tree.scalar(new Scalar(place(parser), value(parser, token, raw), raw), null);
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token, String raw) throws IOException {
        return switch (token) {
            case VALUE_NULL -> null;
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> YamlReader.narrow(parser.getBigIntegerValue());
            case VALUE_NUMBER_FLOAT -> {
                double value = parser.getDoubleValue();
                yield Double.isFinite(value) ? (Object) value : raw;
            }
            default -> raw;
        };
    }

    /** Jackson's message quotes the text, which may be a secret, so only its kind is told. */
    private Flaw told(JsonProcessingException broken) {
        String said = broken.getOriginalMessage() == null ? "" : broken.getOriginalMessage();
        JsonLocation location = broken.getLocation();
        Place place = location == null ? Place.TOP : new Place(location.getLineNr(), location.getColumnNr(), 0, 0);
        return tree.broken(place, said.startsWith("Unexpected end-of-input") ? "json.end" : "json.syntax")
                .flaw();
    }

    /** The parser has read on when it tells of a name, up to its value. */
    private Place keyPlace(JsonParser parser) {
        Place place = place(parser);
        int end = place.start() + 1;
        while (text.charAt(end) != '"') {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        return new Place(place.line(), place.column(), place.start(), end + 1);
    }

    private Place place(JsonParser parser) {
        JsonLocation start = parser.currentTokenLocation();
        return new Place(
                start.getLineNr(), start.getColumnNr(), (int) start.getCharOffset(), offset(parser.currentLocation()));
    }

    private static int offset(JsonLocation location) {
        return (int) location.getCharOffset();
    }
}
