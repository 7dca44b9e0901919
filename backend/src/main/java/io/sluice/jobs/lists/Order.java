package io.sluice.jobs.lists;

import io.sluice.jobs.lists.Lists.Sort;
import java.util.List;
import java.util.stream.Collectors;

/** By what a list is ordered, in SQL: so that a part of it is one range of an index, or of a few. */
record Order(Sort sort, List<Term> terms) {
    /** How those that are not over come before those that are, where a list is ordered by its states. */
    static final List<String> STATES =
            List.of("RUNNING", "STOPPING", "UNKNOWN", "WAITING", "FAILED", "STOPPED", "SUCCEEDED");

    private static final String RANK =
            STATES.stream().collect(Collectors.joining("','", "array_position(ARRAY['", "'], shown)"));
    /** As the indexes have it. */
    private static final String LENGTH = "coalesce(completed - coalesce(launched, created), interval '0')";

    private static final String SINCE = "coalesce(launched, created, submitted)";

    record Term(String value, boolean falls) {}

    /** @param ofOne whether all jobs of the list are one user's */
    static Order of(Sort sort, boolean ofOne) {
        return new Order(
                sort,
                switch (sort) {
                    case NEWEST -> all(true, "submitted", "id");
                    case OLDEST -> all(false, "submitted", "id");
                    case NAME -> ofOne ? all(false, "user_name", "name") : all(false, "name", "user_name");
                    case NAME_BACK -> ofOne ? all(true, "user_name", "name") : all(true, "name", "user_name");
                    case USER -> newest("user_name");
                    case STATE -> newest(RANK);
                    case DEVICES -> all(true, "devices", "id");
                    case TASKS -> all(true, "tasks", "id");
                    case PRIORITY -> all(true, "priority", "id");
                    case LONGEST -> all(false, SINCE, "id");
                    case SHORTEST -> all(true, SINCE, "id");
                    case TOOK_LONGEST -> all(true, LENGTH, "id");
                    case TOOK_SHORTEST -> all(false, LENGTH, "id");
                });
    }

    private static List<Term> all(boolean falls, String... values) {
        return List.of(values).stream().map(value -> new Term(value, falls)).toList();
    }

    private static List<Term> newest(String first) {
        return List.of(new Term(first, false), new Term("submitted", true), new Term("id", true));
    }

    /** @param back from the end of the list to its beginning */
    String by(boolean back) {
        return terms.stream()
                .map(term -> term.value() + (term.falls() != back ? " DESC" : ""))
                .collect(Collectors.joining(", "));
    }

    /** Whether what follows is larger, in lists whose terms all go the same way. */
    boolean rises(boolean back) {
        return terms.getFirst().falls() == back;
    }

    String row() {
        return terms.stream().map(Term::value).collect(Collectors.joining(", ", "(", ")"));
    }
}
