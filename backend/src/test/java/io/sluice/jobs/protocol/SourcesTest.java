package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.protocol.data.Data;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What prerequisites of data are, beside texts. */
class SourcesTest {
    private static String job(String name, List<String> addresses) {
        return """
                protocolVersion: 2
                name: sources
                type: job
                prerequisites:
                  - {name: image, type: dockerimage, uri: none}
                  - {name: %s, type: data, uri: ["%s"]}
                taskRoles:
                  worker:
                    dockerImage: image
                    data: %1$s
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                """.formatted(name, String.join("\", \"", addresses));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hdfs://10.0.0.1:9000/data",
                "ftp://a.example/b",
                "file:///etc/passwd",
                "git@a.example:b.git",
                "/a/../b",
                "/a//b",
                "C:/data",
                "https://a b/",
                "any text",
            })
    void what_can_not_be_had_stays_a_text(String address) {
        JobSpec spec = Texts.spec(job("set", List.of(address)));
        assertThat(spec.data()).isEqualTo(Data.NONE);
        assertThat(spec.prerequisites().getLast().uris()).containsExactly(address);
    }

    @Test
    void a_name_is_made_one_that_a_variable_can_have() {
        var addresses = List.of("/gdata/a", "https://a.example/b");
        assertThat(Texts.spec(job("2nd-Set", addresses)).data().environment())
                .containsEntry("SLUICE_INPUT_DATA_2ND_SET", "/gdata/a")
                .containsEntry("SLUICE_INPUT_DATA_2ND_SET_2", "/input/data_2nd_set_2");
    }

    @Test
    void a_job_has_not_more_addresses_than_a_hundred() {
        assertThat(Texts.spec(job("set", Collections.nCopies(100, "https://a.example/b")))
                        .data()
                        .inputs())
                .hasSize(100);
        var refused = Texts.refused(job("set", Collections.nCopies(101, "https://a.example/b")));
        assertThat(refused.message()).contains("prerequisites[1].uri", "there are 101 addresses", "may have 100");
    }
}
