package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.JobSpec.Folders;
import io.sluice.jobs.protocol.JobSpec.Plugin;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Priority;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.JobSpec.Sku;
import io.sluice.jobs.protocol.JobSpec.Storage;
import io.sluice.jobs.protocol.apps.Apps;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code extras} hold that means something here; the rest of them stays as it is. */
final class Extras {
    static final String PLUGINS = "com.microsoft.pai.runtimeplugin";
    static final String OURS = "sluice";
    static final String TAGS = "tags";
    private static final int MOST_TAGS = 50;
    private static final Pattern TAG = Pattern.compile("(?U)(?=\\S)[^,\\p{Cntrl}\\p{Cf}]{0,254}(?<=\\S)");
    static final List<String> STATES = List.of("running", "succeeded", "stopped", "failed", "retried");
    private static final List<String> PRIORITIES = List.of("crit", "prod", "test", "oppo");
    /**
     * Where a storage may be: at the top or right beneath {@code /mnt}, and not in the place of the system's folders or the job's own. Deeper it
     * could be within another storage, where whoever writes there could lead the mount elsewhere by a link.
     */
    private static final Pattern MOUNT = Pattern.compile("(/mnt)?/(?!\\.)[A-Za-z0-9._-]{1,100}");

    private static final Set<String> NOT_MOUNTS = Set.of(
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/home",
            "/input",
            "/lib",
            "/lib32",
            "/lib64",
            "/libx32",
            "/media",
            "/mnt",
            "/opt",
            "/output",
            "/pod",
            "/pod.env",
            "/proc",
            "/root",
            "/run",
            "/sbin",
            "/srv",
            "/sys",
            "/tmp",
            "/userhome",
            "/usr",
            "/var");
    private static final List<String> PLUGIN_NAMES = List.of("ssh", "tensorboard", "cmd", "git", "teamwise_storage");

    private final Faults faults;
    private final List<Role> roles;
    private final Apps apps;
    private final Map<String, Sku> skus = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, Map<String, Integer>> portBegins = new LinkedHashMap<>();
    private final List<Plugin> plugins = new ArrayList<>();
    private final List<String> notifications = new ArrayList<>();
    private final Map<String, Object> rest = new LinkedHashMap<>();
    private @Nullable List<Storage> storages;
    private @Nullable Priority priority;
    private @Nullable String submitFrom;
    private @Nullable String deviceType;
    private @Nullable Integer maxRunSeconds;
    private @Nullable Boolean preemptible;
    private Folders folders = Folders.NONE;
    private @Nullable Integer retryCount;
    private boolean gang = true;
    private boolean debug;

    private Extras(List<Role> roles, Apps apps, Faults faults) {
        this.roles = roles;
        this.apps = apps;
        this.faults = faults;
    }

    static Extras read(Fields job, List<Role> roles, Apps apps, Faults faults) {
        var extras = new Extras(roles, apps, faults);
        Fields fields = job.object("extras");
        if (fields != null) {
            extras.read(fields);
        }
        return extras;
    }

    private void read(Fields fields) {
        submitFrom = fields.text("submitFrom");
        gang = fields.flag("gangAllocation", true);
        Fields hived = fields.object("hivedScheduler");
        if (hived != null) {
            hived(hived);
        }
        storages(fields);
        fields.list(PLUGINS, 0).forEach(child -> plugin(fields, child));
        notifications(fields);
        Fields ours = fields.object(OURS);
        if (ours != null) {
            ours(ours);
        }
        fields.unasked().forEach(rest::put);
    }

    private void hived(Fields hived) {
        String priorityClass = hived.choice("jobPriorityClass", PRIORITIES);
        priority = priorityClass == null ? null : Priority.valueOf(priorityClass.toUpperCase(Locale.ROOT));
        for (Child child : hived.children("taskRoles", 0)) {
            if (roles.stream().noneMatch(role -> role.name().equals(child.name()))) {
                faults.add(child.place(), child.path(), "noRole", Fields.brief(child.name()), ProtocolV2.names(roles));
            }
            Fields fields = hived.object(child);
            if (fields != null) {
                skus.put(child.name(), sku(fields));
            }
        }
        keep("hivedScheduler", hived.unasked());
    }

