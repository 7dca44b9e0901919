package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.Fields.Shape;
import io.sluice.jobs.protocol.JobSpec.About;
import io.sluice.jobs.protocol.JobSpec.Around;
import io.sluice.jobs.protocol.JobSpec.Deployment;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Resources;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.protocol.document.Item.Mapping;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Protocol 2: OpenPAI since 0.14. */
final class ProtocolV2 {
    private final Faults faults;
    private final Secrets secrets;
    private final Apps apps;

    ProtocolV2(Faults faults, Apps apps, Secrets secrets) {
        this.faults = faults;
        this.apps = apps;
        this.secrets = secrets;
    }

    /** What counts where nothing else is said. */
    private record Defaults(String virtualCluster, @Nullable String deployment) {}

    JobSpec read(Mapping root) {
        Fields job = Fields.of(root, faults, false);
        String name = head(job);
        About about = about(job);
        secrets.take(job, faults);
        Map<String, Object> parameters = job.free("parameters");
        var prerequisites = new Prerequisites(faults, secrets);
        prerequisites.read(job);
        int retryCount = job.integer("jobRetryCount", 0, Protocols.MOST, 0);
        List<Role> roles = roles(job, prerequisites);
        List<Deployment> deployments = deployments(job, roles);
        Defaults defaults = defaults(job, deployments);
        Extras extras = Extras.read(job, roles, apps, faults);
        job.close();
        return new JobSpec(
                2,
                name,
                about,
                defaults.virtualCluster(),
                extras.priority(),
                extras.retryCount(retryCount),
                extras.gang(),
                extras.preemptible(),
                extras.maxRunSeconds(),
                extras.deviceType(),
                extras.debug(),
                extras.equip(roles),
                prerequisites.all(),
                parameters,
                List.copyOf(secrets.values().keySet()),
                deployments,
                defaults.deployment(),
                extras.environment(),
                extras.folders(),
                extras.plugins(),
                extras.storages(),
                extras.notifications(),
                extras.submitFrom(),
                extras.rest());
    }

    private static String head(Fields job) {
        job.require("protocolVersion", "name", "type", "taskRoles");
        version(job);
        String name = job.name("name", Shape.V2_NAME);
        job.choice("type", List.of("job"));
        return name == null ? "" : name;
    }

    private static Defaults defaults(Fields job, List<Deployment> deployments) {
        Fields defaults = job.object("defaults");
        if (defaults == null) {
            return new Defaults("default", null);
        }
        String virtualCluster = defaults.text("virtualCluster", "");
        String deployment = deployment(defaults, deployments);
        defaults.close();
        return new Defaults(virtualCluster.isEmpty() ? "default" : virtualCluster, deployment);
    }

    /** The protocol's version, wherever one may stand. */
    static void version(Fields fields) {
        String version = fields.version("protocolVersion");
        if (version != null && !version.equals("2") && !version.equals("2.0")) {
            fields.fault("protocolVersion", "choice", Fields.brief(version), "2");
        }
    }

    static About about(Fields fields) {
        var about = new About(fields.version("version"), fields.text("contributor"), fields.text("description"));
        return about.equals(About.NOTHING) ? About.NOTHING : about;
    }

    private List<Role> roles(Fields job, Prerequisites prerequisites) {
        var roles = new ArrayList<Role>();
        for (Child child : job.children("taskRoles", 1)) {
            job.check(child, Shape.V2_KEY);
            Fields fields = job.object(child);
            if (fields != null) {
                roles.add(role(child.name(), fields, prerequisites));
            }
        }
        return roles;
    }

    private Role role(String name, Fields role, Prerequisites prerequisites) {
        role.require("dockerImage", "resourcePerInstance", "commands");
        version(role);
        int instances = role.integer("instances", 1, Protocols.MOST_TASKS, 1);
        Fields completion = role.object("completion");
        Integer minFailed = 1;
        Integer minSucceeded = instances;
        if (completion != null) {
            minFailed = count(completion, "minFailedInstances", 1);
            minSucceeded = count(completion, "minSucceededInstances", instances);
            completion.close();
        }
        int retries = role.integer("taskRetryCount", -2, Protocols.MOST, 0);
        String image = prerequisites.named(role, "dockerImage", Kind.DOCKERIMAGE);
        String script = prerequisites.named(role, "script", Kind.SCRIPT);
        String output = prerequisites.named(role, "output", Kind.OUTPUT);
        String data = prerequisites.named(role, "data", Kind.DATA);
        List<String> others = prerequisites.any(role);
        Map<String, Port> ports = Port.always();
        Resources resources = resources(role, ports);
        List<String> commands = role.texts("commands", 1);
        role.close();
        return new Role(
                name,
                instances,
                minFailed,
                minSucceeded,
                retries,
                image == null ? "" : image,
                script,
                output,
                data,
                others,
                resources,
                null,
                List.copyOf(ports.values()),
                commands);
    }

