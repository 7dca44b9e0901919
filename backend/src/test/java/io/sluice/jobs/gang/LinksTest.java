package io.sluice.jobs.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinksTest {
    @TempDir
    Path folder;

    private static Inventory inventory(boolean simulated) {
        List<Device> devices = IntStream.range(0, 3)
                .mapToObj(i -> new Device("ascend-" + i, "Ascend910B", "ascend", i, null, "0a", simulated, null))
                .toList();
        Node node = Gangs.node(0, "nvidia", false);
        return new Inventory(List.of(node.of(devices)));
    }

    private void tool(String script) throws IOException {
        Path tool = folder.resolve("usr/local/Ascend/driver/tools/hccn_tool");
        Files.createDirectories(tool.getParent());
        Files.writeString(tool, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void configure() throws IOException {
        Files.createDirectories(folder.resolve("etc"));
        Files.writeString(folder.resolve("etc/hccn.conf"), """
                address_0=192.168.1.10
                netmask_0=255.255.255.0
                address_1=192.168.1.11
                address_1=192.168.1.12
                address_2=not an address
                """);
    }

    @Test
    void the_machines_tool_tells_the_address_of_each_device() throws IOException {
        tool("[ \"$1 $3 $4\" = '-i -ip -g' ] && echo \"ipaddr:192.168.9.$2\" && echo netmask:255.255.255.0");
        assertThat(new Links(folder, folder).of(inventory(false)))
                .containsEntry("node0/0", "192.168.9.0")
                .containsEntry("node0/2", "192.168.9.2");
    }

    @Test
    void where_the_tool_knows_nothing_the_machines_file_counts_and_the_administrators_list_before_both()
            throws IOException {
        tool("echo 'hccn_tool: device not found'; exit 1");
        configure();
        Files.writeString(folder.resolve("device-addresses"), """
                # machine  device  address
                node0      0       10.1.1.1
                nonsense
                """);
        assertThat(new Links(folder, folder).of(inventory(false)))
                .containsEntry("node0/0", "10.1.1.1")
                .containsEntry("node0/1", "192.168.1.12")
                .doesNotContainKey("node0/2");
    }

    @Test
    void without_any_of_them_nothing_is_known() {
        assertThat(new Links(folder, folder).of(inventory(false))).isEmpty();
    }

    @Test
    void devices_that_do_not_exist_have_addresses_that_are_nobodys() {
        assertThat(new Links(folder, folder).of(inventory(true)).values())
                .hasSize(3)
                .doesNotHaveDuplicates()
                .allSatisfy(address -> assertThat(address).startsWith("198.18."));
    }
}
