package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/** What every container is, read back from the engine, whatever its job asked for. */
public final class GoldenPolicy {

    private static final Set<String> ROOT_MAY =
            Set.of("CHOWN", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL", "NET_BIND_SERVICE");

    private GoldenPolicy() {}

    /** Everything about the container that could open a way out. */
    public static void within(JsonNode container, Path homes, Path shared, Path logs, Path runs) {
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
        assertThat(host.path("NetworkMode").asText()).startsWith("sluice-net-");
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
        assertThat(host.path("PidsLimit").asLong()).isEqualTo(Policy.MOST_PROCESSES);
        assertThat(host.path("MaskedPaths").size()).isGreaterThan(5);
        assertThat(host.path("ReadonlyPaths").size()).isGreaterThan(3);
        assertThat(container.path("State").path("Health").isMissingNode()).isTrue();
        var environment = words(container.path("Config").path("Env"));
        assertThat(environment)
                .contains("NVIDIA_VISIBLE_DEVICES=void", "ASCEND_VISIBLE_DEVICES=void", "LD_PRELOAD=", "LD_AUDIT=");
        assertThat(environment)
                .noneMatch(variable -> variable.matches("(NVIDIA_(MIG|IMEX|GDS|MOFED)|ASCEND_(RUNTIME|VNPU|ALLOW)).*"));
        for (var mount : container.path("Mounts")) {
            if (mount.path("Type").asText().equals("bind")) {
                var source = Path.of(mount.path("Source").asText());
                var begins = mount.path("Destination").asText().equals(Boot.FOLDER);
                var begun = mount.path("Destination").asText().equals(Boot.BEGUN);
                assertThat(source.startsWith(homes)
                                || source.equals(shared)
                                || source.startsWith(logs)
                                || (begins && source.equals(runs.resolve(run)))
                                || (begun && source.equals(runs.resolve(run).resolve("begun"))))
                        .as("" + source)
                        .isTrue();
                assertThat(mount.path("RW").asBoolean()).isEqualTo(!source.equals(shared) && !begins);
            }
        }
    }

    private static List<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}
