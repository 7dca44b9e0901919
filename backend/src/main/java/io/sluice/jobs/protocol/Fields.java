package io.sluice.jobs.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.jobs.protocol.document.Item;
import io.sluice.jobs.protocol.document.Item.Entry;
import io.sluice.jobs.protocol.document.Item.Mapping;
import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import io.sluice.jobs.protocol.document.Item.Sequence;
import io.sluice.jobs.protocol.document.Nearness;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one object: each is asked for by name and type, what is wrong becomes a fault, and {@link #close} finds
 * those that nobody asked for. A field with a fault reads as if it were absent.
 */
final class Fields {
    /** What a name may be made of. */
    enum Shape {
        V1_NAME("(?=.*[A-Za-z0-9])[A-Za-z0-9\\-._]+", "A-Z a-z 0-9 - . _"),
        V1_LABEL("(?=.*[A-Za-z0-9])[A-Za-z0-9._~]+", "A-Z a-z 0-9 . _ ~"),
        V2_NAME("[a-zA-Z0-9_-]+", "A-Z a-z 0-9 _ -"),
        V2_KEY("[a-zA-Z_][a-zA-Z0-9_]*", "A-Z a-z 0-9 _"),
        ENDPOINT("[a-z][a-z0-9-]{0,31}", "a-z 0-9 -");

        static final int LONGEST = 255;
        private final Pattern pattern;
        private final String characters;

        Shape(String pattern, String characters) {
            this.pattern = Pattern.compile(pattern);
            this.characters = characters;
        }
    }

    /** One item of a list, or one value of an object whose keys are names. */
    record Child(String name, Place place, Item item, String path) {}

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> OTHER_PROTOCOL = Map.ofEntries(
            Map.entry("jobName", "name"),
            Map.entry("name", "jobName"),
            Map.entry("retryCount", "jobRetryCount"),
            Map.entry("jobRetryCount", "retryCount"),
            Map.entry("image", "dockerImage"),
            Map.entry("dockerImage", "image"),
            Map.entry("taskNumber", "instances"),
            Map.entry("instances", "taskNumber"),
            Map.entry("cpuNumber", "cpu"),
            Map.entry("cpu", "cpuNumber"),
            Map.entry("gpuNumber", "gpu"),
            Map.entry("gpu", "gpuNumber"),
            Map.entry("command", "commands"),
            Map.entry("commands", "command"),
            Map.entry("minFailedTaskCount", "minFailedInstances"),
            Map.entry("minFailedInstances", "minFailedTaskCount"),
            Map.entry("minSucceededTaskCount", "minSucceededInstances"),
            Map.entry("minSucceededInstances", "minSucceededTaskCount"));

    private final Mapping mapping;
    private final String path;
    private final Faults faults;
    private final boolean lenient;
    private final Set<String> known = new LinkedHashSet<>();

    private Fields(Mapping mapping, String path, Faults faults, boolean lenient) {
        this.mapping = mapping;
        this.path = path;
        this.faults = faults;
        this.lenient = lenient;
    }

    /** @param lenient numbers may come as texts, as the server of protocol 1 took them */
    static Fields of(Mapping mapping, Faults faults, boolean lenient) {
        return new Fields(mapping, "", faults, lenient);
    }

    Place place() {
        return mapping.place();
    }

    Mapping mapping() {
        return mapping;
    }

    String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    void fault(String key, String fault, Object... values) {
        Entry entry = mapping.entry(key);
        faults.add(entry == null ? place() : entry.value().place(), path(key), fault, values);
    }

    boolean has(String key) {
        return mapping.entry(key) != null;
    }

    void require(String... keys) {
        for (String key : keys) {
            if (!has(key)) {
                faults.add(place(), path(key), "missing", key);
            }
        }
    }

    @Nullable
    String text(String key) {
        Item item = find(key);
        return item == null ? null : text(item, path(key));
    }

    String text(String key, String otherwise) {
        String text = text(key);
        return text == null ? otherwise : text;
    }

    @Nullable
    String name(String key, Shape shape) {
        String name = text(key);
        return name != null && check(name, shape, path(key), find(key)) ? name : null;
    }

    @Nullable
    String name(Child child, Shape shape) {
        String name = text(child);
        return name != null && check(name, shape, child.path(), child.item()) ? name : null;
    }

    /** A text, or a number that is meant as one. */
    @Nullable
    String version(String key) {
        return switch (find(key)) {
            case Scalar(Place place, Number value, String text) -> text;
            case null -> null;
            case Item item -> text(item, path(key));
        };
    }

    @Nullable
    Integer integer(String key, int least, int most) {
        Item item = find(key);
        BigInteger value = item == null ? null : number(item, path(key));
        if (value == null) {
            return null;
        }
        if (value.compareTo(BigInteger.valueOf(least)) < 0 || value.compareTo(BigInteger.valueOf(most)) > 0) {
            fault(key, "outside", brief(value.toString()), Integer.toString(least), Integer.toString(most));
            return null;
        }
        return value.intValueExact();
    }

    int integer(String key, int least, int most, int otherwise) {
        Integer value = integer(key, least, most);
        return value == null ? otherwise : value;
    }

    boolean isNull(String key) {
        return peek(key) instanceof Scalar(Place place, Object value, String text) && value == null;
    }

    /** Asks for a field without reading it. */
    void known(String key) {
        known.add(key);
    }

    boolean flag(String key, boolean otherwise) {
        Item item = find(key);
        if (item == null) {
            return otherwise;
        }
        if (item instanceof Scalar scalar && scalar.value() instanceof Boolean value) {
            return value;
        }
        wrong(item, path(key), "notFlag");
        return otherwise;
    }

    @Nullable
    String choice(String key, List<String> choices) {
        String text = text(key);
        if (text == null || choices.contains(text)) {
            return text;
        }
        fault(key, "choice", brief(text), String.join(", ", choices));
        return null;
    }

    List<String> texts(String key, int least) {
        var texts = new ArrayList<String>();
        for (Child child : list(key, least)) {
            String text = text(child.item(), child.path());
            if (text != null) {
                texts.add(text);
            }
        }
        return texts;
    }

    List<Child> list(String key, int least) {
        Item item = find(key);
        if (item == null) {
            return List.of();
        }
        if (!(item instanceof Sequence sequence)) {
            wrong(item, path(key), "notList");
            return List.of();
        }
        if (sequence.items().size() < least) {
            faults.add(item.place(), path(key), "emptyList");
        }
        var children = new ArrayList<Child>();
        for (Item element : sequence.items()) {
            String index = "[" + children.size() + "]";
            children.add(new Child(index, element.place(), element, path(key) + index));
        }
        return children;
    }

    @Nullable
    Fields object(String key) {
        Item item = find(key);
        return item == null ? null : object(item, path(key));
    }

    @Nullable
    Fields object(Child child) {
        return object(child.item(), child.path());
    }

    /** The values of an object whose keys are names. */
    List<Child> children(String key, int least) {
        Fields fields = object(key);
        if (fields == null) {
            return List.of();
        }
        if (fields.mapping.entries().size() < least) {
            faults.add(fields.place(), fields.path, "emptyObject");
        }
        return fields.mapping.entries().stream()
                .map(entry -> new Child(entry.key(), entry.place(), entry.value(), fields.path(entry.key())))
                .toList();
    }

    boolean check(Child child, Shape shape) {
        return check(child.name(), shape, child.path(), new Scalar(child.place(), child.name(), child.name()));
    }

    /** A free object. */
    Map<String, @Nullable Object> free(String key) {
        Fields fields = object(key);
        return fields == null ? Map.of() : fields.mapping.plain();
    }

    @Nullable
    String text(Child child) {
        return text(child.item(), child.path());
    }

    /** The fields that nobody asked for yet, as they are. */
    Map<String, @Nullable Object> unasked() {
        var rest = new LinkedHashMap<String, @Nullable Object>();
        for (Entry entry : mapping.entries()) {
            if (!known.contains(entry.key())) {
                rest.put(entry.key(), entry.value().plain());
            }
        }
        return rest;
    }

    @Nullable
    BigInteger number(Child child) {
        return number(child.item(), child.path());
    }

    /** Every field that was never asked for is a fault. */
    void close() {
        for (Entry entry : mapping.entries()) {
            if (!known.contains(entry.key())) {
                unknown(entry, faults.isFull() ? null : near(entry.key()));
            }
        }
    }

    private @Nullable String near(String key) {
        String other = OTHER_PROTOCOL.getOrDefault(key, "");
        return known.contains(other) ? other : Nearness.of(key, known);
    }

    private void unknown(Entry entry, @Nullable String near) {
        String fields = String.join(", ", known);
        if (near == null) {
            faults.add(entry.place(), path(entry.key()), "unknown", brief(entry.key()), fields);
        } else {
            faults.withdraw(path(near), "missing");
            faults.add(entry.place(), path(entry.key()), "unknown.near", brief(entry.key()), near, fields);
        }
    }

    /** What a process sees of a value. */
    static String variable(Item item) {
        try {
            return item instanceof Scalar scalar
                    ? (scalar.value() == null ? "" : scalar.text())
                    : JSON.writeValueAsString(item.plain());
        } catch (JsonProcessingException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** The server only asked for one letter or digit; an equals sign would end the name. */
    static boolean isVariable(String name) {
        return name.indexOf('=') < 0 && name.indexOf(0) < 0 && name.chars().anyMatch(Fields::isWord);
    }

    private static boolean isWord(int c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || c == '_');
    }

    boolean isText(String key) {
        return peek(key) instanceof Scalar(Place place, String value, String text);
    }

    static String brief(String value) {
        return value.length() <= 60 ? value : value.substring(0, 57) + "…";
    }

    private @Nullable Item find(String key) {
        known.add(key);
        return peek(key);
    }

    private @Nullable Fields object(Item item, String at) {
        if (item instanceof Mapping object) {
            return new Fields(object, at, faults, lenient);
        }
        wrong(item, at, "notObject");
        return null;
    }

    private @Nullable String text(Item item, String at) {
        if (item instanceof Scalar scalar && scalar.value() instanceof String text) {
            return text;
        }
        wrong(item, at, "notText");
        return null;
    }

    private @Nullable Item peek(String key) {
        Entry entry = mapping.entry(key);
        return entry == null ? null : entry.value();
    }

    private @Nullable BigInteger number(Item item, String at) {
        Object value = item instanceof Scalar scalar ? scalar.value() : null;
        BigInteger number = switch (value) {
            case Integer small -> BigInteger.valueOf(small);
            case Long large -> BigInteger.valueOf(large);
            case BigInteger huge -> huge;
            case Double real
            when real == Math.rint(real) && Math.abs(real) < 1e15 -> BigInteger.valueOf(real.longValue());
            case String text when lenient && text.strip().matches("[-+]?[0-9]{1,18}") -> new BigInteger(text.strip());
            case null, default -> null;
        };
        if (number == null) {
            wrong(item, at, "notInteger");
        }
        return number;
    }

    private boolean check(String name, Shape shape, String at, @Nullable Item item) {
        Place place = item == null ? place() : item.place();
        if (name.length() > Shape.LONGEST) {
            faults.add(place, at, "tooLong", Integer.toString(name.length()), Integer.toString(Shape.LONGEST));
            return false;
        }
        if (!shape.pattern.matcher(name).matches()) {
            faults.add(place, at, shape == Shape.V2_KEY ? "key" : "name", brief(name), shape.characters);
            return false;
        }
        return true;
    }

    private void wrong(Item item, String at, String fault) {
        boolean nothing = item instanceof Scalar scalar && scalar.value() == null;
        faults.add(item.place(), at, nothing ? "noValue" : fault);
    }
}
