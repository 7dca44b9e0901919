package io.sluice.engines.process.exec;

import io.sluice.engines.Command;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Exec;
import io.sluice.engines.pipes.PipeReader;
import io.sluice.engines.pipes.PipeWriter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/** Starts programs inside of tasks. */
public final class Execs {

    private static final int MOST = 128;

    private final Path programs;
    private final String path;
    private final IntConsumer gauge;
    private final AtomicInteger running = new AtomicInteger();

    /**
     * @param programs the folder with {@code enter}
     * @param path where its helpers are found
     * @param gauge is told how many run
     */
    public Execs(Path programs, String path, IntConsumer gauge) {
        this.programs = programs;
        this.path = path;
        this.gauge = gauge;
    }

    /**
     * @param run the folder of the run
     * @param init its first process inside
     * @param again runs another program in the same task
     */
    public Exec start(Path run, long init, Command command, Context context, Function<Command, Future<Exec>> again)
            throws IOException {
        if (running.incrementAndGet() > MOST) {
            running.decrementAndGet();
            throw new Unavailable(
                    MOST + " programs run inside of tasks already. Close a terminal, or try again in a moment.", null);
        }
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
            gone();
            throw e;
        }
    }

    private void gone() {
        gauge.accept(running.decrementAndGet());
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

    private final class Running implements Exec {

        private final Process process;
        private final PipeReader output;
        private final PipeReader errors;
        private final PipeWriter input;
        private final Promise<Integer> exit = Promise.promise();
        private final Command command;
        private final String mark;
        private final Function<Command, Future<Exec>> again;

        Running(Process process, Context context, Command command, String mark, Function<Command, Future<Exec>> again) {
            this.process = process;
            this.command = command;
            this.mark = mark;
            this.again = again;
            gauge.accept(running.get());
            output = PipeReader.of("sluice-exec-out", process.getInputStream(), context);
            errors = PipeReader.of("sluice-exec-err", process.getErrorStream(), context);
            input = new PipeWriter("sluice-exec-in", process.getOutputStream(), context);
            var unused = process.onExit().thenAccept(ended -> {
                gone();
                context.runOnContext(now -> {
                    exit.complete(ended.exitValue());
                    input.end().onFailure(alreadyClosed -> exit.tryFail(alreadyClosed));
                });
            });
        }

        @Override
        public ReadStream<Buffer> output() {
            return output;
        }

        @Override
        public ReadStream<Buffer> errors() {
            return errors;
        }

        @Override
        public WriteStream<Buffer> input() {
            return input;
        }

        @Override
        public Future<Integer> exit() {
            return exit.future();
        }

        @Override
        public Future<Void> resize(Command.Screen screen) {
            if (command.screen() == null) {
                return Future.failedFuture(new IllegalStateException("it has no terminal"));
            }
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
