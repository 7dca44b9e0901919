package io.sluice.jobs.overview;

import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.sluice.web.View.Note;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a virtual cluster's form that is about jobs whose devices do nothing.
 *
 * @param typed by field
 */
public record IdleForm(Map<String, String> typed) {
    private static final String OFF = "off";
    private static final String YES = "true";
    private static final List<String> FIELDS = List.of(
            "then", "minutes", "utilisation", "memory", "quiet", "unused", "patience", "keepHours", "mail", "webhook");

    public IdleForm {
        typed = Map.copyOf(typed);
    }

    /** Without a rule its fields stand at what is usual, should somebody want one. */
    static IdleForm of(@Nullable IdleRule rule, String secret) {
        IdleRule shown = rule == null ? IdleRule.USUAL : rule;
        Map<String, String> typed = new HashMap<>();
        typed.put("then", rule == null ? OFF : rule.then().name().toLowerCase(Locale.ROOT));
        typed.put("minutes", Integer.toString(shown.minutes()));
        typed.put("utilisation", Integer.toString(shown.utilisation()));
        typed.put("memory", shown.memory() == null ? "" : shown.memory().toString());
        typed.put("quiet", shown.quiet() ? YES : "");
        typed.put("unused", shown.unused() ? YES : "");
        typed.put("patience", Integer.toString(shown.patience()));
        typed.put("keepHours", Integer.toString(shown.keepHours()));
        typed.put("mail", shown.mail() ? YES : "");
        typed.put("webhook", shown.webhook() == null ? "" : shown.webhook());
        typed.put("secret", rule == null || rule.webhook() == null ? "" : secret);
        return new IdleForm(typed);
    }

    /** @param field what was typed into a field of this name */
    static IdleForm typed(UnaryOperator<String> field) {
        Map<String, String> typed = new HashMap<>();
        FIELDS.forEach(name -> typed.put(name, field.apply("idle." + name)));
        return new IdleForm(typed);
    }

    public String of(String name) {
        return typed.getOrDefault(name, "");
    }

    public boolean is(String name) {
        return of(name).equals(YES);
    }

    public List<String> choices() {
        return List.of(OFF, "warn", "stop", "requeue");
    }

    /** Null: no rule is wanted. What is wrong is added to the faults. */
    @Nullable
    IdleRule read(Map<String, Note> faults) {
        String then = of("then");
        if (then.isEmpty() || then.equals(OFF)) {
            return null;
        }
        if (!choices().contains(then)) {
            faults.put("idle.then", Note.bad("fault.required"));
            return null;
        }
        String webhook = of("webhook");
        if (!webhook.isEmpty() && !IdleRule.isAddress(webhook)) {
            faults.put("idle.webhook", Note.bad("fault.idle.webhook"));
        }
        return new IdleRule(
                number("minutes", IdleRule.LEAST_MINUTES, IdleRule.MOST_MINUTES, faults),
                number("utilisation", 1, 100, faults),
                of("memory").isEmpty() ? null : (Integer) number("memory", 1, 100, faults),
                is("quiet"),
                is("unused"),
                Then.valueOf(then.toUpperCase(Locale.ROOT)),
                number("patience", 1, IdleRule.MOST_MINUTES, faults),
                number("keepHours", 1, IdleRule.MOST_KEEP_HOURS, faults),
                is("mail"),
                webhook.isEmpty() ? null : webhook);
    }

    private int number(String field, int least, int most, Map<String, Note> faults) {
        String text = of(field);
        int value = text.matches("\\d{1,6}") ? Integer.parseInt(text) : -1;
        if (value < least || value > most) {
            faults.put("idle." + field, Note.bad("fault.idle.number", least, most));
        }
        return value;
    }
}
