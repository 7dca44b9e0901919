package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What tasks must not reach on other machines, out of the settings. */
class ServicesTest {

    private static InetSocketAddress at(String host, int port) {
        return InetSocketAddress.createUnresolved(host, port);
    }

    @Test
    void every_host_of_an_address_counts_with_its_port_or_the_usual_one() {
        assertThat(Services.of(
                        "postgresql://ann:p%40ss@db.example.org/sluice?sslmode=verify-full",
                        "postgres://one.example.org:6432,two.example.org/sluice",
                        "http://192.0.2.9:9090",
                        "https://prometheus.example.org/path",
                        "http://[2001:db8::1]:9090/"))
                .containsExactly(
                        at("db.example.org", 5432),
                        at("one.example.org", 6432),
                        at("two.example.org", 5432),
                        at("192.0.2.9", 9090),
                        at("prometheus.example.org", 443),
                        at("2001:db8::1", 9090));
    }

    @Test
    void what_is_none_is_none() {
        assertThat(Services.of("", "postgresql:///sluice", "nonsense", "http://h:99999"))
                .isEmpty();
    }

    @Test
    void the_settings_keep_the_database_and_prometheus_from_tasks() {
        var read = Settings.read(
                new String[] {
                    "--prometheus", "http://192.0.2.9:9090", "--docker-registries", "localhost:5000, registry.lan"
                },
                Map.of("SLUICE_DB", "postgresql://u:p@192.0.2.8/x", "SLUICE_DOCKER_WITHOUT_FIREWALL", "true"));
        assertThat(read).isInstanceOfSatisfying(Settings.Right.class, right -> {
            var fence = right.settings().docker().fence();
            assertThat(fence.kept()).containsExactly(at("192.0.2.8", 5432), at("192.0.2.9", 9090));
            assertThat(fence.registries()).containsExactly("localhost:5000", "registry.lan");
            assertThat(fence.open()).isTrue();
        });
        assertThat(Settings.read(new String[] {"--docker-registries", "http://localhost:5000/x"}, Map.of()))
                .isInstanceOfSatisfying(
                        Settings.Wrong.class,
                        wrong -> assertThat(wrong.faults())
                                .anyMatch(fault -> fault.startsWith("--docker-registries http://localhost:5000/x")));
    }
}
