package io.sluice.jobs.protocol.document;

import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** YAML 1.2 with its core schema and merge keys; no tags, hence no objects. */
final class YamlReader {
    private static final int MOST_DIGITS = 100;
    private static final BigInteger LEAST_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MOST_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private final String text;
    private final int @Nullable [] offsets;
    private final Tree tree;
    private final LoadSettings settings;
    private final ScalarResolver resolver;
    private int documents;

    YamlReader(String text, Limits limits) {
        this.text = text;
        this.offsets = offsets(text);
        this.tree = new Tree(limits);
        var schema = new CoreSchema();
        this.resolver = schema.getScalarResolver();
        this.settings = LoadSettings.builder()
                .setSchema(schema)
                .setLabel("job")
                .setCodePointLimit(Integer.MAX_VALUE)
                .build();
    }

    Document read() {
        try {
            for (Event event : new Parse(settings).parseString(text)) {
                take(event);
            }
            if (tree.root() == null || isNothing(tree.root())) {
                tree.flaw(Place.TOP, "empty");
            }
        } catch (Tree.Broken broken) {
            tree.flaws().add(broken.flaw());
        } catch (MarkedYamlEngineException broken) {
            Place place = broken.getProblemMark().map(this::place).orElse(Place.TOP);
            if (place.start() >= text.length() - 1) {
                // what never ends is to be mended where it begins
                place = broken.getContextMark().map(this::place).orElse(place);
            }
            tree.flaw(place, "syntax", tree.quotable(said(broken.getProblem())));
        } catch (YamlEngineException broken) {
            tree.flaw(Place.TOP, "syntax", "");
        }
        return tree.document(text);
    }

    /** The parser's own words, of which the first line says it. */
    private static String said(@Nullable String problem) {
        return problem == null ? "" : problem.lines().findFirst().orElse("");
    }

    private static boolean isNothing(Item item) {
        return item instanceof Scalar scalar && scalar.value() == null;
    }

    private void take(Event event) {
        switch (event) {
            case DocumentStartEvent start -> document(start);
            case AliasEvent alias -> alias(alias);
            case ScalarEvent scalar -> scalar(scalar);
            case CollectionStartEvent start -> begin(start);
            case CollectionEndEvent end -> tree.end(offset(mark(end.getEndMark())));
            default -> {
                // the beginning and the end of the stream, the end of a document
            }
        }
    }

    private void document(DocumentStartEvent start) {
        documents++;
        if (documents > 1) {
            throw tree.broken(place(mark(start.getStartMark())), "severalDocuments");
        }
    }

    private void alias(AliasEvent alias) {
        Place place = place(alias);
        if (tree.wantsKey()) {
            throw tree.broken(place, "keyNoText");
        }
        tree.alias(alias.getAlias().getValue(), place);
    }

    private void scalar(ScalarEvent event) {
        String anchor = event.getAnchor().map(Anchor::getValue).orElse(null);
        Place place = place(event);
        refuseTag(event.getTag(), place);
        Object value = event.isPlain() ? resolved(event.getValue()) : event.getValue();
        if (!tree.wantsKey()) {
            tree.scalar(new Scalar(place, value, event.getValue()), anchor);
        } else if (event.isPlain() && event.getValue().equals("<<")) {
            tree.mergeKey(place);
        } else {
            if (!(value instanceof String)) {
                tree.flaw(place, "keyNoText");
            }
            tree.key(event.getValue(), place);
        }
    }

    private void begin(CollectionStartEvent event) {
        String anchor = event.getAnchor().map(Anchor::getValue).orElse(null);
        Place place = place(event);
        refuseTag(event.getTag(), place);
        if (tree.wantsKey()) {
            throw tree.broken(place, "keyNoText");
        }
        tree.begin(place, event instanceof MappingStartEvent, anchor);
    }

    private void refuseTag(Optional<String> tag, Place place) {
        tag.ifPresent(name -> tree.flaw(place, "tag", tree.quotable(name.replace(Tag.PREFIX, "!!"))));
    }

    private @Nullable Object resolved(String plain) {
        if (plain.length() > MOST_DIGITS) {
            return plain;
        }
        Tag tag = resolver.resolve(plain, true);
        if (tag.equals(Tag.NULL)) {
            return null;
        }
        if (tag.equals(Tag.BOOL)) {
            return plain.equalsIgnoreCase("true");
        }
        if (tag.equals(Tag.INT)) {
            return integer(plain);
        }
        return tag.equals(Tag.FLOAT) ? decimal(plain) : plain;
    }

    private static Number integer(String plain) {
        boolean negative = plain.startsWith("-");
        String digits = negative || plain.startsWith("+") ? plain.substring(1) : plain;
        int radix = digits.startsWith("0x") ? 16 : digits.startsWith("0o") ? 8 : 10;
        var value = new BigInteger(radix == 10 ? digits : digits.substring(2), radix);
        return narrow(negative ? value.negate() : value);
    }

    /** The narrowest type, as Jackson reads it back from the store. */
    static Number narrow(BigInteger value) {
        if (value.bitLength() < Integer.SIZE) {
            return value.intValueExact();
        }
        return value.compareTo(LEAST_LONG) >= 0 && value.compareTo(MOST_LONG) <= 0 ? value.longValueExact() : value;
    }

    private static Object decimal(String plain) {
        // what is no number in JSON stays a text
        return plain.toLowerCase(Locale.ROOT).matches("[-+]?\\.(inf|nan)") ? plain : finite(plain);
    }

    private static Object finite(String plain) {
        double value = Double.parseDouble(plain);
        return Double.isFinite(value) ? (Object) value : plain;
    }

    private static Mark mark(Optional<Mark> mark) {
        return mark.orElseThrow(); // settings keep marks on
    }

    private Place place(Event event) {
        Mark start = mark(event.getStartMark());
        return new Place(start.getLine() + 1, start.getColumn() + 1, offset(start), offset(mark(event.getEndMark())));
    }

    private Place place(Mark mark) {
        return new Place(mark.getLine() + 1, mark.getColumn() + 1, offset(mark), offset(mark));
    }

    /** The parser counts code points; null where those are chars. */
    private static int @Nullable [] offsets(String text) {
        int count = text.codePointCount(0, text.length());
        if (count == text.length()) {
            return null;
        }
        int[] offsets = new int[count + 1];
        for (int i = 0; i < count; i++) {
            offsets[i + 1] = offsets[i] + Character.charCount(text.codePointAt(offsets[i]));
        }
        return offsets;
    }

    private int offset(Mark mark) {
        return offsets == null ? mark.getIndex() : offsets[mark.getIndex()];
    }
}
