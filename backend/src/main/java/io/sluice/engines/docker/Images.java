package io.sluice.engines.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.ResponseItem.ErrorDetail;
import com.github.dockerjava.api.model.ResponseItem.ProgressDetail;
import io.sluice.engines.Started.Preparing;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import io.sluice.engines.Task;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Images: there, on their way, or why not. An image that took a password is given only to who has one too. */
final class Images {

    private static final Logger log = System.getLogger(Images.class.getName());
    private static final int AT_ONCE = 3;
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration BELIEVED = Duration.ofMinutes(10);
    private static final int LONGEST = 255;
    private static final String HUB = "docker.io";
    private static final String PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final Pattern NAME =
            Pattern.compile("(?:(?<registry>localhost(?::\\d{1,5})?|[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
                    + "(?:(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+(?::\\d{1,5})?|:\\d{1,5}))/)?"
                    + "(?<path>" + PART + "(?:/" + PART + ")*)"
                    + "(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
                    + "(?:@(?<digest>sha256:[0-9a-f]{64}))?");

    private final Daemon daemon;
    private final DockerMetrics metrics;
    private final Path guarded;
    private final Set<String> guardedIds;
    private final Map<String, Pull> pulls = new ConcurrentHashMap<>();
    private final Map<String, Instant> believed = new ConcurrentHashMap<>();

    /** @param guarded the file that names the images that took a password */
    Images(Daemon daemon, DockerMetrics metrics, Path guarded) throws IOException {
        this.daemon = daemon;
        this.metrics = metrics;
        this.guarded = guarded;
        this.guardedIds = ConcurrentHashMap.newKeySet();
        if (Files.exists(guarded)) {
            guardedIds.addAll(Files.readAllLines(guarded));
        }
    }

    /** What came of asking for an image. */
    sealed interface Answer {}

    record Ready(InspectImageResponse image) implements Answer {}

    record NotYet(Preparing preparing) implements Answer {}

    record Never(Refused refused) implements Answer {}

    /** What it is called in full: a short name could be read as the beginning of another image's id. */
    static Optional<String> fullName(String name) {
        var parts = NAME.matcher(name);
        if (name.length() > LONGEST || !parts.matches() || name.matches("[0-9a-f]{64}|sha256:.*")) {
            return Optional.empty();
        }
        return Optional.of(parts.group("tag") == null && parts.group("digest") == null ? name + ":latest" : name);
    }

    private static String registry(String name) {
        var parts = NAME.matcher(name);
        return parts.matches() && parts.group("registry") != null ? parts.group("registry") : HUB;
    }

    Answer ready(Task.Image image) throws IOException {
        var name = fullName(image.name());
        if (name.isEmpty()) {
            return never(
                    Reason.UNSAFE,
                    "“" + image.name() + "” is no name of an image. Names look like ubuntu:24.04 or"
                            + " registry.example.org/team/image:tag, without options.");
        }
        var key = key(image, name.get());
        var pull = pulls.get(key);
        if (pull == null) {
            var local = find(name.get());
            if (local.isPresent() && isOpenTo(local.get(), key)) {
                return new Ready(local.get());
            }
            pull = pulls.computeIfAbsent(key, absent -> new Pull(name.get(), image));
            metrics.pulling(pulls.size());
        }
        return settled(pull, key);
    }

    private boolean isOpenTo(InspectImageResponse local, String key) {
        var since = believed.get(key);
        return !guardedIds.contains(local.getId())
                || (since != null && since.isAfter(Instant.now().minus(BELIEVED)));
    }

    private Answer settled(Pull pull, String key) throws IOException {
        pull.asked();
        begin(pull);
        if (!pull.isOver()) {
            return new NotYet(new Preparing(pull.progress()));
        }
        pulls.remove(key);
        metrics.pulling(pulls.size());
        var failure = pull.failure();
        if (failure != null) {
            metrics.pulled("failed", pull.bytes());
            log.log(Level.INFO, "image={0} pull=failed cause=\"{1}\"", pull.name, failure);
            return explained(pull, failure);
        }
        var found = find(pull.name);
        if (found.isEmpty()) {
            return never(Reason.AWAY, "The image " + pull.name + " was fetched, and is gone again.");
        }
        metrics.pulled("done", pull.bytes());
        if (pull.image.user() != null) {
            guard(found.get().getId());
        }
        believed.put(key, Instant.now());
        return new Ready(found.get());
    }

