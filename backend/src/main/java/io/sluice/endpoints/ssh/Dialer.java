package io.sluice.endpoints.ssh;

import io.netty.channel.socket.DuplexChannel;
import io.sluice.endpoints.ssh.files.Taker;
import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.streams.ReadStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Finds the way to what listens in a task. */
final class Dialer {
    private static final int PATIENCE_MILLIS = 10_000;

    /** To a port or socket that has answered. */
    interface Line extends Taker {
        /** Paused. */
        ReadStream<Buffer> output();

        void close();
    }

    private final Ssh.Task task;
    private final Engine engine;
    private final Vertx vertx;
    private final NetClient client;

    Dialer(Ssh.Task task, Engine engine, Vertx vertx) {
        this.task = task;
        this.engine = engine;
        this.vertx = vertx;
        this.client = vertx.createNetClient(
                new NetClientOptions().setConnectTimeout(PATIENCE_MILLIS).setTcpNoDelay(true));
    }

    /** What others can reach is reached from here; what listens for the task alone, from inside of it. */
    Future<Line> port(Connection connection, int port) {
        return task.place(connection)
                .compose(place -> engine.reach(place.run(), port)
                        .compose(found -> found.map(address -> connect(connection, address))
                                .orElseGet(() -> engine.hasOwnLoopback()
                                        ? counted(connection, port)
                                        : Future.failedFuture(new IllegalStateException("nobody listens")))));
    }

    /** @param path in the task's own root */
    Future<Line> socket(Connection connection, byte[] path) {
        return inside(connection, path, () -> {});
    }

    /** What the socket says is then told of on the connection's context, which may wait for the client; an event loop must not. */
    private Future<Line> connect(Connection connection, SocketAddress address) {
        Promise<Line> connected = Promise.promise();
        connection
                .context()
                .runOnContext(now -> client.connect(address)
                        .<Line>map(socket -> {
                            socket.pause();
                            return new Wire(socket);
                        })
                        .onComplete(connected));
        return connected.future();
    }

    /** A port that needs a program counts as one for its user, as long as that runs. */
    private Future<Line> counted(Connection connection, int port) {
        Guest guest = connection.guest();
        if (!task.connections().reserve(guest, TaskChannel.Kind.LOOPBACK)) {
            return Future.failedFuture(
                    new ForwardChannel.Prohibited("you have as many programs open here as one user may"));
        }
        var released = new AtomicBoolean();
        Runnable release = () -> {
            if (released.compareAndSet(false, true)) {
                task.connections().release(guest, TaskChannel.Kind.LOOPBACK);
            }
        };
        return inside(connection, Integer.toString(port).getBytes(StandardCharsets.US_ASCII), release);
    }

    /** The program says one character when it has connected, or why it could not, and ends. */
    private Future<Line> inside(Connection connection, byte[] where, Runnable over) {
        return task.exec(connection, new Command(Scripts.dial(where), Map.of(), null))
                .onFailure(failed -> over.run())
                .compose(exec -> {
                    exec.exit().onComplete(ended -> over.run());
                    Promise<Line> answered = Promise.promise();
                    exec.errors()
                            .handler(piece -> {
                                if (piece.length() > 0 && piece.getByte(0) == '+') {
                                    answered.tryComplete(new Through(exec));
                                } else {
                                    answered.tryFail(new IllegalStateException(piece.toString()));
                                }
                            })
                            .endHandler(end -> answered.tryFail(new IllegalStateException("nobody listens")));
                    exec.errors().resume();
                    long late = vertx.setTimer(
                            PATIENCE_MILLIS, tick -> answered.tryFail(new IllegalStateException("no answer in time")));
                    return answered.future()
                            .onComplete(done -> vertx.cancelTimer(late))
                            .onFailure(failed -> exec.end());
                });
    }

    private record Wire(NetSocket socket) implements Line {
        @Override
        public Future<Void> take(Buffer piece) {
            return socket.write(piece);
        }

        /** Only this side: the other may have much to say yet. */
        @Override
        public void end() {
            if (((NetSocketInternal) socket).channelHandlerContext().channel() instanceof DuplexChannel channel) {
                var unused = channel.shutdownOutput();
            }
        }

        @Override
        public ReadStream<Buffer> output() {
            return socket;
        }

        @Override
        public void close() {
            socket.close().onFailure(gone -> note(gone));
        }
    }

    private record Through(Exec exec) implements Line {
        @Override
        public Future<Void> take(Buffer piece) {
            return exec.input().write(piece);
        }

        @Override
        public void end() {
            exec.input().end().onFailure(Dialer::note);
        }

        @Override
        public ReadStream<Buffer> output() {
            return exec.output();
        }

        @Override
        public void close() {
            if (!exec.exit().isComplete()) {
                exec.end();
            }
        }
    }

    private static void note(Throwable gone) {
        System.getLogger(Dialer.class.getName())
                .log(System.Logger.Level.DEBUG, "ssh=line cause=\"{0}\"", String.valueOf(gone.getMessage()));
    }

    Future<Void> close() {
        return client.close();
    }
}
