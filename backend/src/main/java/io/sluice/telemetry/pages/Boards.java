package io.sluice.telemetry.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.grafana.Grafana;
import io.sluice.telemetry.pages.MetricsPanel.Board;
import io.sluice.web.Call;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Grafana's panels of a job in the place of the built-in charts, where there is a Grafana and it is well. */
final class Boards {
    /** Before the first sample there is nothing to see. */
    private static final long LEAD_MILLIS = 15_000;

    private final Grafana grafana;

    Boards(Grafana grafana) {
        this.grafana = grafana;
    }

    Future<Board> of(Call call, JobDetail detail, List<JobDetail.Task> shown, boolean whole) {
        if (!grafana.isThere()) {
            return Future.succeededFuture(Board.NONE);
        }
        int attempt = detail.attempt().number();
        String panel = "/jobs/" + detail.job().key() + "/panels/metrics?"
                + (whole ? "attempt=" + attempt + "&whole=1" : MetricsPanelRoutes.query(attempt, shown.getFirst()));
        String other = panel + "&charts=grafana";
        if (!call.query("charts").orElse("").equals("grafana")) {
            return Future.succeededFuture(new Board(panel, other, false, ""));
        }
        return grafana.isWell().map(well -> new Board(panel, other, !well, well ? src(call, detail, shown) : ""));
    }

    /** Without the theme, which only the browser knows for sure. */
    private static String src(Call call, JobDetail detail, List<JobDetail.Task> shown) {
        Optional<Long> from = Lookup.number(call, "from");
        Optional<Long> to = Lookup.number(call, "to");
        boolean live = shown.stream().anyMatch(task -> task.completed() == null);
        long first = shown.stream()
                .flatMap(task -> Stream.ofNullable(task.launched()))
                .min(Instant::compareTo)
                .orElse(detail.job().submitted())
                .toEpochMilli();
        String last = live
                ? "now"
                : Long.toString(shown.stream()
                                .flatMap(task -> Stream.ofNullable(task.completed()))
                                .max(Instant::compareTo)
                                .orElse(Instant.now())
                                .toEpochMilli()
                        + LEAD_MILLIS);
        boolean zoomed = from.isPresent() && to.isPresent();
        return "/grafana/d/sluice-job/job?orgId=1&kiosk&timezone=browser&var-job="
                + URLEncoder.encode(detail.job().key(), StandardCharsets.UTF_8)
                + "&from=" + (zoomed ? from.get() : first - LEAD_MILLIS)
                + "&to=" + (zoomed ? to.get().toString() : last)
                + (live && !zoomed ? "&refresh=15s" : "")
                + "&lang=" + (call.language().equals("zh") ? "zh-Hans" : "en-US");
    }
}
