package io.sluice.jobs.overview;

import io.sluice.jobs.Job.State;
import io.sluice.jobs.lists.Lists;
import io.sluice.jobs.lists.Lists.Entry;
import io.sluice.web.View;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code jobs/list.jte}, for GET /jobs.
 *
 * @param before link to the page before this one, null: this is the first; {@code after} likewise
 * @param cut the search did not come to the end of the list yet
 * @param total of all pages, {@value #MOST_COUNTED} for more; null: it was not counted
 * @param clusters all there are
 * @param live address of what changes on it
 */
public record ListPage(
        ListQuery query,
        List<Entry> entries,
        @Nullable String before,
        @Nullable String after,
        boolean cut,
        Counts counts,
        @Nullable Long total,
        List<String> clusters,
        String live,
        View.@Nullable Note note) {
    static final int MOST_COUNTED = 10_001;

    /** Exact as far as it is counted. */
    public String total(View view) {
        return total == null
                ? ""
                : total >= MOST_COUNTED
                        ? view.t("jobs.total.more", (long) MOST_COUNTED - 1)
                        : view.t("jobs.total", total);
    }

    /** Of a job no more are shown than these; its page has all. */
    public static final int TAGS = 3;

    /** Of the failed no more are counted than this. */
    public static final int MOST_FAILED = 100;

    public ListPage {
        entries = List.copyOf(entries);
        clusters = List.copyOf(clusters);
    }

    /**
     * What stands on the chips, and beside the door.
     *
     * @param doors jobs that are not over of everything that the viewer sees, not of this list alone
     */
    public record Counts(Map<State, Long> unfinished, long failed, long doors) {
        public Counts {
            unfinished = Map.copyOf(unfinished);
        }

        /** Empty where it is not counted. */
        public String of(String chip, View view) {
            if (chip.equals("failed")) {
                return failed == 0 ? "" : failed >= MOST_FAILED ? MOST_FAILED - 1 + "+" : Long.toString(failed);
            }
            long count = ListQuery.STATES.getOrDefault(chip, java.util.Set.of()).stream()
                    .mapToLong(state -> unfinished.getOrDefault(state, 0L))
                    .sum();
            return count == 0 ? "" : view.t("number", count);
        }
    }

    /** The place of the page's first row, null: nothing can come before it. */
    public @Nullable String from() {
        return before == null || entries.isEmpty() ? null : place(entries.getFirst());
    }

    /** The place of its last row, null: nothing can come after it. */
    public @Nullable String to() {
        return after == null || entries.isEmpty() ? null : place(entries.getLast());
    }

    private String place(Entry entry) {
        return Lists.place(query.order(), entry.job());
    }

    /** {@code jobs/list-live.jte}: what to send to a list that is open somewhere. All of it may be sent twice. */
    public record Changes(ListQuery query, List<Entry> shown, List<Long> removed, Counts counts) {
        public Changes {
            shown = List.copyOf(shown);
            removed = List.copyOf(removed);
        }
    }
}
