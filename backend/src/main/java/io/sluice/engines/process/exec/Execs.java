package io.sluice.engines.process.exec;

import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.sluice.engines.pipes.Limit;
import io.sluice.engines.pipes.PipeReader;
import io.sluice.engines.pipes.PipeWriter;
import io.sluice.engines.pipes.Program;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Starts programs inside of tasks. */
public final class Execs {
    /** A task that is told to run may still be making its root. */
    private static final int LOOKS = 100;

    private static final long BETWEEN_LOOKS_MILLIS = 50;

    private final Path programs;
    private final String path;
    private final Limit limit;

    /**
     * @param programs the folder with {@code enter}
     * @param path where its helpers are found
     * @param gauge is told how many run
     */
    public Execs(Path programs, String path, IntConsumer gauge) {
        this.programs = programs;
        this.path = path;
        this.limit = new Limit(gauge);
    }

    /** @param start is asked again while it answers with nothing: the task has not begun yet */
    public static Future<Exec> onceBegun(Vertx vertx, Supplier<Future<Optional<Exec>>> start) {
        return onceBegun(vertx, start, LOOKS);
    }

    private static Future<Exec> onceBegun(Vertx vertx, Supplier<Future<Optional<Exec>>> start, int looks) {
        return start.get().compose(exec -> {
            if (exec.isPresent()) {
                return Future.succeededFuture(exec.get());
            }
            return looks == 0
                    ? Future.failedFuture(
                            new Engine.Unavailable("the task is still being set up. Try again in a few seconds", null))
                    : vertx.timer(BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS)
                            .compose(now -> onceBegun(vertx, start, looks - 1));
        });
    }

    /**
     * @param run the folder of the run
     * @param init its first process inside
     * @param again runs another program in the same task
     */
    public Exec start(Path run, long init, Command command, Context context, Function<Command, Future<Exec>> again)
            throws IOException {
        limit.take();
        var mark = UUID.randomUUID().toString();
        try {
            var words = new ArrayList<>(
                    List.of("bash", "-p", programs.resolve("enter").toString(), run.toString(), Long.toString(init)));
            words.addAll(command.screen() == null ? command.words() : terminal(command, command.screen(), mark));
            var builder = new ProcessBuilder(words).directory(run.toFile());
            builder.environment().clear();
            builder.environment().put("PATH", path);
            if (command.screen() != null) {
                builder.environment().put("TERM", "xterm-256color");
            }
            builder.environment().putAll(command.environment());
            return new Running(builder.start(), context, command, mark, again);
        } catch (IOException | RuntimeException e) {
            limit.free();
            throw e;
        }
    }

    /** The terminal's name is left where a later change of its size finds it. */
    private static List<String> terminal(Command command, Command.Screen screen, String mark) {
        var words = command.words().stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        var inside = "tty > /tmp/.tty-" + mark + "; stty cols " + screen.columns() + " rows " + screen.rows()
                + "; exec " + words;
        return List.of("script", "--quiet", "--return", "--flush", "--command", inside, "/dev/null");
    }

    private final class Running extends Program {

        private final Process process;
        private final String mark;
        private final Function<Command, Future<Exec>> again;

        Running(Process process, Context context, Command command, String mark, Function<Command, Future<Exec>> again) {
            super(
                    PipeReader.of("sluice-exec-out", process.getInputStream(), context),
                    PipeReader.of("sluice-exec-err", process.getErrorStream(), context),
                    new PipeWriter("sluice-exec-in", process.getOutputStream(), context),
                    command.screen() != null,
                    context);
            this.process = process;
            this.mark = mark;
            this.again = again;
            var unused = process.onExit().thenAccept(ended -> {
                limit.free();
                over(ended.exitValue());
            });
        }

        @Override
        protected Future<Void> fitted(Command.Screen screen) {
            var words = List.of(
                    "sh",
                    "-c",
                    "stty -F \"$(cat \"/tmp/.tty-$1\")\" cols \"$2\" rows \"$3\"",
                    "resize",
                    mark,
                    Integer.toString(screen.columns()),
                    Integer.toString(screen.rows()));
            return again.apply(new Command(words, Map.of(), null))
                    .compose(resizing -> Exec.whole(resizing, 1_000))
                    .compose(ended -> ended.code() == 0
                            ? Future.succeededFuture()
                            : Future.failedFuture(
                                    new IllegalStateException(ended.output().strip())));
        }

        @Override
        public void end() {
            process.destroyForcibly();
        }
    }
}
