package io.sluice.jobs.overview;

import io.sluice.identity.grants.Grants.Holders;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.overview.ClusterPage.Form;
import io.sluice.web.Call;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was typed into the form of a virtual cluster, and what it means. */
record ClusterForm(Form typed, Map<String, Note> faults, Cluster cluster, Holders holders) {
    private static final String DEVICES = "devices.";
    private static final int LONGEST_NAMES = 100_000;

    /** @param name that it has already, null: it is typed */
    static ClusterForm of(Call call, @Nullable String name, List<String> types) {
        Map<String, String> devices = new TreeMap<>();
        types.forEach(type -> devices.put(type, line(call, DEVICES + type)));
        call.input().fieldNames().forEachRemaining(field -> {
            if (field.startsWith(DEVICES) && field.length() > DEVICES.length()) {
                devices.put(field.substring(DEVICES.length()), line(call, field));
            }
        });
        var typed = new Form(
                name == null ? line(call, "name") : name,
                name != null,
                line(call, "description"),
                line(call, "cpus"),
                line(call, "memory"),
                devices,
                line(call, "users"),
                line(call, "groups"),
                IdleForm.typed(field -> line(call, field)),
                Faults.NONE);
        return read(typed);
    }

    private static String line(Call call, String field) {
        return call.field(field).orElse("").replaceAll("\\p{Cntrl}", " ").strip();
    }

    private static ClusterForm read(Form typed) {
        Map<String, Note> faults = new HashMap<>();
        if (!Cluster.isName(typed.name())) {
            faults.put("name", Note.bad(typed.name().isEmpty() ? "fault.required" : "fault.cluster.name"));
        }
        if (typed.description().length() > Cluster.LONGEST_DESCRIPTION) {
            faults.put("description", Note.bad("fault.tooLong", Cluster.LONGEST_DESCRIPTION));
        }
        for (String field : List.of("users", "groups")) {
            if ((field.equals("users") ? typed.users() : typed.groups()).length() > LONGEST_NAMES) {
                faults.put(field, Note.bad("fault.tooLong", LONGEST_NAMES));
            }
        }
        Map<String, Integer> devices = new TreeMap<>();
        typed.devices().forEach((type, count) -> {
            Integer most = number(DEVICES + type, count, 1, false, faults);
            if (most != null) {
                devices.put(type, most);
            }
        });
        var cluster = new Cluster(
                typed.name(),
                typed.description(),
                number("cpus", typed.cpus(), 1, false, faults),
                number("memory", typed.memory(), 1024, true, faults),
                devices,
                false,
                typed.idle().read(faults));
        return new ClusterForm(typed, faults, cluster, new Holders(names(typed.users()), names(typed.groups())));
    }

    /** Null where nothing is typed, or nothing that is a number. */
    private static @Nullable Integer number(
            String field, String text, int unit, boolean fraction, Map<String, Note> faults) {
        if (text.isEmpty()) {
            return null;
        }
        if (text.matches(fraction ? "\\d{1,9}([.,]\\d{1,6})?" : "\\d{1,9}")) {
            var number = new BigDecimal(text.replace(',', '.'))
                    .multiply(BigDecimal.valueOf(unit))
                    .setScale(0, RoundingMode.HALF_UP);
            if (number.compareTo(BigDecimal.valueOf(Cluster.MOST)) <= 0) {
                return number.intValueExact();
            }
        }
        faults.put(field, Note.bad("fault.cluster.number"));
        return null;
    }

    private static List<String> names(String text) {
        return Stream.of(text.split("[,，\\s]+"))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    boolean isGood() {
        return faults.isEmpty();
    }

    /** With what is wrong said beside the fields. */
    Form refused(Map<String, Note> why) {
        return typed.refused(new Faults(why, null));
    }
}
