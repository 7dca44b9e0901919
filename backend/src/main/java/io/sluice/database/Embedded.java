package io.sluice.database;

import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL server of the data folder. It runs in a session of its own, so that it outlives a gateway that is
 * killed; the next one takes it over. All methods block.
 */
final class Embedded {

    private static final Logger log = System.getLogger(Embedded.class.getName());
    private static final long OLD_SERVER_LIMIT_MILLIS = 10_000;
    private static final long FAST_STOP_MILLIS = 3_000;
    private static final long IMMEDIATE_STOP_MILLIS = 400;
    private static final long LOOK_MILLIS = 500;
    private static final long LONGEST_LOOK_MILLIS = 3_000;
    private static final int ATTEMPTS = 25;
    private static final long ATTEMPT_PAUSE_MILLIS = 200;

    private final Path data;
    private final Cluster cluster;
    private volatile Postmaster server;
    private volatile boolean stopped;

    private Embedded(Path data, Cluster cluster, Postmaster server) {
        this.data = data;
        this.cluster = cluster;
        this.server = server;
    }

    /** Takes over the server that runs already, or starts one, on files that are made if there are none. */
    static Embedded start(Path folder) {
        var data = folder.toAbsolutePath().normalize();
        try {
            var cluster = Cluster.of(data);
            if (cluster.exists()) {
                cluster.checkWhole();
            } else {
                Cluster.checkRoom(data);
                cluster.create(Binaries.unpacked(data));
            }
            return new Embedded(data, cluster, adoptOrLaunch(data, cluster));
        } catch (IOException e) {
            throw explain(data, e);
        }
    }

    Target target() {
        try {
            return new Target(new PgConnectOptions()
                    .setHost("127.0.0.1")
                    .setPort(server.port())
                    .setUser(Cluster.USER)
                    .setPassword(cluster.password())
                    .setDatabase("postgres")
                    .setSslMode(SslMode.DISABLE));
        } catch (IOException e) {
            throw explain(data, e);
        }
    }

    long pid() {
        return server.pid();
    }

    /** Looks after the server: one that dies is started again where its clients look for it. */
    void watch(Vertx vertx) {
        watch(vertx, LOOK_MILLIS);
    }

    private void watch(Vertx vertx, long pause) {
        vertx.setTimer(pause, look -> {
            if (!stopped) {
                vertx.executeBlocking(this::revive, false)
                        .onSuccess(alive -> watch(vertx, LOOK_MILLIS))
                        .onFailure(e -> {
                            log.log(Level.ERROR, "postgres=down cause=\"{0}\"", e.getMessage());
                            watch(vertx, Math.min(LONGEST_LOOK_MILLIS, 2 * pause));
                        });
            }
        });
    }

    private @Nullable Void revive() throws IOException {
        Postmaster.Launch launch;
        synchronized (this) {
            if (stopped || server.alive()) {
                return null;
            }
            log.log(Level.ERROR, "postgres=gone pid={0,number,#}", server.pid());
            launch = Postmaster.launch(data, cluster, Binaries.unpacked(data), server.port());
            server = launch.server();
        }
        launch.ready(() -> !stopped);
        return null;
    }

    /** Within four seconds, whatever state the server is in. */
    void stop() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        try {
            // INT: finish what is being written and go; QUIT: go, and recover at the next start
            server.signal("INT");
            server.signalAll("CONT");
            if (!server.goneWithin(FAST_STOP_MILLIS)) {
                server.signal("QUIT");
                if (!server.goneWithin(IMMEDIATE_STOP_MILLIS)) {
                    server.signalAll("KILL");
                }
            }
        } catch (IOException e) {
            throw explain(data, e);
        }
    }

    private static Postmaster adoptOrLaunch(Path data, Cluster cluster) throws IOException {
        var found = Postmaster.read(cluster.folder()).filter(Postmaster::alive);
        if (found.isPresent()) {
            var old = found.get();
            if (!old.serves(cluster.folder())) {
                // a stranger has its number now, and PostgreSQL would wait for that one to end
                Files.delete(cluster.folder().resolve("postmaster.pid"));
            } else if (!old.stopping() || !old.goneWithin(OLD_SERVER_LIMIT_MILLIS)) {
                log.log(Level.INFO, "postgres=adopted pid={0,number,#}", old.pid());
                return Postmaster.awaitReady(cluster, old.pid(), old::alive);
            }
        }
        return launchOnFreePort(data, cluster);
    }

    private static Postmaster launchOnFreePort(Path data, Cluster cluster) throws IOException {
        var programs = Binaries.unpacked(data);
        Binaries.clearOthers(data, programs);
        for (int attempt = 1; ; attempt++) {
            try {
                return Postmaster.launch(data, cluster, programs, freePort()).ready(() -> true);
            } catch (Postmaster.TryAgain e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                Postmaster.pause(ATTEMPT_PAUSE_MILLIS);
            }
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Database.Unavailable explain(Path data, IOException e) {
        var why = DataFolder.reason(e);
        return new Database.Unavailable(
                why.contains("No space left") || why.contains("Disk quota")
                        ? "The disk of the data folder %s is full; make room, or start with another --data."
                                .formatted(data)
                        : "The embedded PostgreSQL in %s does not start: %s; its log is postgres.log there."
                                .formatted(data, why),
                e);
    }
}
