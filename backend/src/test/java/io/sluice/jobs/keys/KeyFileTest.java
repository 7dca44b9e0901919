package io.sluice.jobs.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
    @TempDir
    private Path folder;

    private byte[] open() {
        try {
            return KeyFile.open(folder.resolve("key"), " and begin anew");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void gateways_that_come_together_have_one_key_that_nobody_else_reads() throws IOException {
        var keys = IntStream.range(0, 16).mapToObj(i -> CompletableFuture.supplyAsync(this::open)).toList().stream()
                .map(CompletableFuture::join)
                .map(HexFormat.of()::formatHex)
                .distinct()
                .toList();
        assertThat(keys).hasSize(1);
        assertThat(HexFormat.of().formatHex(open())).isEqualTo(keys.getFirst()).hasSize(64);
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(folder.resolve("key"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("key"))))
                .isEqualTo("rw-------");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no key", "00ff", "zz"})
    void what_is_no_key_is_told_with_what_to_do_and_stays(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("key"), text);
        assertThatThrownBy(() -> KeyFile.open(file, " and begin anew"))
                .hasMessageContaining(file.toString())
                .hasMessageEndingWith("restore it from a backup, or remove it and begin anew.");
        assertThat(file).hasContent(text);
    }
}
