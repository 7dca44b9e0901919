package io.sluice.engines.process;

import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One run as it is kept: {@code about} was known before it began, {@code claim} says who supervises it, {@code stop}
 * that it shall end, {@code end} how it did. Nothing of it is remembered elsewhere.
 */
record RunFolder(String name, Path path, Path end) {

    static final String ABOUT = "about.json";
    /** Of whatever was started since supervisors say when others may come in. */
    static final String TELLS_BEGUN = "tellsBegun";

    private static final String CLAIM = "claim";
    private static final Pattern CLAIMED = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+) (\\d{1,18})\n");
    private static final String STOP = "stop";
    private static final String STATUS = "status";
    private static final String FORCED = "forced";
    private static final long NOBODY = 0;
    static final int TERMINATED = 143;
    static final int NOT_SET_UP = 125;
    static final int TERM = 15;
    private static final int KILLED = 137;
    private static final int KILL = 9;
    private static final String NO_ANSWER = "ended by force: its supervisor did not answer";
    static final String NOT_BEGUN = "stopped before it began";

    /** Who supervises the run, and since when. */
    record Claim(Incarnation supervisor, Instant started) {

        boolean isNobodys() {
            return supervisor.pid() == NOBODY;
        }
    }

    Run read() throws IOException {
        var about = about();
        var ended = ended(about);
        if (ended.isPresent()) {
            return ended.get();
        }
        var claim = claim();
        if (claim.isEmpty()) {
            return about.getString("boot", "").equals(Incarnation.bootOfNow())
                    ? run(about, State.CREATED, null, null)
                    : run(about, State.LOST, null, "the machine was restarted before it was seen to begin");
        }
        if (claim.get().isNobodys()) {
            return over(
                    about,
                    null,
                    claim.get().started(),
                    Map.of("code", "" + TERMINATED, "signal", "" + TERM, "detail", NOT_BEGUN));
        }
        if (claim.get().supervisor().lives()) {
            return run(about, State.RUNNING, claim.get().started(), null);
        }
        // in this order: a supervisor writes the end down, and then ends
        var end = ended(about);
        if (end.isPresent()) {
            return end.get();
        }
        var first = first();
        return first.isPresent() && first.get().lives()
                ? run(about, State.RUNNING, claim.get().started(), null)
                : unrecorded(about, claim.get());
    }

    /**
     * The first process inside. It ends with its supervisor, but not at once, and is the last of its namespace to be
     * gone: while it lives, the task does.
     */
    Optional<Incarnation> first() throws IOException {
        try {
            var words =
                    Runs.lines(path.resolve(STATUS)).getOrDefault("init", "").split(" ");
            return words.length < 2
                    ? Optional.empty()
                    : claim().map(claim -> new Incarnation(
                            Long.parseLong(words[0]),
                            Long.parseLong(words[1]),
                            claim.supervisor().boot()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Whether the task has its root and its groups, so that others find their way in. */
    boolean hasBegun() throws IOException {
        try {
            return !about().getBoolean(TELLS_BEGUN, false)
                    || Runs.lines(path.resolve(STATUS)).containsKey("begun");
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** The first process inside, which lives, or the call fails. */
    Incarnation living() throws IOException {
        var first = first();
        if (first.isEmpty() || !first.get().lives()) {
            throw new IllegalStateException("it does not run: " + name);
        }
        return first.get();
    }

    /** Whether nothing has changed: quicker than to read it all. */
    boolean runsOn() throws IOException {
        var claim = claim();
        return claim.isPresent() && claim.get().supervisor().lives() && !Files.exists(end);
    }

    Optional<Claim> claim() throws IOException {
        try {
            var words = CLAIMED.matcher(Files.readString(path.resolve(CLAIM)));
            return Optional.of(
                    words.matches()
                            ? new Claim(
                                    new Incarnation(
                                            Long.parseLong(words.group(1)),
                                            Long.parseLong(words.group(2)),
                                            words.group(3)),
                                    Instant.ofEpochMilli(Long.parseLong(words.group(4))))
                            : lostClaim());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** It is written whole before it has its name, so only a power failure can have cut it off: somebody had it in an earlier life of the machine. */
    private Claim lostClaim() throws IOException {
        return new Claim(
                Incarnation.FORGOTTEN,
                Files.getLastModifiedTime(path.resolve(CLAIM)).toInstant());
    }

    /** Takes the place of a supervisor, so that none can begin any more; false if one already has. */
    boolean claimForNobody() throws IOException {
        var claim = path.resolve("claim.gateway");
        Files.writeString(
                claim,
                "%d 0 %s %d\n"
                        .formatted(
                                NOBODY, Incarnation.bootOfNow(), Instant.now().toEpochMilli()));
        try {
            Files.createLink(path.resolve(CLAIM), claim);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    void askToStop(Duration grace) throws IOException {
        var draft = path.resolve("stop." + UUID.randomUUID());
        Files.writeString(draft, grace.toMillis() / 1000 + "." + "%03d".formatted(grace.toMillis() % 1000) + "\n");
        Files.move(draft, path.resolve(STOP), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Its supervisor is about to be killed by this gateway, and the task with it: that is how it ends, and not a loss. */
    void markForced() throws IOException {
        if (!Files.exists(path.resolve(FORCED))) {
            Files.createFile(path.resolve(FORCED));
        }
    }

    boolean isAskedToStop() {
        return Files.exists(path.resolve(STOP));
    }

    /** Ended by what was to set it up, and said why. A task that gives this code itself says nothing. */
    boolean couldNotBegin() throws IOException {
        try {
            var values = Runs.lines(end);
            return values.getOrDefault("code", "").equals("" + NOT_SET_UP)
                    && !values.getOrDefault("detail", "").isEmpty();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    List<Integer> ports() throws IOException {
        return about().getJsonArray("ports", new JsonArray()).stream()
                .map(port -> ((Number) port).intValue())
                .toList();
    }

    private JsonObject about() throws IOException {
        try {
            return new JsonObject(Files.readString(path.resolve(ABOUT)));
        } catch (DecodeException e) {
            // cut off by a power failure: without a boot it counts as lost, which it is
            return new JsonObject();
        }
    }

    private Optional<Run> ended(JsonObject about) throws IOException {
        try {
            var started = claim().filter(claim -> !claim.isNobodys()).map(Claim::started);
            return Optional.of(over(about, started.orElse(null), null, Runs.lines(end)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Run over(
            JsonObject about, @Nullable Instant started, @Nullable Instant otherwise, Map<String, String> values) {
        var millis = number(values, "ended");
        var ended = millis == null ? otherwise : Instant.ofEpochMilli(millis);
        var code = number(values, "code");
        var signal = number(values, "signal");
        var detail = values.getOrDefault("detail", "");
        return new Run(
                name,
                labels(about),
                code == null ? State.LOST : State.ENDED,
                code == null ? null : code.intValue(),
                signal == null ? null : signal.intValue(),
                values.getOrDefault("memory", "").equals("yes") && code != null && code != 0,
                started,
                // a clock that was set back meanwhile must not make a run end before it began
                started != null && ended != null && ended.isBefore(started) ? started : ended,
                detail.isEmpty() ? null : detail);
    }

    private Run unrecorded(JsonObject about, Claim claim) throws IOException {
        var forced = path.resolve(FORCED);
        if (Files.exists(forced)) {
            var values = Map.of("code", "" + KILLED, "signal", "" + KILL, "detail", NO_ANSWER);
            return over(
                    about, claim.started(), Files.getLastModifiedTime(forced).toInstant(), values);
        }
        boolean sameBoot = claim.supervisor().boot().equals(Incarnation.bootOfNow());
        return run(
                about,
                State.LOST,
                claim.started(),
                sameBoot ? "its supervisor was killed, and it with it" : "the machine was restarted while it ran");
    }

    private Run run(JsonObject about, State state, @Nullable Instant started, @Nullable String detail) {
        return new Run(name, labels(about), state, null, null, false, started, null, detail);
    }

    private static Map<String, String> labels(JsonObject about) {
        var labels = new HashMap<String, String>();
        about.getJsonObject("labels", new JsonObject())
                .forEach(label -> labels.put(label.getKey(), "" + label.getValue()));
        return Map.copyOf(labels);
    }

    private static @Nullable Long number(Map<String, String> values, String key) {
        var text = values.getOrDefault(key, "");
        return text.isEmpty() ? null : Long.valueOf(text);
    }
}
