package io.sluice.engines.docker.images;

import io.sluice.engines.Engine;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The names of what was kept of tasks: {@code saved.sluice/OWNER/NAME:TAG}. No registry has them, so none is ever fetched. */
final class SavedName {

    private static final String REGISTRY = Engine.Kept.REGISTRY;
    private static final int LONGEST = 128;

    private SavedName() {}

    /** Empty when that is no name with a tag or without; it never leads out of what is the owner's. */
    static Optional<ImageName> of(String owner, String chosen) {
        return chosen.length() > LONGEST || chosen.contains("/") || chosen.contains("@")
                ? Optional.empty()
                : ImageName.of(folder(owner) + chosen).filter(name -> isOf(name, owner));
    }

    static String folder(String owner) {
        return REGISTRY + "/" + owner + "/";
    }

    /** However its first part is written. */
    static boolean isOne(ImageName name) {
        var registry = name.registry().toLowerCase(Locale.ROOT);
        return registry.equals(REGISTRY) || registry.startsWith(REGISTRY + ":");
    }

    static boolean isOf(ImageName name, @Nullable String owner) {
        return owner != null && name.repository().startsWith(folder(owner));
    }
}
