package io.sluice.telemetry.pages;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Holder;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.telemetry.devices.Metric;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The page of the cluster: every device as a tile, coloured by how busy it is, with who has it as far as the viewer may know. */
final class ClusterRoutes {
    /** Held and below this share is idle, if it has been for so many looks. */
    private static final double IDLE = 0.05;

    private final Jobs jobs;
    private final Observer observer;
    private final Live live;
    private final Trend trend = new Trend();

    ClusterRoutes(Jobs jobs, Observer observer, Live live) {
        this.jobs = jobs;
        this.observer = observer;
        this.live = live;
        observer.listen(trend::take);
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                                "/cluster",
                                call -> page(call.caller()).map(page -> Reply.page("telemetry/cluster.jte", page)))
                        .withoutApplications(),
                Route.get("/live/cluster", this::follow).withoutApplications());
    }

    private Future<Reply> follow(Call call) {
        return Future.succeededFuture(live.follow(call, TelemetryPages.TOPIC, this::since));
    }

    private Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
        return page(caller)
                .map(page -> new Live.Changes(List.of(new Live.Fragment("telemetry/cluster-live.jte", page)), "now"));
    }

    private Future<ClusterPage> page(Caller caller) {
        return jobs.machines().map(machines -> page(caller, machines, observer.now()));
    }

    private ClusterPage page(Caller caller, Snapshot machines, Observation now) {
        List<Machine> all =
                now.nodes().stream().map(node -> machine(node, now, caller)).toList();
        List<Card> cards =
                all.stream().flatMap(machine -> machine.cards().stream()).toList();
        double mean = now.devices().stream()
                .filter(seen -> seen.holder() != null)
                .mapToDouble(seen -> seen.value(Metric.UTILISATION))
                .filter(load -> !Double.isNaN(load))
                .average()
                .orElse(Double.NaN);
        var troubles = now.vendors().stream()
                .filter(vendor -> !vendor.troubles().isEmpty())
                .map(vendor -> new MetricsPanel.Note(
                        vendor.vendor(),
                        vendor.troubles().iterator().next().reason().key(),
                        caller.admin() ? vendor.troubles().iterator().next().detail() : ""))
                .toList();
        return new ClusterPage(
                all,
                cards.size(),
                (int) now.devices().stream()
                        .filter(seen -> seen.holder() != null)
                        .count(),
                count(cards, "bad"),
                mean,
                machines.queue().size(),
                wanted(machines),
                count(cards, "idle"),
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

    private static int count(List<Card> cards, String state) {
        return (int) cards.stream().filter(card -> card.state().equals(state)).count();
    }

    private Machine machine(io.sluice.engines.Node node, Observation now, Caller caller) {
        List<Seen> devices = now.devices().stream()
                .filter(seen -> seen.node().equals(node.name()))
                .toList();
        Map<String, Integer> kinds = new LinkedHashMap<>();
        devices.forEach(seen -> kinds.merge(seen.device().type(), 1, Integer::sum));
        var words = new ArrayList<String>();
        kinds.forEach((type, count) -> words.add(count + " × " + type));
        List<Doing> tasks = now.tasks().stream()
                .filter(doing -> doing.holder().node().equals(node.name()))
                .toList();
        double cores = tasks.stream()
                .mapToDouble(doing -> doing.rates().cpuCores())
                .filter(one -> !Double.isNaN(one))
                .sum();
        return new Machine(
                node.name(),
                node.cpus(),
                node.memoryMB(),
                words,
                tasks.size(),
                cores,
                node.unready(),
                node.isolationNote(),
                node.limitsNote(),
                devices.stream().map(seen -> card(seen, caller)).toList());
    }

    private Card card(Seen seen, Caller caller) {
        double load = seen.value(Metric.UTILISATION);
        Holder holder = DeviceRoutes.visible(seen.holder(), caller);
        String state = seen.device().fault() != null
                ? "bad"
                : seen.holder() == null ? "free" : trend.isIdle(seen.key()) ? "idle" : "held";
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
                seen.device().fault());
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

    /** The last two hours of the whole, and since when each device does nothing. */
    private static final class Trend {
        private static final int ROWS = 240;
        private static final long EVERY_MILLIS = 30_000;
        private static final long LONG_MILLIS = 600_000;

        private final java.util.ArrayDeque<double[]> rows = new java.util.ArrayDeque<>();
        private final Map<String, Long> idleSince = new java.util.concurrent.ConcurrentHashMap<>();
        private long last;

        void take(Observation seen) {
            long now = seen.at().toEpochMilli();
            for (Seen device : seen.devices()) {
                double load = device.value(Metric.UTILISATION);
                if (device.holder() == null || load >= IDLE) {
                    idleSince.remove(device.key());
                } else if (load < IDLE) {
                    idleSince.putIfAbsent(device.key(), now);
                }
            }
            if (now - last >= EVERY_MILLIS && !seen.devices().isEmpty()) {
                last = now;
                List<Seen> held = seen.devices().stream()
                        .filter(device -> device.holder() != null)
                        .toList();
                double busy = held.stream()
                        .mapToDouble(device -> device.value(Metric.UTILISATION))
                        .filter(load -> !Double.isNaN(load))
                        .average()
                        .orElse(Double.NaN);
                synchronized (rows) {
                    rows.add(new double[] {(double) held.size() / seen.devices().size(), busy});
                    while (rows.size() > ROWS) {
                        rows.remove();
                    }
                }
            }
        }

        boolean isIdle(String device) {
            Long since = idleSince.get(device);
            return since != null && System.currentTimeMillis() - since > LONG_MILLIS;
        }

        String held() {
            return line(0);
        }

        String busy() {
            return line(1);
        }

        private String line(int column) {
            synchronized (rows) {
                float[] values = new float[rows.size()];
                int at = 0;
                for (double[] row : rows) {
                    values[at++] = (float) Objects.requireNonNull(row)[column];
                }
                return Spark.points(values, 1);
            }
        }
    }
}
