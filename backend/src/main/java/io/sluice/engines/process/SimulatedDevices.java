package io.sluice.engines.process;

import io.sluice.engines.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Devices that do not exist, as {@code 8xAscend910B,4xH100} asks for, laid out as a usual machine has them. */
final class SimulatedDevices {

    private static final Pattern PART = Pattern.compile("([1-9]\\d{0,3})[xX]([A-Za-z][A-Za-z0-9_.-]*)");
    private static final int BOARD = 8;
    private static final int HALF = 4;

    private SimulatedDevices() {}

    /** @throws IllegalArgumentException with one line that says what is allowed */
    static List<Device> of(String spec) {
        var devices = new ArrayList<Device>();
        Map<String, Integer> next = new HashMap<>();
        for (var part : spec.isBlank() ? new String[0] : spec.split(",")) {
            var words = PART.matcher(part.strip());
            if (!words.matches()) {
                throw new IllegalArgumentException(
                        "simulated devices are counts and types, as 8xAscend910B,4xH100; not: " + part.strip());
            }
            int count = Integer.parseInt(words.group(1));
            for (int i = 0; i < count; i++) {
                devices.add(device(words.group(2), i, count, next));
            }
        }
        return List.copyOf(devices);
    }

    /** Half of a type's devices are near each of two sockets; an Ascend board has eight in two halves. */
    private static Device device(String type, int i, int count, Map<String, Integer> next) {
        var vendor = vendor(type);
        int index = next.merge(vendor, 1, Integer::sum) - 1;
        int numa = i % BOARD * 2 < Math.min(count, BOARD) ? 0 : 1;
        return new Device(vendor + "-" + index, type, vendor, index, numa, half(vendor, index), true, null);
    }

    private static @Nullable String half(String vendor, int index) {
        return vendor.equals("ascend") ? index / BOARD + (index % BOARD < HALF ? "a" : "b") : null;
    }

    private static String vendor(String type) {
        var name = type.toLowerCase(Locale.ROOT);
        if (name.startsWith("ascend")) {
            return "ascend";
        }
        return name.startsWith("mi") || name.startsWith("radeon") ? "amd" : "nvidia";
    }
}
