package io.sluice.telemetry.observe;

import io.sluice.engines.Device;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Reading.Identity;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the tools told, found by a device of an engine: by its name where the engine has it from the tools, else by where it is plugged in, and by
 * its number only where the engine knows no place. Parts of a device share place and number, so they are found by name alone.
 */
final class Join {
    private final Map<String, Known.Device> byId;
    private final Map<String, Known.Device> byBus = new HashMap<>();
    private final Map<String, Known.Device> byNumber = new HashMap<>();

    Join(Known known) {
        byId = known.devices();
        byId.values().forEach(device -> {
            Identity identity = device.reading().identity();
            if (identity.parent() == null) {
                byNumber.put(identity.vendor() + "-" + identity.index(), device);
                if (identity.bus() != null) {
                    byBus.put(identity.vendor() + " " + Device.bus(identity.bus()), device);
                }
            }
        });
    }

    Known.@Nullable Device of(Device device) {
        Known.Device named = byId.get(device.id());
        if (named != null || device.whole() != null) {
            return named;
        }
        Known.Device placed = device.bus() == null ? null : byBus.get(device.vendor() + " " + device.bus());
        Known.Device numbered = byNumber.get(device.vendor() + "-" + device.index());
        boolean hasPlace = numbered != null && numbered.reading().identity().bus() != null && device.bus() != null;
        return placed != null ? placed : hasPlace ? null : numbered;
    }
}
