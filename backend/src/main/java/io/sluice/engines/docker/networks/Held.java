package io.sluice.engines.docker.networks;

import io.sluice.engines.Engine.Unavailable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A network.
 *
 * @param made whether it is there yet
 * @param holder null: none, and who comes makes a namespace of its own
 */
public record Held(String name, Future<?> made, @Nullable Holder holder) {

    /**
     * A container of ours that does nothing, in whose namespace a task begins sooner.
     *
     * @param address of the namespace
     */
    public record Holder(String id, String address) {}

    /** One that is there. */
    static Held found(String name, @Nullable Holder holder) {
        var done = new FutureTask<>(() -> {}, null);
        done.run();
        return new Held(name, done, holder);
    }

    Held with(Holder one) {
        return new Held(name, made, one);
    }

    Held withoutHolder() {
        return new Held(name, made, null);
    }

    boolean failed() {
        return made.state() == Future.State.FAILED || made.state() == Future.State.CANCELLED;
    }

    /** Until it is there. */
    public void await() {
        try {
            made.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new Unavailable("The gateway is closing.", e);
        }
    }
}
