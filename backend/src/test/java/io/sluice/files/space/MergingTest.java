package io.sluice.files.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Merging.Collisions;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What has been made aside comes among what is there as a whole, whoever ends in the middle of it. */
class MergingTest {
    @TempDir
    Path home;

    private Space space;
    private Path into;

    @BeforeEach
    void begin() throws IOException {
        space = new Space(home, Owner.of(home), true);
        into = Files.createDirectories(home.resolve("into"));
        Files.createDirectories(into.resolve("both"));
        Files.writeString(into.resolve("both/same"), "old");
        Files.writeString(into.resolve("both/theirs"), "theirs");
        Path aside = Files.createDirectories(home.resolve(".sluice/temporary/aside"));
        Files.writeString(aside.resolve("a"), "new");
        Files.createDirectories(aside.resolve("both"));
        Files.writeString(aside.resolve("both/same"), "new");
        Files.createDirectories(aside.resolve("folder/in"));
        Files.writeString(aside.resolve("z"), "new");
    }

    private void merge(boolean swaps, Copying.Moved heard) throws IOException {
        Collisions how = Collisions.REPLACE;
        try (Folder temporary = space.temporary();
                Folder target = space.folder(Place.of("into"))) {
            if (swaps) {
                Merging.into(temporary, "aside", target, Place.of("into"), how, heard);
            } else {
                Merging.into(temporary, "aside", target, Place.of("into"), Merging.withoutSwaps(how, heard));
            }
        }
    }

    /** Before the last of all is moved, where it has been compared already. */
    private boolean isNearlyDone() {
        return Files.exists(into.resolve("folder"));
    }

    private void mustBeAsBefore() throws IOException {
        assertThat(all(into)).containsExactly("both", "both/same", "both/theirs");
        assertThat(into.resolve("both/same")).hasContent("old");
    }

    private static List<String> all(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(path -> folder.relativize(path).toString())
                    .filter(name -> !name.isEmpty())
                    .sorted()
                    .toList();
        }
    }

    private Path steps() throws IOException {
        try (Stream<Path> all = Files.walk(home.resolve(".sluice/temporary"))) {
            return all.filter(path -> path.endsWith("steps")).findFirst().orElseThrow();
        }
    }

    private void silentForAnHour() throws IOException {
        Files.setLastModifiedTime(steps(), FileTime.fromMillis(System.currentTimeMillis() - 3_600_000));
    }

    @Test
    void all_of_it_is_there_whether_or_not_the_disk_swaps() throws IOException {
        merge(false, moved -> {});
        assertThat(all(into)).containsExactly("a", "both", "both/same", "both/theirs", "folder", "folder/in", "z");
        assertThat(into.resolve("both/same")).hasContent("new");
        assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
    }

    @Test
    void what_fails_late_is_as_it_was_whether_or_not_the_disk_swaps() throws IOException {
        for (boolean swaps : List.of(true, false)) {
            assertThatThrownBy(() -> merge(swaps, moved -> {
                        if (isNearlyDone()) {
                            assertThat(into.resolve("both/same")).hasContent("new");
                            throw new IOException("no more");
                        }
                    }))
                    .hasMessage("no more");
            mustBeAsBefore();
            assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
            begin();
        }
    }

    @Test
    void what_a_gateway_that_ended_left_half_done_is_undone_by_the_next() throws IOException {
        for (boolean swaps : List.of(true, false)) {
            assertThatThrownBy(() -> merge(swaps, moved -> {
                        if (isNearlyDone()) {
                            assertThat(space.purge(0, bytes -> {}))
                                    .as("it is heard of")
                                    .isZero();
                            assertThat(Journal.undoLeft(space, System.currentTimeMillis() + 30_000, bytes -> {}))
                                    .isZero();
                            assertThat(isNearlyDone()).isTrue();
                            assertThat(Journal.undoLeft(space, System.currentTimeMillis() + 61_000, bytes -> {}))
                                    .isEqualTo(1);
                            mustBeAsBefore();
                            Files.writeString(into.resolve("a"), "made since");
                            throw new IOException("the first has not ended after all");
                        }
                    }))
                    .hasMessageContaining("not ended");
            assertThat(into.resolve("a")).as("nothing is undone twice").hasContent("made since");
            Files.delete(into.resolve("a"));
            mustBeAsBefore();
            assertThat(all(home.resolve(".sluice/temporary"))).isEmpty();
            begin();
        }
    }

    @Test
    void what_somebody_has_changed_since_stays_theirs() throws IOException {
        assertThatThrownBy(() -> merge(true, moved -> {
                    if (isNearlyDone()) {
                        silentForAnHour();
                        Files.writeString(into.resolve("folder/in/mine"), "mine");
                        Files.delete(into.resolve("a"));
                        Files.writeString(into.resolve("a"), "mine");
                        assertThat(space.purge(0, bytes -> {})).isEqualTo(1);
                        throw new IOException("over");
                    }
                }))
                .hasMessage("over");
        assertThat(into.resolve("folder/in/mine")).hasContent("mine");
        assertThat(into.resolve("a")).hasContent("mine");
    }
}