    private static Sku sku(Fields fields) {
        String type = textOrNull(fields, "skuType");
        String cell = textOrNull(fields, "pinnedCellId");
        var sku = new Sku(
                type,
                fields.integer("skuNum", 0, Protocols.MOST_DEVICES),
                cell,
                textOrNull(fields, "affinityGroupName"));
        if (type != null && cell != null) {
            fields.fault("pinnedCellId", "skuOrCell");
        }
        fields.close();
        return sku;
    }

    private static @Nullable String textOrNull(Fields fields, String key) {
        if (fields.isNull(key)) {
            fields.known(key);
            return null;
        }
        return fields.text(key);
    }

    private void storages(Fields fields) {
        if (!fields.has("storages")) {
            return;
        }
        var all = new ArrayList<Storage>();
        for (Child child : fields.list("storages", 0)) {
            Fields storage = fields.object(child);
            if (storage != null) {
                storage.require("name");
                String name = storage.text("name", "");
                String path = storage.text("mountPath");
                if (path != null && (!MOUNT.matcher(path).matches() || NOT_MOUNTS.contains(path))) {
                    storage.fault("mountPath", "mountPath", Fields.brief(path));
                }
                storage.close();
                all.add(new Storage(name, path));
            }
        }
        storages = all;
    }

    private void plugin(Fields extras, Child child) {
        Fields fields = extras.object(child);
        if (fields == null) {
            return;
        }
        fields.require("plugin");
        String name = fields.choice("plugin", PLUGIN_NAMES);
        List<String> of = new ArrayList<>();
        for (Child role : fields.list("taskroles", 0)) {
            String named = fields.text(role);
            if (named != null && roles.stream().noneMatch(one -> one.name().equals(named))) {
                faults.add(role.place(), role.path(), "noRole", Fields.brief(named), ProtocolV2.names(roles));
            } else if (named != null) {
                of.add(named);
            }
        }
        boolean ignore = "ignore".equals(fields.choice("failurePolicy", Prerequisites.POLICIES));
        Fields parameters = fields.object("parameters");
        if (parameters != null && name != null) {
            Prerequisites.plugin(name, parameters, faults);
        }
        plugins.add(new Plugin(name == null ? "" : name, of, fields.free("parameters"), ignore));
        fields.close();
    }

    private void notifications(Fields fields) {
        Fields wanted = fields.object("jobStatusChangeNotification");
        if (wanted != null) {
            STATES.stream().filter(state -> wanted.flag(state, false)).forEach(notifications::add);
            wanted.close();
        }
    }

    private void ours(Fields ours) {
        maxRunSeconds = ours.integer("maxRunSeconds", 1, Protocols.MOST);
        preemptible = ours.has("preemptible") ? ours.flag("preemptible", false) : null;
        debug = ours.flag("debug", false);
        Map<String, Object> kept = new LinkedHashMap<>();
        Fields devices = ours.object("devices");
        if (devices != null) {
            deviceType = devices.text("type");
            if (!devices.unasked().isEmpty()) {
                kept.put("devices", devices.unasked());
            }
        }
        retryCount = ours.integer("retryCount", -2, -1);
        variables(ours);
        tags(ours, kept);
        OurFields.EndpointFields.read(ours, roles, apps, faults, kept);
        Distribution.read(ours, roles, kept);
        OurFields.DataFields.read(ours, storages, kept);
        portBegins(ours);
        Fields places = ours.object("folders");
        if (places != null) {
            folders = ProtocolV1.folders(places);
            places.close();
        }
        ours.unasked().forEach(kept::put);
        keep(OURS, kept);
    }

