package io.sluice.engines.docker.images;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Image;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Engine.Kept;
import io.sluice.engines.Engine.NotKept;
import io.sluice.engines.Engine.NotKept.Why;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.images.Saves.Save;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Keeps running containers as images. Docker's own commit writes all that a container was made with into the image, its secrets too; so what it
 * makes is a draft without a name, of which only the layers are taken, and which is gone when this is over.
 */
public final class Saving {

    private static final Logger log = System.getLogger(Saving.class.getName());
    private static final int AT_ONCE = 2;
    private static final int MOST_OF_ONE = 20;
    /** A layer of many gigabytes is read, packed and written. */
    private static final Duration LIMIT = Duration.ofMinutes(15);
    /** What has no name for so long is on nobody's way to one. */
    private static final Duration FORGOTTEN = Duration.ofHours(1);

    private final Daemon daemon;
    private final SavedImages saved;
    private final SavingMetrics metrics;
    private final Semaphore turns = new Semaphore(AT_ONCE);

    public Saving(Daemon daemon, SavedImages saved, CollectorRegistry registry) {
        this.daemon = daemon;
        this.saved = saved;
        this.metrics = new SavingMetrics(registry);
    }

    /**
     * What the container has written, upon the image that it was made from.
     *
     * @param chosen a name, with a tag or without, among those of the owner; what has it already is replaced
     * @param origin what the task is to people
     * @throws NotKept when it can not be had like that
     */
    public Kept keep(String container, String base, String owner, String chosen, String origin) throws IOException {
        var name = SavedName.of(owner, chosen)
                .orElseThrow(
                        () -> new NotKept(
                                Why.NAME,
                                "“" + chosen
                                        + "” is no name for an image. Names look like pytorch-env:2, in small letters and digits."));
        if (!turns.tryAcquire()) {
            metrics.saved("busy");
            throw new NotKept(
                    Why.BUSY, "The engine saves " + AT_ONCE + " other tasks as images. Try again in a minute.");
        }
        metrics.saving(1);
        var result = "failed";
        try {
            var kept = kept(new Save(name.full(), container, origin, Instant.now(), null, false), base, owner);
            result = "done";
            return kept;
        } finally {
            metrics.saved(result);
            metrics.saving(-1);
            turns.release();
        }
    }

    private Kept kept(Save save, String base, String owner) throws IOException {
        room(save, owner);
        var below = saved.find(base)
                .orElseThrow(() ->
                        new NotKept(Why.IMPOSSIBLE, "The image that the task was begun in is gone from the engine."));
        if (!saved.saves().begin(save)) {
            throw new NotKept(Why.BUSY, "An image of this name is being saved. Try again in a minute.");
        }
        @Nullable Why fault = Why.CUT;
        try {
            var kept = made(save, below);
            fault = null;
            return kept;
        } catch (DockerException e) {
            var refusal = refused(e);
            fault = refusal instanceof NotKept why ? why.why() : Why.CUT;
            throw refusal;
        } catch (NotKept e) {
            fault = e.why();
            throw e;
        } finally {
            saved.saves().end(save, fault);
        }
    }

    private void room(Save save, String owner) {
        try {
            sweep();
            var images = daemon.ask(
                    "images", Daemon.SHORT, client -> client.listImagesCmd().exec());
            if (images.stream()
                            .flatMap(SavedImages::names)
                            .filter(one -> one.startsWith(SavedName.folder(owner)) && !one.equals(save.image()))
                            .count()
                    >= MOST_OF_ONE) {
                throw new NotKept(
                        Why.TOO_MANY,
                        "There are " + MOST_OF_ONE
                                + " saved images of this user, which is the limit. Save it under the name of"
                                + " one of them, which it then replaces, or delete one.");
            }
        } catch (DockerException e) {
            throw refused(e);
        }
    }

    private Kept made(Save save, InspectImageResponse below) {
        var before = saved.find(save.image()).map(InspectImageResponse::getId);
        var draft = daemon.ask(
                "commit",
                LIMIT,
                client -> client.commitCmd(save.container())
                        .withAuthor(Recipe.AUTHOR)
                        .withPause(true)
                        .exec());
        try {
            var kept = named(below, draft, save);
            before.filter(old -> !old.equals(kept.id())).ifPresent(this::drop);
            return kept;
        } finally {
            drop(draft);
        }
    }

    private Kept named(InspectImageResponse base, String draft, Save save) {
        var name = save.image();
        var made =
                saved.find(draft).orElseThrow(() -> new Unavailable("The image was removed while it was made.", null));
        var recipe = Recipe.of(base, made, name, save.origin());
        // docker-java's own call answers before the engine has: it reads the head alone
        daemon.post(
                "load", Daemon.LONG, "/images/load?quiet=1", recipe.archive().getBytes());
        // what the engine thinks of it stands in the answer's text, not in its status
        var there = saved.find(name)
                .filter(image -> recipe.id().equals(image.getId()))
                .orElseThrow(() -> new NotKept(
                        Why.IMPOSSIBLE,
                        "This Docker engine makes no image of layers that it has. It keeps them in containerd; an administrator can"
                                + " switch its feature containerd-snapshotter off."));
        return new Kept(name, recipe.id(), there.getSize() == null ? 0 : there.getSize());
    }

    /** Drafts of a gateway that died, and what was replaced while a task still ran in it. */
    private void sweep() {
        var old = Instant.now().minus(FORGOTTEN).getEpochSecond();
        daemon
                .ask(
                        "images",
                        Daemon.SHORT,
                        client ->
                                client.listImagesCmd().withDanglingFilter(true).exec())
                .stream()
                .filter(image -> image.getCreated() < old)
                .map(Image::getId)
                .filter(id -> saved.find(id)
                        .filter(image -> Recipe.AUTHOR.equals(image.getAuthor()))
                        .isPresent())
                .forEach(this::drop);
    }

    private void drop(String id) {
        try {
            daemon.<Boolean>ask("remove-image", Daemon.LONG, client -> {
                client.removeImageCmd(id).withNoPrune(true).exec();
                return true;
            });
        } catch (NotFoundException | ConflictException e) {
            log.log(Level.DEBUG, "image={0} left=yes cause=\"{1}\"", id, Daemon.said(e));
        } catch (DockerException | Unavailable e) {
            log.log(Level.WARNING, "image={0} left=yes cause=\"{1}\"", id, e.getMessage());
        }
    }

    private static RuntimeException refused(DockerException e) {
        var said = Daemon.said(e);
        var text = said.toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("disk quota")) {
            return new NotKept(Why.FULL, "The disk of the Docker engine is full: there is no room for the image.");
        }
        if (text.contains("max depth")) {
            return new NotKept(
                    Why.IMPOSSIBLE,
                    "The image has as many layers as there may be: it was saved from one that was saved, too often.");
        }
        if (e instanceof NotFoundException || e instanceof ConflictException) {
            return new NotKept(Why.GONE, "The task does not run any more.");
        }
        return new Unavailable("the Docker engine: " + said, e);
    }
}
