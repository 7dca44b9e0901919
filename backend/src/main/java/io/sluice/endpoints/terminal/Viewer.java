package io.sluice.endpoints.terminal;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import org.jspecify.annotations.Nullable;

/** A browser that shows a terminal. What it has not drawn yet is counted, and beyond a window the program waits. */
final class Viewer {
    private static final int WINDOW = 128 << 10;
    private static final int PIECE = 16 << 10;
    private static final short NOT_UNDERSTOOD = 1003;

    private final Terminal terminal;
    private final ServerWebSocket socket;
    private final Context context;
    private final Vertx vertx;
    private long told;
    private long drawn;

    Viewer(Terminal terminal, ServerWebSocket socket, Context context, Vertx vertx) {
        this.terminal = terminal;
        this.socket = socket;
        this.context = context;
        this.vertx = vertx;
    }

    /** From where it was, or from the first that is still there. */
    void greet(String id, Backlog.Start from) {
        told = from.offset();
        drawn = told;
        try {
            listen();
        } catch (IllegalStateException left) {
            // while its shell was looked for, or right now on a thread of its own; who has left takes no handlers
            terminal.detach(this);
            return;
        }
        Terminals.note(socket.writeTextMessage(Words.hello(id, from)));
        socket.resume();
        if (socket.isClosed()) {
            terminal.detach(this);
        }
    }

    private void listen() {
        socket.closeHandler(closed -> context.runOnContext(now -> terminal.detach(this)));
        socket.drainHandler(drained -> context.runOnContext(now -> terminal.proceed()));
        socket.binaryMessageHandler(keys -> context.runOnContext(now -> terminal.typed(keys, this)));
        socket.textMessageHandler(message -> context.runOnContext(now -> hear(message)));
    }

    private void hear(String message) {
        Words.Heard heard = Words.read(message).orElse(null);
        switch (heard) {
            case Words.Sized sized -> terminal.resize(sized.screen());
            case Words.Drawn now -> {
                drawn = Math.max(drawn, Math.min(told, now.offset()));
                terminal.proceed();
            }
            case null ->
                Terminals.note(socket.close(
                        NOT_UNDERSTOOD,
                        "text is {\"type\":\"resize\",\"columns\",\"rows\"} or {\"type\":\"read\",\"offset\"}"));
        }
    }

    void tell(Backlog backlog) {
        while (told < backlog.end() && !socket.isClosed() && !socket.writeQueueFull()) {
            Buffer piece = backlog.read(told, PIECE);
            told += piece.length();
            Terminals.note(socket.writeBinaryMessage(piece));
        }
    }

    boolean hasRoom(Backlog backlog) {
        return backlog.end() - drawn < WINDOW && told == backlog.end();
    }

    void hold() {
        socket.pause();
    }

    void goOn() {
        socket.resume();
    }

    void part(String reason, @Nullable Integer exitCode) {
        Terminals.part(vertx, socket, reason, "", exitCode);
    }
}
