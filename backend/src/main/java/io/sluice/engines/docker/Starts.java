package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Task;
import io.sluice.engines.docker.images.Images;
import io.sluice.engines.docker.networks.Networks;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What a start comes to: the run that there is already, a refusal, an image on its way, or a container. */
final class Starts {

    private final Policy policy;
    private final Images images;
    private final Creation creation;
    private final Stops stops;
    private final Containers containers;
    private final Upkeep upkeep;

    /** What waits for its image, with its labels. */
    private final Map<String, Map<String, String>> preparing = new ConcurrentHashMap<>();

    Starts(Policy policy, Images images, Creation creation, Stops stops, Containers containers, Upkeep upkeep) {
        this.policy = policy;
        this.images = images;
        this.creation = creation;
        this.stops = stops;
        this.containers = containers;
        this.upkeep = upkeep;
    }

    Started begin(Task task) throws IOException {
        var found = containers.find(task.name());
        if (found.isPresent() && !Containers.isOf(found.get(), task.name())) {
            return new Started.Refused(
                    Reason.UNSAFE,
                    "The Docker engine has a container " + Containers.name(task.name())
                            + " that Sluice did not make. Rename or remove it.");
        }
        var stop = stops.find(task.name());
        if (found.isPresent()) {
            var run = containers.read(found.get());
            if (run.state() != State.CREATED) {
                return new Started.Running(run, true, Containers.image(found.get()));
            }
        } else if (stop.isPresent()) {
            return new Started.Running(Containers.notBegun(task.name(), stop.get()), true);
        }
        return begin(task, found);
    }

    /** Whose home it has; a task without one is for itself. */
    private static String owner(Task task) {
        return task.mounts().stream()
                .filter(mount -> mount.target().equals(Policy.HOME))
                .map(mount -> mount.source().toString())
                .findFirst()
                .orElseGet(() -> Networks.group(task));
    }

    private Started begin(Task task, Optional<InspectContainerResponse> found) throws IOException {
        var info = upkeep.info();
        var refusal = policy.refusal(task, Upkeep.name(info));
        if (refusal.isPresent()) {
            if (found.isPresent()) {
                creation.discard(found.get());
            }
            return refusal.get();
        }
        var closed = upkeep.closed();
        if (closed.isPresent()) {
            return new Started.Refused(Reason.AWAY, closed.get());
        }
        return switch (images.ready(
                Objects.requireNonNull(task.image()), owner(task), task.labels().get(Task.OWNER))) {
            case Images.NotYet later -> {
                preparing.put(task.name(), task.labels());
                yield later.preparing();
            }
            case Images.Never never -> {
                preparing.remove(task.name());
                yield never.refused();
            }
            case Images.Ready ready -> {
                preparing.remove(task.name());
                yield creation.create(task, ready.image(), info, found);
            }
        };
    }

    /** The labels of one that waits for its image, and waits no more; null: none of that name does. */
    @Nullable
    Map<String, String> giveUp(String run) {
        return preparing.remove(run);
    }
}
