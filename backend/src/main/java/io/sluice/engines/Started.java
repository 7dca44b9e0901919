package io.sluice.engines;

import org.jspecify.annotations.Nullable;

/** The answer to a start. */
public sealed interface Started {

    /**
     * The run that has the name.
     *
     * @param again when it had it before
     * @param image what exactly it runs in, by its digest; null where there is no image, or it is not known any more
     */
    record Running(Run run, boolean again, @Nullable String image) implements Started {
        public Running(Run run, boolean again) {
            this(run, again, null);
        }
    }

    /** Nothing runs and nothing is kept: the same name may be started later. The message is one line for the user. */
    record Refused(Reason reason, String message) implements Started {}

    /**
     * Nothing runs yet: what it needs is on its way. The same start goes on with it, and is to be asked for again soon; if
     * nobody does for a minute, or a stop is asked for, it ends there.
     *
     * @param what is on its way
     * @param far how much of it is here, in figures; null: not known
     * @param message one line for the user
     */
    record Preparing(String what, @Nullable String far, String message) implements Started {}

    enum Reason {
        /** Of the ports given, one is in use: try others. */
        PORT_TAKEN,
        /** Of the ports given, one is the gateway's own, and is so for as long as the gateway is there: try others. */
        PORT_OWN,
        /** The node, device or folder does not exist here. */
        MISSING,
        /** The image does not exist, is not for this machine, or is not to be had with what was given. */
        IMAGE,
        /** The image has nothing that could run a script. */
        SHELL,
        /** It would endanger the gateway or another user. */
        UNSAFE,
        /** The operating system has no room for it: a full disk, too many processes. */
        FULL,
        /** What it needs from elsewhere can not be reached at the moment, as an image's registry. */
        AWAY
    }
}
