package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What of a job somebody looks at. All of it stands in the address, so that a colleague who gets the link sees the same.
 *
 * @param job its key
 * @param attempt null: the present one, also when that becomes another
 * @param role of the task that is chosen, with {@code index}; null: whichever tells most
 * @param run the attempt of that task, null: its newest
 * @param state only tasks in it
 * @param from the number of the first task that is shown
 * @param warnings only these events
 * @param before only events older than this one
 */
public record Look(
        String job,
        Tab tab,
        @Nullable Integer attempt,
        @Nullable String role,
        @Nullable Integer index,
        @Nullable Integer run,
        Job.@Nullable State state,
        int from,
        boolean warnings,
        @Nullable Long before) {

    /** The parts of the page. */
    public enum Tab {
        NOW,
        TASKS,
        HISTORY,
        CONFIG;

        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Look of(String job, Call call) {
        String role = call.query("role").filter(name -> !name.isEmpty()).orElse(null);
        return new Look(
                job,
                one(Tab.values(), call, "tab").orElse(Tab.NOW),
                number(call, "attempt"),
                role,
                role == null ? null : Optional.ofNullable(number(call, "index")).orElse(0),
                role == null ? null : number(call, "try"),
                one(Job.State.values(), call, "state").orElse(null),
                Optional.ofNullable(number(call, "from")).orElse(0),
                call.query("warnings").isPresent(),
                call.query("before")
                        .filter(digits -> digits.matches("\\d{1,18}"))
                        .map(Long::valueOf)
                        .orElse(null));
    }

    private static <E extends Enum<E>> Optional<E> one(E[] values, Call call, String name) {
        String text = call.query(name).orElse("");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Stream.of(values)
                .filter(value -> value.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> Problem.invalid("There is no " + name + " called so. Choose one of "
                        + List.of(values).toString().toLowerCase(Locale.ROOT) + ".")));
    }

    private static @Nullable Integer number(Call call, String name) {
        String text = call.query(name).orElse("");
        if (text.isEmpty()) {
            return null;
        }
        if (!text.matches("\\d{1,9}")) {
            throw Problem.invalid("The " + name + " in the address must be a whole number from 0.");
        }
        return Integer.valueOf(text);
    }

    /** The same attempt and task in another part of the page. */
    public Look on(Tab tab) {
        return new Look(job, tab, attempt, role, index, run, null, 0, false, null);
    }

    public Look of(@Nullable Integer attempt) {
        return new Look(job, tab, attempt, null, null, null, null, 0, false, null);
    }

    public Look at(@Nullable String role, @Nullable Integer index, @Nullable Integer run) {
        return new Look(job, tab, attempt, role, index, run, state, from, false, null);
    }

    public Look in(Job.@Nullable State state) {
        return new Look(job, tab, attempt, null, null, null, state, 0, false, null);
    }

    public Look from(int from) {
        return new Look(job, tab, attempt, role, index, run, state, from, false, null);
    }

    public Look warned(boolean only) {
        return new Look(job, tab, attempt, role, index, run, null, 0, only, null);
    }

    public Look before(long event) {
        return new Look(job, tab, attempt, role, index, run, null, 0, warnings, event);
    }

    public boolean chose(String role, int index) {
        return role.equals(this.role) && Integer.valueOf(index).equals(this.index);
    }

    /** The address of this look. */
    public String path() {
        return "/jobs/" + job + query("");
    }

    /** Where a form on this page goes; it comes back to this look. */
    public String path(String action) {
        return "/jobs/" + job + "/" + action + query("");
    }

    public String live(String cursor) {
        return "/live/jobs/" + job + query("since=" + cursor);
    }

    String panel(String name, int attempt, String role, int index, int run) {
        return "/jobs/" + job + "/panels/" + name + "?attempt=" + attempt + "&role=" + encoded(role) + "&index=" + index
                + "&try=" + run;
    }

    private String query(String more) {
        List<String> fields = new ArrayList<>();
        if (tab != Tab.NOW) {
            fields.add("tab=" + tab.key());
        }
        add(fields, "attempt", attempt);
        add(fields, "role", role == null ? null : encoded(role));
        add(fields, "index", index);
        add(fields, "try", run);
        add(fields, "state", state == null ? null : state.name().toLowerCase(Locale.ROOT));
        add(fields, "from", from == 0 ? null : from);
        add(fields, "warnings", warnings ? "only" : null);
        add(fields, "before", before);
        if (!more.isEmpty()) {
            fields.add(more);
        }
        return fields.isEmpty() ? "" : "?" + String.join("&", fields);
    }

    private static void add(List<String> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.add(name + "=" + value);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