    private void tags(Fields ours, Map<String, Object> kept) {
        List<String> tags = new ArrayList<>();
        for (Child child : ours.list("tags", 0)) {
            String tag = ours.text(child);
            if (tag != null && !TAG.matcher(tag).matches()) {
                faults.add(child.place(), child.path(), "tagName", Fields.brief(tag));
            } else if (tag != null) {
                tags.add(tag);
            }
        }
        if (tags.size() > MOST_TAGS) {
            ours.fault(TAGS, "tooManyTags", Integer.toString(tags.size()), Integer.toString(MOST_TAGS));
        }
        if (!tags.isEmpty()) {
            kept.put(TAGS, tags);
        }
    }

    private void variables(Fields ours) {
        for (Child child : ours.children("environment", 0)) {
            if (Fields.isVariable(child.name())) {
                environment.put(child.name(), Fields.variable(child.item()));
            } else {
                faults.add(child.place(), child.path(), "environmentName", Fields.brief(child.name()));
            }
        }
    }

    /** Where the ports of protocol 1 were wished to begin. */
    private void portBegins(Fields ours) {
        for (Child role : ours.children("portBegins", 0)) {
            Fields labels = ours.object(role);
            if (labels != null) {
                var begins = new LinkedHashMap<String, Integer>();
                labels.mapping().entries().forEach(entry -> {
                    int begin = labels.integer(entry.key(), 0, Protocols.HIGHEST_PORT, 0);
                    begins.put(entry.key(), begin);
                    Port.check(labels, entry.key(), begin, ports(role.name(), entry.key()));
                });
                portBegins.put(role.name(), begins);
            }
        }
    }

    /** How many a role asks for under a label. */
    private int ports(String role, String label) {
        return roles.stream()
                .filter(one -> one.name().equals(role))
                .flatMap(one -> one.ports().stream())
                .filter(port -> port.label().equals(label))
                .mapToInt(Port::count)
                .sum();
    }

    private void keep(String key, Map<String, ?> unasked) {
        if (!unasked.isEmpty()) {
            rest.put(key, unasked);
        }
    }

    /** The roles with what is said of them here. */
    List<Role> equip(List<Role> plain) {
        return plain.stream().map(this::equip).toList();
    }

    private Role equip(Role role) {
        Map<String, Integer> begins = portBegins.getOrDefault(role.name(), Map.of());
        List<Port> ports = role.ports().stream()
                .map(port -> begins.containsKey(port.label())
                        ? new Port(port.label(), port.count(), begins.getOrDefault(port.label(), 0))
                        : port)
                .toList();
        return new Role(
                role.name(),
                role.instances(),
                role.minFailed(),
                role.minSucceeded(),
                role.taskRetryCount(),
                role.image(),
                role.script(),
                role.output(),
                role.data(),
                role.prerequisites(),
                role.resources(),
                skus.get(role.name()),
                ports,
                role.commands());
    }

    /** What protocol 2 has no other word for: -2 again after any end, -1 after any failure. */
    int retryCount(int otherwise) {
        return retryCount == null ? otherwise : retryCount;
    }

    boolean gang() {
        return gang;
    }

    @Nullable
    Priority priority() {
        return priority;
    }

    /** Who runs on what others leave, gives way. */
    boolean preemptible() {
        return preemptible == null ? priority == Priority.OPPO : preemptible;
    }

    @Nullable
    Integer maxRunSeconds() {
        return maxRunSeconds;
    }

    @Nullable
    String deviceType() {
        return deviceType;
    }

    boolean debug() {
        return debug;
    }

    Map<String, String> environment() {
        return environment;
    }

    Folders folders() {
        return folders;
    }

    List<Plugin> plugins() {
        return plugins;
    }

    @Nullable
    List<Storage> storages() {
        return storages;
    }

    List<String> notifications() {
        return notifications;
    }

    @Nullable
    String submitFrom() {
        return submitFrom;
    }

    Map<String, Object> rest() {
        return rest;
    }
}
