package io.sluice.telemetry.devices;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Errors that NVIDIA's driver tells in the kernel's log and nowhere else, by where the device is plugged in; of several the last. */
public final class Xids {
    private static final Pattern LINE = Pattern.compile(
            "NVRM: Xid \\(PCI:([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})[^)]*\\): (\\d{1,3})\\b,?\\s*(.*)");

    /** Of those that ask for somebody, as the driver's manual has them. */
    private static final Map<Integer, String> KNOWN = Map.ofEntries(
            Map.entry(13, "graphics engine exception"),
            Map.entry(31, "memory page fault"),
            Map.entry(43, "it stopped processing"),
            Map.entry(45, "work taken off it"),
            Map.entry(48, "memory error of two bits"),
            Map.entry(61, "internal breakpoint"),
            Map.entry(62, "internal halt"),
            Map.entry(63, "memory row to be remapped"),
            Map.entry(64, "memory row not remapped"),
            Map.entry(74, "NVLink error"),
            Map.entry(79, "fallen off the bus"),
            Map.entry(92, "many memory errors of one bit"),
            Map.entry(94, "contained memory error"),
            Map.entry(95, "uncontained memory error"),
            Map.entry(119, "GSP does not answer"),
            Map.entry(120, "GSP error"),
            Map.entry(140, "memory error that is not recovered"));

    private Xids() {}

    /** @param log as {@code dmesg} prints it */
    public static Map<String, Integer> of(String log) {
        var last = new HashMap<String, Integer>();
        log.lines().forEach(line -> {
            var xid = LINE.matcher(line);
            if (xid.find()) {
                last.put(place(xid.group(1)), Integer.valueOf(xid.group(2)));
            }
        });
        return last;
    }

    /** The reading with the last error of its device; what its tool says of its health comes first. */
    public static Reading on(Reading reading, Map<String, Integer> xids) {
        String bus = reading.identity().bus();
        Integer code = bus == null ? null : xids.get(place(bus.replaceFirst("\\.[0-7]$", "")));
        if (code == null) {
            return reading;
        }
        Reading with = reading.values(reading.values().with(Metric.XID, code));
        String known = KNOWN.get(code);
        return with.note() != null
                ? with
                : with.health(
                        with.health(),
                        "Xid " + code + (known == null ? "" : ": " + known) + ", since the machine started",
                        with.broken());
    }

    /** The tool writes the domain with eight digits, the kernel with four. */
    private static String place(String bus) {
        return bus.toLowerCase(java.util.Locale.ROOT).replaceFirst("^0{4}(?=[0-9a-f]{4}:)", "");
    }
}
