package io.sluice.jobs.gang;

import io.sluice.engines.Device;
import io.sluice.engines.Node;
import io.sluice.jobs.gang.PaiVariables.Self;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Gangs for tests, on nodes of eight devices. */
final class Gangs {
    private Gangs() {}

    /** Roles as {@code worker 2 8}: a name, tasks, and devices of each. */
    static JobSpec spec(String extras, String... roles) {
        var text = new StringBuilder("""
                protocolVersion: 2
                name: train
                type: job
                prerequisites: [{name: base, type: dockerimage, uri: ubuntu:22.04}]
                taskRoles:
                """);
        for (String role : roles) {
            String[] words = role.split(" ");
            text.append("""
                      %s: {instances: %s, dockerImage: base, resourcePerInstance: {cpu: 1, memoryMB: 64, gpu: %s}, commands: [python train.py]}
                    """.formatted((Object[]) words).indent(0).replaceAll("(?m)^ *(\\S)", "  $1"));
        }
        if (!(Protocols.read(text + extras) instanceof Read.Accepted job)) {
            throw new IllegalArgumentException("not a job: " + text + extras);
        }
        return job.spec();
    }

    /** Each task on a node of its own, {@code 10.0.0.1} the first; its devices are the last of the node. */
    static Gang gang(JobSpec spec, String vendor) {
        return gang(spec, vendor, false);
    }

    static Gang gang(JobSpec spec, String vendor, boolean apart) {
        List<Gang.Seat> seats = new ArrayList<>();
        for (JobSpec.Role role : spec.roles()) {
            for (int index = 0; index < role.instances(); index++) {
                int count = role.resources().gpu();
                Node node = node(seats.size(), vendor, apart);
                List<String> ids = node.devices().subList(8 - count, 8).stream()
                        .map(Device::id)
                        .toList();
                seats.add(new Gang.Seat(
                        role.name(),
                        index,
                        apart ? role.name() + "-" + index : node.address(),
                        Map.of("ssh", List.of(15_000 + 2 * seats.size()), "http", List.of(15_001 + 2 * seats.size())),
                        Place.of(node, ids, links(node))));
            }
        }
        return Gang.of(spec, "ada", 27, 0, seats);
    }

    /** {@code 192.168.NUMBER.1}, of the first node. */
    private static Map<String, String> links(Node node) {
        return node.devices().stream()
                .collect(Collectors.toMap(
                        device -> Links.key(node.name(), device.index()),
                        device -> "192.168." + device.index() + "."
                                + (Integer.parseInt(node.name().substring(4)) % 250 + 1)));
    }

    static Node node(int number, String vendor, boolean apart) {
        List<Device> devices = IntStream.range(0, 8)
                .mapToObj(i -> new Device(
                        vendor + "-" + i,
                        vendor.equals("ascend") ? "Ascend910B" : "H100",
                        vendor,
                        i,
                        null,
                        vendor.equals("ascend") ? i < 4 ? "0a" : "0b" : null,
                        true,
                        null))
                .toList();
        String address = "10.0." + (number + 1) / 250 + "." + ((number + 1) % 250);
        return new Node(
                "node" + number,
                apart ? "" : address,
                64,
                65_536,
                devices,
                new Node.Ports(15_000, 40_000),
                true,
                "",
                true,
                "",
                null);
    }

    static Map<String, String> told(Gang gang, String role, int index) {
        return new Contract(gang, "/userhome")
                .environment(new Self(role, index, gang.attempt(), 0, "run", "/userhome"));
    }
}
