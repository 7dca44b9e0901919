package io.sluice.engines.docker.images;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Started.Preparing;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import io.sluice.engines.Task;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Images: there, on their way, or why not. An image that took a password is given only to who has one too. */
public final class Images {

    private static final Logger log = System.getLogger(Images.class.getName());
    private static final int AT_ONCE = 3;
    /** Unpacking a large layer goes without a word. */
    private static final Duration SILENT = Duration.ofMinutes(15);

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration BELIEVED = Duration.ofMinutes(10);

    private final Daemon daemon;
    private final ImageMetrics metrics;
    private final Guarded guarded;
    private final Map<Key, Pull> pulls = new ConcurrentHashMap<>();
    private final Map<Key, Instant> believed = new ConcurrentHashMap<>();

    /** Whose pull it is: what somebody was given with one password is not for who has another. */
    private record Key(
            String name, @Nullable String user, @Nullable String password) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** @param guarded the file that keeps which repositories took a password */
    public Images(Daemon daemon, CollectorRegistry registry, Path guarded) throws IOException {
        this.daemon = daemon;
        this.metrics = new ImageMetrics(registry);
        this.guarded = new Guarded(guarded);
    }

    /** What came of asking for an image. */
    public sealed interface Answer {}

    public record Ready(InspectImageResponse image) implements Answer {}

    public record NotYet(Preparing preparing) implements Answer {}

    public record Never(Refused refused) implements Answer {}

    public Answer ready(Task.Image image) throws IOException {
        var name = ImageName.of(image.name()).orElse(null);
        if (name == null) {
            return never(
                    Reason.UNSAFE,
                    "“" + image.name() + "” is no name of an image. Names look like ubuntu:24.04 or"
                            + " registry.example.org/team/image:tag, without options.");
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
            if (local.isPresent() && isOpenTo(name, key)) {
                return new Ready(local.get());
            }
            // before it is here: who dies in between must not leave it open to all
            boolean first = image.user() != null && guarded.add(name.repository());
            pull = pulls.computeIfAbsent(key, absent -> new Pull(daemon, name, image, first));
            metrics.pulling(pulls.size());
        }
        return settled(pull, key);
    }

    private boolean isOpenTo(ImageName name, Key key) {
        var since = believed.get(key);
        return !guarded.has(name.repository())
                || (since != null && since.isAfter(Instant.now().minus(BELIEVED)));
    }

    private Answer settled(Pull pull, Key key) throws IOException {
        pull.asked();
        begin(pull);
        if (pull.runs() && pull.wasSilentSince(Instant.now().minus(SILENT))) {
            pull.onError(new IOException("nothing came from it for " + SILENT.toMinutes() + " minutes"));
        }
        if (!pull.isOver()) {
            return new NotYet(pull.progress());
        }
        pulls.remove(key);
        metrics.pulling(pulls.size());
        var failure = pull.failure();
        if (failure != null) {
            metrics.pulled("failed", pull.bytes());
            if (pull.guardsFirst()) {
                guarded.remove(pull.name().repository()); // nothing came that is to be guarded
            }
            log.log(
                    Level.INFO,
                    "image={0} pull=failed cause=\"{1}\"",
                    pull.name().full(),
                    failure);
            return explained(pull, failure);
        }
        var found = find(pull.name());
        if (found.isEmpty()) {
            return never(Reason.AWAY, "The image " + pull.name().full() + " was fetched, and is gone again.");
        }
        metrics.pulled("done", pull.bytes());
        if (pull.image().user() == null) {
            guarded.remove(pull.name().repository()); // its registry gives it to everybody by now
        }
        believed.put(key, Instant.now());
        return new Ready(found.get());
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

    private synchronized void begin(Pull pull) {
        long running = pulls.values().stream().filter(Pull::runs).count();
        if (pull.isNew() && running < AT_ONCE) {
            pull.begin();
        }
    }

    /** Ends those that nobody has asked for any more. */
    public void expire() {
        var now = Instant.now();
        pulls.forEach((key, pull) -> {
            if (pull.wasAskedBefore(now.minus(LEASE))) {
                pull.cancel();
                pulls.remove(key);
            }
        });
        believed.values().removeIf(since -> since.isBefore(now.minus(BELIEVED)));
        metrics.pulling(pulls.size());
    }

    public void close() {
        pulls.values().forEach(Pull::cancel);
    }

    private static Answer never(Reason reason, String message) {
        return new Never(new Refused(reason, message));
    }

    /** Why an image did not come, in words that say what to do. */
    private static Answer explained(Pull pull, String failure) {
        var said = failure.toLowerCase(Locale.ROOT);
        var name = pull.name().full();
        var registry = pull.name().registry();
        var who = pull.image().user();
        if (has(said, "no matching manifest", "does not match the specified platform")) {
            return never(
                    Reason.IMAGE,
                    "The image " + name + " is not made for this machine's processor. Choose a tag that is.");
        }
        if (has(said, "no space left")) {
            return never(Reason.FULL, "The disk of the Docker engine is full: the image " + name + " has no room.");
        }
        if (has(said, "unauthorized", "authentication required", "no basic auth", "incorrect username", "access denied")
                || has(said, "denied:", "forbidden")) {
            return never(
                    Reason.IMAGE,
                    who == null
                            ? "The registry " + registry + " does not give out " + name
                                    + " to everybody, or has no such image. Check the name, or give a user and password with the image."
                            : "The registry " + registry + " does not accept the user " + who + " for " + name
                                    + ". Check the user, the password and the image's name.");
        }
        if (has(said, "manifest unknown", "not found", "name unknown", "does not exist", "invalid reference")) {
            return never(
                    Reason.IMAGE,
                    "There is no image " + name + " in the registry " + registry + ". Check its name and tag.");
        }
        if (has(said, "http response to https client", "x509", "certificate")) {
            return never(
                    Reason.IMAGE,
                    "The registry " + registry
                            + " has no certificate that this Docker engine trusts. An administrator can add it to the engine. ("
                            + failure + ")");
        }
        return never(
                Reason.AWAY,
                "The registry " + registry + " can not be reached at the moment, for the image " + name + ". ("
                        + failure + ")");
    }

    private static boolean has(String said, String... words) {
        for (var word : words) {
            if (said.contains(word)) {
                return true;
            }
        }
        return false;
    }
}
