package io.sluice.jobs.data.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.stores.StoreFault;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From which hosts data may come. */
class HostsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://[::1]/",
                "http://[::ffff:10.0.0.1]/",
                "http://[fd00:ec2::254]/",
                "http://169.254.169.254/latest",
                "http://100.100.100.200/",
                "http://168.63.129.16/",
                "http://10.1.2.3:8080/a",
                "http://0.0.0.0/",
                "file:///etc/passwd",
                "https:/nowhere",
                "ftp://8.8.8.8/a",
                "http://8.8.8.8:0/",
                "http://8.8.8.8:65536/",
                "https://user@8.8.8.8/",
            })
    void what_stands_inside_or_is_no_address_of_the_web_is_refused(String address) {
        assertThatThrownBy(() -> Hosts.PUBLIC.place(URI.create(address))).isInstanceOf(StoreFault.class);
    }

    @Test
    void what_is_public_is_asked_at_the_address_that_was_looked_at() throws StoreFault {
        var place = Hosts.PUBLIC.place(URI.create("https://8.8.8.8/a"));
        assertThat(place.address().getHostAddress()).isEqualTo("8.8.8.8");
        assertThat(place.port()).isEqualTo(443);
    }

    @Test
    void a_port_that_was_named_opens_no_other() throws StoreFault {
        var hosts = new Hosts(Set.of("127.0.0.1:8080"));
        assertThat(hosts.place(URI.create("http://127.0.0.1:8080/a")).port()).isEqualTo(8080);
        assertThatThrownBy(() -> hosts.place(URI.create("http://127.0.0.1:5432/")))
                .hasMessageContaining("no public address");
    }

    @ParameterizedTest
    @CsvSource({
        "a.example: Name or service not known, false",
        "a.example: No address associated with hostname, false",
        "a.example: Temporary failure in name resolution, true",
        "a.example: 域名解析暂时失败, true",
        "a.example, true",
    })
    void a_name_that_nobody_has_is_not_asked_for_again(String said, boolean passing) {
        var fault = Hosts.unknown("a.example", new UnknownHostException(said));
        assertThat(fault.isPassing()).isEqualTo(passing);
        assertThat(fault).hasMessageContaining("a.example");
        assertThat(String.valueOf(fault.getMessage()).contains("spelling")).isNotEqualTo(passing);
    }

    @Test
    void what_the_operator_can_not_have_meant_is_told() {
        List<String> faults = new ArrayList<>();
        assertThat(Hosts.read("git.lab, 10.1.2.3:8080,[::1]:80,http://a/,b:99999", faults)
                        .named())
                .containsExactlyInAnyOrder("git.lab", "10.1.2.3:8080", "[::1]:80");
        assertThat(faults).hasSize(2);
    }
}
