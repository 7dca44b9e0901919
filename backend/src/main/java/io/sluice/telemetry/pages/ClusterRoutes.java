package io.sluice.telemetry.pages;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Holder;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.pages.ClusterPage.Card;
import io.sluice.telemetry.pages.ClusterPage.Machine;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The page of the cluster: every device as a tile, coloured by how busy it is, with who has it as far as the viewer may know. */
final class ClusterRoutes {
    /** Machines of one page: more are on the next. */
    static final int ON_A_PAGE = 64;
    /** Devices of one machine: only simulated ones are more. */
    static final int MOST_TILES = 128;

    private final Jobs jobs;
    private final Observer observer;
    private final Live live;
    private final Trend trend = new Trend();
    private final Machines machines = new Machines(trend);

    ClusterRoutes(Jobs jobs, Observer observer, Live live) {
        this.jobs = jobs;
        this.observer = observer;
        this.live = live;
        observer.listen(seen -> {
            trend.take(seen);
            machines.take(seen);
        });
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                                "/cluster",
                                call -> page(call.caller(), from(call))
                                        .map(page -> Reply.page("telemetry/cluster.jte", page)))
                        .withoutApplications(),
                Route.get("/live/cluster", this::follow).withoutApplications());
    }

    private static int from(Call call) {
        long from = Lookup.number(call, "from").orElse(0L);
        return (int) Math.min(from, 1_000_000) / ON_A_PAGE * ON_A_PAGE;
    }

    private Future<Reply> follow(Call call) {
        int from = from(call);
        return Future.succeededFuture(
                live.follow(call, TelemetryPages.TOPIC, (caller, cursor) -> since(caller, cursor, from)));
    }

    /** The sums, and those machines that look different: of ten thousand devices a few change at a time. */
    private Future<Live.Changes> since(Caller caller, @Nullable String cursor, int from) {
        return page(caller, from).map(page -> {
            var fragments = new ArrayList<Live.Fragment>();
            fragments.add(new Live.Fragment("telemetry/cluster-live.jte", page));
            page.machines().stream()
                    .filter(machine -> machines.isNewer(machine.name(), cursor))
                    .forEach(machine -> fragments.add(new Live.Fragment("telemetry/machine-live.jte", machine)));
            return new Live.Changes(fragments, page.cursor());
        });
    }

    private Future<ClusterPage> page(Caller caller, int from) {
        return jobs.machines().map(snapshot -> page(caller, from, snapshot, machines.view(observer::now)));
    }

    private ClusterPage page(Caller caller, int from, Snapshot snapshot, Machines.View view) {
        Machines.Grouped grouped = view.grouped();
        Observation now = grouped.of();
        int count = now.nodes().size();
        int first = from < count ? from : 0;
        var shown = new ArrayList<Machine>();
        for (int at = first; at < Math.min(count, first + ON_A_PAGE); at++) {
            shown.add(machine(now.nodes().get(at), at, grouped, caller));
        }
        double mean = now.devices().stream()
                .filter(seen -> seen.holder() != null)
                .mapToDouble(seen -> seen.value(Metric.UTILISATION))
                .filter(load -> !Double.isNaN(load))
                .average()
                .orElse(Double.NaN);
        var troubles = now.vendors().stream()
                .flatMap(vendor -> vendor.troubles().stream()
                        // the operator's to open, and no news for anybody else
                        .filter(trouble -> caller.admin() || trouble.reason() != Trouble.Reason.KERNEL_LOG)
                        .limit(1)
                        .map(trouble -> new MetricsPanel.Note(
                                vendor.vendor(), trouble.reason().key(), caller.admin() ? trouble.detail() : "")))
                .toList();
        return new ClusterPage(
                shown,
                new ClusterPage.Part(first, count, ON_A_PAGE),
                view.cursor(),
                now.devices().size(),
                count(now, seen -> seen.holder() != null),
                count(now, seen -> seen.device().fault() != null),
                mean,
                snapshot.queue().size(),
                wanted(snapshot),
                count(now, seen -> state(seen).equals("idle")),
                now.devices().stream().anyMatch(seen -> seen.device().simulated()),
                trend.held(),
                trend.busy(),
                troubles);
    }

    private static int wanted(Snapshot machines) {
        return machines.queue().stream()
                .mapToInt(demand -> demand.roles().stream()
                        .mapToInt(role -> role.instances() * role.devices())
                        .sum())
                .sum();
    }

    private static int count(Observation now, Predicate<Seen> which) {
        return (int) now.devices().stream().filter(which).count();
    }

    private Machine machine(io.sluice.engines.Node node, int number, Machines.Grouped grouped, Caller caller) {
        List<Seen> devices = grouped.devices(node.name());
        Map<String, Integer> kinds = new LinkedHashMap<>();
        devices.forEach(seen -> kinds.merge(seen.device().type(), 1, Integer::sum));
        var words = new ArrayList<String>();
        kinds.forEach((type, count) -> words.add(count + " × " + type));
        List<Doing> tasks = grouped.tasks(node.name());
        double cores = tasks.stream()
                .mapToDouble(doing -> doing.rates().cpuCores())
                .filter(one -> !Double.isNaN(one))
                .sum();
        return new Machine(
                number,
                node.name(),
                node.cpus(),
                node.memoryMB(),
                words,
                tasks.size(),
                cores,
                node.unready(),
                node.isolationNote(),
                node.limitsNote(),
                devices.stream()
                        .limit(MOST_TILES)
                        .map(seen -> card(seen, caller))
                        .toList(),
                Math.max(0, devices.size() - MOST_TILES),
                (int) devices.stream()
                        .skip(MOST_TILES)
                        .filter(seen -> state(seen).equals("free"))
                        .count());
    }

    private String state(Seen seen) {
        return seen.device().fault() != null
                ? "bad"
                : seen.holder() == null ? "free" : trend.isIdle(seen.key()) ? "idle" : "held";
    }

    private Card card(Seen seen, Caller caller) {
        double load = seen.value(Metric.UTILISATION);
        Holder holder = DeviceRoutes.visible(seen.holder(), caller);
        String state = state(seen);
        return new Card(
                seen.device().vendor(),
                seen.device().index(),
                seen.device().type(),
                seen.device().simulated(),
                state,
                Double.isNaN(load) ? 0 : (int) Math.round(load * 10),
                load,
                details(seen),
                holder == null ? null : holder.key(),
                holder == null ? null : holder.name(),
                holder == null ? null : holder.user(),
                seen.device().fault() != null
                        ? seen.device().fault()
                        : seen.device().checking());
    }

    /** What a pointer that rests on it is told. */
    private static String details(Seen seen) {
        var words = new ArrayList<String>();
        words.add(seen.device().type());
        double used = seen.value(Metric.MEMORY_USED);
        double total = seen.value(Metric.MEMORY_TOTAL);
        if (!Double.isNaN(used) && !Double.isNaN(total)) {
            words.add(String.format(
                    java.util.Locale.ROOT, "%.1f / %.0f GiB", MetricsPanel.gib(used), MetricsPanel.gib(total)));
        }
        if (!Double.isNaN(seen.value(Metric.POWER))) {
            words.add(String.format(java.util.Locale.ROOT, "%.0f W", seen.value(Metric.POWER)));
        }
        if (!Double.isNaN(seen.value(Metric.TEMPERATURE))) {
            words.add(String.format(java.util.Locale.ROOT, "%.0f °C", seen.value(Metric.TEMPERATURE)));
        }
        return String.join(" · ", words);
    }
}
