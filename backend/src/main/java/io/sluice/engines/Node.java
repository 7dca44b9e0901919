package io.sluice.engines;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine.
 *
 * @param address by which tasks on other nodes reach its ports; empty = each task has an address of its own, and its
 *     name is its label {@link Task#HOST}
 * @param ports that tasks may be given; the system itself gives them to nobody
 * @param limitsEnforced whether a task that takes more CPU or memory than it asked for is kept from it
 * @param limitsNote how, or why not; one line for the user
 * @param isolated whether tasks are hidden from one another and from the gateway
 * @param isolationNote how, or what is not; one line for the user
 * @param unready why nothing can be started there now; null = it can
 */
public record Node(
        String name,
        String address,
        int cpus,
        int memoryMB,
        List<Device> devices,
        Ports ports,
        boolean limitsEnforced,
        String limitsNote,
        boolean isolated,
        String isolationNote,
        @Nullable String unready) {

    public Node {
        devices = List.copyOf(devices);
    }

    /** With devices that were found since. */
    public Node with(List<Device> more) {
        return of(Stream.concat(devices.stream(), more.stream()).toList());
    }

    /** With these devices and no others. */
    public Node of(List<Device> all) {
        return new Node(
                name,
                address,
                cpus,
                memoryMB,
                all,
                ports,
                limitsEnforced,
                limitsNote,
                isolated,
                isolationNote,
                unready);
    }

    /** From the first to the last, both included. */
    public record Ports(int first, int last) {

        public Ports {
            if (first < 1 || last > 65_535 || first > last) {
                throw new IllegalArgumentException("no port range: " + first + "-" + last);
            }
        }

        public int size() {
            return last - first + 1;
        }
    }
}
