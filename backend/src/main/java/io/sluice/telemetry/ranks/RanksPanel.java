package io.sluice.telemetry.ranks;

import io.sluice.jobs.Job;
import io.sluice.web.View;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * {@code telemetry/ranks.jte}: the tasks of an attempt beside one another.
 *
 * @param more that are not shown
 * @param processes whether each process has a log of its own, in the home of whoever it is
 */
public record RanksPanel(Job job, int attempt, List<Rank> ranks, int more, boolean processes) {
    public RanksPanel {
        ranks = List.copyOf(ranks);
    }

    /** The page with the log and the charts of this one. */
    public String path(Rank rank) {
        return "/jobs/" + job.key() + "?attempt=" + attempt + "&role="
                + URLEncoder.encode(rank.task().role(), StandardCharsets.UTF_8) + "&index="
                + rank.task().index();
    }

    public String self() {
        return "/jobs/" + job.key() + "/panels/ranks?attempt=" + attempt;
    }

    public String logs() {
        return "/files?path="
                + URLEncoder.encode("logs/" + job.name() + "/" + job.id() + "-" + attempt, StandardCharsets.UTF_8);
    }

    public String ranks(Rank rank) {
        return rank.first() < 0
                ? "–"
                : rank.first() == rank.last() ? "" + rank.first() : rank.first() + "–" + rank.last();
    }

    public String size(Rank rank, View view) {
        double kib = rank.bytes() / 1024.0;
        if (kib < 1) {
            return view.t("ranks.bytes", rank.bytes());
        }
        return kib < 1024 ? view.t("ranks.kib", kib) : view.t("telemetry.mib", kib / 1024);
    }

    public String word(Rank.Mark mark, View view) {
        return view.t("ranks." + mark.name().toLowerCase(Locale.ROOT));
    }
}
