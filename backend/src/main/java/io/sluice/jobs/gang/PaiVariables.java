package io.sluice.jobs.gang;

import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.JobSpec.Folders;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Resources;
import io.sluice.jobs.protocol.JobSpec.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The variables that OpenPAI gave a task, with the values it really gave, and ours. What the job itself sets is not among them. Built once for a job and its
 * placements, asked once for each task. Variables that choose devices are put on top of these, never under them.
 */
public final class PaiVariables {
    /** The kernel takes 2 MiB of arguments and variables by default, and 128 KiB in one of them. */
    private static final int MOST_BYTES = 1_000_000;

    private static final int LONGEST = 128 * 1024 - 1;

    /** Where a task begins, and its HOME. */
    public static final String HOME = "/userhome";

    /** Where a task is; without an address: not placed yet. */
    public record Placed(String role, int index, @Nullable String address, Map<String, List<Integer>> ports) {}

    /** Who asks. {@code containerId} is how the API calls this run, {@code workDir} where it begins. */
    public record Self(
            String role,
            int index,
            int jobAttempt,
            int taskAttempt,
            String containerId,
            @Nullable String workDir) {}

    private final JobSpec spec;
    private final String user;
    private final String fileSystem;
    private final Map<String, Placed> placed = new LinkedHashMap<>();
    private final Map<String, String> shared = new LinkedHashMap<>();

    /** @param fileSystem begins the folders of protocol 1, as {@code hdfs://host:port} did; may be empty */
    public PaiVariables(JobSpec spec, String user, String fileSystem, List<Placed> placed) {
        this.spec = spec;
        this.user = user;
        this.fileSystem = fileSystem;
        placed.forEach(task -> this.placed.put(task.role() + ":" + task.index(), task));
        job(shared);
        if (spec.protocol() == 1 || !spec.folders().equals(Folders.NONE)) {
            folders(shared);
        }
        int left = MOST_BYTES - bytes(shared);
        for (Map<String, String> group : List.of(
                everyRole((role, into) -> hosts(role, role.name(), into)),
                everyRole((role, into) -> ports(role, role.name(), into)),
                everyRole((role, into) -> compatible(role, role.name(), into)),
                everyRole(this::mangled))) {
            int size = bytes(group);
            // all of a kind or nothing of it, so that a program does not miss one in the middle
            if (size <= left) {
                shared.putAll(group);
                left -= size;
            }
        }
        shared.values().removeIf(value -> value.length() > LONGEST - 200);
    }

    /** The caller's own, to be changed at will. */
    public Map<String, String> of(Self self) {
        var variables = new LinkedHashMap<>(shared);
        Role role = spec.role(self.role());
        current(variables, self);
        framework(variables, self);
        if (spec.protocol() == 1) {
            former(variables, self, role);
        }
        return variables;
    }

    private static int bytes(Map<String, String> group) {
        return group.entrySet().stream()
                .mapToInt(entry -> entry.getKey().length() + entry.getValue().length() + 10)
                .sum();
    }

    private String fullName() {
        return user + "~" + spec.name();
    }

    private void job(Map<String, String> variables) {
        String roles = spec.roles().stream().map(Role::name).collect(Collectors.joining(","));
        variables.put("PAI_JOB_NAME", fullName());
        variables.put("PAI_FRAMEWORK_NAME", fullName());
        variables.put("SLUICE_JOB_NAME", spec.name());
        variables.put("PAI_USER_NAME", user);
        variables.put("PAI_USERNAME", user);
        variables.put("PAI_DEFAULT_FS_URI", fileSystem);
        variables.put("PAI_VIRTUAL_CLUSTER", spec.virtualCluster());
        for (String name : List.of("PAI_TASK_ROLE_COUNT", "PAI_TASK_ROLES_NUM", "PAI_JOB_TASK_ROLE_COUNT")) {
            variables.put(name, Integer.toString(spec.roles().size()));
        }
        variables.put("PAI_TASK_ROLE_LIST", roles);
        variables.put("PAI_JOB_TASK_ROLE_LIST", roles);
        variables.put("PAI_TASKS_NUM", Integer.toString(spec.taskCount()));
        variables.put("PAI_JOB_TASK_COUNT", Integer.toString(spec.taskCount()));
        for (Role role : spec.roles()) {
            variables.put("PAI_TASK_ROLE_TASK_COUNT_" + role.name(), Integer.toString(role.instances()));
            variables.put("PAI_RESOURCE_" + role.name(), resources(role));
            variables.put("PAI_MIN_FAILED_TASK_COUNT_" + role.name(), minFailed(role));
            variables.put("PAI_MIN_SUCCEEDED_TASK_COUNT_" + role.name(), minSucceeded(role));
        }
        variables.put(
                "PAI_TASK_ROLE_INSTANCES",
                spec.roles().stream()
                        .flatMap(role -> IntStream.range(0, role.instances()).mapToObj(i -> role.name() + ":" + i))
                        .collect(Collectors.joining(",")));
    }

