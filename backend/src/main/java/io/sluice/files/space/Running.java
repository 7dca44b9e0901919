package io.sluice.files.space;

import io.sluice.files.space.Undertakings.Undertaking;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Something that takes long and that this gateway has begun: it is heard of while it waits for its turn, and whatever it is at. What was silent
 * for too long tells nothing any more: another gateway may be at it by now.
 */
public final class Running implements Copying.Moved {
    private final Undertakings undertakings;
    private final String id;
    private final boolean stoppable;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean stopped;
    private volatile long heard;
    private boolean over;

    public Running(Undertakings undertakings, String id, boolean stoppable) {
        this.undertakings = undertakings;
        this.id = id;
        this.stoppable = stoppable;
        this.heard = undertakings.hearing().clock().millis();
    }

    @Override
    public void on(long more) throws IOException {
        bytes.addAndGet(more);
        if (stopped) {
            throw new Undertakings.Stopped();
        }
        if (stoppable && isLost()) {
            throw new IOException("this gateway was silent for so long that another may do it by now");
        }
    }

    private boolean isLost() {
        return undertakings.hearing().isSilent(heard);
    }

    /** It goes on. */
    public synchronized void beat() throws IOException {
        if (over || isLost()) {
            return;
        }
        undertakings.tell(id, Undertaking.running(bytes.get()));
        heard = undertakings.hearing().clock().millis();
        stopped = stoppable && undertakings.isStopped(id);
    }

    public synchronized void end(Undertaking end) throws IOException {
        if (!over && !isLost()) {
            undertakings.tell(id, end);
        }
        over = true;
    }

    /** Whoever asked has been told how it ended. */
    public synchronized void forget() throws IOException {
        over = true;
        if (!isLost()) {
            undertakings.forget(id);
        }
    }
}
