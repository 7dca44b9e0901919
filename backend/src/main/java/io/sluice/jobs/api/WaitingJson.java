package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.placement.Waiting;
import java.util.Locale;

/** Why a job waits: as fields, and as a sentence. */
final class WaitingJson {
    private WaitingJson() {}

    static ObjectNode of(Waiting waiting) {
        var json = JobJson.object()
                .put("why", waiting.why().name())
                .put("message", message(waiting))
                .put("position", waiting.position())
                .put("behind", waiting.behind())
                .put("expectedStart", JobJson.millis(waiting.start()));
        var shortages = json.putArray("shortages");
        waiting.shortages()
                .forEach(shortage -> shortages
                        .addObject()
                        .put("resource", shortage.resource().name())
                        .put("type", shortage.type())
                        .put("needed", shortage.needed())
                        .put("free", shortage.free())
                        .put("total", shortage.total()));
        var holders = json.putArray("holders");
        waiting.holders()
                .forEach(holder -> holders.addObject()
                        .put("user", holder.user())
                        .put("amount", holder.amount())
                        .put("expectedEnd", JobJson.millis(holder.expectedEnd())));
        var outages = json.putArray("outages");
        waiting.outages()
                .forEach(outage -> outages.addObject()
                        .put("node", outage.node())
                        .put("device", outage.device())
                        .put("reason", outage.reason()));
        return json;
    }

    private static String message(Waiting waiting) {
        String what = waiting.shortages().isEmpty()
                ? ""
                : " " + needed(waiting.shortages().getFirst());
        String reason = switch (waiting.why()) {
            case CLUSTER_UNKNOWN -> "There is no virtual cluster " + waiting.cluster() + ".";
            case CLUSTER_STOPPED -> "The virtual cluster " + waiting.cluster() + " is stopped.";
            case NEVER -> "No machine here is large enough." + what;
            case NEVER_ON_BOARD -> "The boards here do not allow that count of devices for one task." + what;
            case NEVER_IN_QUOTA -> "It is more than the whole quota of " + waiting.cluster() + "." + what;
            case OUT_OF_SERVICE -> "Machines that could run it are out of service" + first(waiting) + "." + what;
            case QUOTA -> "The quota of " + waiting.cluster() + " is used up." + what;
            case MACHINES -> "Other jobs have the machines." + what;
            case SCATTERED -> "There is enough in all, but not together." + what;
            case RESERVED -> "What is free is kept for the job before it.";
            case PORT, PORTS, NEVER_PORTS, IMAGE, DATA ->
                waiting.outages().getFirst().reason();
            case START -> notStarted(waiting.outages().getFirst());
            case MAKING_ROOM -> "Room is being made for it.";
        };
        return waiting.position() > 0 ? "Position " + waiting.position() + " in the queue. " + reason : reason;
    }

    private static String notStarted(Waiting.Outage task) {
        return "Task " + task.device() + " could not be started on " + task.node() + " yet, and is tried again: "
                + task.reason();
    }

    private static String first(Waiting waiting) {
        return waiting.outages().stream()
                .findFirst()
                .map(outage -> ": " + outage.node() + (outage.device() == null ? "" : "/" + outage.device()) + ", "
                        + outage.reason().replaceAll("\\.$", ""))
                .orElse("");
    }

    private static String needed(Waiting.Shortage shortage) {
        String name = switch (shortage.resource()) {
            case CPU -> shortage.needed() == 1 ? "CPU" : "CPUs";
            case MEMORY_MB -> "MB of memory";
            case DEVICE ->
                !shortage.type().isEmpty() && !shortage.type().equals("any")
                        ? shortage.type()
                        : shortage.needed() == 1 ? "device" : "devices";
        };
        return String.format(
                Locale.ROOT,
                "%d %s needed, %d free of %d.",
                shortage.needed(),
                name,
                shortage.free(),
                shortage.total());
    }
}