    private static String resources(Role role) {
        Resources one = role.resources();
        int shm = one.shmMB() == null ? 0 : one.shmMB();
        return one.gpu() + "," + one.cpu() + "," + one.memoryMB() + "," + shm;
    }

    private static String minFailed(Role role) {
        return role.minFailed() == null ? "-1" : role.minFailed().toString();
    }

    private String minSucceeded(Role role) {
        Integer count = role.minSucceeded();
        if (count == null) {
            return spec.protocol() == 1 ? Integer.toString(role.instances()) : "-1";
        }
        return count.toString();
    }

    private void folders(Map<String, String> variables) {
        Folders folders = spec.folders();
        String output = folders.output().isEmpty()
                ? fileSystem + "/Output/" + user + "/" + spec.name()
                : located(folders.output());
        variables.put("PAI_DATA_DIR", located(folders.data()));
        variables.put("PAI_OUTPUT_DIR", output);
        variables.put("PAI_CODE_DIR", located(folders.code()));
    }

    /** The longer name first: one begins with the other. */
    private String located(String folder) {
        return folder.replace("$PAI_DEFAULT_FS_URI", fileSystem)
                .replace("$PAI_JOB_NAME", spec.name())
                .replace("$PAI_USER_NAME", user)
                .replace("$PAI_USERNAME", user);
    }

    private Map<String, String> everyRole(BiConsumer<Role, Map<String, String>> group) {
        var variables = new LinkedHashMap<String, String>();
        spec.roles().forEach(role -> group.accept(role, variables));
        return variables;
    }

    private void hosts(Role role, String name, Map<String, String> variables) {
        var list = new ArrayList<String>();
        for (Placed task : tasks(role)) {
            variables.put("PAI_HOST_IP_" + name + "_" + task.index(), String.valueOf(task.address()));
            list.add(task.address() + ":" + first(task, "http"));
        }
        variables.put("PAI_TASK_ROLE_" + name + "_HOST_LIST", String.join(",", list));
    }

    private void ports(Role role, String name, Map<String, String> variables) {
        for (Placed task : tasks(role)) {
            role.ports()
                    .forEach(port -> variables.put(
                            "PAI_PORT_LIST_" + name + "_" + task.index() + "_" + port.label(),
                            joined(task, port.label())));
        }
    }

    private void compatible(Role role, String name, Map<String, String> variables) {
        for (Placed task : tasks(role)) {
            role.ports()
                    .forEach(port -> variables.put(
                            "PAI_" + name + "_" + task.index() + "_" + port.label() + "_PORT",
                            joined(task, port.label())));
        }
    }

    /** On Kubernetes a role was called differently in these, which scripts came to rely on. */
    private void mangled(Role role, Map<String, String> variables) {
        String name = mangled(role.name());
        boolean taken = spec.roles().stream().anyMatch(other -> other.name().equals(name));
        if (spec.protocol() == 2 && !name.isEmpty() && !taken) {
            hosts(role, name, variables);
            ports(role, name, variables);
            compatible(role, name, variables);
        }
    }

