package io.sluice.engines;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What runs tasks. Every call may be repeated with the same arguments and then changes nothing more. Every call answers
 * within a time limit of the engine's own; one that fails, with {@link Unavailable}, leaves unknown whether it had an
 * effect: ask {@link #list}, or call again.
 */
public interface Engine {

    /** {@code process}, {@code docker} or {@code kubernetes}. */
    String kind();

    /** What there is to run tasks on, right now. */
    Future<Inventory> inventory();

    /** Starts the task, or finds the run that has its name already, whatever has become of that one since. */
    Future<Started> start(Task task);

    /**
     * Asks every process of the run to end, and ends by force what is left after the grace period. The answer comes when
     * the intent is kept, not when the run has ended: that is told as any other end is. A run that has not begun never
     * will; one that is over or not known is left as it is.
     */
    Future<Void> stop(String name, Duration grace);

    /** Every run of this install that has not been removed, also those that an earlier gateway started. */
    Future<List<Run>> list();

    /**
     * Hears of runs that have started or ended, on a thread of the engine that must not be held. A hint, which may come
     * twice or not at all: {@link #list} is the truth.
     */
    Subscription watch(Consumer<Run> changed);

    /**
     * The first process of each run that runs on this machine, by the run's name: the others descend from it. Runs elsewhere are missing, and
     * so are those that just begin.
     */
    default Future<Map<String, Long>> processes() {
        return Future.succeededFuture(Map.of());
    }

    /** Forgets a run that is over, with all that the engine kept of it but its output. Fails while the run is not over. */
    Future<Void> remove(String name);

    /** Lets go; what runs goes on running. */
    Future<Void> close();

    /** The engine could not be asked, or did not answer in time; the message is one line. */
    final class Unavailable extends RuntimeException {

        public Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
