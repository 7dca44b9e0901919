package io.sluice.engines.docker.images;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SavedNameTest {
    private static final String MINE = "0a1b2c3d-7";

    @Test
    void a_name_is_among_those_of_its_owner() {
        var name = SavedName.of(MINE, "my-env").orElseThrow();
        assertThat(name.full()).isEqualTo("saved.sluice/0a1b2c3d-7/my-env:latest");
        assertThat(SavedName.isOf(name, MINE)).isTrue();
        assertThat(SavedName.isOf(name, "0a1b2c3d-71")).isFalse();
        assertThat(SavedName.isOf(name, "0a1b2c3d")).isFalse();
        assertThat(SavedName.isOf(name, null)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "../x", "a/b", "A", ":1", "x:", "x:a b", "x@sha256:00", "x --y", "x\ny"})
    void what_is_no_name_is_none(String chosen) {
        assertThat(SavedName.of(MINE, chosen)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"saved.sluice/0a1b2c3d-7/x", "SAVED.Sluice/y/x:1", "saved.sluice:443/y/x"})
    void none_is_ever_fetched_however_it_is_written(String name) {
        assertThat(SavedName.isOne(ImageName.of(name).orElseThrow())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ubuntu:24.04", "sluice/y/x:1", "registry.example.org/saved.sluice/x"})
    void other_names_are_as_before(String name) {
        assertThat(SavedName.isOne(ImageName.of(name).orElseThrow())).isFalse();
    }
}
