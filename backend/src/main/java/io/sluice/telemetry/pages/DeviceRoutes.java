package io.sluice.telemetry.pages;

import io.sluice.engines.Node;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.exposition.Gzip;
import io.sluice.telemetry.history.Series;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Observer;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The inventory for programs: every device and node, how it is, and who has it as far as the caller may know. */
final class DeviceRoutes {
    private final Observer observer;

    DeviceRoutes(Observer observer) {
        this.observer = observer;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/v2/devices", this::devices).scope("jobs:read"),
                Route.get("/api/v2/nodes", this::nodes).scope("jobs:read"));
    }

    private Future<Reply> devices(Call call) {
        Optional<String> node = call.query("node").filter(text -> !text.isEmpty());
        return offTheLoop(() -> {
            var all = new JsonArray();
            observer.now().devices().stream()
                    .filter(seen -> node.isEmpty() || seen.node().equals(node.get()))
                    .forEach(seen -> all.add(device(seen, call.caller())));
            return Gzip.reply(call, "application/json", all.toBuffer());
        });
    }

    /** Ten thousand devices take their time. */
    private static Future<Reply> offTheLoop(Callable<Reply> work) {
        return Objects.requireNonNull(Vertx.currentContext()).executeBlocking(work, false);
    }

    private static JsonObject device(Seen seen, Caller caller) {
        var values = new JsonObject();
        for (Metric metric : Metric.values()) {
            double value = seen.value(metric);
            if (!Double.isNaN(value)) {
                values.put(metric.key(), Series.round(value));
            }
        }
        var json = new JsonObject()
                .put("node", seen.node())
                .put("device", seen.device().id())
                .put("vendor", seen.device().vendor())
                .put("type", seen.device().type())
                .put("index", seen.device().index())
                .put("simulated", seen.device().simulated())
                .put("state", state(seen))
                .put("fault", seen.device().fault())
                .put("checking", seen.device().checking())
                .put(
                        "health",
                        seen.reading() == null
                                ? "unknown"
                                : seen.reading().health().name().toLowerCase(Locale.ROOT))
                .put("values", values);
        Holder holder = visible(seen.holder(), caller);
        if (holder != null) {
            json.put("job", holder.key()).put("role", holder.role()).put("taskIndex", holder.index());
        }
        Reading reading = seen.reading();
        if (reading != null && seen.current()) {
            json.put("throttled", reading.slowed())
                    .put("memoryErrorsCorrected", reading.corrected())
                    .put("memoryErrorsUncorrected", reading.uncorrected());
            if (reading.occupants() != null && (holder != null || caller.admin())) {
                json.put("processes", processes(reading.occupants()));
            }
        }
        return json;
    }

    /** Whoever holds a device, and administrators, may know who is on it: programs and their names are people's own. */
    private static JsonArray processes(List<Reading.Occupant> occupants) {
        var all = new JsonArray();
        occupants.forEach(one -> all.add(new JsonObject()
                .put("pid", one.pid())
                .put("name", one.name())
                .put("memoryBytes", Double.isNaN(one.memory()) ? null : (Double) one.memory())));
        return all;
    }

    /** The jobs of others do not exist. */
    static @Nullable Holder visible(@Nullable Holder holder, Caller caller) {
        return holder != null && (caller.admin() || caller.name().equals(holder.user())) ? holder : null;
    }

    static String state(Seen seen) {
        return seen.holder() != null ? "held" : seen.device().fault() != null ? "faulty" : "free";
    }

    private Future<Reply> nodes(Call call) {
        Observation now = observer.now();
        boolean details = call.caller().admin();
        return offTheLoop(() -> {
            Machines.Grouped grouped = Machines.Grouped.of(now);
            var all = new JsonArray();
            now.nodes().forEach(node -> all.add(node(node, grouped, details)));
            return Gzip.reply(call, "application/json", all.toBuffer());
        });
    }

    /** @param details what the tools printed is for administrators */
    private static JsonObject node(Node node, Machines.Grouped grouped, boolean details) {
        var tools = new JsonArray();
        grouped.of().vendors().forEach(vendor -> {
            var troubles = new JsonArray();
            vendor.troubles()
                    .forEach(trouble -> troubles.add(new JsonObject()
                            .put("reason", trouble.reason().key())
                            .put("detail", details ? trouble.detail() : "")));
            tools.add(new JsonObject()
                    .put("vendor", vendor.vendor())
                    .put("up", vendor.up())
                    .put(
                            "lastSuccess",
                            vendor.success() == null ? null : vendor.success().toEpochMilli())
                    .put("troubles", troubles));
        });
        List<Seen> devices = grouped.devices(node.name());
        return new JsonObject()
                .put("node", node.name())
                .put("cpus", node.cpus())
                .put("memoryMB", node.memoryMB())
                .put("devices", devices.size())
                .put(
                        "devicesHeld",
                        devices.stream().filter(seen -> seen.holder() != null).count())
                .put(
                        "devicesFaulty",
                        devices.stream()
                                .filter(seen -> seen.device().fault() != null)
                                .count())
                .put("tasks", grouped.tasks(node.name()).size())
                .put("unready", node.unready())
                .put("isolation", node.isolationNote())
                .put("limits", node.limitsNote())
                .put("collectors", tools);
    }
}
