package io.sluice.engines.docker.images;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.docker.wire.Hosts;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine asks registries from outside of every container: which of them a job may name. */
class RegistriesTest {

    private static final Map<String, String> NAMES = Map.of(
            "registry.example.org", "203.0.113.7",
            "inside.example.org", "127.0.0.1",
            "metadata.example.org", "169.254.169.254",
            "lan.example.org", "10.215.99.99");

    private static InetAddress[] lookup(String host) throws UnknownHostException {
        if (!host.matches("[0-9.]+") && !host.equals("localhost") && !NAMES.containsKey(host)) {
            throw new UnknownHostException(host);
        }
        return InetAddress.getAllByName(NAMES.getOrDefault(host, host));
    }

    private static Registries registries(String... allowed) {
        return new Registries(List.of(allowed), new Hosts(RegistriesTest::lookup));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:5000",
                "LOCALHOST:5000",
                "127.0.0.1:5432",
                "127.8.9.10:80",
                "0.0.0.0:8080",
                "169.254.169.254",
                "169.254.169.254:80",
                "100.100.100.200:80",
                "168.63.129.16:80",
                "224.0.0.1:80",
                "inside.example.org",
                "metadata.example.org:443",
                "2130706433:80",
                "0x7f.1:80",
                "0177.0.0.1:80",
                "127.1:80"
            })
    void this_machine_and_metadata_are_no_registries(String registry) {
        assertThat(registries().allows(registry)).isFalse();
        assertThat(registries("other.example.org", "localhost:5001").allows(registry))
                .isFalse();
        assertThat(registries(registry.toLowerCase(java.util.Locale.ROOT)).allows(registry))
                .isTrue();
    }

    @Test
    void neither_are_the_machine_s_other_addresses() throws Exception {
        var own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getHostAddress)
                .filter(address -> address.matches("[0-9.]+"))
                .toList();
        assertThat(own).isNotEmpty().allMatch(address -> !registries().allows(address + ":5000"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docker.io",
                "registry.example.org",
                "registry.example.org:5000",
                "lan.example.org",
                "203.0.113.7:5000",
                "nobody-knows.example.org"
            })
    void others_are(String registry) {
        assertThat(registries().allows(registry)).isTrue();
    }

    @Test
    void one_that_is_listed_with_its_port_is_allowed_at_that_port_only() {
        var some = registries("localhost:5000", "127.0.0.1");
        assertThat(some.allows("localhost:5000")).isTrue();
        assertThat(some.allows("localhost:5432")).isFalse();
        assertThat(some.allows("127.0.0.1:5432")).isTrue();
    }
}
