package io.sluice.engines.docker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.model.BindOptions;
import com.github.dockerjava.api.model.BindPropagation;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.LogConfig.LoggingType;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import io.sluice.engines.Owner;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import io.sluice.engines.Task;
import io.sluice.engines.docker.devices.Devices;
import io.sluice.engines.docker.limits.Limits;
import io.sluice.engines.docker.networks.Held;
import io.sluice.engines.docker.networks.Networks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a container may. All of it is said here, for each container alike; of a task come its image, limits, devices,
 * environment and folders, and each of them is looked at.
 */
final class Policy {

    static final String HOME = "/userhome";
    private static final int LONGEST_HOST = 63;

    /** What unpacking an archive and installing a package take; of a task that is not root, nothing. */
    private static final Capability[] ROOT_MAY = {
        Capability.CHOWN,
        Capability.FOWNER,
        Capability.FSETID,
        Capability.SETUID,
        Capability.SETGID,
        Capability.KILL,
        Capability.NET_BIND_SERVICE
    };

    private static final List<String> SYSTEM = List.of(
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/lib",
            "/lib32",
            "/lib64",
            "/libx32",
            "/proc",
            "/root",
            "/run",
            "/sbin",
            "/sys",
            "/usr",
            "/var",
            Boot.FOLDER);

    /** Read by programs that set the container up, outside of it: the task gets them when it is inside. */
    private static final List<String> LOADER = List.of("LD_PRELOAD", "LD_AUDIT");

    private final DockerSettings settings;
    private final Devices devices;
    private final Limits limits;

    Policy(DockerSettings settings, Devices devices, Limits limits) {
        this.settings = settings;
        this.devices = devices;
        this.limits = limits;
    }

