package io.sluice.jobs.gang;

import io.sluice.jobs.protocol.Distribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** The folder of each attempt that all of its tasks find as {@link Contract#FOLDER}. Every file in it is whole, whenever it is read. */
public final class GangFolders {
    /** So long a folder is left alone whose job nobody knows. */
    private static final Duration GRACE = Duration.ofMinutes(10);

    private static final String BARRIER = "barrier";
    private static final String RELEASED = "released";
    private static final String MISSING = "missing";
    private static final String TO_READ = "rw-r--r--";
    private static final String TO_ENTER = "rwxr-xr-x";
    private static final String OF_US = "rwx------";

    private final Path all;

    /** @param data the data folder */
    public GangFolders(Path data) {
        this.all = data.toAbsolutePath().normalize().resolve("gangs");
    }

    /** What is the same already is not written again. */
    public Path write(Gang gang, Contract contract) throws IOException {
        Path folder = folder(gang.number(), gang.attempt());
        put(folder, Contract.HOSTS, contract.hostFile());
        var table = contract.rankTable().filter(told -> told.fault() == null);
        if (table.isPresent()) {
            put(folder, Contract.TABLE, table.get().json());
            put(folder, Contract.MODELARTS_TABLE, table.get().json());
        }
        if (gang.startsTogether()) {
            put(folder, BARRIER, script(BARRIER));
        }
        if (Peers.areIn(gang)) {
            Peers.of(gang).write(folder);
        }
        if (gang.spec().distribution().launcher() != Distribution.Launcher.PLAIN) {
            put(folder, "launch", script("launch"));
        }
        return folder;
    }

    /** Lets the tasks of an attempt go on, which wait for one another. */
    public void release(long job, int attempt) throws IOException {
        Path folder = folder(job, attempt);
        if (!Files.exists(folder.resolve(RELEASED))) {
            put(folder, MISSING, "");
            put(folder, RELEASED, "");
        }
    }

    /** Tells those that wait for whom: one a line. */
    public void missing(long job, int attempt, List<String> tasks) throws IOException {
        put(folder(job, attempt), MISSING, String.join("\n", tasks) + "\n");
    }

    static String script(String name) {
        try (var in = GangFolders.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path folder(long job, int attempt) throws IOException {
        made(all, OF_US);
        Path own = made(all.resolve(Long.toString(job)), OF_US);
        return made(own.resolve(Integer.toString(attempt)), TO_ENTER).toRealPath();
    }

    static Path toEnter(Path folder) throws IOException {
        return made(folder, TO_ENTER);
    }

    private static Path made(Path folder, String mode) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
        }
        return folder;
    }

    static void put(Path folder, String name, String text) throws IOException {
        put(folder, name, text, TO_READ);
    }

    static void putProgram(Path folder, String name, String text) throws IOException {
        put(folder, name, text, TO_ENTER);
    }

    private static void put(Path folder, String name, String text, String mode) throws IOException {
        Path file = folder.resolve(name);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), bytes)) {
            return;
        }
        Path draft = Files.write(folder.resolve(".new-" + UUID.randomUUID()), bytes);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString(mode));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Of an attempt that is over. */
    public void forget(long job, int attempt) throws IOException {
        Path own = all.resolve(Long.toString(job));
        delete(own.resolve(Integer.toString(attempt)));
        if (files(own).isEmpty()) {
            Files.deleteIfExists(own);
        }
    }

    /** Those of all attempts, on whichever gateway they were begun. */
    public List<Path> all() throws IOException {
        List<Path> attempts = new ArrayList<>();
        for (Path job : files(all)) {
            attempts.addAll(files(job));
        }
        return attempts;
    }

    /** What a gateway that was killed has left. */
    public void sweep(Function<Set<Long>, Set<Long>> alive) throws IOException {
        Set<Long> old = new HashSet<>();
        for (Path folder : files(all)) {
            String name = String.valueOf(folder.getFileName());
            if (name.matches("\\d{1,18}")
                    && Files.getLastModifiedTime(folder)
                            .toInstant()
                            .isBefore(Instant.now().minus(GRACE))) {
                old.add(Long.valueOf(name));
            }
        }
        if (!old.isEmpty()) {
            old.removeAll(alive.apply(old));
        }
        for (long job : old) {
            for (Path attempt : files(all.resolve(Long.toString(job)))) {
                delete(attempt);
            }
            Files.deleteIfExists(all.resolve(Long.toString(job)));
        }
    }

    private static void delete(Path file) throws IOException {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            for (Path part : files(file)) {
                delete(part);
            }
        }
        Files.deleteIfExists(file);
    }

    /** Of a folder that may have gone. */
    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        } catch (NoSuchFileException | NotDirectoryException none) {
            return List.of();
        }
    }
}
