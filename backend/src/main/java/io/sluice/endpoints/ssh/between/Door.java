package io.sluice.endpoints.ssh.between;

import io.sluice.jobs.gang.Peers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A socket in the folder that the tasks of an attempt share. Who comes says to whom in a line, and speaks SSH from then on. Whatever waits
 * here waits on a virtual thread.
 */
final class Door implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Door.class.getName());
    private static final int BACKLOG = 256;
    private static final int LONGEST_NAME = 300;
    private static final int PIECE = 64 << 10;
    /** The kernel takes no longer one. */
    private static final int LONGEST_PATH = 100;

    private final Path attempt;
    private final Doors doors;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> inside = ConcurrentHashMap.newKeySet();

    private Door(Path attempt, Doors doors, ServerSocketChannel server) {
        this.attempt = attempt;
        this.doors = doors;
        this.server = server;
    }

    static Door open(Path attempt, Doors doors) throws IOException {
        Path socket = Peers.door(attempt);
        Files.deleteIfExists(socket);
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            bind(server, socket);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
        } catch (IOException e) {
            server.close();
            throw e;
        }
        var door = new Door(attempt, doors, server);
        Thread.ofVirtual().name("sluice-ssh-door").start(door::answer);
        return door;
    }

    private static void bind(ServerSocketChannel server, Path socket) throws IOException {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_PATH) {
            server.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
            return;
        }
        Path shorter = Files.createTempDirectory("sluice");
        try {
            Path link = Files.createSymbolicLink(shorter.resolve("s"), socket.getParent());
            server.bind(UnixDomainSocketAddress.of(link.resolve(String.valueOf(socket.getFileName()))), BACKLOG);
        } finally {
            Files.deleteIfExists(shorter.resolve("s"));
            Files.delete(shorter);
        }
    }

    /** Whether another gateway answers there. */
    static boolean isAnswered(Path attempt) {
        Path socket = Peers.door(attempt);
        if (!Files.exists(socket) || socket.toString().length() > LONGEST_PATH) {
            return false;
        }
        try (var other = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return other.isConnected();
        } catch (IOException nobody) {
            return false;
        }
    }

    private void answer() {
        while (server.isOpen()) {
            try {
                SocketChannel visitor = server.accept();
                inside.add(visitor);
                Thread.ofVirtual().name("sluice-ssh-visit").start(() -> visit(visitor));
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.log(System.Logger.Level.WARNING, "door={0} cause=\"{1}\"", attempt, e.getMessage());
                    close();
                }
            }
        }
    }

    private void visit(SocketChannel visitor) {
        try (visitor) {
            String refusal = doors.admit() ? led(visitor) : turnedAway(visitor, "busy");
            if (!refusal.isEmpty()) {
                doors.metrics().refused.labels(refusal).inc();
            }
        } catch (IOException gone) {
            LOG.log(System.Logger.Level.DEBUG, "door={0} cause=\"{1}\"", attempt, gone.getMessage());
        } finally {
            inside.remove(visitor);
            doors.left();
        }
    }

    /** Why nobody was led on; empty: they were. */
    private String led(SocketChannel visitor) throws IOException {
        Peers peers = Peers.read(attempt).orElse(null);
        String name = doors.within(visitor, () -> name(visitor));
        if (peers == null) {
            return turnedAway(visitor, "over");
        }
        Peers.Peer to = peers.tasks().get(name);
        if (to == null) {
            say(visitor, "sluice: the job has no task that is called " + name + ".\n");
            return "name";
        }
        try (var ssh = SocketChannel.open()) {
            ssh.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = ((InetSocketAddress) ssh.getLocalAddress()).getPort();
            doors.visits().put(port, new Visit(attempt, peers, to));
            try {
                ssh.connect(doors.ssh());
                Thread.ofVirtual().name("sluice-ssh-visit").start(() -> pass(visitor, ssh));
                pass(ssh, visitor);
            } finally {
                doors.visits().remove(port);
            }
        }
        return "";
    }

    private static String turnedAway(SocketChannel visitor, String reason) throws IOException {
        say(
                visitor,
                reason.equals("busy")
                        ? "sluice: too many connections between tasks are open. Wait until some are closed, and try again.\n"
                        : "sluice: this attempt of the job is over.\n");
        return reason;
    }

    private static String name(SocketChannel visitor) throws IOException {
        var one = ByteBuffer.allocate(1);
        var name = new StringBuilder();
        while (name.length() < LONGEST_NAME && visitor.read(one) == 1) {
            char letter = (char) (one.get(0) & 0xFF);
            if (letter == '\n') {
                return name.toString();
            }
            name.append(letter);
            one.clear();
        }
        throw new IOException("no name of a task in a line");
    }

    /** Until one of the two has nothing more to say. */
    private static void pass(SocketChannel from, SocketChannel to) {
        var piece = ByteBuffer.allocate(PIECE);
        try {
            while (from.read(piece) >= 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    to.write(piece);
                }
                piece.clear();
            }
            to.shutdownOutput();
        } catch (IOException gone) {
            LOG.log(System.Logger.Level.DEBUG, "visit=over cause=\"{0}\"", gone.getMessage());
        }
    }

    private static void say(SocketChannel visitor, String text) throws IOException {
        visitor.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    boolean isOpen() {
        return server.isOpen();
    }

    /** Whoever is inside is cut off. */
    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(Peers.door(attempt));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "door={0} closed=no cause=\"{1}\"", attempt, e.getMessage());
        }
        for (SocketChannel visitor : inside) {
            try {
                visitor.close();
            } catch (IOException gone) {
                LOG.log(System.Logger.Level.DEBUG, "visit=gone cause=\"{0}\"", gone.getMessage());
            }
        }
    }
}
