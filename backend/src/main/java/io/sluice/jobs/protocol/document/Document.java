package io.sluice.jobs.protocol.document;

import io.sluice.jobs.protocol.document.Item.Place;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text read as one YAML or JSON document: its root, unless flaws stand in the way.
 *
 * @param aliased what aliases repeat elsewhere
 */
public record Document(String text, @Nullable Item root, List<Place> aliased, List<Flaw> flaws) {
    private static final int MOST_FLAWS = 20;

    public Document {
        aliased = List.copyOf(aliased);
        flaws = List.copyOf(flaws);
    }

    @Override
    public String toString() {
        return "Document[" + text.length() + " chars, " + flaws + "]";
    }

    public static Document read(byte[] bytes, Limits limits) {
        if (bytes.length > limits.bytes()) {
            return tooLarge(bytes.length, limits);
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer from = ByteBuffer.wrap(bytes);
        CharBuffer to = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(from, to, true);
        String text = to.flip().toString();
        if (result.isError()) {
            Flaw flaw = Flaw.at(endOf(text), "", "notUtf8", hex(bytes[from.position()]), from.position());
            return new Document("", null, List.of(), List.of(flaw));
        }
        return parse(text, limits);
    }

    public static Document read(String text, Limits limits) {
        long bytes = text.length() > limits.bytes()
                ? text.length()
                : text.codePoints().mapToLong(Document::bytesOf).sum();
        return bytes > limits.bytes() ? tooLarge(bytes, limits) : parse(text, limits);
    }

    private static int bytesOf(int codePoint) {
        return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    }

    private static Document tooLarge(long bytes, Limits limits) {
        return new Document(
                "", null, List.of(), List.of(Flaw.at(Place.TOP, "", "tooLarge", kib(bytes), kib(limits.bytes()))));
    }

    private static String kib(long bytes) {
        return Long.toString((bytes + 1023) / 1024);
    }

    private static Document parse(String withMark, Limits limits) {
        String text = withMark.startsWith("\uFEFF") ? withMark.substring(1) : withMark;
        List<Flaw> unreadable = unreadable(text);
        if (!unreadable.isEmpty()) {
            return new Document(text, null, List.of(), unreadable);
        }
        boolean looksLikeJson = text.stripLeading().startsWith("{");
        Document json = looksLikeJson ? new JsonReader(text, limits).read() : null;
        if (json != null && json.flaws().isEmpty()) {
            return json;
        }
        Document yaml = new YamlReader(text, limits).read();
        // who writes braces means JSON, and is told where that breaks, unless it is good YAML
        return json == null || yaml.root() != null ? yaml : json;
    }

    /** Characters that no editor shows; YAML forbids them, and PostgreSQL can not store some. */
    private static List<Flaw> unreadable(String text) {
        var flaws = new ArrayList<Flaw>();
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < text.length() && flaws.size() < MOST_FLAWS; i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                line++;
                lineStart = i + 1;
            } else if (isUnreadable(text, i)) {
                int column = text.codePointCount(lineStart, i) + 1;
                flaws.add(new Flaw(line, column, "", "controlCharacter", List.of(String.format("U+%04X", (int) c))));
            }
        }
        return flaws;
    }

    private static boolean isUnreadable(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        if (Character.isLowSurrogate(c)) {
            return i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
        }
        boolean space = c == '\t' || c == '\n' || c == '\r' || c == '\u0085';
        return !space && (Character.isISOControl(c) || c == '\uFEFF' || c >= '\uFFFE');
    }

    /** An escape can write what the text can not hold. */
    static boolean holdsUnstorable(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == 0 || (Character.isSurrogate(c) && isUnreadable(value, i))) {
                return true;
            }
        }
        return false;
    }

    private static Place endOf(String text) {
        int lines = (int) text.chars().filter(c -> c == '\n').count();
        int column = text.codePointCount(text.lastIndexOf('\n') + 1, text.length()) + 1;
        return new Place(lines + 1, column, text.length(), text.length());
    }

    private static String hex(byte value) {
        return String.format("0x%02X", value & 0xFF);
    }
}
