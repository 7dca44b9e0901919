package io.sluice.engines.docker.devices;

import com.github.dockerjava.api.model.Device;
import com.github.dockerjava.api.model.DeviceRequest;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The devices of this machine, and how a container is given some of them and no other. */
public final class Devices {

    private static final List<String> ASCEND_COMMON = List.of("davinci_manager", "devmm_svm", "hisi_hdc");
    /** Which of them there are is another matter with each product. */
    private static final List<String> ASCEND_DRIVER = List.of(
            "/usr/local/Ascend/driver",
            "/usr/local/dcmi",
            "/usr/local/bin/npu-smi",
            "/usr/local/sbin/npu-smi",
            "/etc/ascend_install.info",
            "/var/queue_schedule");

    /** Where an engine that knows the Container Device Interface, and has it switched on, says that it looks for its files. */
    private static final String CDI = "CDISpecDirs";

    private static final String NOTHING = "void";

    /** What chooses devices, where an engine's runtime reads it; a task's own value never counts. */
    public static final List<String> VARIABLES = List.of(
            "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_MIG_CONFIG_DEVICES",
            "NVIDIA_MIG_MONITOR_DEVICES",
            "NVIDIA_IMEX_CHANNELS",
            "NVIDIA_NVSWITCH",
            "NVIDIA_GDS",
            "NVIDIA_MOFED",
            "NVIDIA_GDRCOPY",
            "ASCEND_VISIBLE_DEVICES",
            "ASCEND_RUNTIME_OPTIONS",
            "ASCEND_RUNTIME_MOUNTS",
            "ASCEND_VNPU_SPECS",
            "ASCEND_ALLOW_LINK",
            "AMD_VISIBLE_DEVICES",
            "HABANA_VISIBLE_DEVICES",
            "CAMBRICON_VISIBLE_DEVICES",
            "MTHREADS_VISIBLE_DEVICES",
            "DOCKER_RESOURCE_GPU");

    private final Path root;
    private final boolean simulates;
    private volatile Found found;

    private Devices(Path root, boolean simulates, Found found) {
        this.root = root;
        this.simulates = simulates;
        this.found = found;
    }

    /**
     * @param root {@code /}, or a folder laid out like it
     * @param simulated in place of all that there is, unless empty
     */
    public static Devices find(Path root, List<io.sluice.engines.Device> simulated) {
        var devices = new Devices(root, !simulated.isEmpty(), Found.of(simulated));
        devices.look();
        return devices;
    }

    /** Some are put in or taken out while the machine runs, and drivers are loaded late. */
    public synchronized void look() {
        if (!simulates) {
            found = Found.look(root, found);
        }
    }

    public List<io.sluice.engines.Device> all() {
        return found.all();
    }

    /** Why these can not be given at the moment, in one line for the user; empty when they can. */
    public Optional<String> lacks(List<String> ids) {
        if (ids.isEmpty()) {
            return Optional.empty();
        }
        look();
        for (var id : ids) {
            var device = all().stream().filter(one -> one.id().equals(id)).findFirst();
            if (device.isEmpty()) {
                return Optional.of("There is no device " + id + ".");
            }
            var fault = device.get().fault();
            if (fault != null) {
                return Optional.of(id + ": " + fault);
            }
        }
        return Optional.empty();
    }

    /** With what is wrong with them, as whoever watches them says. */
    public List<io.sluice.engines.Device> all(List<io.sluice.engines.Device> watched) {
        return all().stream().map(device -> judged(device, watched)).toList();
    }

    private static io.sluice.engines.Device judged(
            io.sluice.engines.Device device, List<io.sluice.engines.Device> watched) {
        return watched.stream()
                .filter(device::isSame)
                .findFirst()
                .map(same -> device.judged(device.fault() != null ? device.fault() : same.fault(), same.checked()))
                .orElse(device);
    }

    /** A device vanished between the looking and the giving; the message is one line for the user. */
    public static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;

