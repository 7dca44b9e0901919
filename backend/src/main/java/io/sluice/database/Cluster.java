package io.sluice.database;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/** PostgreSQL's files in the data folder: complete, or not there. */
record Cluster(Path folder, Account account) {

    private static final Logger log = System.getLogger(Cluster.class.getName());
    static final String USER = "sluice";
    private static final String UNFINISHED = "postgres-unfinished-";
    private static final String PASSWORD = "sluice-password";
    private static final long ROOM_NEEDED = 160L << 20;

    static Cluster of(Path data) throws IOException {
        var folder = data.resolve("postgres");
        return new Cluster(folder, Account.of(data, folder));
    }

    boolean exists() {
        return Files.exists(folder);
    }

    String password() throws IOException {
        return Files.readString(folder.resolve(PASSWORD));
    }

    /** Made beside its place and moved there when whole, so that a start that is cut off leaves nothing to mistrust. */
    void create(Path programs) throws IOException {
        clearUnfinished();
        var fresh = Files.createTempDirectory(folder.resolveSibling(""), UNFINISHED);
        var password = writePassword(fresh.resolve(PASSWORD));
        account.own(fresh);
        initdb(programs, fresh.resolve("cluster"), password);
        Files.move(password, fresh.resolve("cluster").resolve(PASSWORD), StandardCopyOption.ATOMIC_MOVE);
        Files.move(fresh.resolve("cluster"), folder, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(fresh);
    }

    /** The initdb of a gateway that was killed may still be writing there; what it leaves, a later start clears. */
    private void clearUnfinished() throws IOException {
        try (var folders = Files.newDirectoryStream(folder.resolveSibling(""), UNFINISHED + "*")) {
            for (var unfinished : folders) {
                try {
                    DataFolder.delete(unfinished);
                } catch (IOException e) {
                    log.log(Level.WARNING, "postgres=unfinished folder={0} cause=\"{1}\"", unfinished, e.getMessage());
                }
            }
        }
    }

    static void checkRoom(Path data) throws IOException {
        var room = Files.getFileStore(data).getUsableSpace();
        if (room < ROOM_NEEDED) {
            throw new Database.Unavailable(
                    "The disk of %s has %d MB left and the embedded PostgreSQL needs %d MB to begin; make room, or start with another --data."
                            .formatted(data, room >> 20, ROOM_NEEDED >> 20));
        }
    }

    void checkWhole() {
        for (var part : List.of("PG_VERSION", PASSWORD, "global/pg_control")) {
            if (!Files.exists(folder.resolve(part))) {
                throw damaged(part + " is missing");
            }
        }
    }

    Database.Unavailable damaged(String why) {
        return new Database.Unavailable(
                "The database in %s does not start (%s); put back a backup of that folder, or move it away to begin with an empty one."
                        .formatted(folder, why));
    }

    private static Path writePassword(Path file) throws IOException {
        var bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        Files.createFile(file, DataFolder.OWNERS_FILE);
        return Files.writeString(file, HexFormat.of().formatHex(bytes));
    }

    private void initdb(Path programs, Path target, Path password) throws IOException {
        var process = account.command(List.of(
                        programs.resolve("bin/initdb").toString(),
                        "--pgdata=" + target,
                        "--username=" + USER,
                        "--pwfile=" + password,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--locale=C",
                        "--data-checksums",
                        "--sync-method=" + (Files.isDirectory(Path.of("/proc/self")) ? "syncfs" : "fsync"),
                        // the password is 256 random bits: stretching it would only slow every connection down
                        "--set=scram_iterations=1"))
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (exitCode(process) != 0) {
            throw new IOException(reason(said));
        }
    }

    private static int exitCode(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String reason(String said) {
        if (said.contains("No space left") || said.contains("disk space")) {
            return "No space left on device";
        }
        return said.lines()
                .filter(line -> line.contains("error:") || line.contains("FATAL:"))
                .findFirst()
                .orElseGet(() -> said.lines().reduce("initdb failed", (before, last) -> last));
    }
}
