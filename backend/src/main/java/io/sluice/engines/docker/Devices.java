package io.sluice.engines.docker;

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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The devices of this machine, and how a container is given some of them and no other. */
final class Devices {

    private static final Pattern DAVINCI = Pattern.compile("davinci(\\d+)");
    private static final Pattern FIELD = Pattern.compile("(?m)^(?:([^:\n]+):|(\\S+) )\\s*(\\S.*)$");
    private static final int HALF = 4;
    private static final int BOARD = 8;
    private static final String HUAWEI = "0x19e5";
    private static final Map<String, String> ASCEND_CHIPS =
            Map.of("0xd801", "Ascend910A", "0xd802", "Ascend910B", "0xd803", "Ascend910C", "0xd500", "Ascend310P");
    private static final Map<String, String> AMD_CHIPS =
            Map.of("gfx906", "MI50", "gfx908", "MI100", "gfx90a", "MI200", "gfx942", "MI300X", "gfx950", "MI350X");
    private static final List<String> ASCEND_COMMON = List.of("davinci_manager", "devmm_svm", "hisi_hdc");
    private static final List<String> ASCEND_DRIVER = List.of(
            "/usr/local/Ascend/driver", "/usr/local/dcmi", "/usr/local/bin/npu-smi", "/etc/ascend_install.info");
    private static final List<String> CDI = List.of("etc/cdi", "var/run/cdi");
    private static final int CDI_BY_DEFAULT = 28;
    private static final String NOTHING = "void";

