package io.sluice.engines.process;

import io.sluice.engines.Task;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private Runs(Path folder) {
        this.runs = folder.resolve("runs");
        this.ended = folder.resolve("ended");
        this.trash = folder.resolve("trash");
    }

    static Runs open(Path folder) throws IOException {
        var opened = new Runs(folder);
        for (var part : List.of(folder, opened.runs, opened.ended, opened.trash)) {
            if (!Files.isDirectory(part)) {
                Files.createDirectories(
                        part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        }
        opened.clear();
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
        var all = new ArrayList<RunFolder>();
        try (var folders = Files.newDirectoryStream(runs)) {
            for (var folder : folders) {
                all.add(open(folder.getFileName().toString()));
            }
        }
        return all;
    }

    /** Makes the run known, if nobody else has. */
    RunFolder create(Task task, Map<String, String> files) throws IOException {
        var draft = Files.createDirectory(
                trash.resolve(UUID.randomUUID().toString()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectory(draft.resolve("root"));
        for (var file : files.entrySet()) {
            Files.writeString(draft.resolve(file.getKey()), file.getValue());
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

    /** What an earlier gateway did not come to. */
    private void clear() throws IOException {
        try (var leftovers = Files.newDirectoryStream(trash)) {
            for (var leftover : leftovers) {
                delete(leftover);
            }
        }
        try (var ends = Files.newDirectoryStream(ended)) {
            for (var end : ends) {
                if (!Files.isDirectory(folder(end.getFileName().toString()))) {
                    Files.delete(end);
                }
            }
        }
    }

    private static void delete(Path folder) throws IOException {
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
}
