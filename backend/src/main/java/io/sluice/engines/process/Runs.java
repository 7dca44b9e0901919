package io.sluice.engines.process;

import io.sluice.engines.Task;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The folders in which runs are kept, so that they are known to whoever comes next. A run is one folder, made whole
 * elsewhere and then renamed; its end is one file, and so is its removal. What is read is always whole.
 */
final class Runs {

    private final Path runs;
    private final Path ended;
    private final Path trash;
    /** What an earlier gateway did not come to throw away. */
    private final Set<String> leftovers;

    private Runs(Path folder) throws IOException {
        this.runs = made(folder.resolve("runs"));
        this.ended = made(folder.resolve("ended"));
        this.trash = made(folder.resolve("trash"));
        this.leftovers = names(trash);
    }

    /** Whatever is kept here, no run is read for this. */
    static Runs open(Path folder) throws IOException {
        var opened = new Runs(made(folder));
        var known = names(opened.runs);
        for (var end : names(opened.ended)) {
            if (!known.contains(end)) {
                Files.delete(opened.ended.resolve(end));
            }
        }
        return opened;
    }

    /** Where ends arrive. */
    Path ended() {
        return ended;
    }

    Path folder(String name) {
        return runs.resolve(name);
    }

    Optional<RunFolder> find(String name) throws IOException {
        return Files.isDirectory(folder(name)) ? Optional.of(open(name)) : Optional.empty();
    }

    /** One that runs, or the call fails. */
    RunFolder running(String name) throws IOException {
        var found = find(name);
        if (found.isEmpty() || !found.get().runsOn()) {
            throw new IllegalStateException("it does not run: " + name);
        }
        return found.get();
    }

    List<RunFolder> all() throws IOException {
        return names(runs).stream().map(this::open).toList();
    }

    /** Those that run, and those that have vanished: of all others there is an end, and no more is asked about them. */
    List<RunFolder> unended() throws IOException {
        var over = names(ended);
        return names(runs).stream()
                .filter(name -> !over.contains(name))
                .map(this::open)
                .toList();
    }

