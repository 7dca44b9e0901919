package io.sluice.telemetry.tasks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Control groups of both versions: where a process is in them, and what they count. One that the gateway is in itself tells nothing of a task. */
final class Groups {
    private static final String SECOND = "";
    private static final Pattern MOUNT = Pattern.compile("\\S+ \\S+ \\S+ (\\S+) (\\S+) .* - (cgroup2?) \\S+ (\\S+)");

    private final Path proc;
    private final Map<String, Path> mounts = new HashMap<>();
    private final Map<String, String> roots = new HashMap<>();
    private final Map<String, String> own;

    Groups(Path proc) throws IOException {
        this.proc = proc;
        for (String line : Files.readAllLines(proc.resolve("self/mountinfo"))) {
            Matcher mount = MOUNT.matcher(line);
            if (mount.matches()) {
                List<String> names = mount.group(3).equals("cgroup2")
                        ? List.of(SECOND)
                        : List.of(mount.group(4).split(","));
                names.forEach(name -> {
                    mounts.putIfAbsent(name, Path.of(mount.group(2)));
                    roots.putIfAbsent(name, mount.group(1));
                });
            }
        }
        own = places("self");
    }

    /** By controller, version 2 under the empty name. */
    private Map<String, String> places(String pid) throws IOException {
        var places = new HashMap<String, String>();
        for (String line : Files.readAllLines(proc.resolve(pid).resolve("cgroup"))) {
            String[] words = line.split(":", 3);
            if (words.length == 3) {
                for (String controller : words[1].split(",", -1)) {
                    places.put(controller, words[2]);
                }
            }
        }
        return places;
    }

    /** The groups that a process is in and the gateway is not. */
    final class Place {
        private final Map<String, String> places;

        private Place(Map<String, String> places) {
            this.places = places;
        }

        private Optional<Path> folder(String controller) {
            String at = places.get(controller);
            Path mount = mounts.get(controller);
            if (at == null || mount == null || at.equals(own.get(controller))) {
                return Optional.empty();
            }
            String root = roots.getOrDefault(controller, "/");
            String inside = !root.equals("/") && at.startsWith(root) ? at.substring(root.length()) : at;
            Path folder = mount.resolve(inside.replaceFirst("^/+", "")).normalize();
            return folder.startsWith(mount) && !folder.equals(mount) && Files.isDirectory(folder)
                    ? Optional.of(folder)
                    : Optional.empty();
        }

        double cpuSeconds() {
            double second = folder(SECOND)
                    .map(group -> field(group.resolve("cpu.stat"), "usage_usec"))
                    .orElse(Double.NaN);
            return Double.isNaN(second)
                    ? folder("cpuacct")
                                    .map(group -> number(group.resolve("cpuacct.usage")))
                                    .orElse(Double.NaN)
                            / 1e9
                    : second / 1e6;
        }

        /** Without what the kernel keeps of files and gives back when it is asked to. */
        double memoryBytes() {
            var second = folder(SECOND);
            double used =
                    second.map(group -> number(group.resolve("memory.current"))).orElse(Double.NaN);
            if (!Double.isNaN(used)) {
                return less(used, field(second.get().resolve("memory.stat"), "inactive_file"));
            }
            return folder("memory")
                    .map(group -> less(
                            number(group.resolve("memory.usage_in_bytes")),
                            field(group.resolve("memory.stat"), "total_inactive_file")))
                    .orElse(Double.NaN);
        }

        private double less(double used, double cached) {
            return Double.isNaN(cached) ? used : Math.max(0, used - cached);
        }
    }

    Place of(long pid) throws IOException {
        return new Place(places(Long.toString(pid)));
    }

    private static double number(Path file) {
        try {
            return Double.parseDouble(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            return Double.NaN; // a controller that is not there tells nothing
        }
    }

    private static double field(Path file, String name) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line ->
                            Double.parseDouble(line.substring(name.length() + 1).strip()))
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException | NumberFormatException e) {
            return Double.NaN;
        }
    }
}
