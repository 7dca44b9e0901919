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
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes a task's container, with its network and its script, and starts it; takes it away again where that does not succeed. */
final class Creation {

    private static final Logger log = System.getLogger(Creation.class.getName());

    private final Daemon daemon;
    private final Policy policy;
    private final Boot boot;
    private final Networks networks;
    private final Containers containers;
    private final Failpoints failpoints;
    private final boolean asRoot;

    Creation(
            Daemon daemon,
            Policy policy,
            Boot boot,
            Networks networks,
            Containers containers,
            Failpoints failpoints,
            boolean asRoot) {
        this.daemon = daemon;
        this.policy = policy;
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
        // its network takes as long to make as the container itself, so both are made at once
        var network = new FutureTask<>(() -> networks.hold(group), group);
        Thread.ofVirtual().name("sluice-docker-network").start(network);
        var made =
                new AtomicReference<>(found.map(InspectContainerResponse::getId).orElse(null));
        boolean runs = false;
        try {
            var refused = made(task, image, info, made, network);
            if (refused == null) {
                runs = true;
                return started(task, image);
            }
            return refused(made.get(), refused);
        } catch (DockerException e) {
            var said = Daemon.said(e);
            var reason = Upkeep.reason(said);
            return refused(made.get(), new Started.Refused(reason, Upkeep.explained(reason, said)));
        } finally {
            release(network, group, !runs);
        }
    }

    /** Null once it runs. */
    private Started.@Nullable Refused made(
            Task task,
            InspectImageResponse image,
            Info info,
            AtomicReference<@Nullable String> made,
            Future<String> network)
            throws IOException {
        var user = policy.user(task, info);
        Policy.prepareOutput(task.output(), user, asRoot);
        var id = made.get();
        if (id == null) {
            id = create(task, image, info, user);
            made.set(id);
            failpoints.reach("engine.afterCreate");
        }
        var own = Policy.later(task, image);
        if (!boot.fill(id, String.valueOf(image.getId()), task.script(), user.id(), user.group(), own)) {
            return new Started.Refused(
                    Reason.SHELL,
                    "The image " + task.image() + " has no shell, /bin/bash or /bin/sh, to run the commands with.");
        }
        wait(network);
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

    private static void wait(Future<String> network) {
        try {
            network.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new Unavailable("The gateway is closing.", e);
        }
    }

    /** @param tidy whether it may have been made for nothing */
    private void release(Future<String> network, String group, boolean tidy) {
        try {
            wait(network);
            networks.release(group);
            if (tidy) {
                networks.tidy(group);
            }
        } catch (RuntimeException e) {
            log.log(Level.DEBUG, "network={0} held=no cause=\"{1}\"", group, e.getMessage());
        }
    }

    private String create(Task task, InspectImageResponse image, Info info, Policy.User user) {
        try {
            return daemon.ask(
                    "create",
                    Daemon.LONG,
                    client -> policy.apply(
                                    client.createContainerCmd(String.valueOf(image.getId())), task, image, info, user)
                            .exec()
                            .getId());
        } catch (ConflictException e) {
            // asked for before, and the answer was lost
            return containers
                    .find(task.name())
                    .filter(container -> Containers.isOf(container, task.name()))
                    .orElseThrow(() -> e)
                    .getId();
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

    private Started refused(@Nullable String id, Started.Refused refused) {
        if (id != null) {
            containers.remove(id);
        }
        return refused;
    }

    void discard(InspectContainerResponse container) {
        containers.remove(container.getId());
        var group = Containers.labels(container).get(Networks.NETWORK);
        if (group != null) {
            networks.tidy(group);
        }
    }
}
