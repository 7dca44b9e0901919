package io.sluice.engines.docker.images;

import io.sluice.engines.Engine.NotKept.Why;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which tasks are being saved, and which savings came to nothing: a file each, by which a gateway that comes later finds what stands still. */
final class Saves {
    private static final int MOST_OF_ONE = 20;
    private static final Duration REMEMBERED = Duration.ofDays(7);

    private final Path folder;
    /** What this gateway is about, by the image's name. */
    private final Set<String> going = ConcurrentHashMap.newKeySet();

    /**
     * @param container that stands still meanwhile
     * @param fault why there is no image; null: it is being made, or whoever was about it is gone
     * @param settled whether the container has been seen to go on
     */
    record Save(
            String image,
            String container,
            String origin,
            Instant begun,
            @Nullable Why fault,
            boolean settled) {
        Save over(Why why, boolean goesOn) {
            return new Save(image, container, origin, begun, why, goesOn);
        }

        private boolean isOld() {
            return settled && begun.isBefore(Instant.now().minus(REMEMBERED));
        }
    }

    Saves(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** False where an image of that name is being made already. */
    boolean begin(Save save) throws IOException {
        if (!going.add(save.image())) {
            return false;
        }
        try {
            tidy(save.image().substring(0, save.image().lastIndexOf('/') + 1));
            keep(save);
        } catch (IOException e) {
            going.remove(save.image());
            throw e;
        }
        return true;
    }

    /** @param why there is no image; null: there is */
    void end(Save save, @Nullable Why why) throws IOException {
        try {
            if (why == null) {
                forget(save.image());
            } else {
                keep(save.over(why, false));
            }
        } finally {
            going.remove(save.image());
        }
    }

    boolean isGoing(String image) {
        return going.contains(image);
    }

    void keep(Save save) throws IOException {
        var fault = save.fault();
        var draft = Files.createTempFile(folder, ".new-", "");
        Files.writeString(
                draft,
                new JsonObject()
                        .put("image", save.image())
                        .put("container", save.container())
                        .put("origin", save.origin())
                        .put("begun", save.begun().toEpochMilli())
                        .put("fault", fault == null ? null : fault.name())
                        .put("settled", save.settled())
                        .encode());
        Files.move(draft, file(save.image()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path file(String image) {
        return folder.resolve(URLEncoder.encode(image, StandardCharsets.UTF_8));
    }

    boolean forget(String image) throws IOException {
        return Files.deleteIfExists(file(image));
    }

    List<Save> all() throws IOException {
        var all = new ArrayList<Save>();
        try (var files = Files.newDirectoryStream(folder, "[!.]*")) {
            for (var file : files) {
                read(file).ifPresent(all::add);
            }
        }
        return all;
    }

    private static Optional<Save> read(Path file) throws IOException {
        try {
            var kept = new JsonObject(Files.readString(file));
            var fault = kept.getString("fault");
            return Optional.of(new Save(
                    kept.getString("image"),
                    kept.getString("container"),
                    kept.getString("origin"),
                    Instant.ofEpochMilli(kept.getLong("begun")),
                    fault == null ? null : Why.valueOf(fault),
                    kept.getBoolean("settled")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Of one owner the newest few are told, and none for ever. */
    private void tidy(String owner) throws IOException {
        var settled = all().stream()
                .filter(Save::settled)
                .sorted(Comparator.comparing(Save::begun).reversed())
                .toList();
        var told = settled.stream()
                .filter(save -> save.image().startsWith(owner))
                .limit(MOST_OF_ONE)
                .toList();
        for (var save : settled) {
            if (save.isOld() || (save.image().startsWith(owner) && !told.contains(save))) {
                forget(save.image());
            }
        }
    }
}
