package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Info;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Failpoints;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Task;
import io.sluice.engines.docker.devices.Devices;
import io.sluice.engines.docker.limits.Disk;
import io.sluice.engines.docker.networks.Held;
import io.sluice.engines.docker.networks.Networks;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes a task's container, with its network and its script, and starts it; takes it away again where that does not succeed. */
final class Creation {

    private static final Logger log = System.getLogger(Creation.class.getName());

    private static final int TRIES = 2;

    private final Daemon daemon;
    private final Policy policy;
    private final Disk disk;
    private final Boot boot;
    private final Networks networks;
    private final Containers containers;
    private final Failpoints failpoints;
    private final boolean asRoot;

    Creation(
            Daemon daemon,
            Policy policy,
            Disk disk,
            Boot boot,
            Networks networks,
            Containers containers,
            Failpoints failpoints,
            boolean asRoot) {
        this.daemon = daemon;
        this.policy = policy;
        this.disk = disk;
        this.boot = boot;
        this.networks = networks;
        this.containers = containers;
        this.failpoints = failpoints;
        this.asRoot = asRoot;
    }

    /** Goes on with what an earlier try has left. */
    Started create(Task task, InspectImageResponse image, Info info, Optional<InspectContainerResponse> found)
            throws IOException {
        var stranger = Upkeep.foreign(task.image(), image, info);
        if (stranger.isPresent()) {
            return new Started.Refused(Reason.IMAGE, stranger.get());
        }
        var group = Networks.group(task);
        var left = found.map(InspectContainerResponse::getId).orElse(null);
        // somebody may tidy up networks that nobody uses yet; then another one does as well
        for (int tries = 1; ; tries++) {
            var network = networks.hold(task);
            var made = new AtomicReference<>(left);
            boolean runs = false;
            try {
                if (left != null && found.stream().noneMatch(container -> Networks.isIn(container, network))) {
                    late(left);
                    made.set(null);
                }
                var refused = made(task, image, info, made, network);
                runs = refused == null;
                return refused == null ? started(task, image) : refused(task, made.get(), refused);
            } catch (Devices.Gone e) {
                return refused(task, made.get(), new Started.Refused(Reason.MISSING, String.valueOf(e.getMessage())));
            } catch (DockerException e) {
                var said = Daemon.said(e);
                if (tries < TRIES && Networks.isLost(network, said)) {
                    networks.lost(group, network);
                    discard(made.get());
                    left = null;
                    continue;
                }
                var reason = Upkeep.reason(said);
                return refused(task, made.get(), new Started.Refused(reason, Upkeep.explained(reason, said)));
            } finally {
                release(network, group, !runs);
            }
        }
    }

    /** Null once it runs. */
    private Started.@Nullable Refused made(
            Task task, InspectImageResponse image, Info info, AtomicReference<@Nullable String> made, Held network)
            throws IOException {
        var owner = Policy.owner(task, info);
        Policy.prepareOutput(task.output(), owner, asRoot);
        var id = made.get();
        var files = boot.prepare(task.name(), owner, String.valueOf(image.getId()), id != null);
        var place = new Policy.Place(owner, network, files);
        if (id == null) {
            id = create(task, image, info, place);
            made.set(id);
            failpoints.reach("engine.afterCreate");
        }
        var own = Policy.later(task, image);
        if (!boot.fill(task.name(), id, String.valueOf(image.getId()), task.script(), owner, own)) {
            return new Started.Refused(
                    Reason.SHELL,
                    "The image " + task.image() + " has no shell, /bin/bash or /bin/sh, to run the commands with.");
        }
        network.await();
        run(id);
        failpoints.reach("engine.afterStart");
        return null;
    }

    private Started started(Task task, InspectImageResponse image) throws IOException {
        var run = containers.seen(task.name());
        return run.isPresent()
                ? new Started.Running(run.get(), false, Containers.exact(image, task.image()))
                : new Started.Refused(Reason.AWAY, "The container was removed while it began.");
    }

    /** @param tidy whether it may have been made for nothing */
    private void release(Held network, String group, boolean tidy) {
        networks.release(group);
        try {
            if (tidy) {
                network.await();
                networks.tidy(group);
            }
        } catch (DockerException | Unavailable e) {
            log.log(Level.DEBUG, "network={0} held=no cause=\"{1}\"", network.name(), e.getMessage());
        }
    }

    private String create(Task task, InspectImageResponse image, Info info, Policy.Place place) throws IOException {
        // what is wrong here is no fault of the engine's
        var command = policy.apply(
                daemon.client().createContainerCmd(String.valueOf(image.getId())), task, image, info, place);
        try {
            return daemon.ask("create", Daemon.LONG, client -> command.exec().getId());
        } catch (ConflictException e) {
            // asked for before, and the answer was lost
            var there = containers
                    .find(task.name())
                    .filter(container -> Containers.isOf(container, task.name()))
                    .orElseThrow(() -> e);
            if (!Networks.isIn(there, place.network())) {
                throw new Unavailable("The container of an earlier start came late.", e);
            }
            return there.getId();
        } catch (DockerException e) {
            if (disk.isRefused(Daemon.said(e))) {
                return create(task, image, info, place);
            }
            throw e;
        }
    }

    private void run(String id) {
        try {
            daemon.ask(
                    "start", Daemon.LONG, client -> client.startContainerCmd(id).exec());
        } catch (NotModifiedException runs) {
            log.log(Level.DEBUG, "run=again container={0}", id);
        }
    }

    private Started refused(Task task, @Nullable String id, Started.Refused refused) throws IOException {
        discard(id);
        boot.forget(task.name());
        return refused;
    }

    /** That it can not be taken away now is no reason to refuse its task. */
    private void late(String id) {
        try {
            containers.remove(id);
        } catch (DockerException e) {
            throw new Unavailable("The container of an earlier start could not be taken away yet.", e);
        }
    }

    /** @param id null: there is none */
    private void discard(@Nullable String id) {
        if (id != null) {
            containers.remove(id);
        }
    }

    void discard(InspectContainerResponse container) throws IOException {
        containers.remove(container.getId());
        var labels = Containers.labels(container);
        boot.forget(labels.getOrDefault(Containers.RUN, ""));
        var group = labels.get(Networks.NETWORK);
        if (group != null) {
            networks.tidy(group);
        }
    }
}
