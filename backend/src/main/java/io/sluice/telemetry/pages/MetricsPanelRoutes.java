package io.sluice.telemetry.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Kept;
import io.sluice.telemetry.history.Lines;
import io.sluice.telemetry.history.Summary;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.pages.Lookup.Found;
import io.sluice.telemetry.pages.MetricsPanel.Note;
import io.sluice.telemetry.pages.MetricsPanel.Row;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The panel of metrics on a job's page: complete as it comes, and drawn larger where there are programs. */
final class MetricsPanelRoutes {
    private static final int SPARK = 120;

    private final Lookup lookup;
    private final Observer observer;
    private final History history;

    MetricsPanelRoutes(Lookup lookup, Observer observer, History history) {
        this.lookup = lookup;
        this.observer = observer;
        this.history = history;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs/:job/panels/metrics", this::panel).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        return lookup.of(call)
                .compose(found -> found.tasks().isEmpty()
                        ? Future.succeededFuture(nothing())
                        : page(found, found.tasks().getFirst()))
                .map(page -> Reply.page("telemetry/panel.jte", page));
    }

    private static MetricsPanel nothing() {
        return new MetricsPanel(false, false, "", "", List.of(), 0, 0, 0, Double.NaN, Double.NaN, false, null);
    }

    private Future<MetricsPanel> page(Found found, JobDetail.Task task) {
        return history.of(List.of(task.id()))
                .map(kept ->
                        page(found.detail(), task, kept.stream().findFirst().orElse(null)));
    }

    private MetricsPanel page(JobDetail detail, JobDetail.Task task, @Nullable Kept kept) {
        Observation now = observer.now();
        boolean live = task.completed() == null;
        Summary summary = Summary.of(List.of(task), kept == null ? List.of() : List.of(kept));
        List<Seen> devices = live ? now.heldBy(task.id()) : List.of();
        var rows = new ArrayList<Row>();
        summary.devices()
                .forEach(device -> rows.add(device(
                        device,
                        kept,
                        devices.stream()
                                .filter(seen -> seen.device().id().equals(device.device()))
                                .findFirst())));
        rows.add(task(now, task, kept, live));
        int attempt = detail.attempt().number();
        String query = "attempt=" + attempt + "&role=" + URLEncoder.encode(task.role(), StandardCharsets.UTF_8)
                + "&index=" + task.index();
        String key = "/api/v2/jobs/" + detail.job().key();
        return new MetricsPanel(
                true,
                live,
                key + "/series?" + query,
                key + "/attempts/" + attempt + "/taskRoles/" + task.role() + "/taskIndex/" + task.index() + "/attempts/"
                        + task.attempt() + "/log",
                rows,
                summary.devices().size(),
                live ? summary.idle().size() : 0,
                (long) (summary.idle().stream()
                                .mapToDouble(Summary.OfDevice::idleNow)
                                .min()
                                .orElse(0)
                        / 60),
                summary.meanUtilisation(),
                summary.kilowattHours(),
                summary.devices().stream().anyMatch(Summary.OfDevice::simulated),
                live ? trouble(now, devices) : null);
    }

    private static Row device(Summary.OfDevice device, @Nullable Kept kept, Optional<Seen> seen) {
        float[] tail = kept == null ? new float[0] : kept.tail(Metric.UTILISATION.key(), device.device(), SPARK);
        String vendor = seen.map(one -> one.device().vendor())
                .orElse(device.type().toLowerCase(java.util.Locale.ROOT).startsWith("ascend") ? "ascend" : "");
        return new Row(
                vendor,
                device.index(),
                device.type(),
                device.simulated(),
                seen.map(one -> one.value(Metric.UTILISATION)).orElse(device.mean()),
                seen.map(one -> one.value(Metric.MEMORY_USED)).orElse(device.memoryPeak()),
                seen.map(one -> one.value(Metric.MEMORY_TOTAL)).orElse(Double.NaN),
                seen.map(one -> one.value(Metric.POWER)).orElse(Double.NaN),
                seen.map(one -> one.value(Metric.TEMPERATURE)).orElse(device.temperaturePeak()),
                Spark.points(tail, 1),
                seen.map(one -> one.device().fault()).orElse(null));
    }

    private static Row task(Observation now, JobDetail.Task task, @Nullable Kept kept, boolean live) {
        float[] tail = kept == null ? new float[0] : kept.tail(Lines.OfTask.CPU.key(), null, SPARK);
        var doing = Optional.ofNullable(now.byTask().get(task.id())).filter(one -> live);
        double limit =
                doing.map(one -> one.holder().memoryMB() * (double) (1 << 20)).orElse(Double.NaN);
        return new Row(
                "",
                -1,
                "",
                false,
                doing.map(one -> one.rates().cpuCores()).orElse(Double.NaN),
                doing.map(one -> one.rates().memoryBytes()).orElse(Double.NaN),
                limit,
                Double.NaN,
                Double.NaN,
                Spark.points(tail, Spark.top(tail)),
                null);
    }

    /** What a tool that has to do with these devices did not tell. */
    private static @Nullable Note trouble(Observation now, List<Seen> devices) {
        for (Known.Vendor vendor : now.vendors()) {
            boolean concerned = devices.stream()
                    .anyMatch(seen -> seen.device().vendor().equals(vendor.vendor()) && !seen.current());
            if (concerned && !vendor.troubles().isEmpty()) {
                Trouble trouble =
                        Objects.requireNonNull(vendor.troubles().iterator().next());
                return new Note(vendor.vendor(), trouble.reason().key(), trouble.detail());
            }
        }
        return null;
    }
}
