package io.sluice.jobs.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.sluice.jobs.protocol.JobSpec.About;
import io.sluice.jobs.protocol.JobSpec.Around;
import io.sluice.jobs.protocol.JobSpec.Auth;
import io.sluice.jobs.protocol.JobSpec.Deployment;
import io.sluice.jobs.protocol.JobSpec.Event;
import io.sluice.jobs.protocol.JobSpec.Hook;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.JobSpec.Priority;
import io.sluice.jobs.protocol.JobSpec.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Writes a job as protocol 2, in one canonical form: what {@link ProtocolV2} reads of it is the same job. A job of
 * protocol 1 becomes one of protocol 2 that does the same.
 */
final class Export {
    /** Protocol 1 runs a command without these. */
    private static final String PLAIN_SHELL =
            "set +o errexit +o nounset; [ -z \"${BASH_VERSION:-}\" ] || set +o pipefail";

    private static final ObjectWriter JSON = new ObjectMapper().writerWithDefaultPrettyPrinter();

    private final JobSpec spec;
    private final Map<String, String> roleNames = new LinkedHashMap<>();

    private Export(JobSpec spec) {
        this.spec = spec;
        for (Role role : spec.roles()) {
            String name = key(role.name());
            while (roleNames.containsValue(name)) {
                name += "_";
            }
            roleNames.put(role.name(), name);
        }
    }

    static String yaml(JobSpec spec, Map<String, String> secrets) {
        return yaml(new Export(spec).job(secrets));
    }

    /** Of maps, lists, texts, numbers and flags. */
    static String yaml(Map<String, Object> job) {
        DumpSettings settings = DumpSettings.builder()
                .setSchema(new CoreSchema())
                .setDefaultFlowStyle(FlowStyle.BLOCK)
                .setDereferenceAliases(true)
                .setIndicatorIndent(2)
                .setIndentWithIndicator(true)
                .setSplitLines(false)
                .setMaxSimpleKeyLength(1000)
                .build();
        return new Dump(settings).dumpToString(job);
    }

    static String json(JobSpec spec) {
        try {
            return JSON.writeValueAsString(new Export(spec).job(Map.of())) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job of maps, lists and texts can not be written as JSON", e);
        }
    }

    private static String key(String name) {
        String key = name.replaceAll("[^a-zA-Z0-9_]", "_");
        return Character.isDigit(key.charAt(0)) ? "_" + key : key;
    }

    private static String nameOf(String name) {
        return name.replaceAll("[^a-zA-Z0-9_-]", "_");
    }

    private Map<String, Object> job(Map<String, String> secrets) {
        var job = new LinkedHashMap<String, Object>();
        job.put("protocolVersion", 2);
        job.put("name", spec.protocol() == 1 ? nameOf(spec.name()) : spec.name());
        job.put("type", "job");
        about(job, spec.about());
        some(
                job,
                "prerequisites",
                spec.prerequisites().stream().map(Export::prerequisite).toList());
        some(job, "parameters", spec.parameters());
        if (!spec.secrets().isEmpty()) {
            job.put("secrets", secrets.isEmpty() ? Secrets.MASK : secrets);
        }
        if (spec.retryCount() > 0) {
            job.put("jobRetryCount", spec.retryCount());
        }
        var roles = new LinkedHashMap<String, Object>();
        spec.roles().forEach(role -> roles.put(renamed(role.name()), role(role)));
        job.put("taskRoles", roles);
        some(
                job,
                "deployments",
                spec.deployments().stream().map(this::deployment).toList());
        var defaults = new LinkedHashMap<String, Object>();
        defaults.put("virtualCluster", spec.virtualCluster());
        put(defaults, "deployment", spec.deployment());
        job.put("defaults", defaults);
        some(job, "extras", extras());
        return job;
    }

    private String renamed(String role) {
        return spec.protocol() == 1 ? roleNames.getOrDefault(role, role) : role;
    }

    private static void about(Map<String, Object> into, About about) {
        put(into, "version", about.version());
        put(into, "contributor", about.contributor());
        put(into, "description", about.description());
    }

