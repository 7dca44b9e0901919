package io.sluice.web.addresses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.web.addresses.Networks.Network;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Webhooks do not lead to what stands around the gateway. */
class NetworksTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.9.10",
                "0.0.0.0",
                "10.1.2.3",
                "172.16.0.1",
                "192.168.1.1",
                "169.254.169.254",
                "100.100.100.200",
                "198.19.0.2",
                "224.0.0.1",
                "255.255.255.255",
                "::1",
                "::",
                "fe80::1",
                "fd00:ec2::254",
                "::ffff:127.0.0.1",
                "::10.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::"
            })
    void what_is_inside_is_not_gone_to(String address) throws UnknownHostException {
        assertThat(Networks.PUBLIC.allows(at(address))).isFalse();
    }

    private static InetAddress at(String address) throws UnknownHostException {
        return InetAddress.getByName(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "93.184.216.34", "2606:4700::1111", "172.32.0.1", "100.128.0.1"})
    void public_addresses_are(String address) throws UnknownHostException {
        assertThat(Networks.PUBLIC.allows(at(address))).isTrue();
    }

    @Test
    void the_operator_opens_networks() throws UnknownHostException {
        var networks = new Networks(List.of(Network.of("10.0.0.0/9"), Network.of("::1")));
        assertThat(networks.allows(at("10.127.0.1"))).isTrue();
        assertThat(networks.allows(at("10.128.0.1"))).isFalse();
        assertThat(networks.allows(at("::1"))).isTrue();
        assertThat(networks.allows(at("127.0.0.1"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/8/8", "", "example.org/8", "1/8"})
    void what_is_no_range_is_refused(String text) {
        assertThatThrownBy(() -> Network.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10.0.0.0/8");
    }
}
