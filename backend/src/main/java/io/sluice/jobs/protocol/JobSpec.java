package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.data.Data;
import io.sluice.jobs.protocol.data.Sources;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job as its user wants it, whichever protocol it came in. Texts are as written: parameters are put in by {@link
 * TaskScript}, and {@code <% $secrets.x %>} stays until {@link Secrets#render}.
 *
 * @param protocol 1 or 2: which texts and variables its tasks get
 * @param priority null when the user named none, then {@link Priority#TEST} counts
 * @param retryCount as OpenPAI's: -2 always again, -1 after any failure, else how often
 * @param gang all tasks start together; only without it a task is retried alone
 * @param maxRunSeconds null: no limit
 * @param deviceType what {@code gpuType} or {@code extras.sluice.devices.type} ask for, null: any
 * @param debug keep what a failed task leaves behind
 * @param secrets the names that the texts may ask for
 * @param deployment the active one of the deployments
 * @param storages null: none; empty: all that are the user's by default
 * @param notifications states whose beginning is told to the user, of running, succeeded, stopped, failed, retried
 * @param extras what no other field here holds
 */
public record JobSpec(
        int protocol,
        String name,
        About about,
        String virtualCluster,
        @Nullable Priority priority,
        int retryCount,
        boolean gang,
        boolean preemptible,
        @Nullable Integer maxRunSeconds,
        @Nullable String deviceType,
        boolean debug,
        List<Role> roles,
        List<Prerequisite> prerequisites,
        Map<String, Object> parameters,
        List<String> secrets,
        List<Deployment> deployments,
        @Nullable String deployment,
        Map<String, String> environment,
        Folders folders,
        List<Plugin> plugins,
        @Nullable List<Storage> storages,
        List<String> notifications,
        @Nullable String submitFrom,
        Map<String, Object> extras) {

    public JobSpec {
        roles = List.copyOf(roles);
        prerequisites = List.copyOf(prerequisites);
        parameters = ordered(parameters);
        secrets = List.copyOf(secrets);
        deployments = List.copyOf(deployments);
        environment = ordered(environment);
        plugins = List.copyOf(plugins);
        storages = storages == null ? null : List.copyOf(storages);
        notifications = List.copyOf(notifications);
        extras = ordered(extras);
    }

    /** OpenPAI's priority classes with the numbers of its scheduler. */
    public enum Priority {
        CRIT(120),
        PROD(100),
        TEST(10),
        OPPO(-1);

        private final int number;

        Priority(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }
    }

    /** What only people read. */
    public record About(
            @Nullable String version,
            @Nullable String contributor,
            @Nullable String description) {
        public static final About NOTHING = new About(null, null, null);
    }

    /**
     * A group of equal tasks.
     *
     * @param minFailed so many failed tasks fail the job, null: never
     * @param minSucceeded so many succeeded tasks end the job well, null: it waits for all
     * @param image name of a prerequisite, as are script, output and data
     */
    public record Role(
            String name,
            int instances,
            @Nullable Integer minFailed,
            @Nullable Integer minSucceeded,
            int taskRetryCount,
            String image,
            @Nullable String script,
            @Nullable String output,
            @Nullable String data,
            List<String> prerequisites,
            Resources resources,
            @Nullable Sku sku,
            List<Port> ports,
            List<String> commands) {
        public Role {
            prerequisites = List.copyOf(prerequisites);
            ports = List.copyOf(ports);
            commands = List.copyOf(commands);
        }
    }

    /** What one task gets; {@code shmMB} null: 512 in protocol 2. */
    public record Resources(
            int cpu, int memoryMB, int gpu, @Nullable Integer shmMB, boolean infiniband) {}

    /** What HiveD was asked for; {@code type} counts before the job's device type. */
    public record Sku(
            @Nullable String type,
            @Nullable Integer number,
            @Nullable String pinnedCell,
            @Nullable String affinityGroup) {}

    /** So many ports under one label; {@code beginAt} 0: any. */
    public record Port(String label, int count, int beginAt) {
        /** What every task has, by label, whether asked for or not. */
        static Map<String, Port> always() {
            var ports = new LinkedHashMap<String, Port>();
            ports.put("ssh", new Port("ssh", 1, 0));
            ports.put("http", new Port("http", 1, 0));
            return ports;
        }

        /** Ports beyond the last one can not be had. */
        static void check(Fields fields, String key, int beginAt, int count) {
            int highest = Protocols.HIGHEST_PORT;
            if (beginAt > 0 && count > 0 && beginAt + count - 1 > highest) {
                fields.fault(
                        key,
                        "portRange",
                        Integer.toString(count),
                        Integer.toString(beginAt),
                        Integer.toString(highest - count + 1));
            }
        }

        boolean isAlwaysThere() {
            return equals(always().get(label));
        }
    }

    public record Prerequisite(
            Kind kind,
            String name,
            List<String> uris,
            @Nullable Auth auth,
            @Nullable String plugin,
            List<String> require,
            List<Hook> callbacks,
            boolean ignoreFailure,
            About about,
            Map<String, Object> more) {
        public Prerequisite {
            uris = List.copyOf(uris);
            require = List.copyOf(require);
            callbacks = List.copyOf(callbacks);
            more = ordered(more);
        }
    }

    public enum Kind {
        DOCKERIMAGE,
        SCRIPT,
        OUTPUT,
        DATA
    }

    /** Who pulls an image. The password is always a placeholder. */
    public record Auth(@Nullable String username, @Nullable String password, String registry) {
        public static final String DOCKER_HUB = "https://index.docker.io/v1/";
    }

    /** Commands of the plugin {@code cmd}, at {@code taskStarts} or {@code taskSucceeds}. */
    public record Hook(Event event, List<String> commands) {
        public Hook {
            commands = List.copyOf(commands);
        }
    }

    public enum Event {
        TASK_STARTS,
        TASK_SUCCEEDS
    }

    public record Deployment(String name, Map<String, Around> roles) {
        public Deployment {
            roles = ordered(roles);
        }
    }

    /** Commands before and after those of a role. */
    public record Around(List<String> before, List<String> after) {
        public Around {
            before = List.copyOf(before);
            after = List.copyOf(after);
        }
    }

    /** Folders of protocol 1, with OpenPAI's variables as written; empty: none. */
    public record Folders(String authFile, String data, String output, String code) {
        public static final Folders NONE = new Folders("", "", "", "");
    }

    /** A plugin of the runtime: ssh, tensorboard, cmd, git, teamwise_storage; {@code roles} empty: of every role. */
    public record Plugin(String name, List<String> roles, Map<String, Object> parameters, boolean ignoreFailure) {
        public Plugin {
            roles = List.copyOf(roles);
            parameters = ordered(parameters);
        }
    }

    /** A volume in every task; {@code mountPath} null: {@code /mnt/<name>}. */
    public record Storage(String name, @Nullable String mountPath) {}

    /** How the queue counts it. */
    public int priorityNumber() {
        return (priority == null ? Priority.TEST : priority).number();
    }

    public int taskCount() {
        return roles.stream().mapToInt(Role::instances).sum();
    }

    public int deviceCount() {
        return roles.stream()
                .mapToInt(role -> role.instances() * role.resources().gpu())
                .sum();
    }

    /** What its user files it under. */
    public List<String> tags() {
        return extras.get(Extras.OURS) instanceof Map<?, ?> ours && ours.get(Extras.TAGS) instanceof List<?> tags
                ? tags.stream().map(String::valueOf).distinct().toList()
                : List.of();
    }

    /** Whether its tasks wait for one another before they begin. */
    public boolean startsTogether() {
        return gang && taskCount() > 1;
    }

    /** How its tasks work together. */
    public Distribution distribution() {
        return Distribution.of(extras);
    }

    /** What it is brought, and what is taken from it. */
    public Data data() {
        Data said = extras.get(Extras.OURS) instanceof Map<?, ?> ours ? Data.of(ours) : Data.NONE;
        return Sources.with(said, sources());
    }

    /** The data that its roles ask for by name; what a plugin has to do with is the plugin's. */
    private Map<String, List<String>> sources() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        for (Prerequisite one : prerequisites) {
            if (one.kind() == Kind.DATA
                    && one.plugin() == null
                    && roles.stream().anyMatch(role -> asks(role, one))) {
                all.put(one.name(), one.uris());
            }
        }
        return all;
    }

    private static boolean asks(Role role, Prerequisite one) {
        return one.name().equals(role.data()) || role.prerequisites().contains(one.name());
    }

    public Role role(String name) {
        return roles.stream()
                .filter(role -> role.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no role " + name));
    }

    /** The prerequisite with the image of a role. */
    public Prerequisite image(Role role) {
        return prerequisite(Kind.DOCKERIMAGE, role.image());
    }

    public Prerequisite prerequisite(Kind kind, String name) {
        return prerequisites.stream()
                .filter(found -> found.kind() == kind && found.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no " + kind + " " + name));
    }

    /** The kind of device that the tasks of a role ask for, null: any. */
    public @Nullable String deviceType(Role role) {
        Sku sku = role.sku();
        return sku != null && sku.type() != null ? sku.type() : deviceType;
    }

    /** Keeps the order, which a user sees again, and the nulls, which a free object may hold. */
    private static <T> Map<String, T> ordered(Map<String, T> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