        Gone(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** What stands between the container and these devices, and nothing between it and any other is taken away. */
    public void give(
            List<String> ids, Info info, HostConfig host, Map<String, String> environment, List<Mount> mounts) {
        VARIABLES.forEach(environment::remove);
        environment.put("NVIDIA_VISIBLE_DEVICES", NOTHING);
        environment.put("ASCEND_VISIBLE_DEVICES", NOTHING);
        environment.put("AMD_VISIBLE_DEVICES", NOTHING);
        var given = all().stream()
                .filter(device -> ids.contains(device.id()) && !device.simulated())
                .toList();
        var vendors =
                given.stream().map(io.sluice.engines.Device::vendor).collect(Collectors.toCollection(TreeSet::new));
        for (var vendor : vendors) {
            var some = given.stream()
                    .filter(device -> device.vendor().equals(vendor))
                    .toList();
            switch (vendor) {
                case "nvidia" -> giveNvidia(some, info, host, environment);
                case "ascend" -> giveAscend(some, info, host, environment, mounts);
                case "amd" -> giveAmd(some, host);
                default -> throw new IllegalArgumentException("no way is known to give " + vendor + " to a container");
            }
        }
    }

    private void giveNvidia(
            List<io.sluice.engines.Device> some, Info info, HostConfig host, Map<String, String> environment) {
        var ids = some.stream()
                .map(device -> Objects.requireNonNull(found.uuids().get(device.id())))
                .toList();
        var names = info.getRuntimes() == null || !info.getRuntimes().containsKey("nvidia")
                ? cdi(some, info)
                : List.<String>of();
        if (!names.isEmpty()) {
            host.withDeviceRequests(
                    List.of(new DeviceRequest().withDriver("cdi").withDeviceIds(names)));
            return;
        }
        environment.put("NVIDIA_VISIBLE_DEVICES", String.join(",", ids));
        host.withDeviceRequests(
                List.of(new DeviceRequest().withDeviceIds(ids).withCapabilities(List.of(List.of("gpu")))));
    }

    /** Their names in the files of the Container Device Interface; empty where the engine or the files know none. */
    private List<String> cdi(List<io.sluice.engines.Device> some, Info info) {
        var specs = new StringBuilder();
        if (info.getRawValues().get(CDI) instanceof List<?> folders) {
            for (var folder : folders) {
                for (var file : Found.children(root.resolve(("" + folder).replaceFirst("^/+", "")))) {
                    specs.append(Found.text(file));
                }
            }
        }
        if (specs.indexOf("nvidia.com/gpu") < 0) {
            return List.of();
        }
        return some.stream()
                .map(device -> {
                    var uuid = Objects.requireNonNull(found.uuids().get(device.id()));
                    return "nvidia.com/gpu=" + (specs.indexOf(uuid) >= 0 ? uuid : "" + device.index());
                })
                .toList();
    }

    private void giveAscend(
            List<io.sluice.engines.Device> some,
            Info info,
            HostConfig host,
            Map<String, String> environment,
            List<Mount> mounts) {
        var indexes = some.stream()
                .map(io.sluice.engines.Device::index)
                .sorted()
                .map(Object::toString)
                .toList();
        if (info.getRuntimes() != null && info.getRuntimes().containsKey("ascend")) {
            host.withRuntime("ascend");
            environment.put("ASCEND_VISIBLE_DEVICES", String.join(",", indexes));
            return;
        }
        var nodes = new ArrayList<String>();
        indexes.forEach(index -> nodes.add("davinci" + index));
        ASCEND_COMMON.stream()
                .filter(node -> Files.exists(root.resolve("dev").resolve(node)))
                .forEach(nodes::add);
        nodes(host, nodes.stream().map(node -> "/dev/" + node).toList());
        for (var driver : ASCEND_DRIVER) {
            if (Files.exists(root.resolve(driver.substring(1)))) {
                mounts.add(new Mount()
                        .withType(MountType.BIND)
                        .withSource(root.resolve(driver.substring(1)).toString())
                        .withTarget(driver)
                        .withReadOnly(true));
            }
        }
    }

    private void giveAmd(List<io.sluice.engines.Device> some, HostConfig host) {
        var nodes = new ArrayList<String>();
        nodes.add("/dev/kfd");
        some.forEach(device -> nodes.add("/dev/dri/renderD" + found.renders().get(device.id())));
        nodes(host, nodes);
    }

    /** The groups that may open them go with them, for a task that is not root. */
    private void nodes(HostConfig host, List<String> paths) {
        var devices = new ArrayList<Device>();
        var groups = new TreeSet<String>();
        if (host.getDevices() != null) {
            devices.addAll(List.of(host.getDevices()));
        }
        for (var path : paths) {
            var node = root.resolve(path.substring(1));
            devices.add(new Device("rw", path, node.toString()));
            try {
                groups.add(Files.getAttribute(node, "unix:gid").toString());
            } catch (IOException e) {
                throw new Gone("The device " + path + " is not there any more.", e);
            }
        }
        groups.remove("0");
        host.withDevices(devices).withGroupAdd(List.copyOf(groups));
    }
}
