package io.sluice.jobs.overview;

import io.sluice.jobs.Job;
import io.sluice.jobs.Job.State;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.lists.Lists;
import io.sluice.jobs.lists.Lists.Place;
import io.sluice.jobs.lists.Lists.Sort;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a list shows, as its address has it: {@code ?user=&state=&vc=&priority=&tag=&q=&sort=&after=}. Empty text is no condition.
 *
 * @param page {@code after=KEY} or {@code before=KEY}, empty: the first
 */
public record ListQuery(
        String user,
        String state,
        String cluster,
        String priority,
        String tag,
        String search,
        String sort,
        String page) {
    public static final ListQuery ALL = new ListQuery("", "", "", "", "", "", "", "");
    public static final List<String> PRIORITIES = List.of("crit", "prod", "test", "default", "oppo");

    /** The chips: OpenPAI's states, those together that hold machines. */
    public static final Map<String, Set<State>> STATES = chips();

    private static final Set<String> BOUNDED = Set.of("running", "waiting");
    private static final int LONGEST = 200;

    private static Map<String, Set<State>> chips() {
        Map<String, Set<State>> chips = new LinkedHashMap<>();
        chips.put("running", Set.of(State.RUNNING, State.STOPPING, State.UNKNOWN));
        chips.put("waiting", Set.of(State.WAITING));
        chips.put("failed", Set.of(State.FAILED));
        chips.put("succeeded", Set.of(State.SUCCEEDED));
        chips.put("stopped", Set.of(State.STOPPED));
        return Collections.unmodifiableMap(chips);
    }

    static ListQuery of(Call call) {
        String page = text(call, "before").isEmpty()
                ? text(call, "after").isEmpty() ? "" : "after=" + text(call, "after")
                : "before=" + text(call, "before");
        var query = new ListQuery(
                text(call, "user"),
                text(call, "state"),
                text(call, "vc"),
                text(call, "priority"),
                text(call, "tag"),
                text(call, "q"),
                text(call, "sort"),
                page);
        known("state", query.state, List.copyOf(STATES.keySet()));
        known("priority", query.priority, PRIORITIES);
        known("sort", query.sort, query.sorts());
        return query;
    }

    private static String text(Call call, String name) {
        String text = call.query(name).orElse("").replaceAll("\\p{Cntrl}", "").strip();
        if (text.length() > LONGEST) {
            throw Problem.invalid(name + " may have " + LONGEST + " characters.");
        }
        return text;
    }

    private static void known(String name, String value, List<String> allowed) {
        if (!value.isEmpty() && !allowed.contains(value)) {
            throw Problem.invalid(name + " is one of " + String.join(", ", allowed) + ", not " + value + ".");
        }
    }

    /** In which orders this list can be shown. */
    private List<String> sorts() {
        return Arrays.stream(Sort.values())
                .filter(this::sorts)
                .map(ListQuery::word)
                .toList();
    }

    /** The same for somebody to choose from: by users only who sees those of several. */
    public List<Sort> orders(boolean ofSeveral) {
        return Arrays.stream(Sort.values())
                .filter(this::sorts)
                .filter(sort -> ofSeveral || sort != Sort.USER)
                .toList();
    }

    /** Whether this list can be shown in an order. */
    public boolean sorts(Sort sort) {
        return switch (sort) {
            case NEWEST, OLDEST, NAME, NAME_BACK -> true;
            case USER -> user.isEmpty();
            case STATE -> state.isEmpty();
            case DEVICES, TASKS, PRIORITY -> BOUNDED.contains(state);
            case LONGEST, SHORTEST -> state.equals("running");
            case TOOK_LONGEST, TOOK_SHORTEST -> !state.isEmpty() && !BOUNDED.contains(state);
        };
    }

    public static String word(Sort sort) {
        return sort.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public Sort order() {
        return sort.isEmpty()
                ? Sort.NEWEST
                : Sort.valueOf(sort.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    Place place() {
        boolean before = page.startsWith("before=");
        return new Place(order(), before, page.isEmpty() ? null : page.substring(page.indexOf('=') + 1));
    }

    JobFilter filter() {
        return lasting().in(states()).tagged(one(tag)).naming(search.isEmpty() ? null : search);
    }

    /** Without what can change of a job; its tags are searched too. */
    JobFilter lasting() {
        return new JobFilter(one(user), one(cluster), Set.of(), null, Set.of(), Set.of(), one(priority));
    }

    /** All of the user, or of everybody: what the chips count. */
    JobFilter ofUser() {
        return user.isEmpty() ? JobFilter.ALL : JobFilter.ALL.of(user);
    }

    private Set<State> states() {
        return state.isEmpty() ? Set.of() : STATES.getOrDefault(state, Set.of());
    }

    private static Set<String> one(String value) {
        return value.isEmpty() ? Set.of() : Set.of(value);
    }

    /** Whether a job of {@link #lasting} is in this list now. */
    boolean shows(Job job) {
        return (state.isEmpty() || states().contains(job.state()))
                && (tag.isEmpty() || job.tags().contains(tag))
                && Lists.finds(search, job);
    }

    public boolean isFirst() {
        return page.isEmpty();
    }

    public boolean isPlain() {
        return equals(ALL);
    }

    public boolean isFiltered() {
        return !withSort("").withPage("").equals(ALL);
    }

    public ListQuery withUser(String other) {
        return new ListQuery(other, state, cluster, priority, tag, search, sort, "").inItsOrder();
    }

    public ListQuery withState(String other) {
        return new ListQuery(user, other, cluster, priority, tag, search, sort, "").inItsOrder();
    }

    /** An order that this list can not have is left. */
    private ListQuery inItsOrder() {
        return sorts(order()) ? this : withSort("");
    }

    public ListQuery withTag(String other) {
        return new ListQuery(user, state, cluster, priority, other, search, sort, "");
    }

    public ListQuery withSort(String other) {
        return new ListQuery(user, state, cluster, priority, tag, search, other, "");
    }

    public ListQuery withSort(Sort other) {
        return withSort(other == Sort.NEWEST ? "" : word(other));
    }

    ListQuery withPage(String other) {
        return new ListQuery(user, state, cluster, priority, tag, search, sort, other);
    }

    public String link() {
        return "/jobs" + query();
    }

    /** With its question mark, if it has anything. */
    public String query() {
        String fields = Stream.of(
                        field("user", user),
                        field("state", state),
                        field("vc", cluster),
                        field("priority", priority),
                        field("tag", tag),
                        field("q", search),
                        field("sort", sort),
                        page.isEmpty()
                                ? ""
                                : field(page.substring(0, page.indexOf('=')), page.substring(page.indexOf('=') + 1)))
                .filter(field -> !field.isEmpty())
                .collect(Collectors.joining("&"));
        return fields.isEmpty() ? "" : "?" + fields;
    }

    private static String field(String name, @Nullable String value) {
        return value == null || value.isEmpty() ? "" : name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
