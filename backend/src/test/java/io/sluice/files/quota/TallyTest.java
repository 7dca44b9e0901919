package io.sluice.files.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much is in a tree. */
class TallyTest {
    @TempDir
    private Path root;

    @Test
    void a_tree_that_takes_too_long_counts_as_far_as_it_was_met() throws IOException {
        for (int i = 0; i < 3; i++) {
            Files.write(root.resolve("f" + i), new byte[5]);
        }
        assertThat(Tally.of(root)).isEqualTo(new Tally(15, 3));
        assertThat(Tally.of(Folder.open(root, Owner.GATEWAY), Duration.ZERO)).isEqualTo(new Tally(5, 1));
    }
}