    /** What chooses devices, where an engine's runtime reads it; a task's own value never counts. */
    static final List<String> VARIABLES = List.of(
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
    private final List<io.sluice.engines.Device> all;
    private final Map<String, String> uuids;
    private final Map<String, Integer> renders;

    private Devices(
            Path root, List<io.sluice.engines.Device> all, Map<String, String> uuids, Map<String, Integer> renders) {
        this.root = root;
        this.all = List.copyOf(all);
        this.uuids = Map.copyOf(uuids);
        this.renders = Map.copyOf(renders);
    }

    /**
     * @param root {@code /}, or a folder laid out like it
     * @param simulated in place of all that there is, unless empty
     */
    static Devices find(Path root, List<io.sluice.engines.Device> simulated) throws IOException {
        if (!simulated.isEmpty()) {
            return new Devices(root, simulated, Map.of(), Map.of());
        }
        var all = new ArrayList<io.sluice.engines.Device>();
        var uuids = new HashMap<String, String>();
        var renders = new HashMap<String, Integer>();
        nvidia(root, all, uuids);
        ascend(root, all);
        amd(root, all, renders);
        return new Devices(root, all, uuids, renders);
    }

    List<io.sluice.engines.Device> all() {
        return all;
    }

    /** With what is wrong with them, as whoever watches them says. */
    List<io.sluice.engines.Device> all(List<io.sluice.engines.Device> watched) {
        return all.stream().map(device -> judged(device, watched)).toList();
    }

    private static io.sluice.engines.Device judged(
            io.sluice.engines.Device device, List<io.sluice.engines.Device> watched) {
        return watched.stream()
                .filter(device::isSame)
                .findFirst()
                .map(same -> device.judged(same.fault(), same.checked()))
                .orElse(device);
    }

    private static void nvidia(Path root, List<io.sluice.engines.Device> all, Map<String, String> uuids)
            throws IOException {
        for (var gpu : children(root.resolve("proc/driver/nvidia/gpus"))) {
            var fields = fields(gpu.resolve("information"));
            var minor = fields.get("Device Minor");
            var uuid = fields.get("GPU UUID");
            if (minor != null && minor.matches("\\d+") && uuid != null && uuid.startsWith("GPU-")) {
                var id = "nvidia-" + minor;
                uuids.put(id, uuid);
                var found = new io.sluice.engines.Device(
                        id,
                        nvidiaType(fields.getOrDefault("Model", "GPU")),
                        "nvidia",
                        Integer.parseInt(minor),
                        numa(root.resolve("sys/bus/pci/devices").resolve(gpu.getFileName())),
                        null,
                        false,
                        null);
                // the minor number is not the one by which nvidia-smi lists it
                all.add(found.at(gpu.getFileName().toString(), null));
            }
        }
    }

    /** As people call it: {@code NVIDIA H100 80GB HBM3} is an H100. */
    static String nvidiaType(String model) {
        var words = model.replaceFirst("^NVIDIA ", "")
                .replaceFirst("^(Tesla|GeForce) ", "")
                .split(" ");
        boolean line = words.length > 1 && words[0].matches("RTX|GTX|TITAN|Quadro|GH200|DGX");
        return line ? words[0] + "-" + words[1] : words[0].split("-")[0];
    }

    private static void ascend(Path root, List<io.sluice.engines.Device> all) throws IOException {
        var type = "";
        for (var node : children(root.resolve("dev"))) {
            var davinci = DAVINCI.matcher(node.getFileName().toString());
            if (davinci.matches()) {
                type = type.isEmpty() ? ascendType(root) : type;
                int index = Integer.parseInt(davinci.group(1));
                var half = index / BOARD + (index % BOARD < HALF ? "a" : "b");
                all.add(new io.sluice.engines.Device(
                        "ascend-" + index, type, "ascend", index, null, half, false, null));
            }
        }
    }

    private static String ascendType(Path root) throws IOException {
        for (var card : children(root.resolve("sys/bus/pci/devices"))) {
            if (HUAWEI.equals(text(card.resolve("vendor")))) {
                var type = ASCEND_CHIPS.get(text(card.resolve("device")));
                if (type != null) {
                    return type;
                }
            }
        }
        return "Ascend";
    }

    private static void amd(Path root, List<io.sluice.engines.Device> all, Map<String, Integer> renders)
            throws IOException {
        int index = 0;
        for (var node : children(root.resolve("sys/class/kfd/kfd/topology/nodes"))) {
            var fields = fields(node.resolve("properties"));
            var render = fields.getOrDefault("drm_render_minor", "0");
            if (fields.getOrDefault("simd_count", "0").equals("0") || render.equals("0")) {
                continue;
            }
            var id = "amd-" + index;
            var target = gfx(fields.getOrDefault("gfx_target_version", "0"));
            renders.put(id, Integer.parseInt(render));
            var found = new io.sluice.engines.Device(
                    id, AMD_CHIPS.getOrDefault(target, "AMD-" + target), "amd", index, null, null, false, null);
            all.add(found.at(address(fields), null));
            index++;
        }
    }

    /** The bus, device and function that the driver keeps in one number; null where it is an old one. */
    private static @Nullable String address(Map<String, String> fields) {
        var place = fields.getOrDefault("location_id", "");
        var domain = fields.getOrDefault("domain", "0");
        if (!place.matches("\\d{1,9}") || !domain.matches("\\d{1,9}") || place.equals("0")) {
            return null;
        }
        int at = Integer.parseInt(place);
        return "%04x:%02x:%02x.%d".formatted(Integer.parseInt(domain), (at >> 8) & 0xff, (at >> 3) & 0x1f, at & 7);
    }

    /** {@code 90010} is gfx90a. */
    private static String gfx(String version) {
        int number = Integer.parseInt(version);
        return "gfx" + number / 10_000 + number / 100 % 100 + Integer.toHexString(number % 100);
    }

    /** What stands between the container and these devices, and nothing between it and any other is taken away. */
    void give(List<String> ids, Info info, HostConfig host, Map<String, String> environment, List<Mount> mounts) {
        VARIABLES.forEach(environment::remove);
        environment.put("NVIDIA_VISIBLE_DEVICES", NOTHING);
        environment.put("ASCEND_VISIBLE_DEVICES", NOTHING);
        environment.put("AMD_VISIBLE_DEVICES", NOTHING);
        var given = all.stream()
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
                .map(device -> Objects.requireNonNull(uuids.get(device.id())))
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
        var version = String.valueOf(info.getServerVersion()).split("\\.")[0];
        if (!version.matches("\\d+") || Integer.parseInt(version) < CDI_BY_DEFAULT) {
            return List.of();
        }
        var specs = new StringBuilder();
        for (var folder : CDI) {
            for (var file : children(root.resolve(folder))) {
                specs.append(text(file));
            }
        }
        if (specs.indexOf("nvidia.com/gpu") < 0) {
            return List.of();
        }
        return some.stream()
                .map(device -> {
                    var uuid = Objects.requireNonNull(uuids.get(device.id()));
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
        some.forEach(device -> nodes.add("/dev/dri/renderD" + renders.get(device.id())));
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
                throw new IllegalStateException("The device " + path + " is not there.", e);
            }
        }
        groups.remove("0");
        host.withDevices(devices).withGroupAdd(List.copyOf(groups));
    }

    private static @Nullable Integer numa(Path card) {
        var node = text(card.resolve("numa_node"));
        return node.matches("\\d+") ? Integer.valueOf(node) : null;
    }

    private static List<Path> children(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.sorted(Comparator.comparingInt(
                                    (Path file) -> file.getFileName().toString().length())
                            .thenComparing(file -> file.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            return List.of(); // what may not be read here can not be given either
        }
    }

    private static Map<String, String> fields(Path file) {
        var fields = new HashMap<String, String>();
        FIELD.matcher(text(file))
                .results()
                .forEach(field -> fields.put(
                        (field.group(1) == null ? field.group(2) : field.group(1)).strip(),
                        field.group(3).strip()));
        return fields;
    }

    /** Empty where there is nothing, or nothing that may be read. */
    private static String text(Path file) {
        try {
            return Files.isRegularFile(file) ? String.join("\n", Files.readAllLines(file)) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
