package io.sluice.engines.docker.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageNameTest {

    @ParameterizedTest
    @CsvSource({
        "ubuntu, ubuntu:latest, docker.io, docker.io/library/ubuntu",
        "library/ubuntu:24.04, library/ubuntu:24.04, docker.io, docker.io/library/ubuntu",
        "docker.io/library/ubuntu, docker.io/library/ubuntu:latest, docker.io, docker.io/library/ubuntu",
        "index.docker.io/pytorch/pytorch:2, index.docker.io/pytorch/pytorch:2, docker.io, docker.io/pytorch/pytorch",
        "127.0.0.1:5000/team/x:1, 127.0.0.1:5000/team/x:1, 127.0.0.1:5000, 127.0.0.1:5000/team/x",
        "localhost/x, localhost/x:latest, localhost, localhost/x",
        "swr.cn-north-4.myhuaweicloud.com/a/b:c, swr.cn-north-4.myhuaweicloud.com/a/b:c, "
                + "swr.cn-north-4.myhuaweicloud.com, swr.cn-north-4.myhuaweicloud.com/a/b"
    })
    void a_name_is_completed(String name, String full, String registry, String repository) {
        assertThat(ImageName.of(name)).contains(new ImageName(full, registry, repository));
    }

    @ParameterizedTest
    @CsvSource({
        "ubuntu, https://index.docker.io/v1/, true",
        "ubuntu, docker.io, true",
        "127.0.0.1:5000/x, http://127.0.0.1:5000/v2/, true",
        "127.0.0.1:5000/x, 127.0.0.1:5001, false",
        "ubuntu, registry.example.org, false",
        "registry.example.org/x, docker.io, false"
    })
    void a_password_is_for_one_registry(String name, String address, boolean same) {
        assertThat(ImageName.of(name).orElseThrow().isAt(address)).isEqualTo(same);
    }

    @Test
    void what_is_guarded_stays_so_for_who_comes_later(@TempDir Path folder) throws Exception {
        var guarded = new Guarded(folder.resolve("guarded"));
        assertThat(guarded.add("docker.io/team/a")).isTrue();
        assertThat(guarded.add("docker.io/team/a")).isFalse();
        guarded.add("docker.io/team/b");
        guarded.remove("docker.io/team/b");

        var later = new Guarded(folder.resolve("guarded"));
        assertThat(later.has("docker.io/team/a")).isTrue();
        assertThat(later.has("docker.io/team/b")).isFalse();
    }
}
