package io.sluice.engines.docker.images;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Image;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Started.Preparing;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import io.sluice.engines.Task;
import io.sluice.engines.docker.wire.Daemon;
import io.sluice.engines.docker.wire.Hosts;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Images: there, on their way, or why not. An image that took a password is given only to who has one too. */
public final class Images {

    private static final Logger log = System.getLogger(Images.class.getName());
    private static final int AT_ONCE = 6;
    /** Of one owner, so that who has a slow registry keeps nobody else waiting. */
    private static final int EACH = 2;
    /** Unpacking a large layer goes without a word. */
    private static final Duration SILENT = Duration.ofMinutes(15);
    /** However often something comes. */
    private static final Duration LONGEST = Duration.ofHours(2);

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration BELIEVED = Duration.ofMinutes(10);

    private final Daemon daemon;
    private final ImageMetrics metrics;
    private final Guarded guarded;
    private final Registries registries;
    private final Map<Key, Pull> pulls = new ConcurrentHashMap<>();
    private final Map<Key, Instant> believed = new ConcurrentHashMap<>();
    private final ReentrantLock beginning = new ReentrantLock();

    /** Whose pull it is: what somebody was given with one password is not for who has another. */
    private record Key(
            String name, @Nullable String user, @Nullable String password) {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * @param guarded the file that keeps which repositories took a password
     * @param registries on this machine, or where clouds have their secrets, that jobs may name all the same
     */
    public Images(Daemon daemon, CollectorRegistry registry, Path guarded, List<String> registries) throws IOException {
        this.registries = new Registries(registries, Hosts.ofThisMachine());
        this.daemon = daemon;
        this.metrics = new ImageMetrics(registry);
        this.guarded = new Guarded(guarded);
    }

    /** What came of asking for an image. */
    public sealed interface Answer {}

    public record Ready(InspectImageResponse image) implements Answer {}

    public record NotYet(Preparing preparing) implements Answer {}

    public record Never(Refused refused) implements Answer {}

    /**
     * @param owner whose task it is for; what one owner fetches keeps others waiting as little as can be
     * @param keeper whose saved images it may run in; null: nobody's
     */
    public Answer ready(Task.Image image, String owner, @Nullable String keeper) throws IOException {
        var name = ImageName.of(image.name()).orElse(null);
        if (name == null) {
            return never(
                    Reason.UNSAFE,
                    "“" + image.name() + "” is no name of an image. Names look like ubuntu:24.04 or"
                            + " registry.example.org/team/image:tag, without options.");
        }
        if (SavedName.isOne(name)) {
            return saved(name, image.open() || SavedName.isOf(name, keeper));
        }
        var registry = image.registry();
        if (image.user() != null && registry != null && !name.isAt(registry)) {
            // a password is for the registry that it was given for, and for no other
            return never(
                    Reason.IMAGE,
                    "The sign-in is for the registry " + registry + ", and the image " + name.full() + " is in "
                            + name.registry() + ". Name the image with its registry, or correct registryuri.");
        }
        var key = new Key(name.full(), image.user(), image.password());
        var pull = pulls.get(key);
        if (pull == null) {
            var local = find(name);
            if (local.isPresent() && isOpenTo(name, key, local.get())) {
                return new Ready(local.get());
            }
            if (!registries.allows(name.registry())) {
                return never(
                        Reason.IMAGE,
                        "The registry " + name.registry() + " is not for jobs, because it is on the engine's own"
                                + " machine or link. An administrator can allow it with --docker-registries "
                                + name.registry() + ".");
            }
            pull = begun(key, name, image, owner);
        }
        return settled(pull, key);
    }

    /** Of another's it is not told whether there is one. */
    private Answer saved(ImageName name, boolean granted) {
        return (granted ? find(name) : Optional.<InspectImageResponse>empty())
                .<Answer>map(Ready::new)
                .orElseGet(
                        () -> never(
                                Reason.IMAGE,
                                "There is no image " + name.full()
                                        + " among those that were saved of this user's tasks. Check its name; what others saved is for them alone."));
    }

    private Pull begun(Key key, ImageName name, Task.Image image, String owner) throws IOException {
        beginning.lock();
        try {
            var before = pulls.get(key);
            if (before != null) {
                return before;
            }
            // before it is here: who dies in between must not leave it open to all
            boolean inDoubt = image.user() != null
                    && !guarded.isSure(name.repository())
                    && guarded.doubt(name.repository(), here());
            var fresh = new Pull(daemon, name, image, owner, inDoubt);
            pulls.put(key, fresh);
            metrics.pulling(pulls.size());
            return fresh;
        } finally {
            beginning.unlock();
        }
    }

    private Set<String> here() {
        return daemon
                .ask("images", Daemon.SHORT, client -> client.listImagesCmd().exec())
                .stream()
                .map(Image::getId)
                .collect(Collectors.toSet());
    }

    private boolean isOpenTo(ImageName name, Key key, InspectImageResponse image) {
        var since = believed.get(key);
        return !guarded.has(name.repository(), image.getId())
                || (since != null && since.isAfter(Instant.now().minus(BELIEVED)));
    }

    private Answer settled(Pull pull, Key key) throws IOException {
        pull.asked();
        begin();
        limit(pull);
        if (!pull.isOver()) {
            return new NotYet(pull.progress());
        }
        // of those who wait for the same one only one settles it
        boolean first = pulls.remove(key, pull);
        metrics.pulling(pulls.size());
        var failure = pull.failure();
        if (failure != null) {
            if (first) {
                failed(pull, failure);
            }
            return new Never(Why.of(pull, failure));
        }
        var found = find(pull.name());
        if (found.isEmpty()) {
            return never(Reason.AWAY, "The image " + pull.name().full() + " was fetched, and is gone again.");
        }
        if (first) {
            metrics.pulled("done", pull.bytes());
        }
        if (pull.image().user() == null) {
            guarded.open(pull.name().repository()); // its registry gives it to everybody by now
        } else {
            guarded.sure(pull.name().repository());
        }
        believed.put(key, Instant.now());
        return new Ready(found.get());
    }

    private static void limit(Pull pull) {
        var now = Instant.now();
        if (pull.runs() && pull.wasSilentSince(now.minus(SILENT))) {
            pull.onError(new IOException(Why.NOTHING + SILENT.toMinutes() + " minutes"));
        } else if (pull.runs() && pull.hasRunSince(now.minus(LONGEST))) {
            pull.onError(new IOException(Why.TOO_LONG + LONGEST.toHours() + " hours"));
        }
    }

    private void failed(Pull pull, String failure) throws IOException {
        metrics.pulled("failed", pull.bytes());
        log.log(Level.INFO, "image={0} pull=failed cause=\"{1}\"", pull.name().full(), failure);
        doubtless(pull);
    }

    /** It came to nothing; unless it came at the last moment. */
    private void doubtless(Pull pull) throws IOException {
        var repository = pull.name().repository();
        if (pull.isInDoubt()) {
            var here = find(pull.name());
            if (here.isPresent() && guarded.has(repository, here.get().getId())) {
                guarded.sure(repository);
            } else {
                guarded.failed(repository);
            }
        }
    }

    private Optional<InspectImageResponse> find(ImageName name) {
        try {
            return Optional.of(daemon.ask(
                    "image",
                    Daemon.SHORT,
                    client -> client.inspectImageCmd(name.full()).exec()));
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }

    /** As many as there may be: first of whom has the fewest on their way, then who waits the longest. */
    private void begin() {
        beginning.lock();
        try {
            for (var next = next(); next.isPresent(); next = next()) {
                next.get().begin();
            }
        } finally {
            beginning.unlock();
        }
    }

    private Optional<Pull> next() {
        var running = pulls.values().stream()
                .filter(Pull::runs)
                .collect(Collectors.groupingBy(Pull::owner, Collectors.counting()));
        long all = running.values().stream().mapToLong(Long::longValue).sum();
        return pulls.values().stream()
                .filter(pull -> pull.isNew() && all < AT_ONCE && running.getOrDefault(pull.owner(), 0L) < EACH)
                .min(Comparator.comparingLong((Pull pull) -> running.getOrDefault(pull.owner(), 0L))
                        .thenComparing(Pull::since));
    }

    /** Ends those that nobody has asked for any more. */
    public void expire() throws IOException {
        var now = Instant.now();
        for (var pull : Map.copyOf(pulls).entrySet()) {
            if (pull.getValue().wasAskedBefore(now.minus(LEASE)) && pulls.remove(pull.getKey(), pull.getValue())) {
                pull.getValue().cancel();
                doubtless(pull.getValue());
            }
        }
        believed.values().removeIf(since -> since.isBefore(now.minus(BELIEVED)));
        metrics.pulling(pulls.size());
    }

    public void close() {
        pulls.values().forEach(Pull::cancel);
    }

    private static Answer never(Reason reason, String message) {
        return new Never(new Refused(reason, message));
    }
}
