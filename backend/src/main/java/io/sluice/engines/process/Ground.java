package io.sluice.engines.process;

import io.sluice.engines.Device;
import io.sluice.engines.Node;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Task;
import io.sluice.engines.process.Launcher.Isolation;
import io.sluice.engines.process.ports.PortLedger;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What this machine is and allows, tried once, and the parts that suit it. */
record Ground(Node node, boolean unsafe, Runs runs, Cgroups cgroups, Launcher launcher, Trial trial) {

    private static final int PROBE_SECONDS = 10;
    private static final int ROOT = 0;

    static Ground find(ProcessEngine.Settings settings, EngineMetrics metrics) throws IOException {
        if (!Files.exists(Path.of("/proc/self/stat"))) {
            throw new IOException("it needs Linux");
        }
        var devices = settings.devices();
        var folder = settings.folder();
        var runs = Runs.open(folder);
        boolean isRoot = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == ROOT;
        var faults = new ArrayList<String>();
        for (var way : ways(isRoot ? Isolation.ROOT : Isolation.USER)) {
            var isolation = way.isolation();
            var root = TaskRoot.build(
                    folder.resolve("skeleton-" + isolation.name().toLowerCase(Locale.ROOT)),
                    isolation,
                    settings.hidden());
            var launcher = new Launcher(folder, runs, isolation, root, way.warm());
            var trial = Trial.of(folder, way, launcher);
            boolean known = trial.isKnownToWork();
            var fault = known ? Optional.<String>empty() : tryOut(runs, launcher, folder);
            metrics.tried(known ? "remembered" : fault.isEmpty() ? "works" : "fails");
            if (fault.isEmpty()) {
                boolean unsafe = isRoot && isolation == Isolation.NONE;
                var cgroups = Cgroups.find("sluice-" + Integer.toHexString(folder.hashCode()));
                var node = describe(
                        settings, devices, cgroups, isolation, String.join("; ", faults), unsafe ? whyUnsafe() : null);
                trial.worked();
                return new Ground(node, unsafe, runs, cgroups, launcher, trial);
            }
            trial.failed();
            launcher.close();
            faults.add(fault.get());
        }
        throw new IOException("processes can not be started as needed: " + String.join("; ", faults));
    }

    /** The quickest first, and keeping apart before not doing so. */
    private static List<Way> ways(Isolation best) {
        var slow = List.of(new Way(best, false), new Way(Isolation.NONE, false));
        return Starter.isPossible(Launcher.PATH)
                ? Stream.concat(Stream.of(new Way(best, true)), slow.stream()).toList()
                : slow;
    }

    record Way(Isolation isolation, boolean warm) {

        String key() {
            return isolation.name().toLowerCase(Locale.ROOT) + (warm ? "-warm" : "");
        }
    }

    /** Why the task can not be started here, whatever else runs. */
    Optional<Started.Refused> refusal(Task task, Node node) {
        if (unsafe) {
            return refused(Reason.UNSAFE, whyUnsafe());
        }
        if (!task.node().equals(node.name())) {
            return refused(Reason.MISSING, "there is no node " + task.node() + " here, only " + node.name());
        }
        var known = node.devices().stream().map(Device::id).toList();
        for (var device : task.devices()) {
            if (!known.contains(device)) {
                return refused(Reason.MISSING, "there is no device " + device + " on " + node.name());
            }
        }
        for (var ports : task.ports().values()) {
            for (int port : ports) {
                if (port < 1 || port > PortLedger.HIGHEST) {
                    return refused(Reason.MISSING, "there is no port " + port);
                }
            }
        }
        for (var mount : task.mounts()) {
            var target = Path.of(mount.target());
            if (!Files.isDirectory(mount.source())) {
                return refused(Reason.MISSING, "the folder for " + mount.target() + " does not exist");
            }
            if (!target.isAbsolute() || !target.normalize().equals(target) || target.getNameCount() == 0) {
                return refused(Reason.MISSING, "a folder can not be mounted at " + mount.target());
            }
        }
        var folder = task.output().toAbsolutePath().getParent();
        return folder != null && Files.isDirectory(folder)
                ? Optional.empty()
                : refused(Reason.MISSING, "the folder for the output of " + task.name() + " does not exist");
    }

