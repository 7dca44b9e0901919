package io.sluice.endpoints.ssh;

import io.sluice.endpoints.ssh.Dialer.Line;
import io.vertx.core.Future;
import java.util.Set;
import org.apache.sshd.client.future.DefaultOpenFuture;
import org.apache.sshd.client.future.OpenFuture;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.util.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A port or a socket of the task's own, which the client's machine has for a while ({@code ssh -L}). A name is never resolved and no
 * address dialled that the client says: whatever is not the task itself does not exist.
 */
final class ForwardChannel extends TaskChannel {
    private static final Set<String> ITSELF = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
    private static final int HIGHEST_PORT = 65_535;
    private static final int LONGEST_PATH = 107;

    private final Ssh.Task task;
    private final Kind kind;
    private @Nullable Line line;

    ForwardChannel(Connection connection, Ssh.Task task, Kind kind) {
        super(connection, task.metrics());
        this.task = task;
        this.kind = kind;
    }

    @Override
    protected OpenFuture doInit(Buffer buffer) {
        OpenFuture opened = new DefaultOpenFuture(this, this);
        Future<Line> dialled =
                kind == Kind.SOCKET ? socket(buffer.getBytes()) : port(buffer.getString(), buffer.getInt());
        dialled.onSuccess(found -> onContext(() -> open(opened, found)))
                .onFailure(failure -> onContext(() -> refuse(opened, failure)));
        return opened;
    }

    private Future<Line> port(String host, int port) {
        if (!ITSELF.contains(host) || port < 1 || port > HIGHEST_PORT) {
            return Future.failedFuture(new Prohibited("only ports of the task itself are forwarded: localhost:<port>"));
        }
        return reserved().compose(granted -> task.dialer().port(connection(), port));
    }

    private Future<Line> socket(byte[] path) {
        if (path.length == 0 || path.length > LONGEST_PATH || path[0] != '/' || contains(path, (byte) 0)) {
            return Future.failedFuture(new Prohibited("a socket is named by its whole path in the task"));
        }
        return reserved().compose(granted -> task.dialer().socket(connection(), path));
    }

    private static boolean contains(byte[] bytes, byte wanted) {
        for (byte one : bytes) {
            if (one == wanted) {
                return true;
            }
        }
        return false;
    }

    private Future<Void> reserved() {
        if (!task.connections().reserve(connection().guest(), kind)) {
            return Future.failedFuture(new Prohibited("you have as many forwarded connections as one user may"));
        }
        addCloseFutureListener(closed -> task.connections().release(connection().guest(), kind));
        return Future.succeededFuture();
    }

    private void open(OpenFuture opened, Line found) {
        line = found;
        if (isGone() || isClosing()) {
            found.close();
            opened.setException(new SshChannelOpenException(
                    getChannelId(), SshConstants.SSH_OPEN_CONNECT_FAILED, "it has been given up"));
            return;
        }
        openOutput();
        signalChannelOpenSuccess();
        // the client hears of it in this very call, and so before anything else
        opened.setOpened();
        notifyStateChanged("open");
        task.audit(connection(), kind);
        taker(found);
        pass(found.output(), false).onComplete(end -> onContext(() -> finish(null)));
    }

    private void refuse(OpenFuture opened, Throwable failure) {
        boolean prohibited = failure instanceof Prohibited;
        task.metrics()
                .channelsRefused
                .labels(prohibited ? "prohibited" : "unreachable")
                .inc();
        String message = prohibited
                ? String.valueOf(failure.getMessage())
                : Place.why(failure, "nothing in the task listens there");
        signalChannelOpenFailure(failure);
        opened.setException(new SshChannelOpenException(
                getChannelId(),
                prohibited ? SshConstants.SSH_OPEN_ADMINISTRATIVELY_PROHIBITED : SshConstants.SSH_OPEN_CONNECT_FAILED,
                message));
        close(true);
    }

    @Override
    void left() {
        Line open = line;
        if (open != null) {
            open.close();
        }
    }

    static final class Prohibited extends RuntimeException {
        private static final long serialVersionUID = 1;

        Prohibited(String message) {
            super(message, null, false, false);
        }
    }
}
