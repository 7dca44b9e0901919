package io.sluice.jobs.saving;

import io.sluice.engines.Engine;
import io.sluice.engines.Engine.Kept;
import io.sluice.engines.Engine.NotKept;
import io.sluice.engines.Engine.Saved;
import io.sluice.identity.Identity;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.images.Images;
import io.sluice.jobs.lists.Places;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.sluice.web.looks.Looks;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to saving tasks as images. */
public final class Savings {
    static final Duration AGAIN = Duration.ofSeconds(5);
    static final String TOPIC = "saved-images";
    /** What another gateway saves, or its machine's administrator removes, is seen then. */
    private static final Duration LOOK = Duration.ofSeconds(3);
    /** No proxy gives up on who waits so long. */
    private static final long PATIENCE_SECONDS = 15;
    /** What nobody asks after is forgotten, and the same wish is a new one: the task has gone on. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private static final int MOST = 100;
    private static final int MOST_SHOWN = 1_000;

    private final Jobs jobs;
    private final Engine engine;
    private final Images images;
    private final Live live;
    private final Looks<String, List<Saved>> looks = new Looks<>(LOOK.dividedBy(2));
    /** Those on their way, and those whose end nobody has been told yet. */
    private final Map<Wish, Going> going = new ConcurrentHashMap<>();

    /** @param index of the task in its role */
    record Wish(long job, int attempt, String role, int index, String image) {}

    /** @param end when it was over, or null */
    private record Going(Future<Kept> kept, AtomicReference<@Nullable Instant> end) {
        private boolean isOld() {
            var at = end.get();
            return at != null && at.isBefore(Instant.now().minus(REMEMBERED));
        }
    }

    public Savings(Jobs jobs, Engine engine, Images images, Live live) {
        this.jobs = jobs;
        this.engine = engine;
        this.images = images;
        this.live = live;
        live.ring(TOPIC, LOOK);
    }

    public List<Route> routes() {
        return Stream.concat(new SavingRoutes(this).routes().stream(), new SavedRoutes(this, live).routes().stream())
                .toList();
    }

    /** Whether this engine saves tasks at all. */
    boolean isPossible() {
        return engine.keeps();
    }

    /** Those that the caller may see, the newest first: their own, and for an administrator all. */
    Future<List<SavedImage>> saved(Caller caller) {
        return images.saved().compose(saved -> engine.saved(saved).map(all -> of(caller, saved, all)));
    }

    /** The same, as it was a moment ago: for the many who wait for something to change. */
    Future<List<SavedImage>> followed(Caller caller) {
        return images.saved()
                .compose(saved -> looks.at(saved, () -> engine.saved(saved)).map(all -> of(caller, saved, all)));
    }

    private static List<SavedImage> of(Caller caller, String saved, List<Saved> all) {
        String beginning = caller.admin() ? saved : saved + caller.id() + "/";
        return all.stream()
                .filter(one -> one.image().startsWith(beginning))
                .map(SavedImage::of)
                .sorted(Comparator.comparing(SavedImage::at).reversed())
                .limit(MOST_SHOWN)
                .toList();
    }

    private void changed() {
        looks.forget();
        live.ring(TOPIC);
    }

    /**
     * @param owner the number of whose it is
     * @param failed only what is told of one that could not be saved
     */
    Future<Void> drop(Caller caller, String owner, String name, boolean failed) {
        if (!owner.matches("\\d{1,18}") || !(caller.admin() || owner.equals("" + caller.id()))) {
            return Future.failedFuture(noImage(name));
        }
        return images.saved()
                .compose(saved -> engine.drop(saved + owner + "/" + name, failed))
                .recover(
                        failure -> Future.failedFuture(failure instanceof NotKept why ? undropped(why, name) : failure))
                .onSuccess(dropped -> changed())
                .onSuccess(dropped ->
                        Identity.audit("saved-image-deleted", "owner", owner, "image", name, "by", caller.name()));
    }

    private static Problem undropped(NotKept failure, String name) {
        return failure.why() == NotKept.Why.GONE ? noImage(name) : problem(failure);
    }

