package io.sluice.engines.docker.devices;

import io.sluice.engines.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What drivers show of a machine's devices.
 *
 * @param uuids of NVIDIA's, by their ids
 * @param renders the numbers of AMD's nodes, by their ids
 */
record Found(List<Device> all, Map<String, String> uuids, Map<String, Integer> renders) {

    private static final Pattern DAVINCI = Pattern.compile("davinci(\\d+)");
    private static final Pattern FIELD = Pattern.compile("(?m)^(?:([^:\n]+):|(\\S+) )\\s*(\\S.*)$");
    private static final int HALF = 4;
    private static final int BOARD = 8;
    private static final String HUAWEI = "0x19e5";
    private static final Map<String, String> ASCEND_CHIPS =
            Map.of("0xd801", "Ascend910A", "0xd802", "Ascend910B", "0xd803", "Ascend910C", "0xd500", "Ascend310P");
    private static final Map<String, String> AMD_CHIPS =
            Map.of("gfx906", "MI50", "gfx908", "MI100", "gfx90a", "MI200", "gfx942", "MI300X", "gfx950", "MI350X");
    private static final List<String> ORDER = List.of("nvidia", "ascend", "amd");
    private static final String GONE =
            "This machine does not show the device any more. Look at its driver and its slot.";

    Found {
        all = List.copyOf(all);
        uuids = Map.copyOf(uuids);
        renders = Map.copyOf(renders);
    }

    static Found of(List<Device> simulated) {
        return new Found(simulated, Map.of(), Map.of());
    }

    /**
     * @param root {@code /}, or a folder laid out like it
     * @param before what was found earlier: it keeps its ids, and what is gone of it stays, with that as its fault
     */
    static Found look(Path root, Found before) {
        var all = new ArrayList<Device>();
        var uuids = new HashMap<>(before.uuids());
        var renders = new HashMap<>(before.renders());
        nvidia(root, all, uuids);
        ascend(root, all);
        amd(root, all, renders);
        var there = new HashSet<String>();
        all.forEach(device -> there.add(device.id()));
        before.all().stream()
                .filter(device -> !there.contains(device.id()))
                .map(device -> device.judged(GONE, device.checked()))
                .forEach(all::add);
        all.sort(Comparator.comparingInt((Device device) -> ORDER.indexOf(device.vendor()))
                .thenComparingInt(Device::index));
        return new Found(all, uuids, renders);
    }

    private static void nvidia(Path root, List<Device> all, Map<String, String> uuids) {
        for (var gpu : children(root.resolve("proc/driver/nvidia/gpus"))) {
            var fields = fields(gpu.resolve("information"));
            var minor = fields.get("Device Minor");
            var uuid = fields.get("GPU UUID");
            if (minor != null && minor.matches("\\d+") && uuid != null && uuid.startsWith("GPU-")) {
                var id = "nvidia-" + minor;
                uuids.put(id, uuid);
                var found = new Device(
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

    private static void ascend(Path root, List<Device> all) {
        var type = "";
        for (var node : children(root.resolve("dev"))) {
            var davinci = DAVINCI.matcher(node.getFileName().toString());
            if (davinci.matches()) {
                type = type.isEmpty() ? ascendType(root) : type;
                int index = Integer.parseInt(davinci.group(1));
                var half = index / BOARD + (index % BOARD < HALF ? "a" : "b");
                all.add(new Device("ascend-" + index, type, "ascend", index, null, half, false, null));
            }
        }
    }

    private static String ascendType(Path root) {
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

    /** One that is known keeps its id, whichever of them are there: a task may have it. */
    private static void amd(Path root, List<Device> all, Map<String, Integer> renders) {
        for (var node : children(root.resolve("sys/class/kfd/kfd/topology/nodes"))) {
            var fields = fields(node.resolve("properties"));
            var render = Integer.parseInt(fields.getOrDefault("drm_render_minor", "0"));
            if (fields.getOrDefault("simd_count", "0").equals("0") || render == 0) {
                continue;
            }
            var id = renders.entrySet().stream()
                    .filter(known -> known.getValue() == render)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse("amd-" + renders.size());
            var target = gfx(fields.getOrDefault("gfx_target_version", "0"));
            renders.put(id, render);
            int index = Integer.parseInt(id.substring("amd-".length()));
            var found = new Device(
                    id, AMD_CHIPS.getOrDefault(target, "AMD-" + target), "amd", index, null, null, false, null);
            all.add(found.at(address(fields), null));
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

    private static @Nullable Integer numa(Path card) {
        var node = text(card.resolve("numa_node"));
        return node.matches("\\d+") ? Integer.valueOf(node) : null;
    }

    static List<Path> children(Path folder) {
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
    static String text(Path file) {
        try {
            return Files.isRegularFile(file) ? String.join("\n", Files.readAllLines(file)) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
