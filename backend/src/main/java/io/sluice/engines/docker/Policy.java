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
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Started.Refused;
import io.sluice.engines.Task;
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
import java.util.Set;

/**
 * What a container may. All of it is said here, for each container alike; of a task come its image, limits, devices,
 * environment and folders, and each of them is looked at.
 */
final class Policy {

    static final String HOME = "/userhome";
    static final long MOST_PROCESSES = 8192;
    private static final int MEBIBYTE_BITS = 20;
    private static final long MEBIBYTE = 1L << MEBIBYTE_BITS;
    private static final long CPU = 1_000_000_000L;
    private static final int LEAST_MEMORY_MB = 6;
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

    private final DockerEngine.Settings settings;
    private final Devices devices;
    private final Disk disk;

    Policy(DockerEngine.Settings settings, Devices devices, Disk disk) {
        this.settings = settings;
        this.devices = devices;
        this.disk = disk;
    }

    /** What a task may write beside its folders, where the engine's storage can keep it to that. */
    static final class Disk {
        private static final Set<String> ABLE = Set.of("overlay2", "btrfs", "zfs", "vfs", "devicemapper");

        private final long bytes;
        private volatile boolean refused;

        /** @param bytes 0 = as much as there is */
        Disk(long bytes) {
            this.bytes = bytes;
        }

        private boolean isLimited(Info info) {
            return bytes > 0 && !refused && ABLE.contains(String.valueOf(info.getDriver()));
        }

        /** Whether that is why a container could not be made; then it is made without. */
        boolean isRefused(String said) {
            boolean now = !refused && said.contains("storage-opt");
            refused |= now;
            return now;
        }

        /** The engine may have another storage by now. */
        void tryAgain() {
            refused = false;
        }

        /** One line for the user; empty where nobody asked for a limit. */
        String note(Info info) {
            if (bytes == 0) {
                return "";
            }
            return isLimited(info)
                    ? "; " + (bytes >> MEBIBYTE_BITS) + " MiB of disk each, beside its folders"
                    : "; disk is not limited: this engine's storage (" + info.getDriver()
                            + ") can not, overlay2 on xfs with pquota can";
        }
    }

    boolean isDiskRefused(String said) {
        return disk.isRefused(said);
    }

    /** Who runs it: the owner of its home. */
    record User(int id, int group) {
        @Override
        public String toString() {
            return id + ":" + group;
        }
    }

    /** Empty when the task may be started. */
    Optional<Refused> refusal(Task task, String node) throws IOException {
        if (!task.node().equals(node)) {
            return refused(Reason.MISSING, "There is no node " + task.node() + " here.");
        }
        for (var id : task.devices()) {
            if (devices.all().stream().noneMatch(device -> device.id().equals(id))) {
                return refused(Reason.MISSING, "The node " + node + " has no device " + id + ".");
            }
        }
        if (task.image() == null) {
            return refused(Reason.MISSING, "A task that runs in Docker needs an image.");
        }
        var folder = task.output().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return refused(Reason.MISSING, "The folder for the output of " + task.name() + " does not exist.");
        }
        if (task.memoryMB() > 0 && task.memoryMB() < LEAST_MEMORY_MB) {
            return refused(
                    Reason.UNSAFE, "A container can not do with less than " + LEAST_MEMORY_MB + " MB of memory.");
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
        boolean shared = source.startsWith(settings.shared()) && mount.readOnly();
        return straight && (inHomes || shared)
                ? Optional.empty()
                : refused(
                        Reason.UNSAFE,
                        "The folder for " + target
                                + " is not one that a task may see: a link leads to it, or out of it.");
    }

    private static Optional<Refused> refused(Reason reason, String message) {
        return Optional.of(new Refused(reason, message));
    }

    User user(Task task, Info info) throws IOException {
        if (has(info, "name=rootless")) {
            return new User(0, 0); // who is mapped to the user that the engine runs as
        }
        var owned = task.mounts().stream()
                .filter(mount -> mount.target().equals(HOME))
                .map(Task.Mount::source)
                .findFirst()
                .orElse(task.output().getParent());
        return new User(
                (Integer) Files.getAttribute(owned, "unix:uid"), (Integer) Files.getAttribute(owned, "unix:gid"));
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
    record Place(User user, String network, Path files) {}

    /** Everything that the container is. */
    CreateContainerCmd apply(
            CreateContainerCmd command, Task task, InspectImageResponse image, Info info, Place place) {
        var environment = environment(task, image);
        var mounts = mounts(task, place.files());
        var user = place.user();
        var host = host(task, info, user);
        if (user.id() == 0) {
            // apt gives up rights to a user of its own, whose folders root may not write to in here
            environment.putIfAbsent("APT_CONFIG", Boot.APT);
        }
        devices.give(task.devices(), info, host, environment, mounts);
        host.withMounts(mounts).withNetworkMode(place.network());
        var labels = new HashMap<String, String>();
        task.labels().forEach((name, value) -> labels.put(Containers.LABEL + name, value));
        labels.put(Containers.RUN, task.name());
        labels.putAll(Networks.labels(Networks.group(task), place.network()));
        labels.put(Containers.IMAGE, Containers.exact(image, task.image()));
        var name = hostName(task);
        return command.withName(Containers.name(task.name()))
                .withHostConfig(host)
                .withHostName(name)
                .withAliases(name)
                .withUser(user.toString())
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

    private HostConfig host(Task task, Info info, User user) {
        var host = new HostConfig()
                .withPrivileged(false)
                .withCapDrop(Capability.ALL)
                .withCapAdd(user.id() == 0 ? ROOT_MAY : new Capability[0])
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
                .withLogConfig(new LogConfig(LoggingType.NONE, Map.of()))
                .withPidsLimit(MOST_PROCESSES)
                .withOomKillDisable(false);
        if (info.getRuntimes() != null && info.getRuntimes().containsKey("runc")) {
            host.withRuntime("runc");
        }
        if (task.memoryMB() > 0) {
            long bytes = task.memoryMB() * MEBIBYTE;
            host.withMemory(bytes).withMemorySwap(bytes);
        }
        if (task.cpus() > 0 && info.getNCPU() != null) {
            host.withNanoCPUs(Math.min(task.cpus(), info.getNCPU()) * CPU);
        }
        if (task.shmMB() > 0) {
            host.withShmSize(task.shmMB() * MEBIBYTE);
        }
        if (disk.isLimited(info)) {
            host.withStorageOpt(Map.of("size", "" + disk.bytes));
        }
        return host;
    }

    private static List<Mount> mounts(Task task, Path files) {
        var mounts = new ArrayList<Mount>();
        mounts.add(bind(files, Boot.FOLDER, true));
        mounts.add(bind(files.resolve("begun"), Boot.BEGUN, false));
        task.mounts().forEach(mount -> mounts.add(bind(mount.source(), mount.target(), mount.readOnly())));
        mounts.add(bind(task.output(), Boot.OUTPUT, false));
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
    static void prepareOutput(Path output, User user, boolean asRoot) throws IOException {
        if (!Files.exists(output, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(output);
        }
        Files.setPosixFilePermissions(output, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        if (asRoot && !Integer.valueOf(user.id()).equals(Files.getAttribute(output, "unix:uid"))) {
            Files.setAttribute(output, "unix:uid", user.id());
        }
    }
}
