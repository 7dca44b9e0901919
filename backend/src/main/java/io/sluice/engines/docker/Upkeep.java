package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Info;
import io.sluice.engines.Device;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Node;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.docker.devices.Devices;
import io.sluice.engines.docker.fence.Firewall;
import io.sluice.engines.docker.limits.Disk;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is known of the engine as a whole: its machine, whether it answers, and what its faults mean. */
final class Upkeep {

    private static final Logger log = System.getLogger(Upkeep.class.getName());
    private static final Duration FRESH = Duration.ofSeconds(30);
    private static final Duration SWEEP = Duration.ofSeconds(60);
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final int MEBIBYTE = 20;
    private static final Node.Ports PORTS = new Node.Ports(10_000, 32_767);

    private final Daemon daemon;
    private final Devices devices;
    private final Supplier<List<Device>> watched;
    private final Outages outages;
    private final DockerMetrics metrics;
    private final Firewall firewall;
    private final Disk disk;
    private volatile @Nullable Info info;
    private volatile Instant asked = Instant.EPOCH;
    private volatile Instant swept = Instant.EPOCH;
    private volatile @Nullable Instant away;
    private volatile String silence = "The Docker engine has not answered yet.";

    Upkeep(
            Daemon daemon,
            Devices devices,
            Supplier<List<Device>> watched,
            Outages outages,
            DockerMetrics metrics,
            Firewall firewall,
            Disk disk) {
        this.daemon = daemon;
        this.devices = devices;
        this.watched = watched;
        this.outages = outages;
        this.metrics = metrics;
        this.firewall = firewall;
        this.disk = disk;
    }

    /** Of this installation, so that what another one left behind is left alone. */
    static String id(Path folder) throws IOException {
        var file = folder.resolve("id");
        if (!Files.exists(file)) {
            var draft = folder.resolve("id.new");
            Files.writeString(draft, UUID.randomUUID().toString());
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file).strip();
    }

    /** The first look; it does not have to succeed. */
    void greet() {
        try {
            refresh();
        } catch (DockerException | Unavailable e) {
            missed(e);
        }
    }

    void looked() throws IOException {
        outages.heard();
        if (away != null) {
            log.log(Level.INFO, "engine=back address={0}", daemon.address());
            away = null;
            metrics.away(false);
            disk.tryAgain();
            asked = Instant.EPOCH;
        }
        if (asked.isBefore(Instant.now().minus(FRESH))) {
            refresh();
        }
    }

    void missed(Throwable e) {
        silence = String.valueOf(e.getMessage());
        if (away == null) {
            log.log(Level.WARNING, "engine=away cause=\"{0}\"", silence);
            away = Instant.now();
            outages.began(Instant.now());
            metrics.away(true);
        }
    }

    /** What it tells of has ended, and it may have as well. */
    void unheard() {
        outages.began(Instant.now());
    }

    boolean isTimeToSweep() {
        if (swept.isAfter(Instant.now().minus(SWEEP))) {
            return false;
        }
        swept = Instant.now();
        return true;
    }

    private void refresh() {
        devices.look();
        var answered =
                daemon.ask("info", Daemon.SHORT, client -> client.infoCmd().exec());
        firewall.keep(isHere(answered));
        metrics.fenced(firewall.holds());
        info = answered;
        asked = Instant.now();
    }

    /** A socket that is here may lead elsewhere, to a virtual machine's engine or through SSH. */
    private boolean isHere(Info answered) {
        try {
            return daemon.address().isHere()
                    && Files.readString(HOST_NAME).strip().equals(answered.getName());
        } catch (IOException e) {
            return false;
        }
    }

    /** Why nothing may be started now; empty where it may. */
    Optional<String> closed() {
        return firewall.closed();
    }

    Info info() {
        var known = info;
        if (known == null) {
            refresh();
            known = info;
        }
        if (known == null) {
            throw new Unavailable(silence, null);
        }
        return known;
    }

    String silence() {
        return silence;
    }

    static String name(Info info) {
        var name = info.getName();
        return name == null || name.isBlank() ? "docker" : name;
    }

