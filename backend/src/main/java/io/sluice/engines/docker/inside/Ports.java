package io.sluice.engines.docker.inside;

import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The ports of containers, each of which has all of them for itself. What listens on its loopback address alone is reached by nobody
 * outside, and so not by the gateway either.
 */
public final class Ports {

    /** Above those that jobs are given, and above those that connections begin from: nothing takes one of these by itself. */
    private static final int FIRST = 61_000;

    private static final int LAST = 65_535;
    private static final int TRIES = 100;
    private static final int CONNECT_MILLIS = 1_000;
    private static final String EVERYWHERE = "0.0.0.0";
    private static final String LISTENS = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;

    private final Path proc;
    private final Map<String, Set<Integer>> given = new ConcurrentHashMap<>();

    /** @param proc {@code /proc} */
    public Ports(Path proc) {
        this.proc = proc;
    }

    /**
     * A container that runs.
     *
     * @param address its own, which the gateway's machine can dial
     * @param first the first process of it, as this machine counts; null: it runs on another
     */
    public record Place(
            String run, String address, @Nullable Long first) {}

    /** One that was not given before, and the address on which to listen there; null: none is free. */
    public @Nullable SocketAddress give(Place place) throws IOException {
        var taken = given.computeIfAbsent(place.run(), none -> ConcurrentHashMap.newKeySet());
        for (int tries = 0; tries < TRIES; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (taken.add(port)) {
                if (!isOpen(place, port)) {
                    return SocketAddress.inetSocketAddress(port, EVERYWHERE);
                }
                taken.remove(port);
            }
        }
        return null;
    }

    /** Whether something in it listens there for others than itself. */
    public boolean isOpen(Place place, int port) throws IOException {
        var first = place.first();
        if (first == null) {
            return answers(place.address(), port);
        }
        var net = proc.resolve(first + "/net");
        return listens(net.resolve("tcp"), place.address(), port)
                || listens(net.resolve("tcp6"), place.address(), port);
    }

    private static boolean answers(String address, int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    private static boolean listens(Path table, String own, int port) throws IOException {
        if (!Files.exists(table)) {
            return false;
        }
        var ending = ":%04X".formatted(port);
        for (var line : Files.readAllLines(table)) {
            var fields = line.strip().split("\\s+");
            if (fields.length > STATE && fields[STATE].equals(LISTENS) && fields[LOCAL].endsWith(ending)) {
                var address = address(fields[LOCAL]);
                if (address.isAnyLocalAddress() || address.getHostAddress().equals(own)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The kernel writes each four bytes the wrong way round. */
    private static InetAddress address(String local) throws IOException {
        var words = ByteBuffer.wrap(HexFormat.of().parseHex(local.substring(0, local.indexOf(':'))));
        var bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            bytes.putInt(words.getInt());
        }
        return InetAddress.getByAddress(bytes.array());
    }

    public void keep(Collection<String> runs) {
        given.keySet().retainAll(runs);
    }
}
