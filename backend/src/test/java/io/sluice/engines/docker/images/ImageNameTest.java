package io.sluice.engines.docker.images;

import static org.assertj.core.api.Assertions.assertThat;

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
}