    private static String mangled(String role) {
        return role.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Those that are somewhere. */
    private List<Placed> tasks(Role role) {
        return IntStream.range(0, role.instances())
                .mapToObj(index -> placed.get(role.name() + ":" + index))
                .filter(task -> task != null && task.address() != null)
                .toList();
    }

    private static String joined(Placed task, String label) {
        return task.ports().getOrDefault(label, List.of()).stream()
                .map(Object::toString)
                .collect(Collectors.joining(","));
    }

    private static String first(Placed task, String label) {
        return task.ports().getOrDefault(label, List.of()).stream()
                .findFirst()
                .map(Object::toString)
                .orElse("");
    }

    private void current(Map<String, String> variables, Self self) {
        variables.put("PAI_CURRENT_TASK_ROLE_NAME", self.role());
        variables.put("PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX", Integer.toString(self.index()));
        variables.put("PAI_TASK_INDEX", Integer.toString(self.index()));
        if (self.workDir() != null) {
            variables.put("PAI_WORK_DIR", self.workDir());
        }
        Placed here = placed.get(self.role() + ":" + self.index());
        if (here != null && here.address() != null) {
            variables.put("PAI_CURRENT_CONTAINER_IP", here.address());
            variables.put("PAI_CONTAINER_HOST_IP", here.address());
            variables.put("PAI_CURRENT_CONTAINER_PORT", first(here, "http"));
            variables.put("PAI_CONTAINER_HOST_PORT", first(here, "http"));
            variables.put("PAI_CONTAINER_SSH_PORT", first(here, "ssh"));
            var list = new StringBuilder();
            for (Port port : spec.role(self.role()).ports()) {
                variables.put("PAI_CONTAINER_HOST_" + port.label() + "_PORT_LIST", joined(here, port.label()));
                list.append(port.label())
                        .append(':')
                        .append(joined(here, port.label()))
                        .append(';');
            }
            variables.put("PAI_CONTAINER_HOST_PORT_LIST", list.toString());
        }
    }

    /** What FrameworkController gave; its ids are ours, stable for the same attempt. */
    private void framework(Map<String, String> variables, Self self) {
        String framework = md5(fullName());
        String role = mangled(self.role());
        String attempt = fullName() + "/" + self.jobAttempt();
        String task = attempt + "/" + self.role() + "/" + self.index();
        variables.put("FC_FRAMEWORK_NAMESPACE", "default");
        variables.put("FC_FRAMEWORK_NAME", framework);
        variables.put("FC_TASKROLE_NAME", role);
        variables.put("FC_TASK_INDEX", Integer.toString(self.index()));
        variables.put("FC_CONFIGMAP_NAME", framework + "-attempt");
        variables.put("FC_POD_NAME", framework + "-" + role + "-" + self.index());
        variables.put("FC_FRAMEWORK_UID", uuid(fullName()));
        variables.put("FC_FRAMEWORK_ATTEMPT_ID", Integer.toString(self.jobAttempt()));
        variables.put("FC_FRAMEWORK_ATTEMPT_INSTANCE_UID", self.jobAttempt() + "_" + uuid(attempt));
        variables.put("FC_TASKROLE_UID", uuid(attempt + "/" + self.role()));
        variables.put("FC_TASK_UID", uuid(task));
        variables.put("FC_TASK_ATTEMPT_ID", Integer.toString(self.taskAttempt()));
        variables.put("FC_TASK_ATTEMPT_INSTANCE_UID", self.taskAttempt() + "_" + self.containerId());
        variables.put("FC_POD_UID", self.containerId());
    }

    private static String uuid(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private static String md5(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void former(Map<String, String> variables, Self self, Role role) {
        Resources resources = role.resources();
        String tasks = Integer.toString(role.instances());
        variables.put("PAI_CONTAINER_ID", self.containerId());
        variables.put("PAI_TASK_ROLE_INDEX", Integer.toString(self.index()));
        variables.put("PAI_RESOURCE", resources(role));
        variables.put("PAI_TASK_ROLE_NAME", self.role());
        variables.put("PAI_TASK_ROLE_NUM", tasks);
        variables.put("PAI_CURRENT_TASK_ROLE_TASK_COUNT", tasks);
        variables.put("PAI_TASK_CPU_NUM", Integer.toString(resources.cpu()));
        variables.put("PAI_CURRENT_TASK_ROLE_CPU_COUNT", Integer.toString(resources.cpu()));
        variables.put("PAI_TASK_MEM_MB", Integer.toString(resources.memoryMB()));
        variables.put("PAI_CURRENT_TASK_ROLE_MEM_MB", Integer.toString(resources.memoryMB()));
        variables.put("PAI_TASK_GPU_NUM", Integer.toString(resources.gpu()));
        variables.put("PAI_CURRENT_TASK_ROLE_GPU_COUNT", Integer.toString(resources.gpu()));
        variables.put("PAI_CURRENT_TASK_ROLE_SHM_MB", String.valueOf(resources.shmMB()));
        variables.put("PAI_CURRENT_TASK_ROLE_MIN_FAILED_TASK_COUNT", minFailed(role));
        variables.put("PAI_CURRENT_TASK_ROLE_MIN_SUCCEEDED_TASK_COUNT", minSucceeded(role));
    }
}
