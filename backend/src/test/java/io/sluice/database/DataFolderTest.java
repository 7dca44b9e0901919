package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {

    @TempDir
    private Path folder;

    @Test
    void it_is_made_for_its_owner_only() throws IOException {
        try (var data = DataFolder.open(folder.resolve("a/b"))) {
            assertThat(Files.getPosixFilePermissions(data.path()))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void a_second_gateway_is_told_who_has_it() {
        try (var held = DataFolder.open(folder)) {
            assertThatThrownBy(() -> DataFolder.open(held.path()))
                    .isInstanceOf(DataFolder.Unusable.class)
                    .hasMessage(
                            "Another gateway (process %d) uses the data folder %s; stop it, or start this one with another --data.",
                            ProcessHandle.current().pid(), folder);
        }
    }

    @Test
    void it_is_free_again_once_it_is_closed() {
        DataFolder.open(folder).close();
        DataFolder.open(folder).close();
    }

    @Test
    void a_file_in_its_place_is_told() throws IOException {
        var file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> DataFolder.open(file))
                .isInstanceOf(DataFolder.Unusable.class)
                .hasMessageContainingAll("The data folder " + file + " can not be written", "--data")
                .message()
                .hasLineCount(1);
    }

    /** As what a killed gateway was making, which still runs when the next one clears it away. */
    @Test
    void what_vanishes_while_it_is_removed_is_removed() throws Exception {
        for (int round = 0; round < 5; round++) {
            var tree = folder.resolve("tree" + round);
            for (int i = 0; i < 200; i++) {
                Files.createDirectories(tree.resolve("folder" + i));
                Files.writeString(tree.resolve("folder" + i + "/file"), "x");
            }
            var other = CompletableFuture.runAsync(() -> delete(tree));
            delete(tree);
            other.get(20, TimeUnit.SECONDS);
            assertThat(tree).doesNotExist();
        }
    }

    private static void delete(Path tree) {
        try {
            DataFolder.delete(tree);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
