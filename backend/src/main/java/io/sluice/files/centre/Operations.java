package io.sluice.files.centre;

import io.sluice.files.space.Copying;
import io.sluice.files.space.Running;
import io.sluice.files.space.Space;
import io.sluice.files.space.Undertakings;
import io.sluice.files.space.Undertakings.Hearing;
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
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What may take longer than an answer: it goes on past it, is told as that, and can be asked for. Who asks for the same again meanwhile gets
 * the one that runs.
 */
final class Operations {
    private static final System.Logger LOG = System.getLogger(Operations.class.getName());
    /** So long whoever asked for something waits for its end; an answer takes no more than half a minute. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Spaces spaces;
    private final Worker worker;
    private final Worker slow;
    private final Worker beats;
    private final Duration patience;
    private final Hearing hearing;
    private final long timer;
    /** Those of this gateway, from their beginning to their end, whether they run or wait; each worker limits how many. */
    private final Set<Own> own = ConcurrentHashMap.newKeySet();

    /** @param asked whether it is about to say that it goes on */
    private record Own(long user, Running running, AtomicBoolean asked) {}

    /** @param slow whose threads nothing waits for that is quick */
    Operations(
            Vertx vertx, Spaces spaces, Worker worker, Worker slow, Worker beats, Duration patience, Hearing hearing) {
        this.vertx = vertx;
        this.spaces = spaces;
        this.worker = worker;
        this.slow = slow;
        this.patience = patience;
        this.beats = beats;
        this.hearing = hearing;
        this.timer = vertx.setPeriodic(hearing.every().toMillis(), now -> own.forEach(this::beat));
    }

    static Operations open(Vertx vertx, Spaces spaces, Worker worker, Worker slow, CentreMetrics metrics) {
        return new Operations(vertx, spaces, worker, slow, Worker.beats(vertx, metrics), PATIENCE, Hearing.USUAL);
    }

    private void beat(Own one) {
        if (!one.asked().compareAndSet(false, true)) {
            return;
        }
        beats.of(one.user())
                .after(() -> {
                    one.running().beat();
                    return one;
                })
                .onFailure(e -> LOG.log(Level.WARNING, "event=operation-not-heard", e))
                .onComplete(heard -> one.asked().set(false));
    }

    /**
     * What is asked for.
     *
     * @param words that are the same when it is asked for again
     * @param stoppable whether nothing of it is left when it ends before its end
     * @param anew whether it is done once more when it has been done: what it is done to may be another by then
     */
    record What(Words words, boolean stoppable, boolean anew) {
        static What stoppable(Words words) {
            return new What(words, true, false);
        }

        private String id(Space space) throws IOException {
            try {
                byte[] sum = MessageDigest.getInstance("SHA-256")
                        .digest(words.of(space).getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(sum, 0, 14);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** What tells one from another, as things are in the space. */
    @FunctionalInterface
    interface Words {
        String of(Space space) throws IOException;
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
        return worker.run(call.caller().id(), () -> begun(call, what, done))
                .compose(begun -> begun.answer() == null
                        ? going(call, begun, what, work, done)
                        : Future.succeededFuture(begun.answer()));
    }

    /** @param answer null: it begins */
    private record Begun(String id, Space space, @Nullable Reply answer) {}

    private Future<Reply> going(Call call, Begun begun, What what, Work work, Done done) {
        var running = new Running(undertakings(begun.space()), begun.id(), what.stoppable());
        return going(
                call.caller().id(),
                running,
                () -> doing(space(call), running, work, done),
                () -> told(call, begun.id(), Undertaking.running(0)).status(202));
    }

    /** @param late what is told of it while it goes on */
    Future<Reply> going(long user, Running running, Callable<Reply> doing, Supplier<Reply> late) {
        var one = new Own(user, running, new AtomicBoolean());
        own.add(one);
        Future<Reply> whole = slow.run(user, doing).onComplete(end -> own.remove(one));
        return soon(
                whole,
                late,
                () -> worker.of(user).after(() -> {
                    running.forget();
                    return "";
                }));
    }

    private Undertakings undertakings(Space space) {
        return new Undertakings(space, hearing);
    }

    private Space space(Call call) throws IOException {
        return spaces.of(call.caller(), call.path("user"));
    }

    /** How it is answered that it runs already, or that it is done; null: it begins. */
    private static @Nullable Reply known(Call call, String id, Space space, Done done, @Nullable Undertaking there)
            throws IOException {
        if (there == null) {
            return null;
        }
        return there.state() == State.RUNNING ? told(call, id, there).status(202) : done.of(space);
    }

    private Begun begun(Call call, What what, Done done) throws IOException {
        Space space = space(call);
        String id = what.id(space);
        return new Begun(id, space, known(call, what, id, space, done));
    }

    private @Nullable Reply known(Call call, What what, String id, Space space, Done done) throws IOException {
        Undertakings undertakings = undertakings(space);
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

    private static Reply doing(Space space, Running running, Work work, Done done) throws Exception {
        try {
            Told.of(() -> {
                running.on(0);
                work.run(space, running);
                return space;
            });
        } catch (Exception failed) {
            tellFailure(running, failed);
            throw failed;
        }
        running.end(new Undertaking(State.DONE, 0, 0, "", ""));
        return done.of(space);
    }

    private static void tellFailure(Running running, Exception failed) {
        try {
            Problem problem = failed instanceof Problem known
                    ? known
                    : Problem.of(Problem.Kind.BROKEN, "It failed in the gateway, whose own log says more.");
            running.end(new Undertaking(State.FAILED, 0, problem.status(), problem.code(), problem.message()));
        } catch (IOException untold) {
            failed.addSuppressed(untold);
        }
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
            return told(call, id, undertakings(space).look(id));
        });
    }

    Future<Reply> stop(Call call) {
        String id = call.path("operation");
        return worker.run(call.caller().id(), () -> {
            undertakings(space(call)).stop(id);
            return Reply.nothing().status(202);
        });
    }

    Future<Void> close() {
        vertx.cancelTimer(timer);
        return beats.close();
    }
}
