package io.sluice.endpoints.ssh;

import io.prometheus.client.CollectorRegistry;
import io.sluice.endpoints.ssh.between.Visits;
import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.sluice.identity.Identity;
import io.sluice.identity.keys.Keys;
import io.sluice.jobs.lists.Places;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.signature.BuiltinSignatures;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.apache.sshd.server.session.ServerConnectionServiceFactory;
import org.jspecify.annotations.Nullable;

/** The door to SSH. */
public final class Ssh {
    public static final int USUAL_PORT = 2222;
    private static final System.Logger LOG = System.getLogger(Ssh.class.getName());
    private static final String KEY_FILE = "ssh-host.key";
    private static final int THREADS = 3;
    private static final int SHOWN_KEYS = 20;
    private static final long WINDOW = 512 << 10;
    private static final int BACKLOG = 256;

    /** All kinds of keys that a profile takes; RSA without SHA-1. */
    private static final List<NamedFactory<Signature>> SIGNATURES = List.of(
            BuiltinSignatures.ed25519,
            BuiltinSignatures.sk_ssh_ed25519,
            BuiltinSignatures.nistp256,
            BuiltinSignatures.nistp384,
            BuiltinSignatures.nistp521,
            BuiltinSignatures.sk_ecdsa_sha2_nistp256,
            BuiltinSignatures.rsaSHA512,
            BuiltinSignatures.rsaSHA256);

    /**
     * @param host the address to listen on
     * @param port 0: any free one; null: the usual one, if it is free
     * @param data the data folder
     */
    public record Settings(String host, @Nullable Integer port, Path data, Limits limits) {}

    /**
     * @param connections at once, of all
     * @param strangers of them, of which nobody has shown a key yet
     * @param ofAddress of those, from one address
     * @param ofOne how many of them a user may have
     * @param programs that run at once for a user: shells, commands, sftp
     * @param ports connections to ports, at once for a user
     * @param channels of one connection
     * @param arrival in which somebody has to show a key
     * @param exchange in which new keys have to be agreed on
     * @param idle after which a connection ends through which nothing goes
     * @param rekeyBytes after which new keys are agreed on
     * @param files that an sftp session may have open
     */
    public record Limits(
            int connections,
            int strangers,
            int ofAddress,
            int ofOne,
            int programs,
            int ports,
            int channels,
            Duration arrival,
            Duration exchange,
            Duration idle,
            long rekeyBytes,
            int files) {
        public static final Limits USUAL = new Limits(
                1_000,
                100,
                10,
                50,
                20,
                200,
                50,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofHours(2),
                1L << 30,
                7);

        /** For tasks of one job: mpirun on one of them may ask for hundreds of others at once, and stay for a whole training. */
        static final Limits BETWEEN = new Limits(
                2_000,
                1_000,
                1_000,
                2_000,
                1_000,
                1_000,
                50,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofDays(30),
                1L << 30,
                7);
    }

    /** What every channel needs. */
    static final class Task {
        private final Vertx vertx;
        private final Engine engine;
        private final Guests guests;
        private final Connections connections;
        private final Limits limits;
        private final SshMetrics metrics;
        private final Dialer dialer;

        Task(Vertx vertx, Engine engine, Guests guests, Connections connections, Limits limits, SshMetrics metrics) {
            this.vertx = vertx;
            this.engine = engine;
            this.guests = guests;
            this.connections = connections;
            this.limits = limits;
            this.metrics = metrics;
            this.dialer = new Dialer(this, engine, vertx);
        }

        Vertx vertx() {
            return vertx;
        }

        Connections connections() {
            return connections;
        }

        Limits limits() {
            return limits;
        }

        SshMetrics metrics() {
            return metrics;
        }

        Dialer dialer() {
            return dialer;
        }

        Future<Place> place(Connection connection) {
            return connection.place(() -> guests.place(connection.guest()));
        }

        /** Its streams are told of on the connection's context. */
        Future<Exec> exec(Connection connection, Command command) {
            return place(connection).compose(place -> {
                io.vertx.core.Promise<Exec> started = io.vertx.core.Promise.promise();
                connection
                        .context()
                        .runOnContext(now -> engine.exec(place.run(), command).onComplete(started));
                return started.future();
            });
        }

        void audit(Connection connection, TaskChannel.Kind kind) {
            connection
                    .found()
                    .ifPresent(place -> Identity.audit(
                            "ssh-" + kind.word(),
                            "user",
                            connection.guest().name(),
                            "key",
                            connection.guest().fingerprint(),
                            "job",
                            place.key(),
                            "task",
                            place.task()));
        }
    }

    private final SshServer server;
    private final Connections connections;
    private final Task task;
    private final int port;

    private Ssh(SshServer server, Connections connections, Task task) {
        this.server = server;
        this.connections = connections;
        this.task = task;
        this.port = server.getPort();
    }

    /** Listens when it is there. Empty: nobody asked for a port, and the usual one is another's. */
    public static Future<@Nullable Ssh> open(
            Vertx vertx, Keys keys, Places places, Engine engine, Settings settings, CollectorRegistry registry) {
        return vertx.executeBlocking(() -> start(vertx, keys, places, engine, settings, registry), false);
    }