    private static Map<String, Object> prerequisite(Prerequisite one) {
        var map = new LinkedHashMap<String, Object>();
        map.put("name", one.name());
        map.put("type", one.kind().name().toLowerCase(Locale.ROOT));
        about(map, one.about());
        if (!one.uris().isEmpty()) {
            map.put("uri", one.kind() == Kind.DATA ? one.uris() : one.uris().getFirst());
        }
        Auth auth = one.auth();
        if (auth != null) {
            var inner = new LinkedHashMap<String, Object>();
            put(inner, "username", auth.username());
            put(inner, "password", auth.password());
            inner.put("registryuri", auth.registry());
            map.put("auth", inner);
        }
        put(map, "plugin", one.plugin());
        some(map, "require", one.require());
        some(map, "callbacks", one.callbacks().stream().map(Export::hook).toList());
        if (one.ignoreFailure()) {
            map.put("failurePolicy", "ignore");
        }
        map.putAll(one.more());
        return map;
    }

    private static Map<String, Object> hook(Hook hook) {
        var map = new LinkedHashMap<String, Object>();
        map.put("event", hook.event() == Event.TASK_STARTS ? "taskStarts" : "taskSucceeds");
        map.put("commands", hook.commands());
        return map;
    }

    private Map<String, Object> role(Role role) {
        var map = new LinkedHashMap<String, Object>();
        map.put("instances", role.instances());
        map.put("completion", completion(role));
        if (role.taskRetryCount() != 0) {
            map.put("taskRetryCount", role.taskRetryCount());
        }
        some(map, "prerequisites", role.prerequisites());
        map.put("dockerImage", role.image());
        put(map, "data", role.data());
        put(map, "output", role.output());
        put(map, "script", role.script());
        var options = new LinkedHashMap<String, Object>();
        put(options, "shmMB", role.resources().shmMB());
        if (role.resources().infiniband()) {
            options.put("infiniband", true);
        }
        some(map, "extraContainerOptions", options);
        map.put("resourcePerInstance", resources(role));
        var commands = new ArrayList<String>();
        if (spec.protocol() == 1) {
            commands.add(PLAIN_SHELL);
        }
        commands.addAll(role.commands());
        map.put("commands", commands);
        return map;
    }

    private static Map<String, Object> completion(Role role) {
        var map = new LinkedHashMap<String, Object>();
        Integer minFailed = role.minFailed();
        Integer minSucceeded = role.minSucceeded();
        map.put("minFailedInstances", minFailed == null ? -1 : minFailed);
        map.put("minSucceededInstances", minSucceeded == null ? -1 : minSucceeded);
        return map;
    }

    private Map<String, Object> resources(Role role) {
        var map = new LinkedHashMap<String, Object>();
        map.put("cpu", role.resources().cpu());
        map.put("memoryMB", role.resources().memoryMB());
        map.put("gpu", role.resources().gpu());
        var ports = new LinkedHashMap<String, Object>();
        for (Port port : role.ports()) {
            if (!port.isAlwaysThere()) {
                ports.put(label(port), port.count());
            }
        }
        some(map, "ports", ports);
        return map;
    }

    private String label(Port port) {
        return spec.protocol() == 1 ? key(port.label()) : port.label();
    }

    private Map<String, Object> deployment(Deployment deployment) {
        var roles = new LinkedHashMap<String, Object>();
        deployment.roles().forEach((name, around) -> roles.put(renamed(name), around(around)));
        var map = new LinkedHashMap<String, Object>();
        map.put("name", deployment.name());
        map.put("taskRoles", roles);
        return map;
    }

    private static Map<String, Object> around(Around around) {
        var map = new LinkedHashMap<String, Object>();
        some(map, "preCommands", around.before());
        some(map, "postCommands", around.after());
        return map;
    }

