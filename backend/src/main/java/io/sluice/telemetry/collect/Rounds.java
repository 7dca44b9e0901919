package io.sluice.telemetry.collect;

import io.sluice.telemetry.collect.Known.Device;
import io.sluice.telemetry.collect.Known.Vendor;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one vendor's rounds add up to. A round that fails costs its sample only; three in a row, or a device that a good round does not tell of
 * any more, are a fault, until it is told of again, under whatever index.
 */
final class Rounds {
    private static final int BAD_ROUNDS = 3;

    private final String vendor;
    private final Map<String, Device> devices = new LinkedHashMap<>();
    /** How many rounds in a row did not tell of a device, though they told of others. */
    private final Map<String, Integer> missed = new HashMap<>();
    /** Of whose processes its tool has told. */
    private final Set<String> withProcesses = new HashSet<>();

    private @Nullable Instant success;
    private int bad;

    Rounds(String vendor) {
        this.vendor = vendor;
    }

    /** @param now when it was asked, so that what it tells is no older */
    Vendor round(Told told, Instant now, double seconds) {
        List<Reading> readings = told.readings().stream()
                .filter(reading -> !reading.identity().divided())
                .toList();
        regroup(told.readings());
        if (told.readings().isEmpty()) {
            bad++;
            failed(told);
        } else {
            bad = 0;
            success = now;
            missing(readings, told.troubles());
            readings.forEach(reading -> put(reading, now));
        }
        return new Vendor(vendor, bad == 0, success, seconds, told.troubles());
    }

    Map<String, Device> devices() {
        return devices;
    }

    private void put(Reading reading, Instant now) {
        String id = reading.identity().id();
        Device before = devices.get(id);
        missed.remove(id);
        devices.put(
                id,
                new Device(
                        reading,
                        now,
                        true,
                        reading.broken() ? fault(reading) : null,
                        checked(reading, before == null ? null : before.checked(), now)));
    }

    /** Of a tool that tells of no processes its answer is all there is. */
    private Instant checked(Reading reading, @Nullable Instant before, Instant now) {
        List<Reading.Occupant> on = reading.occupants();
        String id = reading.identity().id();
        if (on != null) {
            withProcesses.add(id);
        }
        boolean free = on == null ? !withProcesses.contains(id) : on.isEmpty();
        return free && !reading.broken() ? now : before == null ? Instant.EPOCH : before;
    }

    /** A device that is divided is no device any more, nor are parts of one that is whole again: they are not lost. */
    private void regroup(List<Reading> readings) {
        for (Reading reading : readings) {
            String id = reading.identity().id();
            if (reading.identity().divided()) {
                devices.remove(id);
            } else {
                devices.values()
                        .removeIf(
                                device -> id.equals(device.reading().identity().parent()));
            }
        }
    }

    private static String fault(Reading reading) {
        return reading.note() == null ? "Its health is critical" : reading.note();
    }

    private void failed(Told told) {
        boolean none = told.troubles().stream().anyMatch(trouble -> trouble.reason() == Reason.NO_DEVICES);
        String words = told.troubles().stream().findFirst().map(Trouble::detail).orElse("");
        devices.replaceAll((id, device) -> device.without(
                device.fault() != null
                        ? device.fault()
                        : none || bad >= BAD_ROUNDS
                                ? "Nothing is known of it since " + at(device.seen()) + ": " + words
                                : null));
    }

    /** What a whole list does not name is lost; half a list, or one of which something failed, has to leave it out a few times. */
    private void missing(List<Reading> readings, List<Trouble> troubles) {
        Set<String> told =
                readings.stream().map(reading -> reading.identity().id()).collect(Collectors.toSet());
        boolean whole = troubles.stream()
                .allMatch(trouble -> trouble.reason() == Reason.LOST || trouble.reason() == Reason.KERNEL_LOG);
        devices.replaceAll((id, device) -> told.contains(id) ? device : missing(id, device, troubles, whole));
    }

    private Device missing(String id, Device device, List<Trouble> troubles, boolean whole) {
        String said = troubles.stream()
                .filter(trouble -> trouble.reason() == Reason.LOST && isAbout(trouble, device))
                .map(Trouble::detail)
                .findFirst()
                .orElse("");
        int rounds = missed.merge(id, 1, Integer::sum);
        boolean lost = whole || !said.isEmpty() || rounds >= BAD_ROUNDS;
        return device.without(
                lost ? "Lost since " + at(device.seen()) + (said.isEmpty() ? "" : ": " + said) : device.fault());
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
