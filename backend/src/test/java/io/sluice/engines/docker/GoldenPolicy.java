package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.Task;
import io.sluice.engines.docker.limits.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** What every container is, read back from the engine, whatever its job asked for. */
public final class GoldenPolicy {

    private static final Set<String> ROOT_MAY =
            Set.of("CHOWN", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL", "NET_BIND_SERVICE");

    private GoldenPolicy() {}

    /**
     * What lies where on the machine.
     *
     * @param home of the user whose task it is
     * @param common null where tasks get none
     * @param logs in which the task's output is
     * @param runs in which each run has a folder of what begins it
     */
    public record Place(
            TestDaemon daemon,
            Path home,
            Path shared,
            @Nullable Path common,
            Path logs,
            Path runs) {}

    /** Its own, or that of a container of ours that does nothing. */
    private static void network(JsonNode container, TestDaemon daemon) throws IOException {
        var mode = container.path("HostConfig").path("NetworkMode").asText();
        if (!mode.startsWith("container:")) {
            assertThat(mode).startsWith("sluice-net-");
            return;
        }
        try {
            var id = mode.substring("container:".length());
            assertThat(daemon.holders()).contains(id);
            holder(new ObjectMapper().readTree(daemon.docker("inspect", id)).get(0));
            var others = new ObjectMapper()
                    .readTree(daemon.docker(Stream.concat(Stream.of("inspect"), daemon.tasks().stream())
                            .toArray(String[]::new)));
            assertThat(others)
                    .filteredOn(one ->
                            one.path("HostConfig").path("NetworkMode").asText().equals(mode))
                    .as("nobody else is in its namespace")
                    .hasSize(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A task's policy, and less. */
    static void holder(JsonNode holder) {
        var host = holder.path("HostConfig");
        assertThat(holder.path("Config").path("User").asText()).isEqualTo("65534:65534");
        assertThat(words(holder.path("Config").path("Entrypoint"))).containsExactly("/wait");
        assertThat(words(holder.path("Config").path("Env"))).noneMatch(variable -> !variable.startsWith("PATH="));
        assertThat(holder.path("Config").path("Labels").has(Containers.RUN)).isFalse();
        assertThat(holder.path("Mounts")).isEmpty();
        assertThat(host.path("Privileged").asBoolean(true)).isFalse();
        assertThat(host.path("ReadonlyRootfs").asBoolean(false)).isTrue();
        assertThat(words(host.path("CapDrop"))).containsExactly("ALL");
        assertThat(words(host.path("CapAdd"))).isEmpty();
        assertThat(words(host.path("SecurityOpt"))).containsExactly("no-new-privileges:true");
        assertThat(host.path("PidMode").asText()).isEmpty();
        assertThat(host.path("IpcMode").asText()).isEqualTo("none");
        assertThat(host.path("UTSMode").asText()).isEmpty();
        assertThat(host.path("UsernsMode").asText()).isEmpty();
        assertThat(host.path("CgroupnsMode").asText()).isEqualTo("private");
        assertThat(host.path("NetworkMode").asText()).startsWith("sluice-net-");
        assertThat(host.path("Devices").toString()).isIn("[]", "null");
        assertThat(host.path("PortBindings").size()).isZero();
        assertThat(host.path("AutoRemove").asBoolean(true)).isFalse();
        assertThat(host.path("RestartPolicy").path("Name").asText()).isIn("no", "");
        assertThat(host.path("LogConfig").path("Type").asText()).isEqualTo("none");
        assertThat(host.path("Runtime").asText()).isEqualTo("runc");
        assertThat(host.path("PidsLimit").asLong()).isEqualTo(2);
        assertThat(host.path("Memory").asLong()).isEqualTo(6 << 20);
        assertThat(host.path("MemorySwap").asLong()).isEqualTo(6 << 20);
    }

    /** Everything about the container that could open a way out. */
    public static void within(JsonNode container, Place place) throws IOException {
        var run = container.path("Config").path("Labels").path(Containers.RUN).asText();
        var host = container.path("HostConfig");
        assertThat(host.path("Privileged").asBoolean(true)).isFalse();
        assertThat(words(host.path("CapDrop"))).containsExactly("ALL");
        assertThat(words(host.path("CapAdd"))).isSubsetOf(ROOT_MAY);
        assertThat(words(host.path("SecurityOpt"))).containsExactly("no-new-privileges:true");
        assertThat(host.path("PidMode").asText()).isEmpty();
        assertThat(host.path("IpcMode").asText()).isEqualTo("private");
        assertThat(host.path("UTSMode").asText()).isEmpty();
        assertThat(host.path("UsernsMode").asText()).isEmpty();
        assertThat(host.path("CgroupnsMode").asText()).isEqualTo("private");
        network(container, place.daemon());
        assertThat(words(host.path("Binds"))).isEmpty();
        assertThat(words(host.path("VolumesFrom"))).isEmpty();
        assertThat(host.path("Devices").toString()).isIn("[]", "null");
        assertThat(host.path("DeviceRequests").toString()).isIn("[]", "null");
        assertThat(words(host.path("DeviceCgroupRules"))).isEmpty();
        assertThat(host.path("PortBindings").size()).isZero();
        assertThat(host.path("PublishAllPorts").asBoolean(true)).isFalse();
        assertThat(words(host.path("ExtraHosts"))).isEmpty();
        assertThat(host.path("Sysctls").size()).isZero();
        assertThat(host.path("CgroupParent").asText()).isEmpty();
        assertThat(host.path("Runtime").asText()).isEqualTo("runc");
        assertThat(host.path("AutoRemove").asBoolean(true)).isFalse();
        assertThat(host.path("RestartPolicy").path("Name").asText()).isIn("no", "");
        assertThat(host.path("PidsLimit").asLong()).isEqualTo(Limits.MOST_PROCESSES);
        assertThat(host.path("MaskedPaths").size()).isGreaterThan(5);
        assertThat(host.path("ReadonlyPaths").size()).isGreaterThan(3);
        assertThat(container.path("State").path("Health").isMissingNode()).isTrue();
        var environment = words(container.path("Config").path("Env"));
        assertThat(environment)
                .contains("NVIDIA_VISIBLE_DEVICES=void", "ASCEND_VISIBLE_DEVICES=void", "LD_PRELOAD=", "LD_AUDIT=");
        assertThat(environment)
                .noneMatch(variable -> variable.matches("(NVIDIA_(MIG|IMEX|GDS|MOFED)|ASCEND_(RUNTIME|VNPU|ALLOW)).*"));
        assertThat(host.path("CpuQuota").asLong() + host.path("NanoCpus").asLong())
                .isPositive();
        assertThat(host.path("CpuShares").asLong()).isPositive();
        assertThat(container.path("Config").path("User").asText())
                .isEqualTo(Files.getAttribute(place.home(), "unix:uid") + ":"
                        + Files.getAttribute(place.home(), "unix:gid"));
        mounts(container, place, place.runs().resolve(run));
    }

    /** Each of them is one of ours, of the task's own user; and nothing of the image's is on the machine's disk. */
    private static void mounts(JsonNode container, Place place, Path begins) throws IOException {
        var readOnly = new HashMap<>(Map.of("/gdata", place.shared(), Boot.FOLDER, begins));
        readOnly.put("/etc/passwd", begins.resolve("users"));
        readOnly.put("/etc/group", begins.resolve("groups"));
        readOnly.put(Task.ENVIRONMENT, begins.resolve("environment"));
        var writable = new HashMap<>(Map.of("/userhome", place.home(), Boot.BEGUN, begins.resolve("begun")));
        writable.put(Boot.HOSTS, begins.resolve("hosts"));
        if (place.common() != null) {
            writable.put("/data", place.common());
        }
        Set<String> targets = new HashSet<>();
        for (var mount : container.path("Mounts")) {
            var target = mount.path("Destination").asText();
            var source = Path.of(mount.path("Source").asText());
            assertThat(mount.path("Type").asText()).as(target).isEqualTo("bind");
            assertThat(targets.add(target)).as(target).isTrue();
            boolean writes = mount.path("RW").asBoolean(true);
            if (target.equals(Boot.OUTPUT)) {
                assertThat(source).startsWith(place.logs()).isRegularFile();
            } else if (target.equals("/pod")) { // what the tasks of a job know of one another
                assertThat(writes).isFalse();
                assertThat(source.toString()).matches(".*/gangs/\\d+/\\d+");
            } else if (target.equals("/output")) { // of this job alone
                assertThat(source.toString()).matches(".*/outputs/\\d+/[^/]+");
                assertThat(Files.getAttribute(source, "unix:uid"))
                        .isEqualTo(Files.getAttribute(place.home(), "unix:uid"));
            } else if (target.equals("/input")) { // likewise
                assertThat(source.toString()).matches(".*/inputs/\\d+/\\d+");
                assertThat(Files.getAttribute(source, "unix:uid"))
                        .isEqualTo(Files.getAttribute(place.home(), "unix:uid"));
            } else {
                assertThat(source).as(target).isEqualTo((writes ? writable : readOnly).get(target));
            }
        }
        assertThat(targets).contains(Boot.FOLDER, Boot.BEGUN, Boot.OUTPUT, "/userhome");
        var memory = container.path("HostConfig").path("Tmpfs");
        var declared = container.path("Config").path("Volumes");
        memory.fieldNames().forEachRemaining(volume -> {
            assertThat(declared.has(volume)).as(volume).isTrue();
            assertThat(memory.path(volume).asText()).contains("nosuid").contains("nodev");
        });
        declared.fieldNames()
                .forEachRemaining(volume -> assertThat(memory.has(volume)
                                || targets.contains(Path.of(volume).normalize().toString()))
                        .as(volume)
                        .isTrue());
    }

    private static List<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}
