package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerNetwork;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import io.sluice.engines.Task;
import io.sluice.engines.docker.Stops.Stop;
import io.sluice.engines.docker.inside.Ports;
import io.sluice.engines.docker.networks.Held.Holder;
import io.sluice.engines.docker.networks.Networks;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What has become of the containers that are runs. Containers without our label are nobody's business here. */
final class Containers {

    static final String RUN = "sluice.run";
    static final String LABEL = "sluice.label.";
    static final String IMAGE = "sluice.image";
    static final int TERMINATED = 143;
    static final int KILLED = 137;
    private static final int TERM = 15;
    private static final int KILL = 9;
    private static final int NOT_SEEN = 255;
    private static final Path STAT = Path.of("/proc/stat");

    private final Daemon daemon;
    private final Stops stops;
    private final Outages outages;
    private final Networks networks;
    private final @Nullable Instant boot;

    /** By the container's id, what can not change any more: how it ended, or since when it runs. */
    private final Map<String, Run> known = new ConcurrentHashMap<>();

    /** By the container's id. */
    private final Map<String, First> firsts = new ConcurrentHashMap<>();

    /** A run's first process, by the number that the engine's machine has for it. */
    private record First(String run, long pid) {}

    Containers(Daemon daemon, Stops stops, Outages outages, Networks networks) throws IOException {
        this.daemon = daemon;
        this.stops = stops;
        this.outages = outages;
        this.networks = networks;
        this.boot = daemon.address().socket() == null ? null : boot();
    }

