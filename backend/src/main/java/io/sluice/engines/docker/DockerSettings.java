package io.sluice.engines.docker;

import io.sluice.engines.Device;
import io.sluice.engines.docker.wire.Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * @param folder in which the engine keeps what is its own
 * @param host where the engine listens: {@code unix:///var/run/docker.sock}, or {@code tcp://} with certificates
 * @param certificates a folder with ca.pem, cert.pem and key.pem; null = none
 * @param homes each folder in it may be given to a task
 * @param shared may be given to tasks to read
 * @param common may be given to tasks to write
 * @param simulatedDevices in place of those that there are, unless empty
 * @param root where this machine's devices are looked for: {@code /}
 * @param networks addresses that nothing else here uses, for the tasks: {@code 198.19.0.0/16}
 * @param diskBytes that a task may write beside its folders, where the engine can limit it; 0 = as many as there are
 * @param fence what tasks, and the engine in their name, must not reach
 */
public record DockerSettings(
        Path folder,
        String host,
        @Nullable Path certificates,
        Path homes,
        Path shared,
        Path common,
        List<Device> simulatedDevices,
        Path root,
        String networks,
        long diskBytes,
        Fence fence) {
    private static final Pattern RANGE = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}/(1\\d|2[0-4]|[89])");

    /**
     * @param kept what the gateway uses on other machines, and tasks must not reach
     * @param registries that jobs may name although they are on the engine's machine, as {@code localhost:5000}
     * @param open whether tasks begin also where a firewall could be set, and that fails
     */
    public record Fence(List<InetSocketAddress> kept, List<String> registries, boolean open) {
        public static final Fence CLOSED = new Fence(List.of(), List.of(), false);

        public Fence {
            kept = List.copyOf(kept);
            registries = List.copyOf(registries);
        }
    }

    /** What the tasks of a job are told of one another, beside the homes; each folder in it may be given to a task to read. */
    public Path gangs() {
        return homes.resolveSibling("gangs");
    }

    /** What jobs leave behind: a folder for each user, and in it one for each job. */
    public Path outputs() {
        return homes.resolveSibling("outputs");
    }

    /** What is fetched for jobs, likewise. */
    public Path inputs() {
        return homes.resolveSibling("inputs");
    }

    /** What an administrator shares with some: each folder in it may be given to a task. */
    public Path shares() {
        return homes.resolveSibling("shares");
    }

    public DockerSettings {
        folder = folder.toAbsolutePath().normalize();
        homes = homes.toAbsolutePath().normalize();
        shared = shared.toAbsolutePath().normalize();
        common = common.toAbsolutePath().normalize();
    }

    /** @throws IllegalArgumentException with one line that says what to give instead */
    public void check() {
        var unused = Address.of(host, certificates);
        if (!RANGE.matcher(networks).matches()) {
            throw new IllegalArgumentException(
                    networks + " is no range of addresses. Give one that nothing else here uses, as 198.19.0.0/16.");
        }
    }
}
