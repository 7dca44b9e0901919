package io.sluice.telemetry.devices;

import org.jspecify.annotations.Nullable;

/**
 * Why a tool told less than it should have.
 *
 * @param device where in the machine the device is that the tool lost, null: it is about all
 * @param detail what the tool said, in one line
 */
public record Trouble(Reason reason, @Nullable String device, String detail) {
    private static final int LONGEST = 300;

    public Trouble {
        String line = detail.strip().lines().findFirst().orElse("").strip();
        detail = line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }

    public static Trouble of(Reason reason, String detail) {
        return new Trouble(reason, null, detail);
    }

    /** The words stand in texts/, under {@code telemetry.trouble.} and the key. */
    public enum Reason {
        /** The tool is not there, or may not be run. */
        MISSING,
        /** It did not end in its time. */
        HANGS,
        /** It printed nothing. */
        EMPTY,
        /** The output ends in the middle. */
        CUT_OFF,
        /** It is no output that we know. */
        LAYOUT,
        DRIVER,
        /** The driver was updated, and the machine not restarted. */
        VERSION,
        NO_DEVICES,
        /** The driver no longer reaches a device. */
        LOST,
        PERMISSION,
        /** A container has it for itself. */
        IN_USE,
        ARGUMENT,
        /** The kernel's log may not be read, so errors that stand only there are not known. The devices themselves are told of. */
        KERNEL_LOG,
        /** It ended with an error that we do not know. */
        FAILED;

        public String key() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