    /** Starts what tasks of a job reach one another by: nobody but them is let in, and nothing but this machine can connect. */
    public static Supplier<Future<Ssh>> between(
            Vertx vertx, Keys keys, Places places, Engine engine, Visits visits, CollectorRegistry registry) {
        var metrics = new SshMetrics(registry, "sluice_ssh_between");
        return () -> vertx.executeBlocking(
                () -> {
                    var task = task(vertx, engine, new Guests(keys, places, visits), Limits.BETWEEN, metrics);
                    KeyPair key = KeyUtils.generateKeyPair(KeyPairProvider.SSH_ED25519, 256);
                    SshServer server = server(key, task);
                    server.setHost(InetAddress.getLoopbackAddress().getHostAddress());
                    server.setPort(0);
                    server.start();
                    return new Ssh(server, task.connections(), task);
                },
                false);
    }

    private static Task task(Vertx vertx, Engine engine, Guests guests, Limits limits, SshMetrics metrics) {
        var connections = new Connections(vertx, guests, limits, metrics);
        return new Task(vertx, engine, guests, connections, limits, metrics);
    }

    private static @Nullable Ssh start(
            Vertx vertx, Keys keys, Places places, Engine engine, Settings settings, CollectorRegistry registry)
            throws IOException, GeneralSecurityException, InterruptedException {
        Integer wanted = settings.port();
        int port = wanted == null ? USUAL_PORT : wanted;
        var guests = new Guests(keys, places, null);
        var task = task(vertx, engine, guests, settings.limits(), new SshMetrics(registry, "sluice_ssh"));
        SshServer server = server(HostKey.open(settings.data().resolve(KEY_FILE)), task);
        server.setHost(settings.host());
        server.setPort(port);
        try {
            server.start();
        } catch (IOException taken) {
            task.connections().close();
            server.stop(true);
            if (wanted != null) {
                throw new IOException(
                        "--ssh-port " + port + " can not be listened on at " + settings.host() + ": "
                                + taken.getMessage() + ". Choose another, 0 for any free one, or off.",
                        taken);
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "ssh=off port={0} cause=\"{1}\" help=\"--ssh-port names another, or 0 for any free one\"",
                    Integer.toString(port),
                    taken.getMessage());
            return null;
        }
        var ssh = new Ssh(server, task.connections(), task);
        LOG.log(System.Logger.Level.INFO, "ssh=on port={0}", Integer.toString(ssh.port()));
        return ssh;
    }

    /** To which somebody is connected. */
    public Set<Long> jobs() {
        return connections.jobs();
    }

    private static SshServer server(KeyPair key, Task task) {
        SshServer server = SshServer.setUpDefaultServer();
        server.setKeyPairProvider(KeyPairProvider.wrap(key));
        server.setSignatureFactories(SIGNATURES);
        server.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
        server.setPublickeyAuthenticator(Reception::isWelcome);
        server.setServiceFactories(
                List.of(Reception.factory(task.guests, task.metrics()), ServerConnectionServiceFactory.INSTANCE));
        server.setChannelFactories(List.of(
                channel("session", connection -> new SessionChannel(connection, task)),
                channel("direct-tcpip", connection -> new ForwardChannel(connection, task, TaskChannel.Kind.PORT)),
                channel(
                        "direct-streamlocal@openssh.com",
                        connection -> new ForwardChannel(connection, task, TaskChannel.Kind.SOCKET))));
        server.setForwardingFilter(RejectAllForwardingFilter.INSTANCE);
        server.setGlobalRequestHandlers(List.of());
        server.addSessionListener(task.connections());
        limit(server, task.limits());
        return server;
    }

    private static void limit(SshServer server, Limits limits) {
        CoreModuleProperties.SERVER_IDENTIFICATION.set(server, "Sluice");
        CoreModuleProperties.NIO_WORKERS.set(server, THREADS);
        CoreModuleProperties.SOCKET_BACKLOG.set(server, BACKLOG);
        CoreModuleProperties.TCP_NODELAY.set(server, true);
        CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, SHOWN_KEYS);
        CoreModuleProperties.AUTH_TIMEOUT.set(server, limits.arrival());
        // what is idle is told by what goes through channels, as a client's keep-alives are no use of them
        CoreModuleProperties.IDLE_TIMEOUT.set(server, Duration.ZERO);
        CoreModuleProperties.NIO2_READ_TIMEOUT.set(server, Duration.ZERO);
        CoreModuleProperties.SOCKET_KEEPALIVE.set(server, true);
        CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, limits.channels());
        CoreModuleProperties.WINDOW_SIZE.set(server, WINDOW);
        CoreModuleProperties.REKEY_BYTES_LIMIT.set(server, limits.rekeyBytes());
        CoreModuleProperties.CHANNEL_CLOSE_TIMEOUT.set(server, Duration.ofSeconds(5));
        // a client that does not read its farewell goes without
        CoreModuleProperties.DISCONNECT_TIMEOUT.set(server, Duration.ofSeconds(2));
    }

    @FunctionalInterface
    private interface Maker {
        TaskChannel make(Connection connection);
    }

    private static ChannelFactory channel(String name, Maker maker) {
        return new ChannelFactory() {
            @Override
            public String getName() {
                return name;
            }

            @Override
            public Channel createChannel(Session session) throws IOException {
                Connection connection = session.getAttribute(Connection.KEY);
                if (connection == null) {
                    throw new IOException("nobody has been let in");
                }
                return maker.make(connection);
            }
        };
    }

    /** On which it listens. */
    public int port() {
        return server.getBoundAddresses().stream()
                .map(address -> ((InetSocketAddress) address).getPort())
                .findFirst()
                .orElse(port);
    }

    /** Whoever is connected is told; what runs in tasks for them ends. */
    public Future<Void> close() {
        return task.vertx()
                .executeBlocking(
                        () -> {
                            connections.close();
                            server.stop(true);
                            return null;
                        },
                        false)
                .compose(stopped -> task.dialer().close());
    }
}
