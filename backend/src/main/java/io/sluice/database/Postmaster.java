package io.sluice.database;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * A running server, as its {@code postmaster.pid} describes it.
 *
 * @param status {@code starting}, {@code ready} or {@code stopping}; empty before the first
 */
record Postmaster(long pid, int port, String status) {

    private static final Path PROC = Path.of("/proc");
    private static final boolean HAS_PROC = Files.isDirectory(PROC.resolve("self"));
    private static final long START_LIMIT_NANOS = 60_000_000_000L;
    private static final long POLL_MILLIS = 2;

    /** Small, for one gateway on its own machine; durable, for it keeps what people were promised. */
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "shared_buffers=32MB",
            "max_connections=100",
            "max_wal_size=256MB",
            "min_wal_size=32MB",
            "wal_level=minimal",
            "max_wal_senders=0",
            "max_logical_replication_workers=0",
            "io_method=sync",
            // a table that has filled up within a minute is still planned for as if it were empty
            "autovacuum_naptime=10s",
            // of rows that are in memory or on a disk without arms: else a page of a list is planned anew each time
            "random_page_cost=1.1",
            "huge_pages=off",
            "timezone=UTC",
            "log_timezone=UTC",
            "log_checkpoints=off",
            "log_min_messages=log",
            "log_min_error_statement=panic");

    /** A session of its own: Ctrl-C in the terminal must reach the gateway only. macOS has no setsid program. */
    private static final List<String> OWN_SESSION = HAS_PROC
            ? List.of("setsid")
            : List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV or die $!", "--");

    /** Somebody else was quicker to take the port, or what is left of a server that was killed is not gone yet. */
    static final class TryAgain extends IOException {
        TryAgain(String message) {
            super(message);
        }
    }

    /** What the file says, if it is whole; whether the process still lives is another question. */
    static Optional<Postmaster> read(Path cluster) throws IOException {
        try {
            var lines = Files.readAllLines(cluster.resolve("postmaster.pid"));
            return lines.size() < 4
                    ? Optional.empty()
                    : Optional.of(new Postmaster(
                            Long.parseLong(lines.get(0).strip()),
                            Integer.parseInt(lines.get(3).strip()),
                            lines.size() < 8 ? "" : lines.get(7).strip()));
        } catch (NoSuchFileException | NumberFormatException e) {
            // not yet, no longer, or just being written
            return Optional.empty();
        }
    }

    /** A server that has been started and is not ready yet. */
    record Launch(Cluster cluster, Postmaster server, ServerLog output) {

        Postmaster ready(BooleanSupplier wanted) throws IOException {
            try {
                return awaitReady(cluster, server.pid, () -> wanted.getAsBoolean() && server.alive());
            } catch (IOException e) {
                throw output.explain(cluster, e);
            }
        }
    }

    static Launch launch(Path data, Cluster cluster, Path programs, int port) throws IOException {
        var output = ServerLog.of(data);
        var process = cluster.account()
                .command(command(cluster, programs, port))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.file().toFile()))
                .start();
        return new Launch(cluster, new Postmaster(process.pid(), port, ""), output);
    }

    static Postmaster awaitReady(Cluster cluster, long pid, BooleanSupplier alive) throws IOException {
        for (var end = System.nanoTime() + START_LIMIT_NANOS; System.nanoTime() < end; pause()) {
            // in this order: it may become ready and end between the two
            var lives = alive.getAsBoolean();
            var seen = read(cluster.folder()).filter(server -> server.pid == pid && server.ready());
            if (seen.isPresent()) {
                return seen.get();
            }
            if (!lives) {
                throw new IOException("it ended at once");
            }
        }
        throw new IOException("it was not ready within " + START_LIMIT_NANOS / 1_000_000_000L + " s");
    }

    boolean ready() {
        return status.equals("ready");
    }

    boolean stopping() {
        return status.equals("stopping");
    }

    /** Process numbers come again, so a living one must also be a PostgreSQL that works in this folder. */
    boolean serves(Path cluster) {
        try {
            return HAS_PROC
                    ? PROC.resolve(pid + "/cwd").toRealPath().equals(cluster.toRealPath())
                    : ProcessHandle.of(pid)
                            .flatMap(process -> process.info().command())
                            .filter(command -> command.endsWith("/postgres"))
                            .isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /** A zombie does not count: where process 1 does not reap, it would stay for ever. */
    boolean alive() {
        if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
            return false;
        }
        try {
            var stat = HAS_PROC ? Files.readString(PROC.resolve(pid + "/stat")) : ") R";
            return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException e) {
            return false;
        }
    }

    /** In the order given; Java itself can send two signals only, and neither is the one that a fast stop needs. */
    void signal(String... names) throws IOException {
        kill(names, Long.toString(pid));
    }

    /** Its sessions and workers too, which do not stand or fall with it at once. */
    void signalAll(String... names) throws IOException {
        var all = new StringBuilder().append(pid);
        ProcessHandle.of(pid)
                .ifPresent(handle ->
                        handle.children().forEach(child -> all.append(' ').append(child.pid())));
        kill(names, all.toString());
    }

    private static void kill(String[] names, String pids) throws IOException {
        var script = new StringBuilder();
        for (var name : names) {
            script.append("kill -").append(name).append(' ').append(pids).append(';');
        }
        var process = new ProcessBuilder("/bin/sh", "-c", script.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        while (process.isAlive()) {
            pause();
        }
    }

    boolean goneWithin(long millis) throws IOException {
        for (var end = System.nanoTime() + millis * 1_000_000; alive(); pause()) {
            if (System.nanoTime() > end) {
                return false;
            }
        }
        return true;
    }

    private static List<String> command(Cluster cluster, Path programs, int port) {
        var command = new ArrayList<>(OWN_SESSION);
        command.add(programs.resolve("bin/postgres").toString());
        command.add("-D");
        command.add(cluster.folder().toString());
        command.add("-p");
        command.add(Integer.toString(port));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        return command;
    }

    /** A server is ready within milliseconds; waiting for it in longer steps would be the longest part of a start. */
    private static void pause() throws IOException {
        pause(POLL_MILLIS);
    }

    static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /**
     * What a server that is being started writes.
     *
     * @param from where this start's part begins
     */
    record ServerLog(Path file, long from) {

        private static final long LIMIT = 8L << 20;
        private static final Pattern FATAL = Pattern.compile("(?:FATAL|PANIC): +(.*)");

        static ServerLog of(Path data) throws IOException {
            var file = data.resolve("postgres.log");
            if (Files.exists(file) && Files.size(file) > LIMIT) {
                Files.move(file, data.resolve("postgres.log.old"), StandardCopyOption.REPLACE_EXISTING);
            }
            if (!Files.exists(file)) {
                Files.createFile(file, DataFolder.OWNERS_FILE);
            }
            return new ServerLog(file, Files.size(file));
        }

        /** The server's own reason for a start that failed, if it gave one. */
        IOException explain(Cluster cluster, IOException failure) throws IOException {
            var said = said();
            if (said.contains("Address already in use")) {
                return new TryAgain("its port was taken");
            }
            if (said.contains("pre-existing shared memory block")) {
                return new TryAgain("processes of a server that was killed still run in its folder");
            }
            var fatal = FATAL.matcher(said);
            if (!fatal.find()) {
                return said.isBlank()
                        ? failure
                        : new IOException(said.strip().lines().reduce("", (a, last) -> last), failure);
            }
            if (said.contains("No space left") || said.contains("disk space")) {
                return new IOException("No space left on device", failure);
            }
            throw cluster.damaged(fatal.group(1));
        }

        private String said() throws IOException {
            try (var in = Files.newInputStream(file)) {
                in.skipNBytes(from);
                return new String(in.readNBytes((int) LIMIT), StandardCharsets.UTF_8);
            }
        }
    }
}
