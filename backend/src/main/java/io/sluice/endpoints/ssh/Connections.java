package io.sluice.endpoints.ssh;

import io.sluice.identity.Identity;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.jspecify.annotations.Nullable;

/** All that is connected, how many there may be, and who has to go. */
final class Connections implements SessionListener {
    private static final long LOOK_MILLIS = 2_000;
    private static final long FAREWELL_MILLIS = 2_000;
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());
    private static final Map<String, String> FAREWELLS = Map.of(
            "revoked",
            "Your account or this key is not let in any more.",
            "task",
            "The task has ended.",
            "idle",
            "Nothing has gone through for too long.",
            "keys",
            "New keys have not been agreed on in time.",
            "restart",
            "The gateway is stopped. Running tasks go on; connect again when it is back.");

    private final Vertx vertx;
    private final Guests guests;
    private final Ssh.Limits limits;
    private final SshMetrics metrics;
    private final Set<Session> strangers = ConcurrentHashMap.newKeySet();
    private final Map<Session, Connection> open = new ConcurrentHashMap<>();
    /** By user and kind, how many channels they have. */
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    private final long timer;
    private volatile boolean closed;

    Connections(Vertx vertx, Guests guests, Ssh.Limits limits, SshMetrics metrics) {
        this.vertx = vertx;
        this.guests = guests;
        this.limits = limits;
        this.metrics = metrics;
        this.timer = vertx.setPeriodic(LOOK_MILLIS, tick -> look());
    }

    Set<Long> jobs() {
        return open.values().stream()
                .flatMap(connection -> connection.found().stream())
                .map(Place::job)
                .collect(Collectors.toSet());
    }

    /** Which one is reached; empty: none. */
    private String limit(SocketAddress from) {
        if (closed) {
            return "closed";
        }
        if (open.size() + strangers.size() >= limits.connections()) {
            return "connections";
        }
        return strangers.size() >= limits.strangers()
                ? "strangers"
                : strangers(from) >= limits.ofAddress() ? "address" : "";
    }

    /** How many arrive from the same machine, or from behind the same proxy. */
    private long strangers(SocketAddress from) {
        InetAddress address = machine(from);
        return strangers.stream()
                .filter(one -> address.equals(machine(one.getRemoteAddress())))
                .count();
    }

    private static InetAddress machine(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress known ? known.getAddress() : InetAddress.getLoopbackAddress();
    }

    @Override
    public void sessionCreated(Session session) {
        String limit = limit(session.getIoSession().getRemoteAddress());
        if (!limit.isEmpty()) {
            // refused any earlier the library would leave it open
            metrics.refused.labels(limit).inc();
            session.close(true);
            return;
        }
        strangers.add(session);
        count();
    }

    @Override
    public void sessionEvent(Session session, Event event) {
        if (event != Event.Authenticated) {
            return;
        }
        Optional<Guest> shown = Reception.guest(session);
        if (shown.isEmpty()) {
            session.close(true);
            return;
        }
        Guest guest = shown.get();
        strangers.remove(session);
        long own = open.values().stream()
                .filter(other -> other.guest().name().equals(guest.name()))
                .count();
        var connection = new Connection(session, guest, ((VertxInternal) vertx).createVirtualThreadContext());
        session.setAttribute(Connection.KEY, connection);
        open.put(session, connection);
        count();
        audit("ssh-opened", connection);
        if (own >= limits.ofOne()) {
            metrics.refused.labels("user").inc();
            connection.end("limit", "You have " + limits.ofOne() + " SSH connections already. Close one.");
        }
        if (session.isClosing()) {
            // it may have been told of already, when it was not among the open ones yet
            sessionClosed(session);
        }
    }

    @Override
    public void sessionClosed(Session session) {
        strangers.remove(session);
        Connection connection = open.remove(session);
        if (connection != null) {
            connection.channels().forEach(TaskChannel::cut);
            metrics.ended.labels(connection.reason()).inc();
            audit("ssh-ended", connection);
        }
        count();
    }

    private void count() {
        metrics.connections.labels("open").set(open.size());
        metrics.connections.labels("arriving").set(strangers.size());
    }

    private static void audit(String event, Connection connection) {
        Guest guest = connection.guest();
        List<String> pairs = new ArrayList<>(List.of(
                "user",
                guest.name(),
                "key",
                guest.fingerprint(),
                "from",
                connection.client(),
                "asked",
                guest.address().toString()));
        connection.found().ifPresent(place -> pairs.addAll(List.of("job", place.key(), "task", place.task())));
        if (event.equals("ssh-ended")) {
            pairs.addAll(List.of("reason", connection.reason()));
        }
        Identity.audit(event, pairs.toArray(String[]::new));
    }

    /** One more channel of this kind for the guest, unless they have as many as they may. */
    boolean reserve(Guest guest, TaskChannel.Kind kind) {
        int most = kind.isProgram() ? limits.programs() : limits.ports();
        boolean[] granted = {false};
        taken.compute(slot(guest, kind), (slot, before) -> {
            int count = before == null ? 0 : before;
            granted[0] = count < most;
            return granted[0] ? Integer.valueOf(count + 1) : before;
        });
        if (granted[0]) {
            metrics.channels.labels(kind.word()).inc();
        } else {
            metrics.channelsRefused.labels("limit").inc();
        }
        return granted[0];
    }

    void release(Guest guest, TaskChannel.Kind kind) {
        metrics.channels.labels(kind.word()).dec();
        taken.computeIfPresent(slot(guest, kind), (slot, count) -> count > 1 ? Integer.valueOf(count - 1) : null);
    }

    private static String slot(Guest guest, TaskChannel.Kind kind) {
        return (kind.isProgram() ? "program " : "port ") + guest.name();
    }

    private void look() {
        List<Connection> all = List.copyOf(open.values());
        if (all.isEmpty()) {
            return;
        }
        all.stream().filter(one -> one.idleNanos() > limits.idle().toNanos()).forEach(idle -> end(idle, "idle"));
        all.stream()
                .filter(one -> one.exchangeNanos() > limits.exchange().toNanos())
                .forEach(late -> end(late, "keys"));
        // a failed look says nothing about anybody: the database may be away for a moment
        guests.standing(all)
                .onSuccess(standing -> all.forEach(one -> standing.fault(one).ifPresent(fault -> end(one, fault))))
                .onFailure(away ->
                        LOG.log(System.Logger.Level.DEBUG, "ssh=not-rechecked cause=\"{0}\"", away.getMessage()));
    }

    private static void end(Connection connection, String reason) {
        // the library may wait there, which no event loop must; and the connection's own context may wait already
        Thread.ofVirtual()
                .name("sluice-ssh-end")
                .start(() -> connection.end(reason, FAREWELLS.getOrDefault(reason, reason)));
    }

    /** On a thread that may wait: until all have been told, or for a moment. */
    void close() throws InterruptedException {
        closed = true;
        vertx.cancelTimer(timer);
        List<Connection> all = List.copyOf(open.values());
        var told = new CountDownLatch(all.size());
        for (Connection one : all) {
            one.whenClosed(told::countDown);
            end(one, "restart");
        }
        strangers.forEach(one -> one.close(true));
        if (!told.await(FAREWELL_MILLIS, TimeUnit.MILLISECONDS)) {
            LOG.log(System.Logger.Level.INFO, "ssh=not-all-told left={0}", Long.toString(told.getCount()));
        }
    }
}
