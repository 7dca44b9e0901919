package io.sluice.jobs.data.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a file is called that comes from the web. */
class WebFileTest {
    @ParameterizedTest
    @CsvSource({
        "https://a.example/b/set.tar.gz?token=1, set.tar.gz",
        "https://a.example/%E6%95%B0%E6%8D%AE+1.csv, 数据+1.csv",
        "https://a.example/a%2F..%2Fb, a_.._b",
        "https://a.example/a/.., data",
        "https://a.example/%2e%2e, data",
        "https://a.example, data",
        "https://a.example/b/, data",
        "https://a.example/a%00b%0A, a_b_",
    })
    void it_has_the_last_part_of_the_path(URI address, String name) {
        assertThat(WebFile.name(address)).isEqualTo(name);
    }
}
