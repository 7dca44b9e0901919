package io.sluice.engines.docker.images;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Image;
import io.sluice.engines.Engine.NotKept;
import io.sluice.engines.Engine.NotKept.Why;
import io.sluice.engines.Engine.Saved;
import io.sluice.engines.docker.images.Saves.Save;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** What was saved of tasks: which there is, and taking it away. What a saving that was cut has left standing still goes on. */
public final class SavedImages {
    private static final Logger log = System.getLogger(SavedImages.class.getName());
    private static final List<String> OVER = List.of("exited", "dead", "removing");

    private final Daemon daemon;
    private final Saves saves;
    /** By the image's id, what it was saved of: that never changes. */
    private final Map<String, String> origins = new ConcurrentHashMap<>();

    public SavedImages(Daemon daemon, Path folder) throws IOException {
        this.daemon = daemon;
        this.saves = new Saves(folder);
    }

    Saves saves() {
        return saves;
    }

    /** Those whose names begin so, and what is to become one of them, or did not. */
    public List<Saved> all(String beginning) throws IOException {
        var all = new ArrayList<Saved>();
        var saving = saves.all();
        var images = daemon.ask(
                "images", Daemon.SHORT, client -> client.listImagesCmd().exec());
        origins.keySet().retainAll(images.stream().map(Image::getId).toList());
        for (var image : images) {
            names(image).filter(name -> name.startsWith(beginning)).forEach(name -> all.add(saved(image, name)));
        }
        for (var save : saving) {
            if (save.image().startsWith(beginning)) {
                boolean going = saves.isGoing(save.image());
                all.add(new Saved(
                        save.image(),
                        0,
                        save.begun(),
                        save.origin(),
                        going,
                        going ? null : Objects.requireNonNullElse(save.fault(), Why.CUT)));
            }
        }
        return all;
    }

    private Saved saved(Image image, String name) {
        var origin = origins.computeIfAbsent(
                image.getId(),
                id -> find(id).map(InspectImageResponse::getComment).orElse(""));
        return new Saved(name, image.getSize(), Instant.ofEpochSecond(image.getCreated()), origin, false, null);
    }

    /**
     * Takes one away; what runs in it keeps it.
     *
     * @param failed only what is told of one that could not be saved
     * @throws NotKept where there is none, or somebody runs in it
     */
    public void drop(String name, boolean failed) throws IOException {
        if (saves.isGoing(name)) {
            throw new NotKept(Why.BUSY, "The image " + name + " is being saved. Delete it when that is over.");
        }
        var image = failed ? Optional.<String>empty() : find(name).map(InspectImageResponse::getId);
        if (image.isPresent()) {
            unused(name, image.get());
            remove(name);
        } else if (!saves.forget(name)) {
            throw new NotKept(Why.GONE, "There is no saved image " + name + ".");
        }
    }

    /** Passes where no task runs in it, or is about to. */
    private void unused(String name, String id) {
        var containers = daemon.ask(
                "list",
                Daemon.SHORT,
                client -> client.listContainersCmd()
                        .withShowAll(true)
                        .withAncestorFilter(List.of(id))
                        .exec());
        if (containers.stream().anyMatch(one -> id.equals(one.getImageId()) && !OVER.contains(one.getState()))) {
            throw new NotKept(
                    Why.USED, "A task runs in the image " + name + ". Delete it when that is over, or stop its job.");
        }
    }

    /** What is over and only not tidied away yet does not keep it. */
    private void remove(String name) {
        daemon.<Boolean>ask("remove-image", Daemon.LONG, client -> {
            client.removeImageCmd(name).withForce(true).exec();
            return true;
        });
    }

    /** What savings that came to nothing have left standing still goes on. */
    public void mend() throws IOException {
        for (var save : saves.all()) {
            if (!save.settled() && isOver(save)) {
                settle(save);
            }
        }
    }

    /** Nor begun again meanwhile. */
    private boolean isOver(Save save) throws IOException {
        return !saves.isGoing(save.image()) && saves.all().contains(save);
    }

    private void settle(Save save) throws IOException {
        if (find(save.image()).filter(image -> isOf(image, save)).isPresent()) {
            saves.forget(save.image()); // nobody was left to note that it was done
            return;
        }
        if (goesOn(save)) {
            saves.keep(save.over(Objects.requireNonNullElse(save.fault(), Why.CUT), true));
        }
    }

    /** False where it is to be tried again. */
    private boolean goesOn(Save save) throws IOException {
        try {
            var container = daemon.ask(
                    "inspect",
                    Daemon.SHORT,
                    client -> client.inspectContainerCmd(save.container()).exec());
            if (Boolean.TRUE.equals(container.getState().getPaused()) && isOver(save)) {
                daemon.<Boolean>ask("unpause", Daemon.SHORT, client -> {
                    client.unpauseContainerCmd(save.container()).exec();
                    return true;
                });
                log.log(
                        Level.WARNING,
                        "container={0} image={1} saving=cut goes-on=yes",
                        save.container(),
                        save.image());
            }
            return true;
        } catch (NotFoundException gone) {
            return true;
        } catch (DockerException e) {
            log.log(
                    Level.WARNING,
                    "container={0} saving=cut goes-on=no cause=\"{1}\"",
                    save.container(),
                    Daemon.said(e));
            return false;
        }
    }

    private static boolean isOf(InspectImageResponse image, Save save) {
        var created = image.getCreated();
        return created != null && !Instant.parse(created).isBefore(save.begun());
    }

    Optional<InspectImageResponse> find(String image) {
        try {
            return Optional.of(daemon.ask(
                    "image",
                    Daemon.SHORT,
                    client -> client.inspectImageCmd(image).exec()));
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }

    static Stream<String> names(Image image) {
        return image.getRepoTags() == null ? Stream.of() : Arrays.stream(image.getRepoTags());
    }
}
