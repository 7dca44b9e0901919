package io.sluice.endpoints.terminal;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A shell in a task, with what it printed last and the one browser that shows it. All happens on one context. */
final class Terminal {
    private static final System.Logger LOG = System.getLogger(Terminal.class.getName());
    private static final int KEPT = 256 << 10;
    /** So long it rests between pieces while nobody looks. */
    private static final long UNSEEN_REST_MILLIS = 10;

    private final String id;
    private final Visit visit;
    private final Exec exec;
    private final Context context;
    private final Vertx vertx;
    private final TerminalMetrics metrics;
    private final BiConsumer<Terminal, String> ended;
    private final Backlog backlog = new Backlog(KEPT);
    private Command.Screen screen;
    private Command.@Nullable Screen wanted;
    private @Nullable Viewer viewer;
    private long active = System.nanoTime();
    private long seen = System.nanoTime();
    private boolean asked;
    private boolean printedAll;
    private @Nullable Integer exit;
    private boolean over;

    Terminal(
            String id,
            Visit visit,
            Exec exec,
            Context context,
            Vertx vertx,
            TerminalMetrics metrics,
            BiConsumer<Terminal, String> ended) {
        this.id = id;
        this.visit = visit;
        this.exec = exec;
        this.context = context;
        this.vertx = vertx;
        this.metrics = metrics;
        this.ended = ended;
        this.screen = visit.screen();
    }

    String id() {
        return id;
    }

    Visit visit() {
        return visit;
    }

    void begin() {
        exec.output().handler(piece -> context.runOnContext(now -> printed(piece)));
        exec.output()
                .endHandler(all -> context.runOnContext(now -> {
                    printedAll = true;
                    finishIfOver();
                }));
        exec.errors().resume();
        exec.exit()
                .onComplete(code -> context.runOnContext(now -> {
                    // what could not be found out is told as a program that was ended
                    exit = code.succeeded() ? code.result() : Integer.valueOf(137);
                    finishIfOver();
                }));
        proceed();
    }

    private void printed(Buffer piece) {
        asked = false;
        active = System.nanoTime();
        backlog.add(piece);
        proceed();
    }

    /** Tells what there is, and asks the program for more where there is room for it. */
    void proceed() {
        Viewer now = viewer;
        if (now != null) {
            now.tell(backlog);
        }
        if (asked || over || (now != null && !now.hasRoom(backlog))) {
            return;
        }
        asked = true;
        if (now != null) {
            exec.output().fetch(1);
        } else {
            vertx.setTimer(UNSEEN_REST_MILLIS, rested -> exec.output().fetch(1));
        }
    }

    private void finishIfOver() {
        if (printedAll && exit != null) {
            finish("exit");
        }
    }

    /** Another browser that shows it has to make room. */
    void attach(ServerWebSocket socket, Visit again) {
        context.runOnContext(now -> {
            if (over) {
                socket.resume();
                Terminals.part(vertx, socket, "gone", "", null);
                return;
            }
            Viewer before = viewer;
            if (before != null) {
                detach(before);
                before.part("taken", null);
            }
            var fresh = new Viewer(this, socket, context, vertx);
            viewer = fresh;
            seen = System.nanoTime();
            metrics.watched(1);
            boolean goesOn = again.offset() >= backlog.begin() && again.offset() <= backlog.end();
            fresh.greet(id, goesOn ? new Backlog.Start(again.offset(), "") : backlog.start());
            if (!goesOn) {
                redraw(again.screen());
            }
            resize(again.screen());
            proceed();
        });
    }

    /** Not all that it drew is there any more: a program that fills the screen draws it anew when its size changes. */
    private void redraw(Command.Screen size) {
        if (size.rows() > 1) {
            resize(new Command.Screen(size.columns(), size.rows() - 1));
        }
    }

    /** It is gone, or another is there. */
    void detach(Viewer gone) {
        if (viewer == gone) {
            viewer = null;
            seen = System.nanoTime();
            metrics.watched(-1);
            if (!over) {
                proceed();
            }
        }
    }

    void typed(Buffer keys, Viewer by) {
        if (over) {
            return;
        }
        active = System.nanoTime();
        exec.input()
                .write(keys)
                .onFailure(full -> LOG.log(
                        System.Logger.Level.DEBUG,
                        "terminal={0} typed=lost cause=\"{1}\"",
                        id.substring(0, 8),
                        full.getMessage()));
        if (exec.input().writeQueueFull()) {
            by.hold();
            exec.input().drainHandler(room -> context.runOnContext(now -> by.goOn()));
        }
    }

    /** One change at a time; of those that come meanwhile the last one counts. */
    void resize(Command.Screen size) {
        boolean busy = wanted != null;
        wanted = size;
        if (!busy) {
            resizeOnce();
        }
    }

    private void resizeOnce() {
        Command.Screen size = wanted;
        if (size == null || size.equals(screen) || over) {
            wanted = null;
            return;
        }
        screen = size;
        exec.resize(size)
                .onFailure(failed -> LOG.log(
                        System.Logger.Level.DEBUG,
                        "terminal={0} resized=no cause=\"{1}\"",
                        id.substring(0, 8),
                        failed.getMessage()))
                .onComplete(done -> context.runOnContext(now -> resizeOnce()));
    }

    /** Whether it is still needed. */
    void check(Terminals.Limits limits) {
        context.runOnContext(now -> {
            if (!over && viewer == null && isLonger(seen, limits.left())) {
                finish("left");
            } else if (!over && isLonger(active, limits.idle())) {
                finish("idle");
            }
        });
    }

    private static boolean isLonger(long since, Duration limit) {
        return System.nanoTime() - since > limit.toNanos();
    }

    void end(String reason) {
        context.runOnContext(now -> finish(reason));
    }

    private void finish(String reason) {
        if (over) {
            return;
        }
        over = true;
        exec.end();
        exec.output().handler(late -> {});
        exec.output().resume();
        Viewer last = viewer;
        if (last != null) {
            detach(last);
            last.part(reason, exit);
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "terminal={0} ended={1} seconds={2}",
                id.substring(0, 8),
                reason,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - active));
        ended.accept(this, reason);
    }
}
