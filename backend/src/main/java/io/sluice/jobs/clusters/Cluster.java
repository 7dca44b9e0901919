package io.sluice.jobs.clusters;

import io.sluice.web.Problem;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A virtual cluster. What is null, or a type without a word, is unlimited.
 *
 * @param devices by type, in any of its names; {@code any} counts all of them together
 * @param stopped it starts nothing
 * @param idle what becomes of jobs whose devices do nothing, null: nothing
 */
public record Cluster(
        String name,
        String description,
        @Nullable Integer cpus,
        @Nullable Integer memoryMB,
        Map<String, Integer> devices,
        boolean stopped,
        @Nullable IdleRule idle) {
    public static final String DEFAULT = "default";
    public static final int LONGEST_DESCRIPTION = 500;
    public static final int MOST = 1_000_000_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,64}");
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 ._/-]{0,63}");
    private static final int MOST_TYPES = 50;

    public Cluster(
            String name,
            String description,
            @Nullable Integer cpus,
            @Nullable Integer memoryMB,
            Map<String, Integer> devices,
            boolean stopped) {
        this(name, description, cpus, memoryMB, devices, stopped, null);
    }

    public Cluster {
        devices = Map.copyOf(devices);
    }

    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Fails with what is allowed. */
    Cluster checked() {
        if (!isName(name)) {
            throw Problem.invalid("The name of a virtual cluster is 1 to 64 letters, digits and _, not " + name + ".");
        }
        if (description.length() > LONGEST_DESCRIPTION) {
            throw Problem.invalid("A description has at most " + LONGEST_DESCRIPTION + " characters.");
        }
        limit("cpus", cpus);
        limit("memoryMB", memoryMB);
        if (devices.size() > MOST_TYPES) {
            throw Problem.invalid("devices may name " + MOST_TYPES + " types.");
        }
        devices.forEach((type, most) -> {
            if (!TYPE.matcher(type).matches()) {
                throw Problem.invalid("devices: a type is a name like H100 or any, not " + type + ".");
            }
            limit("devices." + type, most);
        });
        if (idle != null) {
            idle.checked();
        }
        return this;
    }

    private static void limit(String what, @Nullable Integer most) {
        if (most != null && (most < 0 || most > MOST)) {
            throw Problem.invalid(
                    what + " is a number from 0 to " + MOST + ", or null for no limit, not " + most + ".");
        }
    }
}
