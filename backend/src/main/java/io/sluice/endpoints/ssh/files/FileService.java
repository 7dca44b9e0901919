package io.sluice.endpoints.ssh.files;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The door to files in tasks: one client's sftp, or one run of the scp of old clients, on a thread of its own. */
public final class FileService {
    private static final System.Logger LOG = System.getLogger(FileService.class.getName());
    private static final int FAILED = 1;

    private final Exec exec;
    private final Function<Buffer, Future<Void>> tell;
    private final int mostFiles;
    private final Inbox inbox = new Inbox();
    private volatile @Nullable Thread thread;

    /**
     * @param exec of {@link #program}
     * @param tell sends to the client; answers when there is room for more
     */
    public FileService(Exec exec, Function<Buffer, Future<Void>> tell, int mostFiles) {
        this.exec = exec;
        this.tell = tell;
        this.mostFiles = mostFiles;
    }

    public static Command program() {
        return Hand.program();
    }

    /** Whether a command is the other end of the scp of a client from before OpenSSH 9. */
    public static boolean isCopy(byte[] command) {
        return Scp.isOne(command);
    }

    public Taker taker() {
        return inbox;
    }

    /** Until the client has gone; how it ended, as a program's exit code. */
    public Future<Integer> serve() {
        return run(() -> {
            new Sftp(inbox, this::send, new TaskFiles(new Hand(exec), mostFiles), mostFiles).serve();
            return 0;
        });
    }

    public Future<Integer> copy(byte[] command) {
        return run(() -> new Scp(command, inbox, this::send, new TaskFiles(new Hand(exec), mostFiles)).run());
    }

    private Future<Integer> run(Callable<Integer> work) {
        Promise<Integer> served = Promise.promise();
        thread = Thread.ofVirtual().name("sluice-sftp").start(() -> {
            try {
                served.tryComplete(work.call());
            } catch (IOException | InterruptedException over) {
                LOG.log(System.Logger.Level.DEBUG, "sftp=ended cause=\"{0}\"", String.valueOf(over.getMessage()));
            } catch (Throwable fault) {
                // even without memory the channel has to end
                LOG.log(System.Logger.Level.WARNING, "sftp=failed", fault);
            } finally {
                served.tryComplete(FAILED);
                if (!exec.exit().isComplete()) {
                    exec.end();
                }
            }
        });
        return served.future();
    }

    private void send(byte[] bytes, int count) throws IOException, InterruptedException {
        try {
            tell.apply(Buffer.buffer(count).appendBytes(bytes, 0, count))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get();
        } catch (ExecutionException gone) {
            throw new IOException("the client has gone", gone);
        }
    }

    /** The client has gone. */
    public void close() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
