package io.sluice.jobs.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlavorTest {
    private static Node node(String name, int cpus, int memoryMB, String type, String vendor, int devices) {
        var all = IntStream.range(0, devices)
                .mapToObj(i -> new Device("" + i, type, vendor, null, null, null))
                .toList();
        return new Node(name, cpus, memoryMB, all, null);
    }

    private static Snapshot snapshot(List<Running> running, Node... nodes) {
        return new Snapshot(Instant.EPOCH, Snapshot.Rules.USUAL, List.of(nodes), running, List.of(), List.of());
    }

    private static List<String> said(List<Flavor> flavors) {
        return flavors.stream()
                .filter(one -> one.size().devices() > 0)
                .map(one -> one.id() + " " + one.size().cpus() + " "
                        + one.size().memoryMB() / 1024 + " of " + one.machines() + " free " + one.free())
                .toList();
    }

    @Test
    void an_ascend_machine_is_offered_as_on_modelarts() {
        var flavors = Flavor.of(snapshot(List.of(), node("a", 192, 786_432, "Ascend910", "ascend", 8)));
        assertThat(said(flavors))
                .containsExactly(
                        "Ascend910*1 24 96 of 1 free 8",
                        "Ascend910*2 48 192 of 1 free 4",
                        "Ascend910*4 96 384 of 1 free 2",
                        "Ascend910*8 192 768 of 1 free 1");
        assertThat(flavors).extracting(Flavor::id).endsWith("cpu*24", "cpu*48", "cpu*96", "cpu*192");
    }

    @Test
    void a_flavor_fits_on_the_smallest_of_its_machines_and_held_devices_are_not_free() {
        var held = new Held("a", 1, 1, List.of("0", "1", "2"));
        var running = new Running("j", "u", "default", 1, Instant.EPOCH, null, false, false, List.of(held));
        assertThat(said(Flavor.of(snapshot(
                        List.of(running),
                        node("a", 64, 262_144, "H100", "nvidia", 4),
                        node("b", 32, 131_072, "H100", "nvidia", 4),
                        node("c", 99, 999_999, "H100", "nvidia", 3)))))
                .containsExactly("H100*1 8 32 of 3 free 8", "H100*2 16 64 of 3 free 3", "H100*4 32 128 of 2 free 1");
    }

    @Test
    void devices_that_are_ill_and_machines_that_take_nothing_are_not_offered() {
        var ill = new Device("0", "H100", "nvidia", null, null, "fell off the bus");
        var away = node("b", 8, 8_192, "A100", "nvidia", 2);
        var closed = new Node("b", away.cpus(), away.memoryMB(), away.devices(), "drained");
        var flavors = Flavor.of(snapshot(List.of(), new Node("a", 8, 8_192, List.of(ill), null), closed));
        assertThat(said(flavors)).isEmpty();
        assertThat(flavors).isNotEmpty();
        assertThat(Flavor.of(snapshot(List.of()))).isEmpty();
    }
}
