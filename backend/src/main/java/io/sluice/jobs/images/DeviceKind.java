package io.sluice.jobs.images;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which devices an image is made for. */
public enum DeviceKind {
    /** No device at all, or whichever there is. */
    ANY,
    NVIDIA,
    ASCEND,
    AMD;

    public static final List<String> KEYS =
            Arrays.stream(values()).map(DeviceKind::key).toList();

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<DeviceKind> of(String key) {
        return Arrays.stream(values()).filter(kind -> kind.key().equals(key)).findFirst();
    }

    /** Of a device's vendor, as inventories have it. */
    public static DeviceKind ofVendor(String vendor) {
        return of(vendor).orElse(ANY);
    }

    /** Whether an image of this kind does on devices of another. */
    public boolean suits(DeviceKind devices) {
        return this == ANY || this == devices;
    }
}
