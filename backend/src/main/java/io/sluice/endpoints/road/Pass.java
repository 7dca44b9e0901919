package io.sluice.endpoints.road;

import io.sluice.web.Caller;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** That somebody may go to one endpoint, as long as they are signed in as they were when they got it. */
final class Pass {
    final String id;
    final Caller caller;
    final byte[] hash;
    /** Ends what is going on under this pass. */
    final Set<Runnable> open = ConcurrentHashMap.newKeySet();

    volatile boolean valid = true;
    volatile long used = System.nanoTime();

    Pass(String id, Caller caller, byte[] hash) {
        this.id = id;
        this.caller = caller;
        this.hash = hash;
    }

    void cut() {
        valid = false;
        open.forEach(Runnable::run);
    }
}
