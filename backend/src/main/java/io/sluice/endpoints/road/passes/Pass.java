package io.sluice.endpoints.road.passes;

import io.sluice.web.Caller;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** That somebody may go to one endpoint, as long as they are signed in as they were when they got it. */
public final class Pass {
    public final String id;
    public final Caller caller;
    final byte[] hash;
    /** When it is too old, in nanoseconds of the clock of whoever keeps it. */
    final long ends;
    /** Ends what is going on under this pass. */
    public final Set<Runnable> open = ConcurrentHashMap.newKeySet();

    public volatile boolean valid = true;
    /** Whether it will be looked at again. */
    public volatile boolean kept = true;

    /** Whether somebody is there; a check only looks. */
    public volatile boolean counts = true;

    public volatile long used = System.nanoTime();

    Pass(String id, Caller caller, byte[] hash, long ends) {
        this.id = id;
        this.caller = caller;
        this.hash = hash;
        this.ends = ends;
    }

    void cut() {
        valid = false;
        open.forEach(Runnable::run);
    }
}