    /** Empty when the task may be started. */
    Optional<Refused> refusal(Task task, String node) throws IOException {
        if (!task.node().equals(node)) {
            return refused(Reason.MISSING, "There is no node " + task.node() + " here.");
        }
        var lacks = devices.lacks(task.devices());
        if (lacks.isPresent()) {
            return refused(Reason.MISSING, "The node " + node + " can not give what was asked for. " + lacks.get());
        }
        if (task.image() == null) {
            return refused(Reason.MISSING, "A task that runs in Docker needs an image.");
        }
        var folder = task.output().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return refused(Reason.MISSING, "The folder for the output of " + task.name() + " does not exist.");
        }
        if (task.memoryMB() > 0 && task.memoryMB() < Limits.LEAST_MEMORY_MB) {
            return refused(
                    Reason.UNSAFE,
                    "A container can not do with less than " + Limits.LEAST_MEMORY_MB + " MB of memory.");
        }
        for (var mount : task.mounts()) {
            var fault = fault(mount);
            if (fault.isPresent()) {
                return fault;
            }
        }
        return Optional.empty();
    }

    private Optional<Refused> fault(Task.Mount mount) throws IOException {
        var target = mount.target();
        if (!target.startsWith("/")
                || !Path.of(target).normalize().toString().equals(target)
                || target.equals("/")
                || SYSTEM.stream().anyMatch(part -> target.equals(part) || target.startsWith(part + "/"))) {
            return refused(Reason.UNSAFE, "Nothing may be put at " + target + " in a task.");
        }
        var source = mount.source();
        if (!Files.isDirectory(source)) {
            return refused(Reason.MISSING, "The folder for " + target + " does not exist.");
        }
        boolean straight =
                source.isAbsolute() && source.equals(source.normalize()) && source.equals(source.toRealPath());
        boolean inHomes = source.startsWith(settings.homes()) && !source.equals(settings.homes());
        boolean shared = source.equals(settings.common())
                || isBelow(settings.outputs(), 2, source)
                || isBelow(settings.inputs(), 2, source)
                || isBelow(settings.shares(), 1, source)
                || ((source.startsWith(settings.shared()) || source.startsWith(settings.gangs())) && mount.readOnly());
        return straight && (inHomes || shared)
                ? Optional.empty()
                : refused(
                        Reason.UNSAFE,
                        "The folder for " + target
                                + " is not one that a task may see: a link leads to it, or out of it.");
    }

    private static boolean isBelow(Path folder, int steps, Path source) {
        return source.startsWith(folder) && source.getNameCount() == folder.getNameCount() + steps;
    }

    private static Optional<Refused> refused(Reason reason, String message) {
        return Optional.of(new Refused(reason, message));
    }

    static Owner owner(Task task, Info info) throws IOException {
        var owner = Owner.of(task);
        // root is there mapped to the user that the engine runs as
        return has(info, "name=rootless") ? new Owner(0, 0, owner.name()) : owner;
    }

    /** Whom tasks run as; one line for the user. */
    static String owners(Info info) {
        return has(info, "name=rootless")
                ? "all tasks run as the engine's user, who is not root"
                : Owner.isGatewayRoot()
                        ? "each user's tasks run with a user id of their own"
                        : "all tasks run as " + System.getProperty("user.name")
                                + ", the gateway's user: it is not root and can give them no others";
    }

    static boolean has(Info info, String option) {
        return info.getSecurityOptions() != null
                && info.getSecurityOptions().stream().anyMatch(said -> said.contains(option));
    }

    /**
     * What is made for a container before it.
     *
     * @param files what begins it
     */
    record Place(Owner owner, Held network, Path files) {}

    /** Everything that the container is. */
    CreateContainerCmd apply(CreateContainerCmd command, Task task, InspectImageResponse image, Info info, Place place)
            throws IOException {
        var environment = environment(task, image);
        var mounts = mounts(task, place.files());
        var owner = place.owner();
        var host = host(task, info, owner);
        if (owner.isRoot()) {
            // apt gives up rights to a user of its own, whose folders root may not write to in here
            environment.putIfAbsent("APT_CONFIG", Boot.APT);
        }
        devices.give(task.devices(), info, host, environment, mounts);
        var told = new HashMap<>(environment);
        told.keySet().removeAll(LOADER);
        mounts.add(bind(Boot.environment(place.files(), told), Task.ENVIRONMENT, true));
        Limits.volumes(task, image, mounts, host);
        var name = hostName(task);
        var holder = place.network().holder();
        if (holder == null) {
            host.withNetworkMode(place.network().name());
            command.withHostName(name).withAliases(name);
        } else {
            // a namespace that was there first has the names that it was made with
            host.withNetworkMode("container:" + holder.id());
            environment.putIfAbsent("HOSTNAME", name);
            mounts.add(bind(Boot.hosts(place.files(), holder.address(), name), Boot.HOSTS, false));
        }
        host.withMounts(mounts);
        var labels = new HashMap<String, String>();
        task.labels().forEach((label, value) -> labels.put(Containers.LABEL + label, value));
        labels.put(Containers.RUN, task.name());
        labels.putAll(Networks.labels(Networks.group(task), place.network()));
        labels.put(Containers.IMAGE, Containers.exact(image, task.image()));
        return command.withName(Containers.name(task.name()))
                .withHostConfig(host)
                .withUser(owner.toString())
                .withWorkingDir(
                        task.mounts().stream().anyMatch(mount -> mount.target().equals(HOME)) ? HOME : "/")
                .withEntrypoint(Boot.BEGIN)
                .withCmd()
                .withEnv(environment.entrySet().stream()
                        .map(variable -> variable.getKey() + "=" + variable.getValue())
                        .toList())
                .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
                .withStopSignal("SIGTERM")
                .withTty(false)
                .withStdinOpen(false)
                .withLabels(labels);
    }

    private HostConfig host(Task task, Info info, Owner owner) {
        var host = new HostConfig()
                .withPrivileged(false)
                .withCapDrop(Capability.ALL)
                .withCapAdd(owner.isRoot() ? ROOT_MAY : new Capability[0])
                .withSecurityOpts(List.of("no-new-privileges:true"))
                .withPidMode("")
                .withIpcMode("private")
                .withUtSMode("")
                .withUsernsMode("")
                .withCgroupnsMode("private")
                .withInit(true)
                .withAutoRemove(false)
                .withPublishAllPorts(false)
                .withRestartPolicy(RestartPolicy.noRestart())
                .withLogConfig(new LogConfig(LoggingType.NONE, Map.of()));
        if (info.getRuntimes() != null && info.getRuntimes().containsKey("runc")) {
            host.withRuntime("runc");
        }
        limits.give(task, info, host);
        return host;
    }

    private static List<Mount> mounts(Task task, Path files) {
        var mounts = new ArrayList<Mount>();
        mounts.add(bind(files, Boot.FOLDER, true));
        mounts.add(bind(files.resolve("begun"), Boot.BEGUN, false));
        task.mounts().forEach(mount -> mounts.add(bind(mount.source(), mount.target(), mount.readOnly())));
        mounts.add(bind(task.output(), Boot.OUTPUT, false));
        Boot.names(files).forEach((target, file) -> mounts.add(bind(file, target, true)));
        return mounts;
    }

    private static Mount bind(Path source, String target, boolean readOnly) {
        return new Mount()
                .withType(MountType.BIND)
                .withSource(source.toString())
                .withTarget(target)
                .withReadOnly(readOnly)
                .withBindOptions(new BindOptions().withPropagation(BindPropagation.PRIVATE));
    }

    private static Map<String, String> environment(Task task, InspectImageResponse image) {
        var environment = new LinkedHashMap<String, String>();
        ofImage(image).forEach(environment::put);
        environment.put("HOME", HOME);
        environment.putAll(task.environment());
        LOADER.forEach(variable -> environment.put(variable, ""));
        environment.put("TINI_KILL_PROCESS_GROUP", "1");
        environment.remove("TINI_SUBREAPER");
        environment.remove("TINI_VERBOSITY");
        return environment;
    }

    private static Map<String, String> ofImage(InspectImageResponse image) {
        var environment = new LinkedHashMap<String, String>();
        var config = image.getConfig();
        if (config != null && config.getEnv() != null) {
            for (var variable : config.getEnv()) {
                var parts = variable.split("=", 2);
                environment.put(parts[0], parts.length > 1 ? parts[1] : "");
            }
        }
        return environment;
    }

    /** What the task gets when it is inside. */
    static Map<String, String> later(Task task, InspectImageResponse image) {
        var all = ofImage(image);
        all.putAll(task.environment());
        all.keySet().retainAll(LOADER);
        return all;
    }

    private static String hostName(Task task) {
        var name = task.labels().getOrDefault(Task.HOST, task.name());
        var plain = name.replaceAll("[^A-Za-z0-9-]", "-").replaceAll("^-+|-+$", "");
        return plain.isEmpty() ? "task" : plain.substring(0, Math.min(LONGEST_HOST, plain.length()));
    }

    /** Makes the file that the task appends to, its own. */
    static void prepareOutput(Path output, Owner owner, boolean asRoot) throws IOException {
        if (!Files.exists(output, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(output);
        }
        Files.setPosixFilePermissions(output, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        if (asRoot && !Integer.valueOf(owner.id()).equals(Files.getAttribute(output, "unix:uid"))) {
            Files.setAttribute(output, "unix:uid", owner.id());
        }
    }
}
