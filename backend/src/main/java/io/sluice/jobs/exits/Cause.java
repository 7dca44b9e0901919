package io.sluice.jobs.exits;

import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a task ended: a code of the catalogue, and the line that tells, where one does. Only a task that failed is looked
 * into: what a program prints never turns its success into anything else.
 *
 * @param name of the rule that recognised it, null: the code says all there is
 * @param values go into the text {@link #reasonKey}
 * @param match where in the tail it stands
 */
public record Cause(
        int code,
        ExitSpec spec,
        @Nullable String name,
        List<String> values,
        @Nullable Match match) {
    /** Bytes of the tail, from its first one. */
    public record Match(int start, int end) {}

    private static final int LOOKED_AT = 16 * 1024;
    private static final int LONGEST_LINE = 2000;
    private static final int LONGEST_VALUE = 200;

    /** Exit codes that a shell gives for the signals that the catalogue knows, and Docker's 128. */
    private static final Set<Integer> TAKEN_AS_THEY_ARE = Set.of(128, 130, 131, 132, 134, 135, 136, 137, 139, 141, 143);

    /** Signals that a program brings upon itself; its last words tell why. */
    private static final Set<Integer> OWN_FAULT = Set.of(132, 134, 135, 136, 139, 141);

    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    private static final List<Rule> RULES =
            Lines.of("causes.txt").stream().map(Rule::parse).toList();

    private enum Tier {
        ROOT,
        ERROR,
        SIGN,
        /** Not of the output: of what an engine says that does not start a task. */
        REFUSAL
    }

    private record Rule(String name, Tier tier, int code, Pattern pattern) {
        static Rule parse(String row) {
            String[] cells = row.split("\\|", 4);
            return new Rule(
                    cells[0],
                    Tier.valueOf(cells[1].toUpperCase(Locale.ROOT)),
                    Integer.parseInt(cells[2]),
                    Pattern.compile(cells[3]));
        }
    }

    private record Found(Rule rule, int start, int end, String value) {}

    public Cause {
        values = List.copyOf(values);
    }

    /**
     * How a task's process ended, as its engine saw it.
     *
     * @param outOfMemory the engine knows that its memory limit killed it
     * @param tail the end of its output; of more than 16 KiB the last 16 are looked at
     */
    public static Cause of(@Nullable Integer exitCode, @Nullable Integer signal, boolean outOfMemory, byte[] tail) {
        if (signal == null && exitCode != null && exitCode == ExitCatalogue.SUCCEEDED) {
            return plain(ExitCatalogue.SUCCEEDED);
        }
        if (outOfMemory) {
            return plain(ExitCatalogue.OUT_OF_MEMORY);
        }
        if (exitCode != null && exitCode < 0) {
            return plain(exitCode);
        }
        int code = signal != null ? 128 + signal : exitCode == null ? ExitCatalogue.NOT_RECOGNISED : exitCode;
        if (TAKEN_AS_THEY_ARE.contains(code) && !OWN_FAULT.contains(code)) {
            return plain(code);
        }
        return told(code, search(tail));
    }

    /** Why an engine did not start a task, as it said. */
    public static Cause refused(int code, String message) {
        return RULES.stream()
                .filter(rule -> rule.tier() == Tier.REFUSAL && rule.code() == code)
                .map(rule -> kept(code, rule.name(), message))
                .filter(cause -> cause.name() != null)
                .findFirst()
                .orElseGet(() -> plain(code));
    }

    private static Cause told(int code, Map<Tier, Found> found) {
        Found root = found.get(Tier.ROOT);
        if (root != null) {
            return of(root);
        }
        if (OWN_FAULT.contains(code)) {
            return plain(code);
        }
        Found error = found.getOrDefault(Tier.ERROR, found.get(Tier.SIGN));
        if (error != null) {
            return of(error);
        }
        return switch (code) {
            case NOT_FOUND -> plain(rule("command").code());
            case NOT_EXECUTABLE -> plain(rule("permission").code());
            default -> plain(ExitCatalogue.NOT_RECOGNISED);
        };
    }

    private static Rule rule(String name) {
        return RULES.stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Cause plain(int code) {
        return new Cause(code, ExitCatalogue.of(code), null, List.of(), null);
    }

    private static Cause of(Found found) {
        int code = found.rule().code();
        return new Cause(
                code,
                ExitCatalogue.of(code),
                found.rule().name(),
                List.of(found.value()),
                new Match(found.start(), found.end()));
    }

    /** As it was kept: the code, the rule that recognised it and the line that told. */
    public static Cause kept(int code, @Nullable String rule, @Nullable String line) {
        if (rule == null || line == null) {
            return plain(code);
        }
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return RULES.stream()
                .filter(known -> known.name().equals(rule))
                .map(known -> last(known, text, lines(text), 0, bytes))
                .filter(Objects::nonNull)
                .findFirst()
                .map(Cause::of)
                .orElseGet(() -> plain(code)); // a rule of another version
    }

    /** The text that says why, in the reader's language. */
    public String reasonKey() {
        return name == null ? ExitCatalogue.reasonKey(code) : "exit.cause." + name;
    }

    /** The texts that say what to do. */
    public List<String> solutionKeys() {
        return ExitCatalogue.solutionKeys(code);
    }

    /** In English, for the API. */
    public String reason() {
        return values.isEmpty()
                ? spec.reason()
                : new MessageFormat(Lines.english(reasonKey()), Locale.ENGLISH).format(values.toArray());
    }

    /** The first root that matches at its last place, and of the errors and signs the last. */
    private static Map<Tier, Found> search(byte[] tail) {
        int from = Math.max(0, tail.length - LOOKED_AT);
        // one char for each byte, so that places in the text are places in the output
        String text = new String(tail, from, tail.length - from, StandardCharsets.ISO_8859_1);
        var lines = lines(text);
        var found = new HashMap<Tier, Found>();
        for (Rule rule : RULES) {
            if (rule.tier() == Tier.REFUSAL) {
                continue;
            }
            Found last = last(rule, text, lines, from, tail);
            if (last != null && (rule.tier() != Tier.ROOT || !found.containsKey(Tier.ROOT))) {
                found.merge(rule.tier(), last, (one, other) -> other.start() > one.start() ? other : one);
            }
        }
        return found;
    }

    /** Start and end of each; a progress bar's carriage return ends one too. */
    private static List<int[]> lines(String text) {
        var lines = new ArrayList<int[]>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == '\n' || text.charAt(i) == '\r') {
                if (i > start) {
                    lines.add(new int[] {start, Math.min(i, start + LONGEST_LINE)});
                }
                start = i + 1;
            }
        }
        return lines;
    }

    private static @Nullable Found last(Rule rule, String text, List<int[]> lines, int from, byte[] tail) {
        Matcher matcher = rule.pattern().matcher(text);
        for (int[] line : lines.reversed()) {
            matcher.region(line[0], line[1]);
            if (matcher.find()) {
                return new Found(rule, from + line[0], from + line[1], value(matcher, tail, from));
            }
        }
        return null;
    }

    /** What the rule picks out, else all that it matched. */
    private static String value(Matcher matcher, byte[] tail, int from) {
        int group = 0;
        for (int i = 1; i <= matcher.groupCount() && group == 0; i++) {
            group = matcher.start(i) < 0 ? 0 : i;
        }
        int start = from + matcher.start(group);
        int length = Math.min(matcher.end(group) - matcher.start(group), LONGEST_VALUE);
        return new String(tail, start, length, StandardCharsets.UTF_8).strip();
    }

    /** Every name that a rule gives. */
    static List<String> names() {
        return RULES.stream().map(rule -> Objects.requireNonNull(rule.name())).toList();
    }
}
