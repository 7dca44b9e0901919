package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Role;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExportTest {
    private static JobSpec again(JobSpec spec, Map<String, String> secrets) {
        return Texts.spec(Protocols.export(spec, secrets));
    }

    static Stream<Integer> seeds() {
        return IntStream.range(0, 120).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_generated_job_is_read_back_from_its_export(int seed) {
        JobSpec spec = new RandomJob(seed).spec();
        var secrets = new LinkedHashMap<String, String>();
        spec.secrets().forEach(name -> secrets.put(name, "value of " + name));
        assertThat(again(spec, secrets)).as(Protocols.export(spec, secrets)).isEqualTo(spec);
    }

    @ParameterizedTest
    @ValueSource(strings = {"whole-v2.yaml", "least-v2.yaml"})
    void a_job_is_read_back_from_its_export(String name) {
        Read.Accepted accepted = Texts.accepted(Texts.of(name));
        assertThat(again(accepted.spec(), accepted.secrets())).isEqualTo(accepted.spec());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void as_json_it_is_the_same_job(int seed) {
        JobSpec spec = new RandomJob(seed).spec();
        if (spec.secrets().isEmpty()) {
            assertThat(Texts.spec(Protocols.exportJson(spec))).isEqualTo(spec);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jobName\": \"old\", \"image\": \"x\"}",
                "jobName: old # its name\nimage: x\ntaskRoles: []\n",
                "protocolVersion: 2\nname: 'old'\ntype: job\n",
                "# first\nname:   old   \nprotocolVersion: 2\n"
            })
    void a_text_is_renamed_and_keeps_all_else(String text) {
        String renamed = Protocols.renamed(text, "new-name");
        assertThat(renamed).contains("new-name").doesNotContain("old");
        assertThat(renamed.replaceFirst("\"new-name\"|new-name", ""))
                .isEqualTo(text.replaceFirst("\"old\"|'old'|old", ""));
    }

    @Test
    void an_export_is_canonical() {
        Read.Accepted accepted = Texts.accepted(Texts.V2);
        String once = Protocols.export(accepted.spec(), accepted.secrets());
        assertThat(Protocols.export(Texts.spec(once), accepted.secrets())).isEqualTo(once);
    }

    @Test
    void an_export_without_secrets_asks_for_them() {
        String text = Protocols.export(Texts.spec(Texts.V2));
        assertThat(text).contains("secrets: '******'");
        assertThat(Texts.faults(text)).extracting(Fault::key).containsExactly("secretsMasked");
    }

    @Test
    void a_long_command_stays_readable() {
        String text =
                Texts.LEAST_V2.replace("- echo hello", "- |\n        if true; then\n          echo a # b\n        fi");
        assertThat(Protocols.export(Texts.spec(text)))
                .contains("      - |\n        if true; then\n          echo a # b\n        fi\n");
        assertThat(again(Texts.spec(text), Map.of())).isEqualTo(Texts.spec(text));
    }

    @Test
    void a_job_of_protocol_1_becomes_one_of_protocol_2_that_does_the_same() {
        JobSpec old = Texts.spec(Texts.V1);
        JobSpec spec = again(old, Map.of());
        assertThat(spec.protocol()).isEqualTo(2);
        assertThat(spec.name()).isEqualTo("whole-job_1_0");
        assertThat(spec.retryCount()).isEqualTo(-2);
        assertThat(spec.deviceType()).isEqualTo("gtx1080ti");
        assertThat(spec.environment()).isEqualTo(old.environment());
        assertThat(spec.folders()).isEqualTo(old.folders());
        assertThat(spec.debug()).isTrue();
        assertThat(spec.virtualCluster()).isEqualTo("vision");
        assertThat(spec.roles()).extracting(Role::name).containsExactly("ps_server", "worker_1");
        Role servers = spec.role("ps_server");
        assertThat(servers.minFailed()).isNull();
        assertThat(servers.minSucceeded()).isNull();
        assertThat(servers.resources()).isEqualTo(old.role("ps.server").resources());
        assertThat(servers.ports()).contains(new Port("grpc", 2, 9000), new Port("any", 1, 0));
        assertThat(TaskScript.of(spec, servers))
                .endsWith("set +o errexit +o nounset; [ -z \"${BASH_VERSION:-}\" ] || set +o pipefail\npython ps.py\n");
        assertThat(again(spec, Map.of())).isEqualTo(spec);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.jobs.protocol.Texts#shared")
    void a_job_that_users_submit_can_be_cloned(String name) {
        JobSpec spec = again(Texts.spec(Texts.of(name)), Map.of());
        assertThat(again(spec, Map.of())).isEqualTo(spec);
    }
}
