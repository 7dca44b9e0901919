package io.sluice.files.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.catalogue.Standing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
    @ParameterizedTest
    @CsvSource({
        "/gdata/cifar10, gdata, /gdata/cifar10",
        "/gdata//cifar 10/, gdata, /gdata/cifar 10",
        "/data, data, /data",
        "/mnt/speech/zh/文件, speech, /mnt/speech/zh/文件",
    })
    void what_lies_in_a_share_is_written_as_tasks_see_it(String text, String share, String path) {
        var origin = Origin.of(text).orElseThrow();
        assertThat(origin.share()).isEqualTo(share);
        assertThat(origin.path()).isEqualTo(path);
        assertThat(Origin.of(path)).contains(origin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://bucket", "s3://store/bucket/a prefix/", "s3://minio.lab/x/$(y)"})
    void what_lies_in_a_store_is_in_no_share(String text) {
        assertThat(Origin.of(text).orElseThrow().isFolder()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cifar10",
                "/",
                "/etc/passwd",
                "/gdata/../homes/ada",
                "/gdata/./x",
                "/gdataset",
                "/mnt",
                "/mnt/../etc",
                "/mnt/Upper/x",
                "/mnt/output/x",
                "/userhome/x",
                "/gdata/a\nb",
                "/gdata/\u202Egnp.exe",
                "s3://",
                "s3:///bucket",
                "s3://b\tc",
                "http://example.org/x"
            })
    void what_is_neither_is_refused(String text) {
        assertThat(Origin.of(text)).isEmpty();
    }

    @Test
    void what_is_longer_than_any_path_is_refused() {
        assertThat(Origin.of("/gdata/" + "文".repeat(400))).isEmpty();
        assertThat(Origin.of("/gdata/" + "x".repeat(300)))
                .as("no disk keeps it")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"170m,170000000", "1.2T,1200000000000", "12,12", "3 GB,3000000000", "0,0"})
    void sizes_are_read_as_people_write_them(String text, long bytes) {
        assertThat(DatasetPageRoutes.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "-1", "1x", "1e9", "999999999999999p"})
    void what_is_no_size_is_none(String text) {
        assertThat(DatasetPageRoutes.bytes(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"CIFAR-10,cifar_10", "2012 ImageNet!,imagenet", "数据,data", "x,x"})
    void a_job_calls_it_by_a_name_that_a_variable_may_have(String name, String input) {
        var content = new Dataset.Content(name, "", "s3://b/x", List.of("default"), null);
        var standing = new Standing(Standing.State.ACCEPTED, 1, "ada", "", java.time.Instant.EPOCH);
        assertThat(new Dataset(1, content, standing, null, null, null, "").input())
                .isEqualTo(input);
    }
}
