package io.sluice.endpoints.ssh.between;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.gang.GangFolders;
import io.sluice.jobs.gang.Peers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Opens a door for each attempt whose tasks may reach one another, and closes it with the attempt. What is to be open stands in the folders of
 * the attempts, so that a gateway that takes over opens the same ones.
 */
public final class Doors {
    private static final System.Logger LOG = System.getLogger(Doors.class.getName());
    private static final long LOOK_MILLIS = 500;
    private static final long NAME_MILLIS = 10_000;
    private static final int MOST_VISITS = 2_000;

    private final Vertx vertx;
    private final GangFolders gangs;
    private final Visits visits;
    private final BetweenMetrics metrics;
    private final Supplier<Future<Integer>> server;
    private final Map<Path, Door> open = new HashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile int port;
    private volatile boolean over;

    /** @param server starts what answers SSH, once it is needed, and tells its port on this machine's loopback address */
    public Doors(
            Vertx vertx,
            GangFolders gangs,
            Visits visits,
            CollectorRegistry registry,
            Supplier<Future<Integer>> server) {
        this.vertx = vertx;
        this.gangs = gangs;
        this.visits = visits;
        this.metrics = new BetweenMetrics(registry);
        this.server = server;
    }

    /** Begins to look, and goes on until it is closed. */
    public void begin() {
        vertx.executeBlocking(this::look, false)
                .compose(wanted -> wanted && port == 0 ? started() : Future.succeededFuture())
                .onFailure(fault -> LOG.log(
                        System.Logger.Level.WARNING, "doors=not-looked-after cause=\"{0}\"", String.valueOf(fault)))
                .onComplete(done -> {
                    if (!over) {
                        vertx.setTimer(LOOK_MILLIS, tick -> begin());
                    }
                });
    }

    private Future<Void> started() {
        return server.get().onSuccess(found -> port = found).mapEmpty();
    }

    /** Whether there is one to open. */
    private synchronized boolean look() throws IOException {
        Set<Path> there = new HashSet<>(over ? Set.of() : gangs.all());
        open.entrySet().removeIf(door -> {
            boolean gone = !there.contains(door.getKey()) || !door.getValue().isOpen();
            if (gone) {
                door.getValue().close();
            }
            return gone;
        });
        there.removeAll(open.keySet());
        boolean wanted = false;
        for (Path attempt : there) {
            try {
                wanted |= isWanted(attempt);
            } catch (IOException e) {
                // it may have ended in this moment
                LOG.log(System.Logger.Level.WARNING, "door={0} open=no cause=\"{1}\"", attempt, e.getMessage());
            }
        }
        metrics.doors.set(open.size());
        return wanted;
    }

    /** Opens it, if that can be done yet and no other gateway has. */
    private boolean isWanted(Path attempt) throws IOException {
        if (Peers.read(attempt).isEmpty()) {
            return false;
        }
        if (port != 0 && !Door.isAnswered(attempt)) {
            open.put(attempt, Door.open(attempt, this));
        }
        return true;
    }

    /** Whether there is room for one more; whoever was asked for leaves again, either way. */
    boolean admit() {
        boolean room = inside.incrementAndGet() <= MOST_VISITS;
        metrics.visits.set(inside.get());
        return room;
    }

    void left() {
        metrics.visits.set(inside.decrementAndGet());
    }

    interface Read<T> {
        T read() throws IOException;
    }

    /** Whoever says nothing for too long is cut off. */
    <T> T within(SocketChannel visitor, Read<T> read) throws IOException {
        long late = vertx.setTimer(NAME_MILLIS, tick -> {
            try {
                visitor.close();
            } catch (IOException gone) {
                LOG.log(System.Logger.Level.DEBUG, "visit=gone cause=\"{0}\"", gone.getMessage());
            }
        });
        try {
            return read.read();
        } finally {
            vertx.cancelTimer(late);
        }
    }

    Visits visits() {
        return visits;
    }

    BetweenMetrics metrics() {
        return metrics;
    }

    InetSocketAddress ssh() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public Future<Void> close() {
        over = true;
        return vertx.executeBlocking(this::look, false).mapEmpty();
    }
}
