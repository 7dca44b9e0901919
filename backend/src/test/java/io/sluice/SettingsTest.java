package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void nothing_said_means_loopback_and_the_usual_port() {
        Settings settings = right(Map.of());

        assertThat(settings.web().host()).isEqualTo("127.0.0.1");
        assertThat(settings.web().port()).isEqualTo(8080);
        assertThat(settings.data()).hasFileName(".sluice");
    }

    @Test
    void every_fault_is_told_at_once() {
        assertThat(wrong(
                        Map.of(),
                        "--port",
                        "70000",
                        "--host",
                        "0.0.0.0",
                        "--tls-cert",
                        "/no/such",
                        "--colour",
                        "red",
                        "--data"))
                .hasSize(6)
                .anyMatch(fault -> fault.contains("--port 70000"))
                .anyMatch(fault -> fault.contains("--tls-cert /no/such can not be read"))
                .anyMatch(fault -> fault.contains("belong together"))
                .anyMatch(fault -> fault.contains("--colour"))
                .anyMatch(fault -> fault.contains("--data needs a value"));
    }

    @Test
    void other_machines_need_tls_or_a_word_that_a_proxy_has_it() {
        assertThat(wrong(Map.of(), "--host", "0.0.0.0"))
                .singleElement()
                .asString()
                .contains("--plain-http");
        assertThat(right(Map.of(), "--host", "0.0.0.0", "--plain-http").web().host())
                .isEqualTo("0.0.0.0");
    }

    @Test
    void a_flag_wins_over_its_variable() {
        assertThat(right(Map.of("SLUICE_PORT", "1", "SLUICE_HOST", "localhost"), "--port=2")
                        .web()
                        .port())
                .isEqualTo(2);
        assertThat(right(Map.of("SLUICE_HOST", "localhost")).web().host()).isEqualTo("localhost");
    }

    @Test
    void the_portal_has_a_port_beside_those_of_apps() {
        for (var port : List.of("18000", "18100", "18199")) {
            assertThat(wrong(Map.of(), "--port", port, "--endpoint-ports", "18000-18199"))
                    .singleElement()
                    .asString()
                    .contains("--port " + port, "--endpoint-ports 18000-18199");
        }
        for (var port : List.of("17999", "18200", "0")) {
            assertThat(right(Map.of(), "--port", port, "--endpoint-ports", "18000-18199")
                            .endpoints()
                            .names()
                            .ports())
                    .hasSize(200);
        }
    }

    @Test
    void user_ids_that_the_system_has_are_given_to_nobody() {
        assertThat(right(Map.of()).userIds().first()).isEqualTo(100_000);
        assertThat(right(Map.of(), "--user-ids", "300000-300009").userIds().last())
                .isEqualTo(300_009);
        for (var range : List.of("0-10", "999-5000", "5000-4000", "100000", "100000-99999999999", "-1-5")) {
            assertThat(wrong(Map.of(), "--user-ids", range))
                    .as(range)
                    .singleElement()
                    .asString()
                    .contains("--user-ids")
                    .contains("100000-165535");
        }
    }

    @Test
    void an_empty_variable_is_none() {
        var environment = Map.of(
                "SLUICE_PORT", "", "SLUICE_DATA", "", "SLUICE_PLAIN_HTTP", "", "SLUICE_DEV", "", "SLUICE_DB", " ");

        assertThat(right(environment)).isEqualTo(right(Map.of()));
        assertThat(wrong(Map.of(), "--data=")).singleElement().asString().contains("--data is empty");
    }

    @Test
    void a_switch_is_on_or_off_and_nothing_else() {
        assertThat(wrong(Map.of(), "--host=0.0.0.0", "--plain-http=false")).hasSize(1);
        assertThat(wrong(Map.of("SLUICE_PLAIN_HTTP", "no")))
                .singleElement()
                .asString()
                .contains("true or false");
    }

    @Test
    void a_proxy_is_named_by_its_address() {
        assertThat(right(Map.of(), "--trusted-proxies", "10.0.0.2, ::1").web().trustedProxies())
                .containsExactlyInAnyOrder("10.0.0.2", "0:0:0:0:0:0:0:1");
        assertThat(wrong(Map.of(), "--trusted-proxies", "10.0.0.0/8,proxy.example.org"))
                .hasSize(2);
    }

    @Test
    void help_names_every_flag() {
        var read = Settings.read(new String[] {"--help"}, Map.of());

        assertThat(((Settings.Help) read).text())
                .contains("--port", "--host", "--data", "--db", "--tls-cert", "SLUICE_ADMIN_PASSWORD");
    }

    private static Settings right(Map<String, String> environment, String... arguments) {
        return ((Settings.Right) Settings.read(arguments, environment)).settings();
    }

    private static List<String> wrong(Map<String, String> environment, String... arguments) {
        return ((Settings.Wrong) Settings.read(arguments, environment)).faults();
    }
}
