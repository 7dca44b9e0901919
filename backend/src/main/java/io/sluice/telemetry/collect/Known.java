package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Trouble;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of this machine's devices at one time. Immutable.
 *
 * @param devices by id, those that were lost among them
 * @param vendors how the asking of each vendor's tool stands
 */
public record Known(Map<String, Device> devices, List<Vendor> vendors) {
    public static final Known NOTHING = new Known(Map.of(), List.of());

    public Known {
        devices = Map.copyOf(devices);
        vendors = List.copyOf(vendors);
    }

    /**
     * @param current whether the last round told of it; what it told before is old
     * @param fault why nothing is started on it, null: it is well
     * @param checked when its tool last told that it is well and holds no process, as far as it tells of them; null: nobody asks
     */
    public record Device(
            Reading reading,
            Instant seen,
            boolean current,
            @Nullable String fault,
            @Nullable Instant checked) {
        /** A round did not tell of it. */
        Device without(@Nullable String why) {
            return new Device(reading, seen, false, why, checked);
        }
    }

    /**
     * @param success when it last told anything; null: never
     * @param seconds that the last round took
     * @param troubles of the last round, the worst first
     */
    public record Vendor(
            String vendor, boolean up, @Nullable Instant success, double seconds, Collection<Trouble> troubles) {
        public Vendor {
            troubles = List.copyOf(troubles);
        }
    }
}
