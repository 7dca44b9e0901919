package io.sluice.files.catalogue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What somebody has typed into a form, or a program has sent, for an entry of a catalogue. */
public final class Typed {
    private Typed() {}

    /** Of a form: one line. */
    public static String line(Call call, String field) {
        return call.field(field).orElse("").replaceAll("\\p{Cntrl}", " ").strip();
    }

    /** Of a form: several. */
    public static String lines(Call call, String field) {
        return call.field(field).orElse("").replace("\r\n", "\n").strip();
    }

    /** With commas or blanks between them. */
    public static List<String> names(String line) {
        return Arrays.stream(line.split("[,\\s]+"))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** What is not said stays as it is. */
    public static String text(ObjectNode body, String key, String otherwise) {
        JsonNode value = body.get(key);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        if (!value.isTextual()) {
            throw Problem.invalid(key + " is a text.");
        }
        return value.asText();
    }

    /** What is not said stays as it is. */
    public static List<String> texts(ObjectNode body, String key, List<String> otherwise) {
        if (!body.hasNonNull(key)) {
            return otherwise;
        }
        List<String> texts = new ArrayList<>();
        if (!body.get(key).isArray()) {
            throw Problem.invalid(key + " is a list of texts.");
        }
        for (JsonNode text : body.get(key)) {
            if (!text.isTextual()) {
                throw Problem.invalid(key + " is a list of texts.");
            }
            texts.add(text.asText());
        }
        return texts;
    }

    /** The administrator's: {@code accepted}, {@code word} why, and {@code changed} of what they have read. */
    public static Standing.Word word(ObjectNode body) {
        if (!body.path("accepted").isBoolean() || !body.path("changed").isIntegralNumber()) {
            throw Problem.invalid("Say {\"accepted\": true, \"changed\": N}, or {\"accepted\": false, \"changed\": N,"
                    + " \"word\": \"why\"}, where N is what changed is in the entry that you have read.");
        }
        return new Standing.Word(
                body.get("accepted").asBoolean(),
                text(body, "word", ""),
                body.get("changed").asLong());
    }

    /** The same of a form; what does not say what was read has read nothing. */
    public static Standing.Word word(Call call) {
        String changed = line(call, "changed");
        return new Standing.Word(
                line(call, "accepted").equals("true"),
                line(call, "word"),
                changed.matches("\\d{1,15}") ? Long.parseLong(changed) : 0);
    }
}
