package io.sluice.endpoints.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostKeyTest {
    @TempDir
    private Path folder;

    @Test
    void the_next_start_has_the_same_key_which_nobody_else_reads() throws Exception {
        Path file = folder.resolve("ssh-host.key");
        var first = HostKey.open(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(HostKey.open(file).getPublic()).isEqualTo(first.getPublic());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(folder).isDirectoryContaining(one -> one.equals(file));
    }

    @Test
    void a_file_that_is_no_key_is_told_with_what_to_do() throws IOException {
        Path file = Files.writeString(folder.resolve("ssh-host.key"), "nothing\n");
        assertThatThrownBy(() -> HostKey.open(file))
                .hasMessageContaining("ssh-host.key")
                .hasMessageContaining("remove");
    }
}
