package io.sluice.engines.process.exec;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who listens on a port of this machine, as the kernel tells it. */
public final class Listeners {

    private static final Path PROC = Path.of("/proc");
    private static final String LISTENS = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final int V6 = 16;

    private Listeners() {}

    /** Whether a process is one of a task's. */
    @FunctionalInterface
    public interface Membership {
        boolean holds(Path process) throws IOException;
    }

    /** Those in the same process namespace as this one. */
    public static Membership besides(long first) throws IOException {
        var space = Files.readSymbolicLink(PROC.resolve(first + "/ns/pid"));
        return process -> Files.readSymbolicLink(process.resolve("ns/pid")).equals(space);
    }

    /** Those that have this in their environment. */
    public static Membership marked(String variable) {
        var mark = "\0" + variable + "\0";
        return process ->
                ("\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)).contains(mark);
    }

    /** The address to dial, if a process of the task listens on this port. */
    public static Optional<String> find(int port, Membership task) throws IOException {
        var sockets = new HashMap<String, String>();
        read("net/tcp", port, sockets);
        read("net/tcp6", port, sockets);
        return sockets.isEmpty() ? Optional.empty() : held(sockets, task);
    }

    private static void read(String table, int port, Map<String, String> sockets) throws IOException {
        var file = PROC.resolve(table);
        if (!Files.exists(file)) {
            return;
        }
        var ending = ":%04X".formatted(port);
        for (var line : Files.readAllLines(file)) {
            var fields = line.strip().split("\\s+");
            if (fields.length > INODE && fields[STATE].equals(LISTENS) && fields[LOCAL].endsWith(ending)) {
                sockets.put("socket:[" + fields[INODE] + "]", address(fields[LOCAL]));
            }
        }
    }

    /** What listens on every address is dialled at this machine's own. */
    private static String address(String local) throws UnknownHostException {
        var words = ByteBuffer.wrap(HexFormat.of().parseHex(local.substring(0, local.indexOf(':'))));
        var bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            bytes.putInt(words.getInt());
        }
        var address = InetAddress.getByAddress(bytes.array());
        if (!address.isAnyLocalAddress()) {
            return address.getHostAddress();
        }
        return bytes.capacity() == V6 && !Files.exists(PROC.resolve("net/tcp")) ? "::1" : "127.0.0.1";
    }

    private static Optional<String> held(Map<String, String> sockets, Membership task) throws IOException {
        try (var processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var process : processes) {
                var socket = socket(process, sockets, task);
                if (socket != null) {
                    return Optional.of(socket);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return Optional.empty();
    }

    private static @Nullable String socket(Path process, Map<String, String> sockets, Membership task) {
        try {
            if (!task.holds(process)) {
                return null;
            }
            try (var files = Files.newDirectoryStream(process.resolve("fd"))) {
                for (var file : files) {
                    var address = sockets.get(Files.readSymbolicLink(file).toString());
                    if (address != null) {
                        return address;
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // it has ended meanwhile, or is another user's, which is none of a task
        }
        return null;
    }
}
