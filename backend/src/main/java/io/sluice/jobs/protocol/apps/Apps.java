package io.sluice.jobs.protocol.apps;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which apps a job may ask for by {@code extras.sluice.endpoints}. They belong to a room above.
 *
 * @param known by name; empty: that is not known here, and any is taken
 */
public record Apps(Map<String, App> known) {
    public static final Apps ANY = new Apps(Map.of());

    /**
     * @param begun whether its program is begun for it, at a port that is free
     * @param options that it has
     */
    public record App(boolean begun, Set<String> options) {
        public App {
            options = Set.copyOf(options);
        }
    }

    public Apps {
        known = Map.copyOf(known);
    }

    public boolean isAny() {
        return known.isEmpty();
    }

    public @Nullable App find(String name) {
        return known.get(name);
    }

    /** For who has to choose another. */
    public String names() {
        return String.join(", ", known.keySet().stream().sorted().toList());
    }
}
