package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.Fields.Shape;
import io.sluice.jobs.protocol.JobSpec.About;
import io.sluice.jobs.protocol.JobSpec.Folders;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.JobSpec.Resources;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.protocol.document.Item.Mapping;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Protocol 1: OpenPAI until 0.14, with what Leinao added. */
final class ProtocolV1 {
    /** How the image's prerequisite is called, which this protocol has no name for. */
    static final String IMAGE = "image";

    private static final int LEAST_RETRY = -2;

    private final Faults faults;
    private final List<Read.Warning> warnings;
    private final Apps apps;

    ProtocolV1(Faults faults, Apps apps, List<Read.Warning> warnings) {
        this.faults = faults;
        this.apps = apps;
        this.warnings = warnings;
    }

    JobSpec read(Mapping root) {
        Fields job = Fields.of(root, faults, true);
        job.require("jobName", "image", "taskRoles");
        String name = job.name("jobName", Shape.V1_NAME);
        String image = required(job, "image");
        Folders folders = folders(job);
        String virtualCluster = job.text("virtualCluster", "");
        String gpuType = job.text("gpuType", "");
        int retryCount = job.integer("retryCount", LEAST_RETRY, Protocols.MOST, 0);
        obsolete(job);
        List<Role> roles = roles(job);
        Extras extras = Extras.read(job, roles, apps, faults);
        Map<String, String> environment = environment(job, extras.environment());
        job.close();
        return new JobSpec(
                1,
                name == null ? "" : name,
                About.NOTHING,
                virtualCluster.isEmpty() ? "default" : virtualCluster,
                extras.priority(),
                retryCount,
                extras.gang(),
                extras.preemptible(),
                extras.maxRunSeconds(),
                deviceType(gpuType, extras),
                gpuType.equals("debug") || Boolean.parseBoolean(environment.get("isDebug")) || extras.debug(),
                extras.equip(roles),
                List.of(prerequisite(image)),
                Map.of(),
                List.of(),
                List.of(),
                null,
                environment,
                folders,
                extras.plugins(),
                extras.storages(),
                extras.notifications(),
                extras.submitFrom(),
                extras.rest());
    }

    /** The same four in protocol 1 and in {@code extras.sluice.folders}. */
    static Folders folders(Fields fields) {
        return new Folders(
                fields.text("authFile", ""),
                fields.text("dataDir", ""),
                fields.text("outputDir", ""),
                fields.text("codeDir", ""));
    }

    private void obsolete(Fields job) {
        if (job.integer("killAllOnCompletedTaskNumber", Integer.MIN_VALUE, Integer.MAX_VALUE) != null) {
            warnings.add(Read.Warning.OBSOLETE);
        }
    }

    private static @Nullable String deviceType(String gpuType, Extras extras) {
        return gpuType.isEmpty() || gpuType.equals("debug") ? extras.deviceType() : gpuType;
    }

    private static Prerequisite prerequisite(String image) {
        return new Prerequisite(
                Kind.DOCKERIMAGE,
                IMAGE,
                List.of(image),
                null,
                null,
                List.of(),
                List.of(),
                false,
                About.NOTHING,
                Map.of());
    }

    private static String required(Fields fields, String key) {
        String text = fields.text(key, "");
        if (fields.has(key) && text.isBlank() && fields.isText(key)) {
            fields.fault(key, "emptyText");
        }
        return text;
    }

    private List<Role> roles(Fields job) {
        var roles = new ArrayList<Role>();
        Set<String> names = new HashSet<>();
        for (Child child : job.list("taskRoles", 1)) {
            Fields fields = job.object(child);
            if (fields != null) {
                Role role = role(fields);
                if (!role.name().isEmpty() && !names.add(role.name())) {
                    fields.fault("name", "duplicateName", role.name());
                }
                roles.add(role);
            }
        }
        return roles;
    }

    private Role role(Fields role) {
        role.require("name", "command");
        String name = role.name("name", Shape.V1_LABEL);
        int tasks = role.integer("taskNumber", 1, Protocols.MOST_TASKS, 1);
        int cpu = role.integer("cpuNumber", 0, Protocols.MOST, 1);
        int memory = role.integer("memoryMB", 0, Protocols.MOST, 100);
        // the server refused its own default where a task asks for less memory; that default gives way here
        int shm = role.integer("shmMB", 0, Protocols.MOST, Math.min(64, memory));
        if (shm > memory) {
            role.fault("shmMB", "shmOverMemory", Integer.toString(shm), Integer.toString(memory));
        }
        int gpu = role.integer("gpuNumber", 0, Protocols.MOST_DEVICES, 0);
        List<Port> ports = ports(role);
        String command = required(role, "command");
        Integer minFailed = count(role, "minFailedTaskCount", 1);
        Integer minSucceeded = count(role, "minSucceededTaskCount", null);
        atMost(role, "minFailedTaskCount", minFailed, tasks);
        atMost(role, "minSucceededTaskCount", minSucceeded, tasks);
        role.close();
        return new Role(
                name == null ? "" : name,
                tasks,
                minFailed,
                minSucceeded,
                0,
                IMAGE,
                null,
                null,
                null,
                List.of(),
                new Resources(cpu, memory, gpu, shm, false),
                null,
                ports,
                List.of(command));
    }

    private static @Nullable Integer count(Fields role, String key, @Nullable Integer absent) {
        if (role.isNull(key)) {
            role.known(key);
            return null;
        }
        Integer count = role.integer(key, 1, Protocols.MOST);
        return count == null ? absent : count;
    }

    private static void atMost(Fields role, String key, @Nullable Integer count, int tasks) {
        if (count != null && count > tasks && role.has(key)) {
            role.fault(key, "exact.minTaskCount");
        }
    }

    private List<Port> ports(Fields role) {
        Map<String, Port> ports = Port.always();
        Set<String> labels = new HashSet<>();
        for (Child child : role.list("portList", 0)) {
            Fields fields = role.object(child);
            if (fields != null) {
                fields.require("label");
                String label = fields.name("label", Shape.V1_LABEL);
                int beginAt = fields.integer("beginAt", 0, Protocols.HIGHEST_PORT, 0);
                int count = fields.integer("portNumber", 0, Protocols.MOST_PORTS, 1);
                Port.check(fields, "beginAt", beginAt, count);
                fields.close();
                if (label != null) {
                    if (!labels.add(label)) {
                        fields.fault("label", "duplicateName", label);
                    }
                    ports.put(label, new Port(label, count, beginAt));
                }
            }
        }
        return List.copyOf(ports.values());
    }

    private Map<String, String> environment(Fields job, Map<String, String> more) {
        var environment = new LinkedHashMap<>(more);
        for (Child child : job.children("jobEnvs", 0)) {
            if (Fields.isVariable(child.name())) {
                environment.put(child.name(), Fields.variable(child.item()));
            } else {
                faults.add(child.place(), child.path(), "environmentName", Fields.brief(child.name()));
            }
        }
        return environment;
    }
}
