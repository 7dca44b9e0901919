package io.sluice.engines.pipes;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;

/** What the programs have in common that engines run inside of tasks. */
public abstract class Program implements Exec {

    private static final System.Logger LOG = System.getLogger(Program.class.getName());

    private final PipeReader output;
    private final PipeReader errors;
    private final PipeWriter input;
    private final boolean terminal;
    private final Listener listener;
    private final Promise<Integer> exit = Promise.promise();

    protected Program(PipeReader output, PipeReader errors, PipeWriter input, boolean terminal, Context context) {
        this.output = output;
        this.errors = errors;
        this.input = input;
        this.terminal = terminal;
        this.listener = new Listener(context);
    }

    @Override
    public final PipeReader output() {
        return output;
    }

    @Override
    public final PipeReader errors() {
        return errors;
    }

    @Override
    public final WriteStream<Buffer> input() {
        return input;
    }

    @Override
    public final Future<Integer> exit() {
        return exit.future();
    }

    @Override
    public final Future<Void> resize(Command.Screen screen) {
        return terminal ? fitted(screen) : Future.failedFuture(new IllegalStateException("it has no terminal"));
    }

    /** Of one that has a terminal. */
    protected abstract Future<Void> fitted(Command.Screen screen);

    /** It has ended, and reads nothing more. */
    protected final void over(int code) {
        listener.tell(() -> {
            exit.tryComplete(code);
            endInput();
        });
    }

    /** How it has ended is not known, and will not be. */
    protected final void lost(Throwable why) {
        listener.tell(() -> {
            exit.tryFail(why);
            endInput();
        });
    }

    /** A thread waits for what is written to it. */
    private void endInput() {
        input.end().onFailure(closed -> LOG.log(System.Logger.Level.DEBUG, "exec input=closed"));
    }
}
