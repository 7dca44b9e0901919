package io.sluice.jobs.output;

import io.sluice.files.centre.FilePage;
import io.sluice.jobs.Job;
import io.sluice.jobs.data.Transfer;
import io.sluice.web.Live;
import io.sluice.web.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * @param data what it is brought, and what is taken from it to somewhere else
 * @param own whether who looks is whose job it is
 * @param savable tasks that can be saved as images now, as role/index
 */
public record OutputPanel(Job job, FilePage files, boolean own, List<Transfer> data, List<String> savable) {
    public OutputPanel {
        data = List.copyOf(data);
        savable = List.copyOf(savable);
    }

    /** Of how far its data is, what lies there and what can be done with it. */
    public String cursor() {
        var moved = data.stream()
                .map(one -> one.way().name() + one.name() + one.state().name() + one.files() + ":" + one.bytes()
                        + one.message())
                .toList();
        return savables() + "."
                + Integer.toHexString(List.of(moved, files.rows(), files.total(), job.isFinal())
                        .hashCode());
    }

    private String savables() {
        return Integer.toHexString(savable.hashCode());
    }

    /** Whoever is choosing a task to save is left alone. */
    Live.Changes since(@Nullable String cursor) {
        List<Live.Fragment> changes = new ArrayList<>();
        if (!cursor().equals(cursor)) {
            changes.add(new Live.Fragment("jobs/output-live.jte", this));
        }
        if (cursor == null || !cursor.startsWith(savables() + ".")) {
            changes.add(new Live.Fragment("jobs/save-live.jte", this));
        }
        return new Live.Changes(changes, cursor());
    }

    /** Whether it can become another by itself. */
    public boolean isLive() {
        return !job.isFinal()
                || data.stream()
                        .anyMatch(one -> one.state() == Transfer.State.WAITING || one.state() == Transfer.State.MOVING);
    }

    public int more() {
        return files.total() - files.rows().size();
    }

    /** What still runs writes there. */
    public boolean isRemovable() {
        return job.isFinal() && files.total() > 0;
    }

    /** How far one of them is, in the reader's words. */
    public String stage(View view, Transfer one) {
        return view.t("data.state." + one.state().name().toLowerCase(Locale.ROOT));
    }

    /** How that looks. */
    public String tone(Transfer one) {
        return switch (one.state()) {
            case IN_PLACE, DONE -> "succeeded";
            case MOVING -> "running";
            case WAITING -> "waiting";
            case FAILED -> "failed";
        };
    }

    /** {@code 3 of 10 files · 1.2 MB of 40 MB}; empty where nothing has moved. */
    public String far(View view, Transfer one) {
        Long count = one.allFiles();
        Long bytes = one.allBytes();
        String has = files().amount(one.bytes(), view.locale());
        if (count == null && one.files() == 0 && one.bytes() > 0) {
            return view.t("data.coming", has);
        }
        if (one.state() == Transfer.State.IN_PLACE || (count == null && one.files() == 0)) {
            return "";
        }
        return count == null || bytes == null || one.state() == Transfer.State.DONE
                ? view.t("data.moved", one.files(), has)
                : view.t("data.far", one.files(), count, has, files().amount(bytes, view.locale()));
    }
}