    private synchronized void guard(String id) throws IOException {
        if (guardedIds.add(id)) {
            Files.writeString(guarded, id + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    private static String key(Task.Image image, String name) {
        return name + "\n" + image.user() + "\n" + Objects.hashCode(image.password());
    }

    private Optional<InspectImageResponse> find(String name) {
        try {
            return Optional.of(daemon.ask(
                    "image",
                    Daemon.SHORT,
                    client -> client.inspectImageCmd(name).exec()));
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
    void expire() {
        var now = Instant.now();
        pulls.forEach((key, pull) -> {
            if (pull.asked.isBefore(now.minus(LEASE))) {
                pull.cancel();
                pulls.remove(key);
            }
        });
        believed.values().removeIf(since -> since.isBefore(now.minus(BELIEVED)));
        metrics.pulling(pulls.size());
    }

    void close() {
        pulls.values().forEach(Pull::cancel);
    }

    private static Answer never(Reason reason, String message) {
        return new Never(new Refused(reason, message));
    }

    /** Why an image did not come, in words that say what to do. */
    private static Answer explained(Pull pull, String failure) {
        var said = failure.toLowerCase(Locale.ROOT);
        var registry = registry(pull.name);
        var who = pull.image.user() == null ? null : pull.image.user();
        if (has(said, "no matching manifest", "does not match the specified platform")) {
            return never(
                    Reason.MISSING,
                    "The image " + pull.name + " is not made for this machine's processor. Choose a tag that is.");
        }
        if (has(said, "no space left")) {
            return never(
                    Reason.FULL, "The disk of the Docker engine is full: the image " + pull.name + " has no room.");
        }
        if (has(said, "unauthorized", "authentication required", "no basic auth", "incorrect username", "access denied")
                || has(said, "denied:", "forbidden")) {
            return never(
                    Reason.MISSING,
                    who == null
                            ? "The registry " + registry + " does not give out " + pull.name
                                    + " to everybody, or has no such image. Check the name, or give a user and password with the image."
                            : "The registry " + registry + " does not accept the user " + who + " for " + pull.name
                                    + ". Check the user, the password and the image's name.");
        }
        if (has(said, "manifest unknown", "not found", "name unknown", "does not exist", "invalid reference")) {
            return never(
                    Reason.MISSING,
                    "There is no image " + pull.name + " in the registry " + registry + ". Check its name and tag.");
        }
        if (has(said, "http response to https client", "x509", "certificate")) {
            return never(
                    Reason.MISSING,
                    "The registry " + registry
                            + " has no certificate that this Docker engine trusts. An administrator can add it to the engine. ("
                            + failure + ")");
        }
        return never(
                Reason.AWAY,
                "The registry " + registry + " can not be reached at the moment, for the image " + pull.name + ". ("
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

    /** One image on its way, for as long as somebody asks for it. */
    private final class Pull extends ResultCallback.Adapter<PullResponseItem> {
        private final String name;
        private final Task.Image image;
        private final Map<String, long[]> layers = new HashMap<>();
        private final Set<String> done = new HashSet<>();
        private volatile Instant asked = Instant.now();
        private volatile boolean begun;
        private volatile boolean over;
        private volatile @Nullable String failure;

        Pull(String name, Task.Image image) {
            this.name = name;
            this.image = image;
        }

        void begin() {
            begun = true;
            var command = daemon.client().pullImageCmd(name);
            if (image.user() != null) {
                var registry = registry(name);
                command.withAuthConfig(new AuthConfig()
                        .withUsername(image.user())
                        .withPassword(image.password())
                        .withRegistryAddress(registry.equals(HUB) ? AuthConfig.DEFAULT_SERVER_ADDRESS : registry));
            }
            command.exec(this);
        }

        void asked() {
            asked = Instant.now();
        }

        boolean isNew() {
            return !begun;
        }

        boolean runs() {
            return begun && !over;
        }

        boolean isOver() {
            return over;
        }

        @Nullable
        String failure() {
            return failure;
        }

        void cancel() {
            try {
                close();
            } catch (IOException e) {
                log.log(Level.DEBUG, "image={0} pull=cancelled cause=\"{1}\"", name, e.getMessage());
            }
        }

        @Override
        public synchronized void onNext(PullResponseItem item) {
            ErrorDetail detail = item.getErrorDetail();
            if (detail != null && detail.getMessage() != null) {
                failure = detail.getMessage().replaceAll("\\s+", " ");
            }
            ProgressDetail progress = item.getProgressDetail();
            var id = item.getId();
            if (id != null && progress != null && progress.getTotal() != null && progress.getCurrent() != null) {
                if ("Downloading".equals(item.getStatus())) {
                    layers.put(id, new long[] {progress.getCurrent(), progress.getTotal()});
                }
            }
            if (id != null
                    && ("Download complete".equals(item.getStatus()) || "Pull complete".equals(item.getStatus()))) {
                done.add(id);
            }
        }

        @Override
        public void onError(Throwable fault) {
            if (failure == null) {
                failure =
                        fault instanceof DockerException said ? Daemon.said(said) : String.valueOf(fault.getMessage());
            }
            over = true;
            cancel();
        }

        @Override
        public void onComplete() {
            over = true;
            super.onComplete();
        }

        synchronized long bytes() {
            return layers.entrySet().stream()
                    .mapToLong(layer -> done.contains(layer.getKey()) ? layer.getValue()[1] : layer.getValue()[0])
                    .sum();
        }

        synchronized String progress() {
            if (!begun) {
                return "The image " + name + " is fetched after others.";
            }
            long all = layers.values().stream().mapToLong(layer -> layer[1]).sum();
            long here = bytes();
            return all == 0
                    ? "The image " + name + " is being fetched."
                    : "The image " + name + " is being fetched: " + 100 * here / all + " % of " + mebibytes(all)
                            + ", as far as is known.";
        }

        private static String mebibytes(long bytes) {
            return Math.max(1, bytes >> 20) + " MiB";
        }
    }
}
