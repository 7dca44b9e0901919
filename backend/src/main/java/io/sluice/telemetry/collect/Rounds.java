package io.sluice.telemetry.collect;

import io.sluice.telemetry.collect.Known.Device;
import io.sluice.telemetry.collect.Known.Vendor;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one vendor's rounds add up to. A round that fails costs its sample only; three in a row, or a device that a good round does not tell of
 * any more, are a fault, until it is told of again, under whatever index.
 */
final class Rounds {
    private static final int BAD_ROUNDS = 3;

    private final String vendor;
    private final Map<String, Device> devices = new LinkedHashMap<>();
    private @Nullable Instant success;
    private int bad;

    Rounds(String vendor) {
        this.vendor = vendor;
    }

    Vendor round(Told told, Instant now, double seconds) {
        List<Reading> readings = told.readings().stream()
                .filter(reading -> !reading.identity().divided())
                .toList();
        if (told.readings().isEmpty()) {
            bad++;
            failed(told);
        } else {
            bad = 0;
            success = now;
            missing(readings, told.troubles());
            readings.forEach(reading -> devices.put(
                    reading.identity().id(), new Device(reading, now, true, reading.broken() ? fault(reading) : null)));
        }
        return new Vendor(vendor, bad == 0, success, seconds, told.troubles());
    }

    Map<String, Device> devices() {
        return devices;
    }

    private static String fault(Reading reading) {
        return reading.note() == null ? "Its health is critical" : reading.note();
    }

    private void failed(Told told) {
        boolean none = told.troubles().stream().anyMatch(trouble -> trouble.reason() == Reason.NO_DEVICES);
        String words = told.troubles().stream().findFirst().map(Trouble::detail).orElse("");
        devices.replaceAll((id, device) -> new Device(
                device.reading(),
                device.seen(),
                false,
                device.fault() != null
                        ? device.fault()
                        : none || bad >= BAD_ROUNDS
                                ? "Nothing is known of it since " + at(device.seen()) + ": " + words
                                : null));
    }

    private void missing(List<Reading> readings, List<Trouble> troubles) {
        devices.replaceAll((id, device) -> {
            boolean told = readings.stream()
                    .anyMatch(reading -> reading.identity().id().equals(id));
            String said = troubles.stream()
                    .filter(trouble -> trouble.reason() == Reason.LOST && isAbout(trouble, device))
                    .map(Trouble::detail)
                    .findFirst()
                    .orElse("");
            return told
                    ? device
                    : new Device(
                            device.reading(),
                            device.seen(),
                            false,
                            "Lost since " + at(device.seen()) + (said.isEmpty() ? "" : ": " + said));
        });
    }

    private static boolean isAbout(Trouble trouble, Device device) {
        String bus = device.reading().identity().bus();
        String lost = trouble.device();
        return bus != null
                && lost != null
                && bus.toLowerCase(java.util.Locale.ROOT)
                        .endsWith(lost.toLowerCase(java.util.Locale.ROOT).replaceFirst("^0+(?=[0-9a-f]{4}:)", ""));
    }

    private static String at(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
