package io.sluice.engines.docker;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Which runs shall end, kept so that a gateway that comes later ends them all the same: a file each. */
final class Stops {

    /**
     * @param deadline after which it is ended by force
     */
    record Stop(Instant asked, Instant deadline, Map<String, String> labels) {}

    private final Path folder;

    Stops(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** Of two grace periods the one that ends first counts. */
    Stop keep(String run, Duration grace, Map<String, String> labels) throws IOException {
        var now = Instant.now();
        var known = find(run);
        var deadline = known.map(Stop::deadline)
                .filter(earlier -> earlier.isBefore(now.plus(grace)))
                .orElse(now.plus(grace));
        var stop = new Stop(known.map(Stop::asked).orElse(now), deadline, labels);
        var draft = folder.resolve(".new-" + UUID.randomUUID());
        Files.writeString(
                draft,
                new JsonObject()
                        .put("asked", stop.asked().toEpochMilli())
                        .put("deadline", deadline.toEpochMilli())
                        .put("labels", new JsonObject(new HashMap<>(labels)))
                        .encode());
        Files.move(draft, folder.resolve(run), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return stop;
    }

    Optional<Stop> find(String run) throws IOException {
        try {
            var kept = new JsonObject(Files.readString(folder.resolve(run)));
            Map<String, String> labels = new HashMap<>();
            kept.getJsonObject("labels").forEach(label -> labels.put(label.getKey(), "" + label.getValue()));
            return Optional.of(new Stop(
                    Instant.ofEpochMilli(kept.getLong("asked")),
                    Instant.ofEpochMilli(kept.getLong("deadline")),
                    Map.copyOf(labels)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    Map<String, Stop> all() throws IOException {
        var all = new HashMap<String, Stop>();
        try (var files = Files.newDirectoryStream(folder)) {
            for (var file : files) {
                var name = file.getFileName().toString();
                if (name.startsWith(".")) {
                    continue;
                }
                find(name).ifPresent(stop -> all.put(name, stop));
            }
        }
        return all;
    }

    void forget(String run) throws IOException {
        Files.deleteIfExists(folder.resolve(run));
    }
}
