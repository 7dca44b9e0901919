package io.sluice.engines.docker.images;

import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import java.util.Locale;

/** Why an image did not come, in words that say what to do. */
final class Why {

    /** How what the gateway itself has given up begins. */
    static final String NOTHING = "nothing came from it for ";

    static final String TOO_LONG = "it took longer than ";

    private Why() {}

    static Refused of(Pull pull, String failure) {
        var said = failure.toLowerCase(Locale.ROOT);
        var name = pull.name().full();
        var registry = pull.name().registry();
        var who = pull.image().user();
        if (has(said, "no matching manifest", "does not match the specified platform")) {
            return new Refused(
                    Reason.IMAGE,
                    "The image " + name + " is not made for this machine's processor. Choose a tag that is.");
        }
        if (has(said, "no space left")) {
            return new Refused(
                    Reason.FULL, "The disk of the Docker engine is full: the image " + name + " has no room.");
        }
        if (has(said, "unauthorized", "authentication required", "no basic auth", "incorrect username", "access denied")
                || has(said, "denied:", "forbidden")) {
            return new Refused(
                    Reason.IMAGE,
                    who == null
                            ? "The registry " + registry + " does not give out " + name
                                    + " to everybody, or has no such image. Check the name, or give a user and password with the image."
                            : "The registry " + registry + " does not accept the user " + who + " for " + name
                                    + ". Check the user, the password and the image's name.");
        }
        if (has(said, "manifest unknown", "not found", "name unknown", "does not exist", "invalid reference")) {
            return new Refused(
                    Reason.IMAGE,
                    "There is no image " + name + " in the registry " + registry + ". Check its name and tag.");
        }
        if (has(said, "http response to https client", "x509", "certificate")) {
            return new Refused(
                    Reason.IMAGE,
                    "The registry " + registry
                            + " has no certificate that this Docker engine trusts. An administrator can add it to the engine.");
        }
        return new Refused(
                Reason.AWAY,
                "The registry " + registry + " can not be reached at the moment, for the image " + name + ": "
                        + why(failure, said) + ". The gateway's log has what the engine said.");
    }

    /** Not in its own words: they have pieces of what was answered there, and it may be no registry at all. */
    private static String why(String failure, String said) {
        if (failure.startsWith(NOTHING) || failure.startsWith(TOO_LONG)) {
            return failure;
        }
        if (has(said, "no such host", "server misbehaving")) {
            return "its name is not known";
        }
        if (has(said, "connection refused", "no route to host", "network is unreachable")) {
            return "nothing answers at its address";
        }
        if (has(said, "timeout", "deadline exceeded", "timed out")) {
            return "it did not answer in time";
        }
        return has(said, "eof", "connection reset", "broken pipe")
                ? "it broke the connection off"
                : "it did not answer as a registry does";
    }

    private static boolean has(String said, String... words) {
        for (var word : words) {
            if (said.contains(word)) {
                return true;
            }
        }
        return false;
    }
}
