package io.sluice.telemetry.exposition;

import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All label sets of a device, each made when it is wanted first, and anew when what it tells has changed. */
final class OfDevice {
    /** When it was used last. */
    long round;

    private String node = "";
    private @Nullable Device device;
    private Reading.@Nullable Identity identity;
    private @Nullable Holder holder;
    private byte @Nullable [] plain;
    private byte @Nullable [] info;
    private final Map<Reading.Health, byte[]> states = new EnumMap<>(Reading.Health.class);
    private byte @Nullable [] assignment;
    private byte @Nullable [] old;
    private byte @Nullable [] oldWithVendor;
    private byte @Nullable [] oldSingle;
    private byte @Nullable [] oldDouble;
    private byte @Nullable [] oldHeld;
    private byte @Nullable [] begun;
    private byte @Nullable [] oldBegun;

    void know(Seen seen) {
        Device now = seen.device();
        Device before = device;
        if (before == null || !isLike(before, now)) {
            forget();
        }
        node = seen.node();
        device = now;
        Reading reading = seen.reading();
        Reading.Identity told = reading == null ? null : reading.identity();
        if (!Objects.equals(told, identity)) {
            identity = told;
            info = null;
        }
        Holder has = seen.holder();
        Holder had = holder;
        if (has == null || had == null || has.task() != had.task()) {
            assignment = null;
            oldHeld = null;
        }
        holder = has;
    }

    /** What comes back may have another number. */
    private static boolean isLike(Device before, Device now) {
        return before.index() == now.index()
                && before.type().equals(now.type())
                && before.vendor().equals(now.vendor())
                && before.simulated() == now.simulated()
                && Objects.equals(before.whole(), now.whole());
    }

    private void forget() {
        plain = null;
        info = null;
        states.clear();
        assignment = null;
        old = null;
        oldWithVendor = null;
        oldSingle = null;
        oldDouble = null;
        oldHeld = null;
        begun = null;
        oldBegun = null;
    }

    private Device device() {
        return Objects.requireNonNull(device);
    }

    private Holder holder() {
        return Objects.requireNonNull(holder);
    }

    String node() {
        return node;
    }

    String id() {
        return device().id();
    }

    byte[] plain() {
        byte[] known = plain;
        if (known == null) {
            known = Labels.encoded("node", node, "device", id());
            plain = known;
        }
        return known;
    }

    /** The beginning of a set: on which device something is. */
    byte[] begun() {
        byte[] known = begun;
        if (known == null) {
            known = Labels.begun("node", node, "device", id());
            begun = known;
        }
        return known;
    }

    byte[] oldBegun() {
        byte[] known = oldBegun;
        if (known == null) {
            known = Labels.begun("node", node, "minor_number", minor());
            oldBegun = known;
        }
        return known;
    }

    byte[] info() {
        byte[] known = info;
        if (known == null) {
            Reading.Identity told = identity;
            known = Labels.encoded(
                    "node", node,
                    "device", id(),
                    "vendor", device().vendor(),
                    "model", device().type(),
                    "index", Integer.toString(device().index()),
                    "pci_bus_id", told == null ? "" : Objects.requireNonNullElse(told.bus(), ""),
                    "driver_version", told == null ? "" : Objects.requireNonNullElse(told.driver(), ""),
                    "parent", told == null ? "" : Objects.requireNonNullElse(told.parent(), ""),
                    "simulated", Boolean.toString(device().simulated()));
            info = known;
        }
        return known;
    }

    byte[] health(Reading.Health health) {
        byte[] known = states.get(health);
        if (known == null) {
            known = Labels.encoded(
                    "node", node, "device", id(), "state", health.name().toLowerCase(Locale.ROOT));
            states.put(health, known);
        }
        return known;
    }

    /** Of one that somebody holds. */
    byte[] assignment() {
        byte[] known = assignment;
        if (known == null) {
            known = Labels.encoded(
                    "node", node, "device", id(), "job_id", holder().key(), "task_id", holder().taskKey());
            assignment = known;
        }
        return known;
    }

    /** The parts of a device have its number, and would be one series. */
    String minor() {
        return device().whole() == null ? Integer.toString(device().index()) : id();
    }

    byte[] old() {
        byte[] known = old;
        if (known == null) {
            known = Labels.encoded("node", node, "minor_number", minor());
            old = known;
        }
        return known;
    }

    byte[] oldWithVendor() {
        byte[] known = oldWithVendor;
        if (known == null) {
            known = Labels.encoded("node", node, "minor_number", minor(), "vender", device().vendor());
            oldWithVendor = known;
        }
        return known;
    }

    byte[] oldSingle() {
        byte[] known = oldSingle;
        if (known == null) {
            known = Labels.encoded("node", node, "minor_number", minor(), "type", "single");
            oldSingle = known;
        }
        return known;
    }

    byte[] oldDouble() {
        byte[] known = oldDouble;
        if (known == null) {
            known = Labels.encoded("node", node, "minor_number", minor(), "type", "double");
            oldDouble = known;
        }
        return known;
    }

    byte[] oldHeld() {
        byte[] known = oldHeld;
        if (known == null) {
            known = OfTask.old(holder(), minor());
            oldHeld = known;
        }
        return known;
    }
}
