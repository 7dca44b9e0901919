package io.sluice.endpoints.terminal;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.sluice.identity.Identity;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.web.Caller;
import io.sluice.web.Route;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ServerWebSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The door to terminals. They outlive the browsers that show them for a while, but neither their task nor this gateway. */
public final class Terminals {
    public static final String SUBPROTOCOL = "sluice.terminal.v1";

    /** The shell that there is, in a character set in which everything can be written. */
    private static final String SHELL = """
            [ -n "$LC_ALL$LC_CTYPE$LANG" ] && [ "$LC_ALL$LC_CTYPE$LANG" != C ] || export LANG=C.UTF-8
            export COLORTERM=truecolor
            command -v bash >/dev/null 2>&1 || exec sh -i
            export PS1='\\u@\\h:\\w\\$ '
            exec bash -i
            """;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SECRET_BYTES = 16;
    private static final long CHECK_MILLIS = 5_000;
    private static final long PARTING_MILLIS = 5_000;

    /**
     * @param ofOne how many a user may have at once
     * @param of all users together
     * @param idle after which a terminal ends in which nothing is typed or printed
     * @param left after which a terminal ends that nobody looks at
     */
    public record Limits(int ofOne, int of, Duration idle, Duration left) {
        public static final Limits USUAL = new Limits(10, 100, Duration.ofHours(2), Duration.ofMinutes(15));
    }

    /** Where a task runs. */
    @FunctionalInterface
    public interface Whereabouts {
        /** What the engine calls it; empty: it does not run. */
        Future<Optional<String>> run(long job, String role, int index);
    }

    private final Vertx vertx;
    private final Engine engine;
    private final Whereabouts whereabouts;
    private final Limits limits;
    private final TerminalMetrics metrics;
    /** By their id, those that are being opened among them. */
    private final Map<String, Visit> places = new ConcurrentHashMap<>();

    private final Map<String, Terminal> open = new ConcurrentHashMap<>();
    private final long timer;
    private volatile boolean closed;

    public Terminals(Vertx vertx, Engine engine, Whereabouts whereabouts, Limits limits, CollectorRegistry registry) {
        this.vertx = vertx;
        this.engine = engine;
        this.whereabouts = whereabouts;
        this.limits = limits;
        this.metrics = new TerminalMetrics(registry);
        long check = Math.min(
                CHECK_MILLIS, Math.min(limits.idle().toMillis(), limits.left().toMillis()));
        this.timer = vertx.setPeriodic(check, tick -> open.values().forEach(terminal -> terminal.check(limits)));
    }

    /** @param own the job of a key, if it is the caller's to look at */
    public List<Route> routes(Jobs jobs, BiFunction<Caller, String, Future<Job>> own) {
        return new TerminalRoutes(jobs, own, this).routes();
    }

    /** Of those that are open. */
    public Set<Long> jobs() {
        return places.values().stream().map(Visit::job).collect(Collectors.toSet());
    }

    /** Shows the terminal that is asked for, or a new one; why there is none is said to the socket. */
    public void serve(Visit visit, ServerWebSocket socket) {
        socket.pause();
        String known = visit.terminal();
        if (known == null) {
            begin(visit, socket);
            return;
        }
        Terminal terminal = open.get(known);
        if (terminal == null || !terminal.visit().isToSameTask(visit)) {
            refuse(socket, "gone", "");
        } else {
            terminal.attach(socket, visit);
        }
    }

    private void begin(Visit visit, ServerWebSocket socket) {
        var id = secret();
        if (!reserve(id, visit)) {
            refuse(socket, "limit", Integer.toString(limits.ofOne()));
            return;
        }
        Context context = vertx.getOrCreateContext();
        whereabouts
                .run(visit.job(), visit.role(), visit.index())
                .compose(run -> run.isEmpty()
                        ? Future.<Exec>failedFuture(new IllegalStateException("no task"))
                        : engine.exec(run.get(), Command.on(visit.screen(), "sh", "-c", SHELL)))
                .onComplete(exec -> context.runOnContext(now -> opened(id, visit, exec, socket, context)), failure -> {
                    places.remove(id);
                    refuse(socket, failure);
                });
    }

    private synchronized boolean reserve(String id, Visit visit) {
        long own = places.values().stream()
                .filter(other -> other.user() == visit.user())
                .count();
        if (closed || own >= limits.ofOne() || places.size() >= limits.of()) {
            return false;
        }
        places.put(id, visit);
        return true;
    }

    private void opened(String id, Visit visit, Exec exec, ServerWebSocket socket, Context context) {
        var terminal = new Terminal(id, visit, exec, context, vertx, metrics, this::ended);
        open.put(id, terminal);
        metrics.opened();
        audit("terminal-opened", visit, id, null);
        terminal.begin();
        if (closed) {
            terminal.end("restart");
        } else {
            terminal.attach(socket, visit);
        }
    }

    private void ended(Terminal terminal, String reason) {
        open.remove(terminal.id());
        places.remove(terminal.id());
        metrics.ended(reason);
        audit("terminal-ended", terminal.visit(), terminal.id(), reason);
    }

    /** Not the whole id, by which a terminal can be shown. */
    private static void audit(String event, Visit visit, String id, @Nullable String reason) {
        Identity.audit(
                event,
                "user",
                visit.name(),
                "job",
                visit.key(),
                "task",
                visit.role() + "/" + visit.index(),
                "terminal",
                id.substring(0, 8),
                "reason",
                reason == null ? "" : reason);
    }

    private void refuse(ServerWebSocket socket, Throwable failure) {
        if (failure instanceof Engine.Unavailable) {
            refuse(socket, "engine", String.valueOf(failure.getMessage()));
        } else {
            refuse(socket, "task", "");
        }
    }

    void refuse(ServerWebSocket socket, String reason, String detail) {
        metrics.refused(reason);
        socket.resume();
        part(vertx, socket, reason, detail, null);
    }

    /** The last word to a browser. One that does not hear it is cut off. */
    static void part(Vertx vertx, ServerWebSocket socket, String reason, String detail, @Nullable Integer exitCode) {
        long cut = vertx.setTimer(PARTING_MILLIS, late -> note(socket.close()));
        note(socket.writeTextMessage(Words.end(reason, detail, exitCode))
                .eventually(() -> socket.close((short) 1000, reason))
                .eventually(() -> {
                    vertx.cancelTimer(cut);
                    return Future.succeededFuture();
                }));
    }

    /** Whoever has gone hears nothing, and is no fault. */
    static void note(Future<?> said) {
        said.onFailure(gone -> System.getLogger(Terminals.class.getName())
                .log(System.Logger.Level.DEBUG, "event=viewer-gone cause={0}", String.valueOf(gone.getMessage())));
    }

    private static String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Ends them all. */
    public void close() {
        closed = true;
        vertx.cancelTimer(timer);
        List.copyOf(open.values()).forEach(terminal -> terminal.end("restart"));
    }
}
