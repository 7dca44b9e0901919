package io.sluice.telemetry.devices;

/** What can be known of a device at an instant. In base units: a share is from 0 to 1. */
public enum Metric {
    UTILISATION(0, "utilization", "accelerator_utilization_ratio", "Share of the time in which the device computed", 1),
    MEMORY_USED(1, "memory_used", "accelerator_memory_used_bytes", "Device memory in use", 1e15),
    MEMORY_TOTAL(2, "memory_total", "accelerator_memory_total_bytes", "Device memory that there is", 1e15),
    MEMORY_BANDWIDTH(
            3,
            "memory_bandwidth",
            "accelerator_memory_bandwidth_utilization_ratio",
            "Share of the time in which device memory was read or written",
            1),
    POWER(4, "power", "accelerator_power_watts", "Power drawn", 1e5),
    POWER_LIMIT(5, "power_limit", "accelerator_power_limit_watts", "Power that may be drawn", 1e5),
    TEMPERATURE(6, "temperature", "accelerator_temperature_celsius", "Temperature of the core", 1000),
    MEMORY_TEMPERATURE(
            7,
            "memory_temperature",
            "accelerator_memory_temperature_celsius",
            "Temperature of the device memory",
            1000),
    XID(
            8,
            "xid",
            "accelerator_xid_code",
            "The last error (Xid) that the driver wrote into the kernel's log since the machine started",
            999);

    static final int COUNT = values().length;

    private final int place;
    private final String key;
    private final String family;
    private final String help;
    private final double most;

    Metric(int place, String key, String family, String help, double most) {
        this.place = place;
        this.key = key;
        this.family = family;
        this.help = help;
        this.most = most;
    }

    /** In the interface and on pages. */
    public String key() {
        return key;
    }

    /** The name under which Prometheus knows it. */
    public String family() {
        return family;
    }

    public String help() {
        return help;
    }

    /** Among the values of a device. */
    int place() {
        return place;
    }

    boolean allows(double value) {
        return value >= 0 && value <= most;
    }
}
