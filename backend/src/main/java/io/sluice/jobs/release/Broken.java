package io.sluice.jobs.release;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A device that is at fault while a task has it.
 *
 * @param fault as its tool or its engine says
 */
public record Broken(Held by, String device, String fault) {

    /** A task with its devices. */
    public record Held(String role, int index, String node, List<String> devices) {
        public Held {
            devices = List.copyOf(devices);
        }
    }

    /** The first of them, in the order of the tasks. */
    public static Optional<Broken> among(Inventory inventory, List<Held> tasks) {
        return tasks.stream()
                .flatMap(task -> inventory.nodes().stream()
                        .filter(node -> node.name().equals(task.node()))
                        .map(Node::devices)
                        .flatMap(List::stream)
                        .filter(device ->
                                device.fault() != null && task.devices().contains(device.id()))
                        .map(device -> broken(task, device)))
                .findFirst();
    }

    public String message() {
        return "%s of %s %d on %s is at fault: %s".formatted(device, by.role(), by.index(), by.node(), fault);
    }

    private static Broken broken(Held task, Device device) {
        return new Broken(task, device.id(), Objects.requireNonNull(device.fault()));
    }
}