    /** Null before the engine has ever answered. */
    @Nullable
    Node node() {
        var known = info;
        if (known == null) {
            return null;
        }
        var since = away;
        boolean memory = Boolean.TRUE.equals(known.getMemoryLimit());
        boolean cpu = Boolean.TRUE.equals(known.getCpuCfsQuota());
        boolean seccomp = Policy.has(known, "name=seccomp") && !Policy.has(known, "profile=unconfined");
        return new Node(
                name(known),
                "",
                known.getNCPU() == null ? 1 : known.getNCPU(),
                known.getMemTotal() == null ? 0 : (int) (known.getMemTotal() >> MEBIBYTE),
                devices.all(watched.get()),
                PORTS,
                memory && cpu,
                (memory && cpu
                                ? "by Docker " + known.getServerVersion()
                                : "this Docker engine can not limit "
                                        + (memory ? "CPU" : cpu ? "memory" : "CPU and memory"))
                        + disk.note(known),
                firewall.holds(),
                "containers of Docker " + known.getServerVersion() + (seccomp ? "" : ", without a seccomp profile")
                        + "; " + Policy.owners(known) + "; " + firewall.note(),
                since == null ? unready(known) : "The Docker engine has not answered since " + since + ".");
    }

    private @Nullable String unready(Info info) {
        var closed = firewall.closed();
        if (closed.isPresent()) {
            return closed.get();
        }
        if (info.getOsType() != null && !info.getOsType().equals("linux")) {
            return "The Docker engine runs " + info.getOsType() + " containers; tasks need Linux.";
        }
        return Policy.has(info, "name=userns")
                ? "The Docker engine renames users (userns-remap), so that tasks could not write to their own folders."
                : null;
    }

    /** Why an image can not run here; empty when it can. */
    static Optional<String> foreign(@Nullable Object name, InspectImageResponse image, Info info) {
        var made = image.getArch();
        var here = info.getArchitecture();
        return made == null || here == null || made.isBlank() || runs(plain(made), plain(here))
                ? Optional.empty()
                : Optional.of("The image " + name + " is made for " + made + ", and this machine is " + plain(here)
                        + ". Choose an image, or a tag, for " + plain(here) + ".");
    }

    /** Most of these processors run the programs of the smaller ones too; where one does not, the engine says so. */
    private static boolean runs(String made, String here) {
        return made.equals(here)
                || (made.equals("386") && here.equals("amd64"))
                || (made.equals("arm") && here.equals("arm64"))
                || (here.equals("mips64") && made.equals("mips64le")); // of which the kernel tells no difference
    }

    /** As Go names it, which images do: the kernel, and so the engine, has names of its own. */
    private static String plain(String architecture) {
        var name = architecture.toLowerCase(Locale.ROOT);
        return switch (name) {
            case "x86_64" -> "amd64";
            case "i386", "i486", "i586", "i686", "x86" -> "386";
            case "aarch64" -> "arm64";
            case "armv5l", "armv6l", "armv7l", "armv8l", "armhf", "armel" -> "arm";
            case "loongarch64" -> "loong64";
            case "ppc64el" -> "ppc64le";
            default -> name;
        };
    }

    static Reason reason(String said) {
        var text = said.toLowerCase(Locale.ROOT);
        if (List.of("no space left", "disk quota", "cannot allocate memory", "resource temporarily").stream()
                .anyMatch(text::contains)) {
            return Reason.FULL;
        }
        return text.contains("networks that tasks may have are taken") ? Reason.FULL : Reason.MISSING;
    }

    static String explained(Reason reason, String said) {
        var text = said.toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("disk quota")) {
            return "The disk of the Docker engine is full: there is no room for the task. (" + said + ")";
        }
        if (reason == Reason.FULL) {
            return "The Docker engine's machine has no room for the task. (" + said + ")";
        }
        if (text.contains("could not select device driver") || text.contains("unknown runtime")) {
            return "This Docker engine can not give devices to containers. An administrator can install the NVIDIA"
                    + " Container Toolkit, or the Ascend runtime. (" + said + ")";
        }
        if (text.contains("docker-init")) {
            return "This Docker engine lacks docker-init. An administrator can install it; on Debian it is in the package"
                    + " tini. (" + said + ")";
        }
        if (text.contains(Boot.BEGIN) && text.contains("permission denied")) {
            return "The gateway's data folder is on a file system from which nothing can be run (noexec). An administrator"
                    + " can mount it without that, or choose another --data. (" + said + ")";
        }
        if (text.contains("exec format error")) {
            return "The image is made for another processor than this machine has. (" + said + ")";
        }
        return "The Docker engine could not start the container: " + said;
    }
}