    /** A task could not be set up, so it is not as it was when that was tried: the next start tries again. */
    void doubt() throws IOException {
        trial.failed();
    }

    /** What the operating system said, without the path that it may put before it. */
    static String reason(IOException e) {
        return e instanceof FileSystemException known && known.getReason() != null
                ? known.getReason()
                : String.valueOf(e.getMessage());
    }

    private static Optional<Started.Refused> refused(Reason reason, String message) {
        return Optional.of(new Started.Refused(reason, message));
    }

    private static String whyUnsafe() {
        return "the gateway is root, and this system does not let it keep tasks apart: start it as an ordinary user";
    }

    private static Node describe(
            ProcessEngine.Settings settings,
            List<Device> devices,
            Cgroups cgroups,
            Isolation isolation,
            String faults,
            @Nullable String unready)
            throws IOException {
        var here = Machine.here();
        return new Node(
                here.name(),
                here.address(),
                here.cpus(),
                here.memoryMB(),
                devices,
                settings.ports() == null ? PortLedger.offered() : settings.ports(),
                cgroups.enforced(),
                cgroups.note(),
                isolation != Isolation.NONE,
                switch (isolation) {
                    case ROOT ->
                        "a task has its own root, processes and /tmp, and sees the system read-only; it runs as the user id"
                                + " that its owner's folder has, and shares the network";
                    case USER ->
                        "a task has its own root, processes and /tmp, and sees the system read-only; it runs as "
                                + System.getProperty("user.name") + ", and shares the network";
                    case NONE ->
                        "not isolated: a task sees the files and processes of " + System.getProperty("user.name")
                                + "; /userhome and /gdata do not exist, HOME is the user's folder (" + faults + ")";
                },
                unready);
    }

    /** The whole way of a task that does nothing; what went wrong on it. */
    private static Optional<String> tryOut(Runs runs, Launcher launcher, Path folder) throws IOException {
        var name = "probe-" + UUID.randomUUID();
        var log = Files.createTempFile(folder, "probe", ".log");
        var task = nothing(name, log);
        try {
            var grant = new Cgroups.Grant(List.of(), "");
            var run = runs.create(task, launcher.files(task, grant));
            launcher.launch(run, task, grant).get(PROBE_SECONDS, TimeUnit.SECONDS);
            var end = run.read();
            if (Integer.valueOf(0).equals(end.exitCode())) {
                return Optional.empty();
            }
            var said = Files.readString(run.path().resolve("supervisor.log")).strip();
            return Optional.of(end.detail() != null ? end.detail() : said.isEmpty() ? "it ended at once" : said);
        } catch (TimeoutException e) {
            var claim = runs.find(name).flatMap(Ground::claim);
            if (claim.isPresent()) {
                claim.get().supervisor().kill(Duration.ofSeconds(1));
            }
            return Optional.of("it did not answer");
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            runs.remove(name);
            launcher.forget(name);
            Files.deleteIfExists(log);
        }
    }

