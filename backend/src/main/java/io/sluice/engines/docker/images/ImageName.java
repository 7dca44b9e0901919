package io.sluice.engines.docker.images;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of an image in full.
 *
 * @param full with a tag or digest: a short name could be read as the beginning of another image's id
 * @param registry that has it, {@value #HUB} where the name says none
 * @param repository of all its tags and digests, the same however it is written
 */
record ImageName(String full, String registry, String repository) {

    static final String HUB = "docker.io";
    private static final int LONGEST = 255;
    private static final String WORD = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    private static final String PORT = ":\\d{1,5}";
    private static final String PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final Pattern NAME =
            Pattern.compile("(?:(?<registry>localhost(?:" + PORT + ")?|" + WORD + "(?:(?:\\."
                    + WORD + ")+(?:" + PORT + ")?|" + PORT + "))/)?"
                    + "(?<path>" + PART + "(?:/" + PART + ")*)"
                    + "(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
                    + "(?:@(?<digest>sha256:[0-9a-f]{64}))?");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{64}|sha256:.*");
    private static final Pattern HUBS =
            Pattern.compile("(?:https?://)?(?:(?:index\\.|registry-1\\.|registry\\.)?docker\\.io)(?:/v[12]/?)?/?");

    /** Empty when that is no name, or is more than one. */
    static Optional<ImageName> of(String name) {
        var parts = NAME.matcher(name);
        if (name.length() > LONGEST || !parts.matches() || ID.matcher(name).matches()) {
            return Optional.empty();
        }
        boolean whole = parts.group("tag") != null || parts.group("digest") != null;
        var written = parts.group("registry");
        var registry = written == null ? HUB : plain(written);
        var path = parts.group("path");
        var official = registry.equals(HUB) && path.indexOf('/') < 0 ? "library/" + path : path;
        return Optional.of(new ImageName(whole ? name : name + ":latest", registry, registry + "/" + official));
    }

    /** Whether a user and password that are for that registry are for this image's. */
    boolean isAt(String address) {
        return plain(address).equalsIgnoreCase(registry);
    }

    private static String plain(String address) {
        return HUBS.matcher(address).matches()
                ? HUB
                : address.replaceFirst("^https?://", "").replaceFirst("/.*$", "");
    }
}
