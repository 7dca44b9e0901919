package io.sluice.telemetry.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Kept;
import io.sluice.telemetry.history.Lines;
import io.sluice.telemetry.history.Summary;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.pages.MetricsPanel.Note;
import io.sluice.telemetry.pages.MetricsPanel.Row;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The panel of metrics on a job's page: complete as it comes, and drawn larger where there are programs. */
final class MetricsPanelRoutes {
    private static final int SPARK = 120;
    private static final int MOST_TASKS = 32;
    private static final int MOST_ATTEMPTS = 20;
    private static final int MOST_OCCUPANTS = 8;

    private final Jobs jobs;
    private final Lookup lookup;
    private final Observer observer;
    private final History history;

    private final Boards boards;

    MetricsPanelRoutes(Jobs jobs, Lookup lookup, Observer observer, History history, Boards boards) {
        this.jobs = jobs;
        this.lookup = lookup;
        this.observer = observer;
        this.history = history;
        this.boards = boards;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs/:job/panels/metrics", this::panel).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        boolean whole = call.query("whole").isPresent();
        return lookup.of(call, MOST_TASKS)
                .compose(found -> found.tasks().isEmpty()
                        ? Future.succeededFuture(nothing())
                        : jobs.detail(
                                        found.detail().job(),
                                        found.detail().attempt().number())
                                .compose(detail -> page(
                                        found.detail(),
                                        found.tasks(),
                                        detail.tasks(),
                                        whole,
                                        call.caller().admin()))
                                .compose(page -> boards.of(
                                                call,
                                                found.detail(),
                                                whole
                                                        ? found.tasks()
                                                        : found.tasks().subList(0, 1),
                                                whole)
                                        .map(page::with)))
                .map(page -> Reply.page("telemetry/panel.jte", page));
    }

    private static MetricsPanel nothing() {
        return new MetricsPanel(
                false,
                false,
                "",
                "",
                List.of(),
                MetricsPanel.Idle.NONE,
                Double.NaN,
                Double.NaN,
                false,
                null,
                List.of(),
                MetricsPanel.Board.NONE);
    }

    /** @param chosen whose charts are shown, the first of them alone unless the {@code whole} is; {@code all} of the attempt */
    private Future<MetricsPanel> page(
            JobDetail detail, List<JobDetail.Task> chosen, List<JobDetail.Task> all, boolean whole, boolean admin) {
        List<JobDetail.Task> shown = whole ? chosen : chosen.subList(0, 1);
        var ids = new LinkedHashSet<Long>();
        shown.forEach(task -> ids.add(task.id()));
        all.stream().limit(MOST_TASKS).filter(task -> task.launched() != null).forEach(task -> ids.add(task.id()));
        return history.of(ids).map(kept -> page(detail, shown, all, whole, kept, admin));
    }

    private MetricsPanel page(
            JobDetail detail,
            List<JobDetail.Task> shown,
            List<JobDetail.Task> all,
            boolean whole,
            Collection<Kept> kept,
            boolean admin) {
        Observation now = observer.now();
        JobDetail.Task task = shown.getFirst();
        Summary summary = Summary.of(shown, kept);
        var rows = new ArrayList<Row>();
        for (JobDetail.Task one : shown) {
            rows.addAll(rows(now, one, kept, shown.size() > 1));
        }
        boolean live = shown.stream().anyMatch(one -> one.completed() == null);
        List<Seen> devices = shown.stream()
                .filter(one -> one.completed() == null)
                .flatMap(one -> now.heldBy(one.id()).stream())
                .toList();
        int attempt = detail.attempt().number();
        String key = "/api/v2/jobs/" + detail.job().key();
        return new MetricsPanel(
                true,
                live,
                key + "/series?" + (whole ? "attempt=" + attempt : query(attempt, task)),
                whole && shown.size() > 1
                        ? ""
                        : key + "/attempts/" + attempt + "/taskRoles/" + task.role() + "/taskIndex/" + task.index()
                                + "/attempts/" + task.attempt() + "/log",
                rows,
                idle(all, kept),
                summary.meanUtilisation(),
                summary.kilowattHours(),
                summary.devices().stream().anyMatch(Summary.OfDevice::simulated),
                live ? trouble(now, devices, admin) : null,
                views(detail, task, all, whole),
                MetricsPanel.Board.NONE);
    }

    static String query(int attempt, JobDetail.Task task) {
        return "attempt=" + attempt + "&role=" + URLEncoder.encode(task.role(), StandardCharsets.UTF_8) + "&index="
                + task.index() + "&taskAttempt=" + task.attempt();
    }

