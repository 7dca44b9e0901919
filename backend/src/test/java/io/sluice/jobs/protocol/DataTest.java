package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.protocol.data.Data;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job file says of data, and what its tasks find of it. */
class DataTest {
    private static final String JOB = Texts.LEAST_V2 + """
            extras:
              storages: [{name: big, mountPath: /big}]
              sluice:
                data:
                  inputs:
                    - {name: data_url, from: "s3://minio/bucket/train/"}
                    - {name: code, from: /userhome/code/}
                    - {name: big, from: /big/set}
                  outputs:
                    - {name: train_url, to: "s3://bucket/out"}
                    - {name: log, to: /userhome/logs}
            """;

    @Test
    void tasks_find_each_input_and_output_by_a_variable() {
        assertThat(Texts.spec(JOB).data().environment())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "SLUICE_INPUT_DATA_URL", "/input/data_url",
                        "SLUICE_INPUT_CODE", "/userhome/code",
                        "SLUICE_INPUT_BIG", "/big/set",
                        "SLUICE_OUTPUT_TRAIN_URL", "/output/train_url",
                        "SLUICE_OUTPUT_LOG", "/userhome/logs"));
    }

    @Test
    void only_what_lies_in_a_store_is_moved() {
        Data data = Texts.spec(JOB).data();
        assertThat(data.fetched()).extracting(Data.Named::inStore).containsExactly("minio/bucket/train/");
        assertThat(data.returned()).extracting(Data.Named::name).containsExactly("train_url");
    }

    @Test
    void another_run_of_the_job_has_the_same_data() {
        JobSpec spec = Texts.spec(JOB);
        assertThat(Texts.spec(Protocols.export(spec)).data()).isEqualTo(spec.data());
        assertThat(Texts.spec(Protocols.exportJson(spec)).data()).isEqualTo(spec.data());
    }

    @Test
    void a_job_that_says_nothing_of_data_has_none() {
        assertThat(Texts.spec(Texts.LEAST_V2).data()).isEqualTo(Data.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://a", "s3://store/bucket/a prefix/数据/", "/userhome", "/mnt/set/a", "/gdata/x/"})
    void an_address_is_a_place_in_a_store_or_a_folder(String address) {
        assertThat(Data.isAddress(address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/", "s3://", "s3:///a", "S3://a", "a", "/a\u0000b", "/a//b", "/./a", "s3://a/..", "/a\nb"})
    void nothing_else_is(String address) {
        assertThat(Data.isAddress(address)).isFalse();
    }
}