    /** Nothing, null and 0 are the default, as the server had it; -1 is never. */
    private static @Nullable Integer count(Fields completion, String key, int otherwise) {
        if (completion.isNull(key)) {
            completion.known(key);
            return otherwise;
        }
        int count = completion.integer(key, -1, Protocols.MOST, 0);
        return count == 0 ? Integer.valueOf(otherwise) : count < 0 ? null : Integer.valueOf(count);
    }

    private Resources resources(Fields role, Map<String, Port> ports) {
        Fields options = role.object("extraContainerOptions");
        Integer shm = null;
        boolean infiniband = false;
        if (options != null) {
            shm = options.integer("shmMB", 0, Protocols.MOST);
            infiniband = options.flag("infiniband", false);
            options.close();
        }
        Fields fields = role.object("resourcePerInstance");
        if (fields == null) {
            return new Resources(0, 0, 0, shm, infiniband);
        }
        fields.require("cpu", "memoryMB", "gpu");
        int cpu = fields.integer("cpu", 0, Protocols.MOST, 0);
        int memory = fields.integer("memoryMB", 0, Protocols.MOST, 0);
        int gpu = fields.integer("gpu", 0, Protocols.MOST_DEVICES, 0);
        for (Child child : fields.children("ports", 0)) {
            BigInteger count = fields.number(child);
            if (fields.check(child, Shape.V2_KEY) && count != null) {
                port(child, count, ports);
            }
        }
        fields.close();
        return new Resources(cpu, memory, gpu, shm, infiniband);
    }

    private void port(Child child, BigInteger count, Map<String, Port> ports) {
        if (count.signum() < 0 || count.compareTo(BigInteger.valueOf(Protocols.MOST_PORTS)) > 0) {
            faults.add(
                    child.item().place(),
                    child.path(),
                    "outside",
                    Fields.brief(count.toString()),
                    "0",
                    Integer.toString(Protocols.MOST_PORTS));
        } else {
            ports.put(child.name(), new Port(child.name(), count.intValueExact(), 0));
        }
    }

    private List<Deployment> deployments(Fields job, List<Role> roles) {
        var deployments = new LinkedHashMap<String, Deployment>();
        for (Child child : job.list("deployments", 1)) {
            Fields fields = job.object(child);
            if (fields != null) {
                fields.require("name", "taskRoles");
                version(fields);
                about(fields);
                String name = fields.name("name", Shape.V2_NAME);
                var deployment = new Deployment(name == null ? "" : name, around(fields, roles));
                fields.close();
                if (name != null && deployments.put(name, deployment) != null) {
                    fields.fault("name", "exact.duplicateDeployment", name);
                }
            }
        }
        return List.copyOf(deployments.values());
    }

    private Map<String, Around> around(Fields deployment, List<Role> roles) {
        var around = new LinkedHashMap<String, Around>();
        for (Child child : deployment.children("taskRoles", 1)) {
            if (roles.stream().noneMatch(role -> role.name().equals(child.name()))) {
                faults.add(child.place(), child.path(), "noRole", Fields.brief(child.name()), names(roles));
            }
            Fields fields = deployment.object(child);
            if (fields != null) {
                around.put(child.name(), new Around(fields.texts("preCommands", 1), fields.texts("postCommands", 1)));
                fields.close();
            }
        }
        return around;
    }

    private static @Nullable String deployment(Fields defaults, List<Deployment> deployments) {
        String name = defaults.text("deployment");
        if (name != null && deployments.stream().noneMatch(one -> one.name().equals(name))) {
            defaults.fault("deployment", "exact.noDeployment", Fields.brief(name));
        }
        return name;
    }

    static String names(List<Role> roles) {
        return String.join(", ", roles.stream().map(Role::name).toList());
    }
}
