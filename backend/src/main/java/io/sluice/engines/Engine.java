package io.sluice.engines;

import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /**
     * Runs a program inside a running task, under the task's limits and with no more rights. How many there may be at
     * once is limited.
     *
     * @throws IllegalStateException in the future, when the task does not run (any more)
     */
    default Future<Exec> exec(String name, Command command) {
        return Future.failedFuture(new Unavailable("the " + kind() + " engine runs no programs inside of tasks", null));
    }

    /**
     * Where the gateway reaches a port of a running task, if something inside of the task listens there. What another
     * task, or the machine itself, has at that port is never answered.
     */
    default Future<Optional<SocketAddress>> reach(String name, int port) {
        return Future.failedFuture(new Unavailable("the " + kind() + " engine opens no ports of tasks", null));
    }

    /** Whether what listens in a task on its loopback address is heard by that task alone, and so reached by {@link #exec} only. */
    default boolean hasOwnLoopback() {
        return false;
    }

    /** A port that nobody else is given while this task runs, and the address on which to listen there. */
    default Future<SocketAddress> port(String name) {
        return Future.failedFuture(new Unavailable("the " + kind() + " engine has no ports to give", null));
    }

    /** Whether {@link #keep} can be asked for. */
    default boolean keeps() {
        return false;
    }

    /**
     * Keeps what a running task has put into its image as an image of its owner's: tasks of the same {@link Task#OWNER} may run in it, and
     * no others. What is bound into the task is not part of it, nor are its environment and labels. An image of this owner that has the name
     * already is replaced. The task stands still meanwhile.
     *
     * @param chosen a name, with a tag or without
     * @param origin what the task is to people; {@link #saved} tells it again
     * @return fails with {@link NotKept}
     */
    default Future<Kept> keep(String name, String chosen, String origin) {
        return Future.failedFuture(
                new NotKept(
                        NotKept.Why.IMPOSSIBLE,
                        "The " + kind()
                                + " engine runs tasks in no images, and can save none. Keep what a task makes in /userhome or /output."));
    }

    /**
     * The images that were kept, and the keeping of others that is under way or has come to nothing.
     *
     * @param beginning of their names
     */
    default Future<List<Saved>> saved(String beginning) {
        return Future.succeededFuture(List.of());
    }

    /**
     * Forgets one of {@link #saved}.
     *
     * @param failed one that could not be saved: an image of that name stays
     * @return fails with {@link NotKept}: there is none such, or it is in use
     */
    default Future<Void> drop(String image, boolean failed) {
        return Future.failedFuture(new NotKept(NotKept.Why.GONE, "There is no saved image " + image + "."));
    }

    /** Lets go; what runs goes on running. */
    Future<Void> close();

    /** The engine could not be asked, or did not answer in time; the message is one line. */
    final class Unavailable extends RuntimeException {

        public Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * An image that was kept.
     *
     * @param image its name, as a task gives it
     * @param id of its content
     * @param bytes with all that it is upon
     */
    record Kept(String image, String id, long bytes) {
        /** How the names of all of them begin, before the owner's; no registry has it. */
        public static final String REGISTRY = "saved.sluice";
    }

    /**
     * An image that was kept, or is not kept yet, or never was.
     *
     * @param bytes with all that it is upon; 0 where there is none
     * @param at when it was kept, or that was begun
     * @param origin empty: nobody told
     * @param going whether it is being kept
     * @param fault why there is none, null: there is, or will be
     */
    record Saved(String image, long bytes, Instant at, String origin, boolean going, NotKept.@Nullable Why fault) {}

    /** Why there is no image of a task; the message is one line for the user. */
    final class NotKept extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** What kind of trouble it is. */
        public enum Why {
            /** That is no name. */
            NAME,
            /** Others are being kept: later it can be. */
            BUSY,
            /** The owner has as many as one may have. */
            TOO_MANY,
            /** There is no room. */
            FULL,
            /** The task does not run, or there is no such image. */
            GONE,
            /** Tasks run in it. */
            USED,
            /** The engine, or its gateway, ended meanwhile. */
            CUT,
            /** Not of this task, or not here. */
            IMPOSSIBLE
        }

        private final Why why;

        public NotKept(Why why, String message) {
            super(message);
            this.why = why;
        }

        public Why why() {
            return why;
        }
    }
}