    private static Problem noImage(String name) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoImageError", "There is no saved image " + name + ".");
    }

    Future<Job> job(Caller caller, String key) {
        int tilde = key.indexOf('~');
        return jobs.job(caller, tilde < 0 ? key : key.substring(0, tilde), tilde < 0 ? "" : key.substring(tilde + 1));
    }

    /** The tasks of a job that can be saved now, as {@code role/index}. */
    public Future<List<String>> tasks(Job job) {
        return !engine.keeps() || job.isFinal()
                ? Future.succeededFuture(List.of())
                : active(job)
                        .map(found -> found.stream()
                                .flatMap(active -> active.tasks().stream())
                                .map(task -> task.role() + "/" + task.index())
                                .toList());
    }

    private Future<List<Places.Active>> active(Job job) {
        return jobs.places()
                .active(job.name())
                .map(all -> all.stream().filter(one -> one.job() == job.id()).toList());
    }

    /**
     * The same wish again is the same saving until its end has been told.
     *
     * @return empty while it takes longer than anybody should wait for an answer: ask again
     */
    Future<Optional<Kept>> save(Caller caller, Job job, Wish wish) {
        var before = going.get(wish);
        return before != null && !before.isOld()
                ? told(wish, before)
                : run(job, wish).compose(run -> told(wish, begin(caller, job, wish, run)));
    }

    private Future<String> run(Job job, Wish wish) {
        return active(job)
                .map(found -> found.stream()
                        .filter(active -> active.attempt() == wish.attempt())
                        .flatMap(active -> active.tasks().stream())
                        .filter(task -> task.role().equals(wish.role()) && task.index() == wish.index())
                        .map(Places.Task::run)
                        .findFirst()
                        .orElseThrow(() -> Problem.of(
                                Problem.Kind.NOT_FOUND,
                                "Job " + job.key() + " has no task " + wish.role() + "/" + wish.index()
                                        + " that runs in this attempt. Only what runs can be saved.")));
    }

    private synchronized Going begin(Caller caller, Job job, Wish wish, String run) {
        going.values().removeIf(Going::isOld);
        var before = going.get(wish);
        if (before != null) {
            return before;
        }
        if (going.size() >= MOST) {
            throw Problem.tooMany("Too many tasks are being saved as images.", AGAIN);
        }
        var begun = new Going(engine.keep(run, wish.image(), job.key()), new AtomicReference<>());
        going.put(wish, begun);
        begun.kept()
                .onComplete(over -> begun.end().set(Instant.now()))
                .onComplete(over -> changed())
                .onComplete(
                        kept -> audit(caller, job, wish, kept.image(), kept.id()),
                        failure -> audit(caller, job, wish, wish.image(), null));
        return begun;
    }

    private static void audit(Caller caller, Job job, Wish wish, String image, @Nullable String id) {
        Identity.audit(
                id == null ? "task-not-saved" : "task-saved",
                "job",
                job.key(),
                "task",
                wish.role() + "/" + wish.index(),
                "image",
                image,
                "id",
                Objects.requireNonNullElse(id, ""),
                "by",
                caller.name());
    }

    private Future<Optional<Kept>> told(Wish wish, Going one) {
        return one.kept()
                .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .onComplete(over -> {
                    if (one.kept().isComplete()) {
                        going.remove(wish, one);
                    }
                })
                .map(Optional::of)
                .recover(failure ->
                        failure instanceof TimeoutException && !one.kept().isComplete()
                                ? Future.succeededFuture(Optional.empty())
                                : Future.failedFuture(failure instanceof NotKept why ? problem(why) : failure));
    }

    private static Problem problem(NotKept failure) {
        var message = String.valueOf(failure.getMessage());
        return switch (failure.why()) {
            case NAME -> Problem.of(Problem.Kind.INVALID, message);
            case BUSY -> Problem.tooMany(message, AGAIN);
            case TOO_MANY -> Problem.of(Problem.Kind.CONFLICT, "TooManyImagesError", message);
            case FULL -> Problem.of(Problem.Kind.FULL, message);
            case GONE -> Problem.of(Problem.Kind.NOT_FOUND, message);
            case USED -> Problem.of(Problem.Kind.CONFLICT, "ImageInUseError", message);
            case CUT -> Problem.unavailable(message, failure, AGAIN);
            case IMPOSSIBLE -> Problem.of(Problem.Kind.CONFLICT, "NoImageHereError", message);
        };
    }
}