    private static Optional<RunFolder.Claim> claim(RunFolder run) {
        try {
            return run.claim();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Task nothing(String name, Path log) {
        return new Task(name, Map.of(), "", "exit 0", Map.of(), null, 0, 0, 0, List.of(), Map.of(), List.of(), log);
    }

    /**
     * That it works is kept for the next start, with all that this depends on; that it does not is never kept, for somebody may have put it
     * right.
     *
     * @param facts in a digest: another boot, kernel, user, right, program or folder is another fact
     */
    record Trial(Path memory, String facts) {

        private static final List<String> PROGRAMS = List.of(
                "setsid",
                "bash",
                "perl",
                "setpriv",
                "unshare",
                "nsenter",
                "mount",
                "umount",
                "pivot_root",
                "cp",
                "ln",
                "mv",
                "sync");

        private static final List<String> NAMESPACES = List.of("user", "mnt", "pid", "ipc", "cgroup");
        private static final List<Path> SAID_BY_THE_KERNEL = List.of(
                Path.of("/proc/version"),
                Path.of("/proc/cmdline"),
                Path.of("/proc/self/attr/current"),
                Path.of("/proc/sys/kernel/unprivileged_userns_clone"),
                Path.of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
                Path.of("/proc/sys/user/max_user_namespaces"));
        private static final Pattern RIGHTS =
                Pattern.compile("(?m)^(Uid|Gid|Groups|Cap\\w+|NoNewPrivs|Seccomp\\w*):.*$");

        static Trial of(Path folder, Way way, Launcher launcher) throws IOException {
            var facts = new StringBuilder(Incarnation.bootOfNow()).append(way);
            for (var namespace : NAMESPACES) {
                var link = Path.of("/proc/self/ns", namespace);
                facts.append('\n').append(Files.isSymbolicLink(link) ? Files.readSymbolicLink(link) : "");
            }
            SAID_BY_THE_KERNEL.forEach(file -> facts.append('\n').append(said(file)));
            RIGHTS.matcher(said(Path.of("/proc/self/status")))
                    .results()
                    .forEach(right -> facts.append('\n').append(right.group()));
            for (var program : PROGRAMS) {
                facts.append('\n').append(program);
                for (var place : Launcher.PATH.split(":")) {
                    facts.append(' ').append(identity(Path.of(place, program)));
                }
            }
            var files = launcher.files(nothing("probe", folder), new Cgroups.Grant(List.of(), ""));
            new TreeMap<>(files)
                    .forEach((name, text) -> facts.append('\n').append(name).append(text));
            facts.append(launcher.programs());
            var memory = folder.resolve("works-" + way.key());
            return new Trial(memory, digest(facts.toString()));
        }

        boolean isKnownToWork() {
            return said(memory).equals(facts);
        }

        void worked() throws IOException {
            if (!isKnownToWork()) {
                var draft = memory.resolveSibling(memory.getFileName() + ".new");
                Files.writeString(draft, facts);
                Files.move(draft, memory, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        }

        void failed() throws IOException {
            Files.deleteIfExists(memory);
        }

        private static String identity(Path program) throws IOException {
            if (!Files.exists(program)) {
                return "-";
            }
            var real = program.toRealPath();
            return real + "," + Files.getAttribute(real, "unix:ino") + "," + Files.size(real) + ","
                    + Files.getLastModifiedTime(real) + "," + Files.getAttribute(real, "unix:ctime");
        }

        /** Empty where there is nothing, or nothing that may be read. */
        private static String said(Path file) {
            try {
                return String.join("\n", Files.readAllLines(file));
            } catch (IOException e) {
                return "";
            }
        }

        private static String digest(String text) {
            try {
                var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * This machine, as tasks and users know it.
     *
     * @param address of the first network card, by which others reach it; 127.0.0.1 where there is none
     */
    private record Machine(String name, String address, int cpus, int memoryMB) {

        private static final Path NAME = Path.of("/proc/sys/kernel/hostname");
        private static final Pattern BRIDGE = Pattern.compile("docker|br-|veth|virbr|cni|flannel|tun|tap");
        private static final String LOOPBACK = "127.0.0.1";

        static Machine here() throws IOException {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new Machine(
                    Files.readString(NAME).strip(),
                    reachable(),
                    Runtime.getRuntime().availableProcessors(),
                    (int) (system.getTotalMemorySize() >> 20));
        }

        /** A card that exists comes before one that only seems to, as a container's; bridges of container engines lead nowhere. */
        private static String reachable() throws IOException {
            return NetworkInterface.networkInterfaces()
                    .filter(card -> !BRIDGE.matcher(card.getName()).lookingAt())
                    .sorted(Comparator.comparing(Machine::isReal)
                            .reversed()
                            .thenComparingInt(NetworkInterface::getIndex))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address
                            && !address.isLoopbackAddress()
                            && !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .findFirst()
                    .orElse(LOOPBACK);
        }

        private static boolean isReal(NetworkInterface card) {
            return Files.exists(Path.of("/sys/class/net", card.getName(), "device"));
        }
    }
}
