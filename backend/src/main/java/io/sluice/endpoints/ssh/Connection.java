package io.sluice.endpoints.ssh;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.kex.KexState;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.jspecify.annotations.Nullable;

/** Somebody who is let in, and where they are led to. What happens in its channels happens on its context. */
final class Connection {
    static final AttributeKey<Connection> KEY = new AttributeKey<>();
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());

    private final Session session;
    private final Guest guest;
    private final Context context;
    private final Set<TaskChannel> channels = ConcurrentHashMap.newKeySet();
    private @Nullable Future<Place> place;
    private volatile long active = System.nanoTime();
    private volatile @Nullable String reason;
    /** 0: none goes on. */
    private long exchange;

    Connection(Session session, Guest guest, Context context) {
        this.session = session;
        this.guest = guest;
        this.context = context;
    }

    Guest guest() {
        return guest;
    }

    Context context() {
        return context;
    }

    Set<TaskChannel> channels() {
        return channels;
    }

    /** Asked for once: whatever a connection opens, it opens in one and the same run of a task. */
    synchronized Future<Place> place(Supplier<Future<Place>> search) {
        Future<Place> known = place;
        if (known == null || known.failed()) {
            known = search.get();
            place = known;
        }
        return known;
    }

    /** The engine's name of the task, if it has been asked for and found. */
    synchronized Optional<String> run() {
        Future<Place> known = place;
        return known == null || !known.succeeded()
                ? Optional.empty()
                : Optional.of(known.result().run());
    }

    synchronized Optional<Place> found() {
        Future<Place> known = place;
        return known == null || !known.succeeded() ? Optional.empty() : Optional.of(known.result());
    }

    /** Something went through. */
    void touch() {
        active = System.nanoTime();
    }

    long idleNanos() {
        return System.nanoTime() - active;
    }

    /**
     * Since when new keys are being agreed on, as far as it has been seen. What a client is sent waits for it, and a client can
     * leave it unfinished. To be asked again and again, by one who asks.
     */
    synchronized long exchangeNanos() {
        if (!(session instanceof AbstractSession exchanging) || exchanging.getKexState() == KexState.DONE) {
            exchange = 0;
            return 0;
        }
        if (exchange == 0) {
            exchange = System.nanoTime();
        }
        return System.nanoTime() - exchange;
    }

    void whenClosed(Runnable what) {
        session.addCloseFutureListener(closed -> what.run());
    }

    /** Why it ended, in one word. */
    String reason() {
        String known = reason;
        return known == null ? "left" : known;
    }

    String client() {
        return session.getRemoteAddress().toString().replaceFirst("^[^/]*/", "");
    }

    /** What goes on in it is ended, and the client is told why. */
    void end(String why, String message) {
        reason = why;
        channels.forEach(TaskChannel::cut);
        try {
            session.disconnect(SshConstants.SSH2_DISCONNECT_BY_APPLICATION, message);
        } catch (java.io.IOException gone) {
            LOG.log(System.Logger.Level.DEBUG, "ssh=gone cause=\"{0}\"", gone.getMessage());
            session.close(true);
        }
    }
}
