package io.sluice.telemetry.devices;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a tool told of one device at one time.
 *
 * @param note what the tool says of its health, or why it may not be used; null: nothing
 * @param broken whether nothing should be started on it
 * @param occupants processes on it; null: the tool does not tell
 * @param slowed whether it is held back by heat or power, null: the tool does not tell
 * @param corrected memory errors that were corrected since the driver was loaded, null: the tool does not tell
 * @param uncorrected memory errors that were not corrected since the driver was loaded, null: the tool does not tell
 */
public record Reading(
        Identity identity,
        Values values,
        Health health,
        @Nullable String note,
        boolean broken,
        @Nullable List<Occupant> occupants,
        @Nullable Boolean slowed,
        @Nullable Long corrected,
        @Nullable Long uncorrected) {

    public static Reading of(Identity identity, Values values) {
        return new Reading(identity, values, Health.UNKNOWN, null, false, null, null, null, null);
    }

    /**
     * Which device it is, whatever place it has today.
     *
     * @param id stable on its node: the driver's own number of it, or where it is plugged in
     * @param index by which the driver and its tools know it at present, from 0 per vendor
     * @param model as the tool names it
     * @param bus where it is plugged in, null: not told
     * @param parent id of the device that this one is a part of, null: it is whole
     * @param divided it has parts, which are devices themselves, and is none to start anything on
     */
    public record Identity(
            String vendor,
            String id,
            int index,
            String model,
            @Nullable String driver,
            @Nullable String bus,
            @Nullable String parent,
            boolean divided) {}

    /** A process of the machine. {@code memory} is NaN where the tool does not tell. */
    public record Occupant(long pid, String name, double memory) {}

    /** What the tool thinks of it. */
    public enum Health {
        OK,
        WARNING,
        CRITICAL,
        UNKNOWN
    }

    public Reading health(Health health, @Nullable String note, boolean broken) {
        return new Reading(identity, values, health, note, broken, occupants, slowed, corrected, uncorrected);
    }

    public Reading occupants(List<Occupant> occupants) {
        return new Reading(
                identity, values, health, note, broken, List.copyOf(occupants), slowed, corrected, uncorrected);
    }

    public Reading strain(@Nullable Boolean slowed, @Nullable Long corrected, @Nullable Long uncorrected) {
        return new Reading(identity, values, health, note, broken, occupants, slowed, corrected, uncorrected);
    }

    public Reading values(Values values) {
        return new Reading(identity, values, health, note, broken, occupants, slowed, corrected, uncorrected);
    }

    public Reading as(Identity other) {
        return new Reading(other, values, health, note, broken, occupants, slowed, corrected, uncorrected);
    }
}
