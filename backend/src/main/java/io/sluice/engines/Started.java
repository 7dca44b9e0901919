package io.sluice.engines;

/** The answer to a start. */
public sealed interface Started {

    /** The run that has the name; {@code again} when it had it before. */
    record Running(Run run, boolean again) implements Started {}

    /** Nothing runs and nothing is kept: the same name may be started later. The message is one line for the user. */
    record Refused(Reason reason, String message) implements Started {}

    /**
     * Nothing runs yet: what it needs is on its way. The same start goes on with it, and is to be asked for again soon; if
     * nobody does for a minute, or a stop is asked for, it ends there. The message is one line for the user.
     */
    record Preparing(String message) implements Started {}

    enum Reason {
        /** Of the ports given, one is in use: try others. */
        PORT_TAKEN,
        /** The node, device, folder or image does not exist here. */
        MISSING,
        /** It would endanger the gateway or another user. */
        UNSAFE,
        /** The operating system has no room for it: a full disk, too many processes. */
        FULL,
        /** What it needs from elsewhere can not be reached at the moment, as an image's registry. */
        AWAY
    }
}
