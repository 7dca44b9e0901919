package io.sluice.files.centre;

import io.sluice.files.space.Copying;
import io.sluice.files.space.Space;
import io.sluice.files.space.Undertakings;
import io.sluice.files.space.Undertakings.State;
import io.sluice.files.space.Undertakings.Undertaking;
import io.sluice.files.tree.Refused;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What may take longer than an answer: it goes on past it, is told as that, and can be asked for. Who asks for the same again meanwhile gets
 * the one that runs.
 */
final class Operations {
    private static final System.Logger LOG = System.getLogger(Operations.class.getName());
    private static final long BEAT_NANOS = Duration.ofSeconds(2).toNanos();

    private final Vertx vertx;
    private final Spaces spaces;
    private final Worker worker;
    private final Worker slow;
    private final Duration patience;

    /** @param slow whose threads nothing waits for that is quick */
    Operations(Vertx vertx, Spaces spaces, Worker worker, Worker slow, Duration patience) {
        this.vertx = vertx;
        this.spaces = spaces;
        this.worker = worker;
        this.slow = slow;
        this.patience = patience;
    }

    /**
     * What is asked for.
     *
     * @param words that are the same when it is asked for again
     * @param stoppable whether nothing of it is left when it ends before its end
     * @param anew whether it is done once more when it has been done: what it is done to may be another by then
     */
    record What(String words, boolean stoppable, boolean anew) {
        static What whole(String words) {
            return new What(words, false, false);
        }

        static What stoppable(String words) {
            return new What(words, true, false);
        }

        private String id() {
            try {
                byte[] sum = MessageDigest.getInstance("SHA-256").digest(words.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(sum, 0, 14);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** What is done in a space. */
    @FunctionalInterface
    interface Work {
        void run(Space space, Copying.Moved moved) throws IOException;
    }

    /** How it is answered once it is done. */
    @FunctionalInterface
    interface Done {
        Reply of(Space space) throws IOException;
    }

    Future<Reply> run(Call call, What what, Work work, Done done) {
        String id = what.id();
        long user = call.caller().id();
        return worker.run(user, () -> begun(call, what, done))
                .compose(there -> there.isPresent()
                        ? Future.succeededFuture(there.get())
                        : soon(call, id, slow.run(user, () -> doing(space(call), what, work, done))));
    }

    private Space space(Call call) throws IOException {
        return spaces.of(call.caller(), call.path("user"));
    }

    /** How it is answered that it runs already, or that it is done; empty: it begins. */
    private static Optional<Reply> known(Call call, String id, Space space, Done done, @Nullable Undertaking there)
            throws IOException {
        if (there == null) {
            return Optional.empty();
        }
        return Optional.of(
                there.state() == State.RUNNING ? told(call, id, there).status(202) : done.of(space));
    }

    private Optional<Reply> begun(Call call, What what, Done done) throws IOException {
        String id = what.id();
        Space space = space(call);
        var undertakings = new Undertakings(space);
        try {
            Undertaking there = undertakings.begin(id);
            boolean anew = what.anew() && there != null && there.state() == State.DONE;
            return known(call, id, space, done, anew ? undertakings.begin(id) : there);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
            // what was done then has been taken away since: it is wanted anew
            return known(call, id, space, done, undertakings.begin(id));
        }
    }

    private static Reply doing(Space space, What what, Work work, Done done) throws Exception {
        String id = what.id();
        var undertakings = new Undertakings(space);
        try {
            Told.of(() -> {
                work.run(space, new Beat(undertakings, id, what.stoppable()));
                return id;
            });
        } catch (Exception failed) {
            tellFailure(undertakings, id, failed);
            throw failed;
        }
        undertakings.tell(id, new Undertaking(State.DONE, 0, 0, "", ""));
        return done.of(space);
    }

    private static void tellFailure(Undertakings undertakings, String id, Exception failed) {
        try {
            Problem problem = failed instanceof Problem known
                    ? known
                    : Problem.of(Problem.Kind.BROKEN, "It failed in the gateway, whose own log says more.");
            undertakings.tell(
                    id, new Undertaking(State.FAILED, 0, problem.status(), problem.code(), problem.message()));
        } catch (IOException untold) {
            failed.addSuppressed(untold);
        }
    }

    /** Says that it goes on, now and then. */
    private static final class Beat implements Copying.Moved {
        private final Undertakings undertakings;
        private final String id;
        private final boolean stoppable;
        private long bytes;
        private long last = System.nanoTime();

        Beat(Undertakings undertakings, String id, boolean stoppable) {
            this.stoppable = stoppable;
            this.undertakings = undertakings;
            this.id = id;
        }

        @Override
        public void on(long more) throws IOException {
            bytes += more;
            if (System.nanoTime() - last > BEAT_NANOS) {
                if (stoppable && undertakings.isStopped(id)) {
                    throw new Undertakings.Stopped();
                }
                undertakings.tell(id, Undertaking.running(bytes));
                last = System.nanoTime();
            }
        }
    }

    private Future<Reply> soon(Call call, String id, Future<Reply> whole) {
        return soon(
                whole,
                () -> told(call, id, Undertaking.running(0)).status(202),
                () -> worker.of(call.caller().id()).after(() -> {
                    new Undertakings(space(call)).forget(id);
                    return id;
                }));
    }

    /**
     * What is done while whoever asked waits is answered as if it were any call.
     *
     * @param answered of which nobody has to ask any more
     */
    Future<Reply> soon(Future<Reply> whole, Supplier<Reply> late, Supplier<Future<String>> answered) {
        Promise<Reply> first = Promise.promise();
        long timer = vertx.setTimer(patience.toMillis(), now -> first.complete(late.get()));
        whole.onComplete(end -> {
            if (vertx.cancelTimer(timer)) {
                answered.get().transform(forgotten -> whole).onComplete(first);
            } else if (end.failed()) {
                LOG.log(Level.INFO, "event=operation-failed", end.cause());
            }
        });
        return first.future();
    }

    private static Reply told(Call call, String id, Undertaking now) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("operation", id);
        shown.put("state", now.shown());
        shown.put("bytes", now.bytes());
        shown.put("status", now.status());
        shown.put("code", now.code());
        shown.put("message", now.message());
        return Reply.json(shown).header("Location", "/api/v2/files/" + call.path("user") + "/operations/" + id);
    }

    Future<Reply> look(Call call) {
        String id = call.path("operation");
        return worker.run(call.caller().id(), () -> {
            Space space = space(call);
            return told(call, id, new Undertakings(space).find(id));
        });
    }

    Future<Reply> stop(Call call) {
        String id = call.path("operation");
        return worker.run(call.caller().id(), () -> {
            new Undertakings(space(call)).stop(id);
            return Reply.nothing().status(202);
        });
    }
}