    private static @Nullable Instant boot() throws IOException {
        if (!Files.exists(STAT)) {
            return null;
        }
        return Files.readAllLines(STAT).stream()
                .filter(line -> line.startsWith("btime "))
                .map(line ->
                        Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip())))
                .findFirst()
                .orElse(null);
    }

    /** What the container of this name is, whoever made it. */
    Optional<InspectContainerResponse> find(String run) {
        try {
            return Optional.of(daemon.ask(
                    "inspect",
                    Daemon.SHORT,
                    client -> client.inspectContainerCmd(name(run)).exec()));
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }

    Optional<Run> seen(String run) throws IOException {
        var found = find(run).filter(container -> isOf(container, run));
        if (found.isPresent()) {
            return Optional.of(read(found.get()));
        }
        return stops.find(run).map(stop -> notBegun(run, stop));
    }

    /** Every run there is, also those that were stopped before they had a container. */
    List<Run> all() throws IOException {
        List<Container> containers = daemon.ask(
                "list",
                Daemon.SHORT,
                client -> client.listContainersCmd()
                        .withShowAll(true)
                        .withLabelFilter(List.of(RUN))
                        .exec());
        var kept = stops.all();
        var all = new ArrayList<Run>();
        var ids = new HashSet<String>();
        for (var container : containers) {
            var label = container.getLabels().getOrDefault(RUN, "");
            if (container.getNames() == null || !List.of(container.getNames()).contains("/" + name(label))) {
                continue; // somebody's own, of an image that has such a label
            }
            ids.add(container.getId());
            var run = of(container);
            run.ifPresent(all::add);
            run.ifPresent(one -> kept.remove(one.name()));
        }
        known.keySet().retainAll(ids);
        firsts.keySet().retainAll(ids);
        kept.forEach((name, stop) -> all.add(notBegun(name, stop)));
        return List.copyOf(all);
    }

    private Optional<Run> of(Container container) throws IOException {
        var before = known.get(container.getId());
        if (before != null && (before.isOver() || "running".equals(container.getState()))) {
            return Optional.of(before);
        }
        try {
            var found = daemon.ask(
                    "inspect",
                    Daemon.SHORT,
                    client -> client.inspectContainerCmd(container.getId()).exec());
            return Optional.of(read(found));
        } catch (NotFoundException removed) {
            return Optional.empty();
        }
    }

    Run read(InspectContainerResponse container) throws IOException {
        var before = known.get(container.getId());
        if (before != null && before.isOver()) {
            return before;
        }
        var labels = labels(container);
        var name = labels.getOrDefault(RUN, "");
        var run = read(name, own(labels), container.getState(), stops.find(name), networks.cut(container));
        if (run.isOver() || run.state() == State.RUNNING) {
            known.put(container.getId(), run);
        }
        Long pid = container.getState().getPidLong();
        if (run.state() == State.RUNNING && pid != null && pid > 0) {
            firsts.put(container.getId(), new First(name, pid));
        } else {
            firsts.remove(container.getId());
        }
        return run;
    }

    /** @throws IllegalStateException where it does not run */
    Ports.Place place(String run) throws IOException {
        var container = find(run).filter(one -> isOf(one, run)).orElse(null);
        if (container == null || read(container).state() != State.RUNNING) {
            throw new IllegalStateException("the task " + run + " does not run");
        }
        var cut = networks.cut(container);
        if (cut.isPresent()) {
            throw new Unavailable(cut.get(), null);
        }
        var address = Networks.holder(container)
                .map(Holder::address)
                .or(() -> address(container))
                .orElseThrow(() -> new Unavailable("the task " + run + " has no address", null));
        return new Ports.Place(run, address, processes().get(run));
    }

    private static Optional<String> address(InspectContainerResponse container) {
        return container.getNetworkSettings().getNetworks().values().stream()
                .map(ContainerNetwork::getIpAddress)
                .filter(one -> one != null && !one.isEmpty())
                .findFirst();
    }

    /** The first process of each that runs. Where the engine has a machine of its own, the number is somebody else's here. */
    Map<String, Long> processes() {
        var here = new HashMap<String, Long>();
        firsts.forEach((id, first) -> {
            try {
                if (Files.readString(Path.of("/proc/" + first.pid() + "/cgroup"))
                        .contains(id)) {
                    here.put(first.run(), first.pid());
                }
            } catch (IOException ended) {
                firsts.remove(id, first);
            }
        });
        return Map.copyOf(here);
    }

    private Run read(
            String name,
            Map<String, String> labels,
            InspectContainerResponse.ContainerState state,
            Optional<Stop> stop,
            Optional<String> cut)
            throws IOException {
        var started = instant(state.getStartedAt());
        var status = String.valueOf(state.getStatus());
        if (started == null && List.of("created", "removing", "dead").contains(status)) {
            // also one whose start failed, and which is taken away to be made again: its exit code is the engine's
            return stop.map(kept -> notBegun(name, kept))
                    .orElse(new Run(name, labels, State.CREATED, null, null, false, null, null, null));
        }
        return switch (status) {
            case "running", "paused", "restarting" ->
                new Run(name, labels, State.RUNNING, null, null, false, started, null, null);
            case "exited", "dead", "removing" -> ended(name, labels, state, started, stop, cut);
            default ->
                new Run(
                        name,
                        labels,
                        State.UNKNOWN,
                        null,
                        null,
                        false,
                        started,
                        null,
                        "The Docker engine says that it is " + status + ".");
        };
    }

    private Run ended(
            String name,
            Map<String, String> labels,
            InspectContainerResponse.ContainerState state,
            @Nullable Instant started,
            Optional<Stop> stop,
            Optional<String> cut)
            throws IOException {
        var told = instant(state.getFinishedAt());
        // a clock that was set back meanwhile must not make a run end before it began
        var ended = started != null && told != null && told.isBefore(started) ? started : told;
        Long code = state.getExitCodeLong();
        boolean outOfMemory = Boolean.TRUE.equals(state.getOOMKilled()) && code != null && code != 0;
        if (stop.isEmpty() && !outOfMemory && code != null) {
            var lost = lost(code.intValue(), started, ended);
            if (lost != null) {
                return new Run(name, labels, State.LOST, null, null, false, started, ended, lost);
            }
        }
        int exit = code == null ? NOT_SEEN : code.intValue();
        var error = state.getError();
        return new Run(
                name,
                labels,
                State.ENDED,
                exit,
                stop.isPresent() && !outOfMemory ? signal(exit) : null,
                outOfMemory,
                started,
                ended,
                error == null || error.isBlank()
                        ? cut.orElse(null)
                        : error.lines().findFirst().orElse(null));
    }

    /** A code above 128 may be the task's own; after our own signal it is not. */
    private static @Nullable Integer signal(int exit) {
        return switch (exit) {
            case TERMINATED -> TERM;
            case KILLED -> KILL;
            default -> null;
        };
    }

    /** Why nobody saw it end; null: it ended by itself. */
    private @Nullable String lost(int code, @Nullable Instant started, @Nullable Instant ended) throws IOException {
        if (boot != null && started != null && ended != null && started.isBefore(boot) && !ended.isBefore(boot)) {
            return "the machine was restarted while it ran";
        }
        boolean byForce = code == TERMINATED || code == KILLED || code == NOT_SEEN;
        return started != null && ended != null && outages.have(byForce, started, ended)
                ? "the Docker engine was stopped while it ran, and it with it"
                : null;
    }

    static Run notBegun(String name, Stop stop) {
        return new Run(
                name,
                stop.labels(),
                State.ENDED,
                TERMINATED,
                TERM,
                false,
                null,
                stop.asked(),
                "stopped before it began");
    }

    static boolean isOf(InspectContainerResponse container, String run) {
        return run.equals(labels(container).get(RUN)) && ("/" + name(run)).equals(container.getName());
    }

    static Map<String, String> labels(InspectContainerResponse container) {
        var labels =
                container.getConfig() == null ? null : container.getConfig().getLabels();
        return labels == null ? Map.of() : labels;
    }

    /** What exactly it was made of, null: of before this was noted. */
    static @Nullable String image(InspectContainerResponse container) {
        return labels(container).get(IMAGE);
    }

    /** The image by the digest that its registry gave it; one that is of no registry by its id. The same may be in several. */
    static String exact(InspectImageResponse image, Task.@Nullable Image asked) {
        var digests = image.getRepoDigests();
        if (digests == null || digests.isEmpty()) {
            return String.valueOf(image.getId());
        }
        var name = asked == null ? "" : asked.name();
        return digests.stream()
                .filter(digest -> name.matches(Pattern.quote(digest.replaceFirst("@.*", "")) + "([:@].*)?"))
                .findFirst()
                .orElse(digests.getFirst());
    }

    /** As the task had them. */
    static Map<String, String> own(Map<String, String> labels) {
        var own = new HashMap<String, String>();
        labels.forEach((name, value) -> {
            if (name.startsWith(LABEL)) {
                own.put(name.substring(LABEL.length()), value);
            }
        });
        return Map.copyOf(own);
    }

    /** A container's name begins with a letter or digit, and has two characters at least. */
    static String name(String run) {
        return run.matches("[A-Za-z0-9].+") ? run : "sluice." + run;
    }

    /** With what it has written, and the volumes that only it used. */
    void remove(String id) {
        try {
            daemon.removeContainer(id);
        } catch (NotFoundException gone) {
            known.remove(id);
        }
        known.remove(id);
    }

    /** False when it does not run. */
    boolean signal(String run, String signal) {
        try {
            daemon.ask(
                    "kill",
                    Daemon.SHORT,
                    client -> client.killContainerCmd(name(run))
                            .withSignal(signal)
                            .exec());
            return true;
        } catch (NotFoundException | com.github.dockerjava.api.exception.ConflictException e) {
            return false;
        }
    }

    private static @Nullable Instant instant(@Nullable String text) {
        try {
            return text == null || text.startsWith("0001-") ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
