package io.sluice.endpoints.ssh;

import io.vertx.core.Future;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.Optional;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.Service;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.buffer.ByteArrayBuffer;
import org.apache.sshd.server.session.ServerUserAuthService;
import org.apache.sshd.server.session.ServerUserAuthServiceFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose a key is before the library asks, which can not wait: it would hold the thread of many connections. Whether the
 * client really has the key is the library's to check, after that and every time.
 */
final class Reception extends ServerUserAuthService {
    private static final System.Logger LOG = System.getLogger(Reception.class.getName());
    private static final AttributeKey<Shown> SHOWN = new AttributeKey<>();
    private static final int MOST_WAITING = 4;

    /** The key that was asked about last; the guest is null where it is not let in. */
    private record Shown(
            String name, String fingerprint, @Nullable Guest guest) {}

    private record Message(int command, Buffer content) {}

    private final Guests guests;
    private final SshMetrics metrics;
    private final Deque<Message> waiting = new ArrayDeque<>();
    private boolean asking;

    private Reception(Session session, Guests guests, SshMetrics metrics) throws IOException {
        super(session);
        this.guests = guests;
        this.metrics = metrics;
    }

    static ServerUserAuthServiceFactory factory(Guests guests, SshMetrics metrics) {
        return new ServerUserAuthServiceFactory() {
            @Override
            public Service create(Session session) throws IOException {
                return new Reception(session, guests, metrics);
            }
        };
    }

    /** What the library asks, for a key that it has read itself. */
    static boolean isWelcome(String name, PublicKey key, Session session) {
        Shown shown = session.getAttribute(SHOWN);
        return shown != null
                && shown.guest() != null
                && shown.name().equals(name)
                && shown.fingerprint().equals(fingerprint(key));
    }

    /** Whose key the client has proven to have. */
    static Optional<Guest> guest(Session session) {
        return Optional.ofNullable(session.getAttribute(SHOWN)).map(Shown::guest);
    }

    private static String fingerprint(PublicKey key) {
        try {
            return KeyUtils.getFingerPrint(BuiltinDigests.sha256, key);
        } catch (Exception e) {
            throw new IllegalStateException("a key without a fingerprint", e);
        }
    }

    /** One message at a time by what is kept here: the library's own lock would be held while somebody is asked. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void process(int command, Buffer buffer) throws Exception {
        synchronized (waiting) {
            if (asking) {
                if (waiting.size() == MOST_WAITING) {
                    getServerSession()
                            .disconnect(SshConstants.SSH2_DISCONNECT_PROTOCOL_ERROR, "Wait for the answer, please.");
                    return;
                }
                waiting.add(copy(command, buffer));
                return;
            }
            Shown asked = asked(command, buffer);
            if (asked != null && !isKnown(asked)) {
                asking = true;
                ask(asked, copy(command, buffer));
                return;
            }
        }
        super.process(command, buffer);
    }

    private static Message copy(int command, Buffer buffer) {
        return new Message(command, new ByteArrayBuffer(buffer.getCompactData()));
    }

    private boolean isKnown(Shown asked) {
        Shown known = getServerSession().getAttribute(SHOWN);
        return known != null
                && known.name().equals(asked.name())
                && known.fingerprint().equals(asked.fingerprint());
    }

    /** Null: this message shows no key. */
    private static @Nullable Shown asked(int command, Buffer buffer) {
        if (command != SshConstants.SSH_MSG_USERAUTH_REQUEST) {
            return null;
        }
        int begin = buffer.rpos();
        try {
            String name = buffer.getString();
            buffer.getString();
            if (!buffer.getString().equals("publickey")) {
                return null;
            }
            buffer.getBoolean();
            buffer.getString();
            return new Shown(name, fingerprint(buffer.getBytes()), null);
        } finally {
            buffer.rpos(begin);
        }
    }

    private static String fingerprint(byte[] blob) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(blob);
            return "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ask(Shown asked, Message message) {
        Future<Optional<Guest>> answer =
                guests.welcome(getServerSession().getIoSession().getRemoteAddress(), asked.name(), asked.fingerprint());
        // checking a signature takes its time, too, and is nothing for the thread that brings the answer
        answer.onComplete(
                done -> Thread.ofVirtual().name("sluice-ssh-key").start(() -> answered(asked, message, answer)));
    }

    private void answered(Shown asked, Message message, Future<Optional<Guest>> answer) {
        if (answer.failed()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "ssh=key-not-looked-up cause=\"{0}\"",
                    answer.cause().getMessage());
        }
        Guest guest = answer.succeeded() ? answer.result().orElse(null) : null;
        metrics.keys
                .labels(answer.failed() ? "failed" : guest == null ? "unknown" : "known")
                .inc();
        getServerSession().setAttribute(SHOWN, new Shown(asked.name(), asked.fingerprint(), guest));
        @Nullable Message next = message;
        try {
            while (next != null) {
                super.process(next.command(), next.content());
                next = next();
            }
        } catch (Exception fault) {
            getServerSession().exceptionCaught(fault);
        }
    }

    /** What came meanwhile, in its order; what of it shows another key is asked about in its turn. */
    private @Nullable Message next() {
        synchronized (waiting) {
            Message next = waiting.poll();
            if (next == null) {
                asking = false;
                return null;
            }
            Shown asked = asked(next.command(), next.content());
            if (asked != null && !isKnown(asked)) {
                ask(asked, next);
                return null;
            }
            return next;
        }
    }
}
