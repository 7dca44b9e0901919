package io.sluice.jobs.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterJsonTest {
    private static Node node(String name, int cpus, int memoryMB, int devices) {
        List<Device> all = IntStream.range(0, devices)
                .mapToObj(n -> new Device("gpu-" + n, "H100", "nvidia", n, null, null, false, null))
                .toList();
        return new Node(name, "", cpus, memoryMB, all, new Node.Ports(20_000, 20_010), true, "", true, "", null);
    }

    @Test
    void a_sku_is_what_comes_with_a_device_on_every_machine_that_has_its_type() {
        var machines = new Inventory(
                List.of(node("small", 16, 64_000, 8), node("large", 96, 800_000, 8), node("few", 4, 640_000, 8)));
        assertThat(ClusterJson.skus(machines).toString()).isEqualTo("{\"H100\":{\"cpu\":1,\"memory\":8000,\"gpu\":1}}");
    }

    @Test
    void a_machine_without_devices_offers_its_processors() {
        assertThat(ClusterJson.skus(new Inventory(List.of(node("plain", 4, 64_000, 0))))
                        .toString())
                .isEqualTo("{\"cpu\":{\"cpu\":1,\"memory\":16000,\"gpu\":0}}");
    }
}
