package io.sluice.engines.process.ports;

import io.sluice.engines.Node;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Who of the runs has which port, whether it listens there yet or not. */
public final class PortLedger {

    private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final Path OWN_FILES = Path.of("/proc/self/fd");
    private static final List<Path> LISTENERS = List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
    /** Cells of a line there. */
    private static final int LOCAL = 1;

    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int LOWEST = 10_000;
    public static final int HIGHEST = 65_535;

    private final Map<Integer, String> holders = new HashMap<>();
    private final Predicate<String> isOver;

    public PortLedger(Predicate<String> isOver) {
        this.isOver = isOver;
    }

    /** Outside what the system gives to connections going out, which could be any at any time. */
    public static Node.Ports offered() throws IOException {
        // not as a string: the JDK reads that in two steps, and this file answers only the first
        return offered(Files.readAllLines(EPHEMERAL).getFirst());
    }

    public static Node.Ports offered(String ephemeral) {
        var ends = ephemeral.split("\\s+");
        int below = Integer.parseInt(ends[0]) - 1;
        int above = Integer.parseInt(ends[1]) + 1;
        if (below < LOWEST && above > HIGHEST) {
            // all are ephemeral: a start that finds its port taken is tried again with others
            return new Node.Ports(LOWEST, HIGHEST);
        }
        return below - LOWEST >= HIGHEST - above ? new Node.Ports(LOWEST, below) : new Node.Ports(above, HIGHEST);
    }

    /** All of them, or none and the one that is taken. */
    public synchronized Optional<Integer> reserve(String run, Collection<Integer> ports) throws IOException {
        for (int port : ports) {
            var holder = holders.get(port);
            boolean held = holder != null && !holder.equals(run) && !isOver.test(holder);
            if (held || !isFree(port)) {
                return Optional.of(port);
            }
        }
        hold(run, ports);
        return Optional.empty();
    }

    public synchronized void hold(String run, Collection<Integer> ports) {
        ports.forEach(port -> holders.put(port, run));
    }

    public synchronized void release(String run) {
        holders.values().removeAll(Set.of(run));
    }

    /** Whether this very process listens there. */
    public static boolean isOwn(int port) {
        try {
            Set<String> sockets = new HashSet<>();
            try (var files = Files.newDirectoryStream(OWN_FILES)) {
                for (var file : files) {
                    sockets.add(target(file));
                }
            }
            for (var table : LISTENERS) {
                for (var line : Files.exists(table) ? Files.readAllLines(table) : List.<String>of()) {
                    var cells = line.strip().split("\\s+");
                    boolean listens = cells[LOCAL].endsWith(":%04X".formatted(port)) && cells[STATE].equals("0A");
                    if (listens && sockets.contains("socket:[" + cells[INODE] + "]")) {
                        return true;
                    }
                }
            }
            return false;
        } catch (IOException e) {
            return false; // then the port is only said to be in use
        }
    }

    private static String target(Path file) throws IOException {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (NoSuchFileException closedMeanwhile) {
            return "";
        }
    }

    private static boolean isFree(int port) throws IOException {
        try (var socket = new ServerSocket(port, 1)) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