    /** Of the whole job, whichever task is looked at. */
    private static MetricsPanel.Idle idle(List<JobDetail.Task> all, Collection<Kept> kept) {
        List<JobDetail.Task> running =
                all.stream().filter(task -> task.completed() == null).toList();
        Summary summary = Summary.of(running, kept);
        double seconds = summary.idle().stream()
                .mapToDouble(Summary.OfDevice::idleNow)
                .min()
                .orElse(0);
        return new MetricsPanel.Idle(summary.idle().size(), summary.devices().size(), (long) (seconds / 60));
    }

    /** The whole job where it has more than this task, and earlier attempts of the task. */
    private static List<MetricsPanel.Other> views(
            JobDetail detail, JobDetail.Task task, List<JobDetail.Task> all, boolean whole) {
        var views = new ArrayList<MetricsPanel.Other>();
        String at = "/jobs/" + detail.job().key() + "/panels/metrics?";
        int attempt = detail.attempt().number();
        if (all.size() > 1) {
            views.add(new MetricsPanel.Other(
                    at + "attempt=" + attempt + "&whole=1", "telemetry.whole", all.size(), whole));
        }
        int newest = all.stream()
                .filter(one -> one.role().equals(task.role()) && one.index() == task.index())
                .mapToInt(JobDetail.Task::attempt)
                .max()
                .orElse(task.attempt());
        for (int number = newest;
                number >= Math.max(0, newest - MOST_ATTEMPTS) && (newest > 0 || all.size() > 1);
                number--) {
            String query = "attempt=" + attempt + "&role=" + URLEncoder.encode(task.role(), StandardCharsets.UTF_8)
                    + "&index=" + task.index() + "&taskAttempt=" + number;
            views.add(new MetricsPanel.Other(
                    at + query,
                    newest == 0 ? "telemetry.one" : "telemetry.attempt",
                    number,
                    !whole && number == task.attempt()));
        }
        return views;
    }

    private static List<Row> rows(Observation now, JobDetail.Task task, Collection<Kept> kept, boolean several) {
        Kept one =
                kept.stream().filter(of -> of.task() == task.id()).findFirst().orElse(null);
        boolean live = task.completed() == null;
        List<Seen> devices = live ? now.heldBy(task.id()) : List.of();
        String of = several ? task.role() + " " + task.index() : "";
        var rows = new ArrayList<Row>();
        Summary.of(List.of(task), one == null ? List.of() : List.of(one))
                .devices()
                .forEach(device -> rows.add(device(
                                device,
                                one,
                                devices.stream()
                                        .filter(seen -> seen.device().id().equals(device.device()))
                                        .findFirst())
                        .of(of)));
        rows.add(task(now, task, one, live).of(of));
        return rows;
    }

    private static Row device(Summary.OfDevice device, @Nullable Kept kept, Optional<Seen> seen) {
        float[] tail = kept == null ? new float[0] : kept.tail(Metric.UTILISATION.key(), device.device(), SPARK);
        String vendor = seen.map(one -> one.device().vendor())
                .orElse(device.type().toLowerCase(java.util.Locale.ROOT).startsWith("ascend") ? "ascend" : "");
        return new Row(
                "",
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
                seen.map(one -> one.device().fault()).orElse(null),
                seen.map(MetricsPanelRoutes::occupants).orElse(List.of()));
    }

    /** The device is the task's, so whoever is on it is the viewer's to know. */
    private static List<Occupant> occupants(Seen seen) {
        Reading reading = seen.reading();
        return reading == null || !seen.current() || reading.occupants() == null
                ? List.of()
                : reading.occupants().stream().limit(MOST_OCCUPANTS).toList();
    }

    private static Row task(Observation now, JobDetail.Task task, @Nullable Kept kept, boolean live) {
        float[] tail = kept == null ? new float[0] : kept.tail(Lines.OfTask.CPU.key(), null, SPARK);
        var doing = Optional.ofNullable(now.byTask().get(task.id())).filter(one -> live);
        double limit =
                doing.map(one -> one.holder().memoryMB() * (double) (1 << 20)).orElse(Double.NaN);
        return new Row(
                "",
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
                null,
                List.of());
    }

    /** What a tool that has to do with these devices did not tell. */
    private static @Nullable Note trouble(Observation now, List<Seen> devices, boolean admin) {
        for (Known.Vendor vendor : now.vendors()) {
            boolean concerned = devices.stream()
                    .anyMatch(seen -> seen.device().vendor().equals(vendor.vendor()) && !seen.current());
            if (concerned && !vendor.troubles().isEmpty()) {
                Trouble trouble =
                        Objects.requireNonNull(vendor.troubles().iterator().next());
                return new Note(vendor.vendor(), trouble.reason().key(), admin ? trouble.detail() : "");
            }
        }
        return null;
    }
}
