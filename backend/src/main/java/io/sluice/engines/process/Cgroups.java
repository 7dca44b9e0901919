package io.sluice.engines.process;

import io.sluice.engines.Task;
import io.sluice.engines.process.shell.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Limits by control groups, below the one this gateway is in itself (version 1), or below the nearest one in which it
 * may make some (version 2).
 */
final class Cgroups {

    private static final int PROCESSES = 16_384;
    private static final long PERIOD_MICROS = 100_000;
    private static final int SHARES = 1024;
    private static final int WEIGHT = 100;
    private static final int MOST_WEIGHT = 10_000;
    private static final int CPUS = Runtime.getRuntime().availableProcessors();
    private static final Set<String> NEEDED = Set.of("memory", "cpu", "pids");
    private static final String OWN = "/proc/self/cgroup";
    private static final String MOUNTS = "/proc/self/mountinfo";

    /** One folder of ours for each controller of version 1, or one for all of version 2; empty = no limits. */
    private final Map<String, Path> parents;

    private final boolean second;
    private final String note;

    private Cgroups(Map<String, Path> parents, boolean second, String note) {
        this.parents = parents;
        this.second = second;
        this.note = note;
    }

    /** What a task was given: folders of groups to enter, and the file that counts how often memory ran out; empty = none. */
    record Grant(List<Path> groups, String memoryEvents) {}

    static Cgroups find(String name) throws IOException {
        var first = new LinkedHashMap<String, Path>();
        var tried = new ArrayList<String>();
        try {
            first.putAll(versionOne(name));
            if (first.keySet().containsAll(NEEDED)) {
                probe(first.values());
                return new Cgroups(first, false, "by control groups, version 1");
            }
        } catch (IOException e) {
            tried.add("version 1: " + reason(e));
        }
        try {
            for (var folder : versionTwo()) {
                if (controls(folder)) {
                    return ofTwo(folder.resolve(name));
                }
            }
            tried.add("no group in which this user may make groups with memory, cpu and pids");
        } catch (IOException e) {
            tried.add(reason(e));
        }
        return new Cgroups(
                Map.of(), false, "not enforced: control groups can not be used (" + String.join("; ", tried) + ")");
    }

    boolean enforced() {
        return !parents.isEmpty();
    }

    String note() {
        return note;
    }

    Grant grant(Task task) throws IOException {
        var groups = new ArrayList<Path>();
        for (var parent : parents.entrySet()) {
            var group = parent.getValue().resolve(task.name());
            if (!Files.isDirectory(group)) {
                Files.createDirectory(group);
            }
            groups.add(group);
            if (second) {
                limitTwo(group, task);
            } else {
                limitOne(parent.getKey(), group, task);
            }
        }
        return new Grant(List.copyOf(groups), memoryEvents(task.name()));
    }

    /** Once all that entered them is gone. */
    void takeBack(String name) throws IOException {
        for (var parent : parents.values()) {
            Files.deleteIfExists(parent.resolve(name));
        }
    }

    /** Where no task is in them any more. */
    Void close() throws IOException {
        for (var parent : parents.values()) {
            try (var groups = Files.newDirectoryStream(parent, Files::isDirectory)) {
                if (!groups.iterator().hasNext()) {
                    Files.deleteIfExists(parent);
                }
            }
        }
        return null;
    }

    private String memoryEvents(String name) {
        var memory = parents.get(second ? "" : "memory");
        return memory == null
                ? ""
                : memory.resolve(name)
                        .resolve(second ? "memory.events" : "memory.oom_control")
                        .toString();
    }

