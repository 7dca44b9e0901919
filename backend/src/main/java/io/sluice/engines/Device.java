package io.sluice.engines;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One GPU or NPU of a node.
 *
 * @param id of it among the node's, for {@link Task#devices}
 * @param type as {@code H100} or {@code Ascend910B}
 * @param vendor {@code nvidia}, {@code ascend}, {@code amd}, or empty where it is not known
 * @param index that its driver and its tools know it by, from 0 per vendor
 * @param numaNode null = not known
 * @param half of the board, whose devices reach one another directly; null = the board has no halves
 * @param simulated there is no such device
 * @param fault why nothing should be started on it, in one line for the user; null = it is well
 * @param bus where it is plugged in, as {@link #bus(String)} writes it; null = not known
 * @param whole id of the device that it is a part of; null = it is no part
 * @param checked when its tool last told that it is well and holds no process, as far as it tells of them; null = nobody asks
 * @param checking why it is not given yet although it is well, in one line for the user; null = it may be
 */
public record Device(
        String id,
        String type,
        String vendor,
        int index,
        @Nullable Integer numaNode,
        @Nullable String half,
        boolean simulated,
        @Nullable String fault,
        @Nullable String bus,
        @Nullable String whole,
        @Nullable Instant checked,
        @Nullable String checking) {

    public Device(
            String id,
            String type,
            String vendor,
            int index,
            @Nullable Integer numaNode,
            @Nullable String half,
            boolean simulated,
            @Nullable String fault) {
        this(id, type, vendor, index, numaNode, half, simulated, fault, null, null, null, null);
    }

    /** At an address that tools write with zeros before it and in either case; null = none. */
    public Device at(@Nullable String address, @Nullable String part) {
        return new Device(
                id, type, vendor, index, numaNode, half, simulated, fault, bus(address), part, checked, checking);
    }

    public Device judged(@Nullable String why, @Nullable Instant lastChecked) {
        return new Device(id, type, vendor, index, numaNode, half, simulated, why, bus, whole, lastChecked, checking);
    }

    /** Given back, and not to be given again before somebody has looked at it; that is no fault. */
    public Device checking(String why) {
        return new Device(id, type, vendor, index, numaNode, half, simulated, fault, bus, whole, checked, why);
    }

    /**
     * Whether two who do not name devices alike mean the same one. The number counts only where one of them does not know the place: drivers
     * number devices in another order than their tools list them.
     */
    public boolean isSame(Device other) {
        if (simulated || other.simulated || !vendor.equals(other.vendor)) {
            return false;
        }
        if (id.equals(other.id)) {
            return true;
        }
        if (whole != null || other.whole != null) {
            return false;
        }
        boolean placed = bus != null && other.bus != null;
        return placed ? Objects.equals(bus, other.bus) : index == other.index;
    }

    /** {@code 00000000:3B:00.0} and {@code 0000:3b:00.0} are one place. */
    public static @Nullable String bus(@Nullable String address) {
        return address == null || address.isEmpty()
                ? null
                : address.toLowerCase(java.util.Locale.ROOT).replaceFirst("^0000(?=[0-9a-f]{4}:)", "");
    }
}
