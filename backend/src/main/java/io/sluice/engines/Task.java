package io.sluice.engines;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run once.
 *
 * @param name which no other run of this install has, ever: 1 to 200 of {@code A-Z a-z 0-9 . _ -}, not beginning with a dot
 * @param labels given back with the run
 * @param node the name of one of the inventory
 * @param script as its author wrote it; bash runs it, or sh where there is none
 * @param environment exactly what the script sees, besides HOME, PATH, SHELL, LANG, USER and LOGNAME where they are not
 *     given; may hold secrets
 * @param image null where the engine has none, and where it may choose
 * @param cpus 0 = what others leave of one
 * @param memoryMB 0 = as much as there is
 * @param shmMB size of {@code /dev/shm}; 0 = the engine's default
 * @param devices ids of the node's
 * @param ports of the node, by label, that nobody else may have while this task runs
 * @param output gets every byte of standard output and standard error; its folder exists
 */
public record Task(
        String name,
        Map<String, String> labels,
        String node,
        String script,
        Map<String, String> environment,
        @Nullable Image image,
        int cpus,
        int memoryMB,
        int shmMB,
        List<String> devices,
        Map<String, List<Integer>> ports,
        List<Mount> mounts,
        Path output) {

    /** A file that every task finds: its environment, for a shell to {@code source} that does not have it. */
    public static final String ENVIRONMENT = "/pod.env";

    /** A label: tasks that have it in common reach one another, and others do not, where the engine keeps networks apart. Who has none is alone. */
    public static final String NETWORK = "network";

    /** A label: by this name the others of its network reach the task, where tasks have addresses of their own. */
    public static final String HOST = "host";

    /** A label: whose it is, in small letters, digits and dashes; images that were kept of tasks are for tasks of the same owner. */
    public static final String OWNER = "owner";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");

    public Task {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name of a task: " + name);
        }
        if (cpus < 0 || memoryMB < 0 || shmMB < 0) {
            throw new IllegalArgumentException("less than nothing is asked for: " + name);
        }
        if (script.indexOf('\0') >= 0 || environment.values().stream().anyMatch(value -> value.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("a zero byte in the script or environment of " + name);
        }
        if (!environment.keySet().stream().allMatch(Task::isVariable)) {
            throw new IllegalArgumentException("not a name of a variable in the environment of " + name);
        }
        labels = Map.copyOf(labels);
        environment = Map.copyOf(environment);
        devices = List.copyOf(devices);
        ports = Map.copyOf(ports);
        mounts = List.copyOf(mounts);
    }

    /** Asked for each variable of each task, and one of two thousand is told of ten thousand. */
    private static boolean isVariable(String name) {
        return !name.isEmpty() && name.indexOf('=') < 0 && name.indexOf('\0') < 0;
    }

    /** With variables that its author can not choose. */
    public Task with(Map<String, String> variables) {
        var all = new HashMap<>(environment);
        all.putAll(variables);
        return new Task(name, labels, node, script, all, image, cpus, memoryMB, shmMB, devices, ports, mounts, output);
    }

    /** Without what may hold a secret. */
    @Override
    public String toString() {
        return "Task[name=%s, labels=%s, node=%s, cpus=%d, memoryMB=%d, devices=%s, ports=%s]"
                .formatted(name, labels, node, cpus, memoryMB, devices, ports);
    }

    /**
     * A folder that the task sees under another name.
     *
     * @param source on the node, where it exists
     * @param target an absolute path in the task; {@code /userhome} is also its HOME and where it begins
     */
    public record Mount(Path source, String target, boolean readOnly) {}

    /**
     * What the task runs in.
     *
     * @param user with password, for a registry that asks; null = none
     * @param registry that these are for; null = the one that has the image
     * @param open to every owner's tasks, although it was kept of one owner's
     */
    public record Image(
            String name,
            @Nullable String user,
            @Nullable String password,
            @Nullable String registry,
            boolean open) {

        public Image(String name, @Nullable String user, @Nullable String password) {
            this(name, user, password, null, false);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