    private static void limitOne(String controller, Path group, Task task) throws IOException {
        switch (controller) {
            case "memory" -> {
                if (task.memoryMB() > 0) {
                    var bytes = Long.toString((long) task.memoryMB() << 20);
                    write(group.resolve("memory.limit_in_bytes"), bytes);
                    if (Files.exists(group.resolve("memory.memsw.limit_in_bytes"))) {
                        write(group.resolve("memory.memsw.limit_in_bytes"), bytes);
                    }
                }
            }
            case "cpu" -> {
                write(group.resolve("cpu.shares"), Integer.toString(shares(SHARES, task.cpus())));
                write(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
                write(group.resolve("cpu.cfs_quota_us"), Long.toString(most(task)));
            }
            case "pids" -> write(group.resolve("pids.max"), Integer.toString(PROCESSES));
            default -> throw new IllegalStateException(controller);
        }
    }

    private static void limitTwo(Path group, Task task) throws IOException {
        if (task.memoryMB() > 0) {
            write(group.resolve("memory.max"), Long.toString((long) task.memoryMB() << 20));
            if (Files.exists(group.resolve("memory.swap.max"))) {
                write(group.resolve("memory.swap.max"), "0");
            }
        }
        write(group.resolve("cpu.weight"), weight(task.cpus()));
        write(group.resolve("cpu.max"), most(task) + " " + PERIOD_MICROS);
        write(group.resolve("pids.max"), Integer.toString(PROCESSES));
    }

    private static String weight(int cpus) {
        return Integer.toString(Math.min(MOST_WEIGHT, shares(WEIGHT, cpus)));
    }

    /** Who asked for no processor gets what the others leave. */
    private static int shares(int each, int cpus) {
        return cpus == 0 ? each / 10 : each * cpus;
    }

    /** In a period; of one processor at most where none was asked for. */
    private static long most(Task task) {
        return Math.max(1, task.cpus()) * PERIOD_MICROS;
    }

    private static Map<String, Path> versionOne(String name) throws IOException {
        var folders = new LinkedHashMap<String, Path>();
        for (var line : Files.readAllLines(Path.of(OWN))) {
            var parts = line.split(":", 3);
            for (var controller : parts[1].split(",")) {
                if (NEEDED.contains(controller)) {
                    var folder = mounted(controller, parts[2]).resolve(name);
                    Files.createDirectories(folder);
                    if (controller.equals("cpu")) {
                        // else all tasks together would weigh as much as one process beside them
                        write(folder.resolve("cpu.shares"), Integer.toString(SHARES * CPUS));
                    }
                    folders.put(controller, folder);
                }
            }
        }
        return folders;
    }

    /** Where the group of a controller can be seen; a container may have only its own part of the tree mounted. */
    private static Path mounted(String controller, String group) throws IOException {
        for (var line : Files.readAllLines(Path.of(MOUNTS))) {
            var sides = line.split(" - ", 2);
            var kind = sides[1].split(" ");
            boolean wanted = controller.isEmpty()
                    ? kind[0].equals("cgroup2")
                    : kind[0].equals("cgroup") && List.of(kind[2].split(",")).contains(controller);
            if (wanted) {
                var fields = sides[0].split(" ");
                var below = group.startsWith(fields[3]) ? group.substring(fields[3].length()) : group;
                return Path.of(fields[4] + "/" + below).normalize();
            }
        }
        throw new NoSuchFileException("control groups" + (controller.isEmpty() ? "" : " for " + controller));
    }

    /** From the gateway's own group upwards. */
    private static List<Path> versionTwo() throws IOException {
        var folders = new ArrayList<Path>();
        for (var line : Files.readAllLines(Path.of(OWN))) {
            if (line.startsWith("0::")) {
                var top = mounted("", "/");
                for (var folder = mounted("", line.substring(3));
                        folder != null && folder.startsWith(top);
                        folder = folder.getParent()) {
                    folders.add(folder);
                }
            }
        }
        return folders;
    }

    private static boolean controls(Path folder) {
        try {
            return Files.isWritable(folder)
                    && words(folder.resolve("cgroup.controllers")).containsAll(NEEDED)
                    && (words(folder.resolve("cgroup.subtree_control")).containsAll(NEEDED) || hasTurnedOn(folder));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean hasTurnedOn(Path folder) throws IOException {
        write(folder.resolve("cgroup.subtree_control"), "+memory +cpu +pids");
        return true;
    }

    private static Cgroups ofTwo(Path parent) throws IOException {
        Files.createDirectories(parent);
        write(parent.resolve("cgroup.subtree_control"), "+memory +cpu +pids");
        write(parent.resolve("cpu.weight"), weight(CPUS));
        var leaf = Files.createDirectories(parent.resolve("probe"));
        probe(List.of(leaf));
        Files.delete(leaf);
        return new Cgroups(Map.of("", parent), true, "by control groups, version 2");
    }

    /** Making a group is one right, moving a process into it another. */
    private static void probe(Iterable<Path> groups) throws IOException {
        var script = new StringBuilder();
        groups.forEach(group -> script.append("echo 0 > ")
                .append(Shell.quote(group + "/cgroup.procs"))
                .append(" || exit 1;"));
        var process = new ProcessBuilder("bash", "-pc", script.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("a process can not be moved into a group");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static List<String> words(Path file) throws IOException {
        return List.of(Files.readString(file).strip().split("\\s+"));
    }

    private static void write(Path file, String value) throws IOException {
        Files.writeString(file, value, java.nio.file.StandardOpenOption.WRITE);
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName().replace("Exception", "") + " " + e.getMessage();
    }
}