    private Map<String, Object> extras() {
        var extras = new LinkedHashMap<String, Object>(spec.extras());
        put(extras, "submitFrom", spec.submitFrom());
        if (!spec.gang()) {
            extras.put("gangAllocation", false);
        }
        some(extras, "hivedScheduler", hived(extras.get("hivedScheduler")));
        if (spec.storages() != null) {
            extras.put("storages", spec.storages().stream().map(Export::storage).toList());
        }
        some(extras, Extras.PLUGINS, spec.plugins().stream().map(this::plugin).toList());
        var notifications = new LinkedHashMap<String, Object>();
        spec.notifications().forEach(state -> notifications.put(state, true));
        some(extras, "jobStatusChangeNotification", notifications);
        some(extras, "sluice", ours(extras.get("sluice")));
        return extras;
    }

    private Map<String, Object> hived(@Nullable Object kept) {
        Map<String, Object> hived = copy(kept);
        Priority priority = spec.priority();
        if (priority != null) {
            hived.put("jobPriorityClass", priority.name().toLowerCase(Locale.ROOT));
        }
        var roles = new LinkedHashMap<String, Object>();
        for (Role role : spec.roles()) {
            if (role.sku() != null) {
                var sku = new LinkedHashMap<String, Object>();
                put(sku, "skuType", role.sku().type());
                put(sku, "skuNum", role.sku().number());
                put(sku, "pinnedCellId", role.sku().pinnedCell());
                put(sku, "affinityGroupName", role.sku().affinityGroup());
                roles.put(renamed(role.name()), sku);
            }
        }
        some(hived, "taskRoles", roles);
        return hived;
    }

    private static Map<String, Object> storage(JobSpec.Storage storage) {
        var map = new LinkedHashMap<String, Object>();
        map.put("name", storage.name());
        put(map, "mountPath", storage.mountPath());
        return map;
    }

    private Map<String, Object> plugin(JobSpec.Plugin plugin) {
        var map = new LinkedHashMap<String, Object>();
        map.put("plugin", plugin.name());
        some(map, "taskroles", plugin.roles().stream().map(this::renamed).toList());
        some(map, "parameters", plugin.parameters());
        if (plugin.ignoreFailure()) {
            map.put("failurePolicy", "ignore");
        }
        return map;
    }

    private Map<String, Object> ours(@Nullable Object kept) {
        Map<String, Object> ours = copy(kept);
        put(ours, "maxRunSeconds", spec.maxRunSeconds());
        if (spec.preemptible() != (spec.priority() == Priority.OPPO)) {
            ours.put("preemptible", spec.preemptible());
        }
        Map<String, Object> devices = copy(ours.get("devices"));
        put(devices, "type", spec.deviceType());
        some(ours, "devices", devices);
        if (spec.debug()) {
            ours.put("debug", true);
        }
        if (spec.retryCount() < 0) {
            ours.put("retryCount", spec.retryCount());
        }
        some(ours, "environment", spec.environment());
        some(ours, "folders", folders());
        some(ours, "portBegins", portBegins());
        return ours;
    }

    private Map<String, Object> folders() {
        var folders = new LinkedHashMap<String, Object>();
        some(folders, "authFile", spec.folders().authFile());
        some(folders, "dataDir", spec.folders().data());
        some(folders, "outputDir", spec.folders().output());
        some(folders, "codeDir", spec.folders().code());
        return folders;
    }

    private Map<String, Object> portBegins() {
        var all = new LinkedHashMap<String, Object>();
        for (Role role : spec.roles()) {
            var begins = new LinkedHashMap<String, Object>();
            role.ports().stream()
                    .filter(port -> port.beginAt() > 0)
                    .forEach(port -> begins.put(label(port), port.beginAt()));
            some(all, renamed(role.name()), begins);
        }
        return all;
    }

    private static Map<String, Object> copy(@Nullable Object map) {
        var copy = new LinkedHashMap<String, Object>();
        if (map instanceof Map<?, ?> kept) {
            kept.forEach((key, value) -> copy.put(key.toString(), value));
        }
        return copy;
    }

    private static void put(Map<String, Object> into, String key, @Nullable Object value) {
        if (value != null) {
            into.put(key, value);
        }
    }

    private static void some(Map<String, Object> into, String key, Object value) {
        boolean nothing = switch (value) {
            case List<?> list -> list.isEmpty();
            case Map<?, ?> map -> map.isEmpty();
            default -> value.equals("");
        };
        if (!nothing) {
            into.put(key, value);
        }
    }
}