    /** Makes the run known, if nobody else has. */
    RunFolder create(Task task, Map<String, String> files) throws IOException {
        var draft = Files.createDirectory(
                trash.resolve(UUID.randomUUID().toString()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectory(draft.resolve("root"));
        for (var file : files.entrySet()) {
            // nobody else comes into the folder, but some of them are put where the task reads them
            var written = Files.writeString(draft.resolve(file.getKey()), file.getValue());
            Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-r--r--"));
        }
        Files.writeString(
                draft.resolve(RunFolder.ABOUT),
                new JsonObject()
                        .put("labels", new JsonObject(new TreeMap<>(task.labels())))
                        .put(
                                "ports",
                                task.ports().values().stream()
                                        .flatMap(List::stream)
                                        .toList())
                        .put("boot", Incarnation.bootOfNow())
                        .put(RunFolder.TELLS_BEGUN, true)
                        .put("created", Instant.now().toEpochMilli())
                        .encode());
        try {
            Files.move(draft, folder(task.name()), StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            delete(draft);
        } catch (FileSystemException e) {
            delete(draft);
            // ENOTEMPTY has no exception of its own in an atomic move
            if (!Files.isDirectory(folder(task.name()))) {
                throw e;
            }
        }
        return open(task.name());
    }

    /** Forgets the run: at once, and whole, whenever the gateway should end meanwhile. */
    void remove(String name) throws IOException {
        if (Files.isDirectory(folder(name))) {
            var gone = trash.resolve(UUID.randomUUID().toString());
            Files.move(folder(name), gone, StandardCopyOption.ATOMIC_MOVE);
            delete(gone);
        }
        Files.deleteIfExists(ended.resolve(name));
    }

    /** Keeps how a run ended that no supervisor can tell of any more. */
    void end(RunFolder run, int code, String signal, String detail) throws IOException {
        var end = run.path().resolve("end.gateway");
        Files.writeString(
                end,
                "code=%d\nsignal=%s\nmemory=no\nended=%d\ndetail=%s\n"
                        .formatted(code, signal, Instant.now().toEpochMilli(), detail));
        Files.move(end, ended.resolve(run.name()), StandardCopyOption.ATOMIC_MOVE);
    }

    private RunFolder open(String name) {
        return new RunFolder(name, folder(name), ended.resolve(name));
    }

    /** What an earlier gateway did not come to; nothing of this one's. */
    void clear() throws IOException {
        for (var leftover : leftovers) {
            delete(trash.resolve(leftover));
        }
    }

    private static Path made(Path folder) throws IOException {
        return Files.isDirectory(folder)
                ? folder
                : Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static Set<String> names(Path folder) throws IOException {
        var names = new HashSet<String>();
        try (var all = Files.newDirectoryStream(folder)) {
            all.forEach(one -> names.add(one.getFileName().toString()));
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                    Files.delete(file);
                }
            }
        }
    }

    /** The lines {@code key=value} of a file. */
    static Map<String, String> lines(Path file) throws IOException {
        var values = new HashMap<String, String>();
        for (var line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n")) {
            int at = line.indexOf('=');
            if (at > 0) {
                values.put(line.substring(0, at), line.substring(at + 1));
            }
        }
        return values;
    }

    /**
     * What a task is to run, and its environment, on their way to its supervisor. Both may hold secrets, so they lie in memory, and are gone
     * when the power is; where tasks have roots of their own, they are gone from here as soon as they are read.
     */
    static final class Handover {

        private static final Logger LOG = System.getLogger(Handover.class.getName());
        private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
        private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
        private static final FileAttribute<Set<PosixFilePermission>> RIGHTS =
                PosixFilePermissions.asFileAttribute(OWNER_ONLY);

        private final Path folder;

        private Handover(Path folder) {
            this.folder = folder;
        }

        /** The folder that an earlier gateway has used, as long as the machine has not been restarted; its name cannot be guessed. */
        static Handover open(Path engine) throws IOException {
            Path named = engine.resolve("memory");
            if (Files.exists(named)) {
                Path known = Path.of(Files.readString(named).strip());
                if (isOurs(known)) {
                    return new Handover(known);
                }
            }
            var memory = memory();
            if (memory.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "engine=scripts-on-disk cause=\"neither /dev/shm nor the user's runtime folder is in memory\"");
            }
            Path made = Files.createTempDirectory(memory.orElse(engine), "sluice-", RIGHTS);
            Path draft = Files.writeString(engine.resolve("memory.new"), made.toString());
            Files.move(draft, named, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return new Handover(made);
        }

        private static Optional<Path> memory() throws IOException {
            var user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            for (var place : List.of(Path.of("/dev/shm"), Path.of("/run/user/" + user))) {
                if (Files.isDirectory(place)
                        && Files.isWritable(place)
                        && IN_MEMORY.contains(Files.getFileStore(place).type())) {
                    return Optional.of(place);
                }
            }
            return Optional.empty();
        }

        private static boolean isOurs(Path folder) throws IOException {
            return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                            .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                    && Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS)
                            .equals(OWNER_ONLY);
        }

        /** Where all of them are. */
        Path folder() {
            return folder;
        }

        Path folder(String run) {
            return folder.resolve(run);
        }

        /** A supervisor may be reading what an earlier gateway has put there: each file is whole, always. */
        void put(String run, Map<String, String> files) throws IOException {
            Path place = folder(run);
            // some systems empty that memory when a user signs out of the machine
            for (var needed : List.of(folder, place)) {
                if (!Files.isDirectory(needed, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectory(needed, RIGHTS);
                }
            }
            for (var file : files.entrySet()) {
                Path draft = Files.writeString(place.resolve(file.getKey() + ".new"), file.getValue());
                Files.move(draft, place.resolve(file.getKey()), StandardCopyOption.ATOMIC_MOVE);
            }
        }

        void forget(String run) throws IOException {
            delete(folder(run));
        }

        /** All that something was given to. */
        Set<String> runs() throws IOException {
            return names(folder);
        }

        /** Without a trace, if nothing is left in it. */
        void close() throws IOException {
            try (var all = Files.newDirectoryStream(folder)) {
                if (all.iterator().hasNext()) {
                    return;
                }
            }
            Files.deleteIfExists(folder);
        }
    }
}
