package io.sluice.files.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.files.space.Undertakings.State;
import io.sluice.files.space.Undertakings.Undertaking;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes for good, and what takes long. */
class RemovalTest {
    private static final int SOMEBODY = 200_002;
    private static final String ID = "0123456789abcdef0123456789ab";

    @TempDir
    private Path disk;

    private Space space;

    @BeforeEach
    void settle() throws IOException {
        Path home = Files.createDirectory(disk.resolve("home"));
        if (System.getProperty("user.name").equals("root")) {
            Files.setAttribute(home, "unix:uid", SOMEBODY);
            Files.setAttribute(home, "unix:gid", SOMEBODY);
        }
        space = new Space(home, Owner.of(home), true);
    }

    @Test
    void a_folder_that_its_owner_has_locked_goes() throws IOException {
        space.make(Place.of("cache"));
        space.make(Place.of("cache/module"));
        space.write(Place.of("cache/module/file"), new byte[1], null);
        Path folder = space.root().resolve("cache/module");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        var bin = new Bin(space);
        bin.put(Place.of("cache"));

        bin.forget(bin.list().getFirst().id(), bytes -> {});

        assertThat(bin.list()).isEmpty();
        assertThat(space.root().resolve(".sluice/temporary")).isEmptyDirectory();
    }

    @Test
    void a_tree_of_any_depth_goes() throws IOException {
        space.make(Place.of("deep"));
        Folder at = space.folder(Place.of("deep"));
        for (int i = 0; i < 450; i++) {
            at.make("d");
            try (Folder above = at) {
                at = above.folder("d");
            }
        }
        at.close();
        var bin = new Bin(space);
        bin.put(Place.of("deep"));

        bin.forget(bin.list().getFirst().id(), bytes -> {});

        assertThat(bin.list()).isEmpty();
        assertThat(space.root().resolve(".sluice/temporary")).isEmptyDirectory();
    }

    @Test
    void one_that_can_not_be_removed_keeps_no_other() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "a folder of another's takes root");
        var bin = new Bin(space);
        for (String name : new String[] {"a", "b", "c"}) {
            space.make(Place.of(name));
            bin.put(Place.of(name));
        }
        String first = bin.list().getLast().id();
        Path stuck = Files.createDirectories(
                space.root().resolve(".sluice/bin").resolve(first).resolve("what/of-root"));
        Files.createFile(stuck.resolve("file"));

        assertThatThrownBy(() -> bin.purge(System.currentTimeMillis() + 1_000, bytes -> {}))
                .isInstanceOf(Refused.class);

        try (var left = Files.list(space.root().resolve(".sluice/bin"))) {
            assertThat(left).hasSize(1);
        }
    }

    @Test
    void a_folder_that_is_filled_all_the_time_takes_no_more_than_its_portion() throws IOException {
        try (Folder temporary = space.temporary()) {
            temporary.make("0".repeat(28));
        }
        Path all = space.root().resolve(".sluice/temporary/" + "0".repeat(28));
        Files.createFile(all.resolve("0"));
        var portion = new Removal.Portion(1_000, Duration.ofMinutes(1));
        var made = new AtomicInteger();
        Copying.Moved filled = bytes -> {
            portion.on(bytes);
            if (made.get() < 2_000) {
                Files.createFile(all.resolve("n" + made.incrementAndGet()));
            }
        };

        assertThatThrownBy(() -> space.purge(System.currentTimeMillis(), filled))
                .isInstanceOf(Removal.Enough.class);

        assertThat(made).hasValue(1_000);
        space.purge(System.currentTimeMillis(), new Removal.Portion(10_000, Duration.ofMinutes(1)));
        assertThat(all).doesNotExist();
        assertThatThrownBy(() -> new Removal.Portion(10, Duration.ofNanos(-1)).on(0))
                .isInstanceOf(Removal.Enough.class);
    }

    @Test
    void what_takes_long_is_done_once_and_whoever_does_it_may_end() throws IOException {
        var one = new Undertakings(space);
        var other = new Undertakings(space);
        assertThat(one.begin(ID)).isNull();
        assertThat(Objects.requireNonNull(other.begin(ID)).state()).isEqualTo(State.RUNNING);
        one.tell(ID, Undertaking.running(5));
        assertThat(other.find(ID).bytes()).isEqualTo(5);

        Files.setLastModifiedTime(
                space.root().resolve(".sluice/operations").resolve(ID),
                FileTime.from(Instant.now().minusSeconds(61)));

        assertThat(other.find(ID).state()).isEqualTo(State.FAILED);
        assertThat(other.find(ID).message()).contains("Ask for it again");
        assertThat(other.begin(ID)).isNull();
        other.tell(ID, new Undertaking(State.DONE, 7, 0, "", ""));
        assertThat(Objects.requireNonNull(one.begin(ID)).state()).isEqualTo(State.DONE);
        assertThat(one.begin(ID)).as("it is wanted anew").isNull();
        assertThatThrownBy(() -> one.find("../../x")).isInstanceOf(Refused.class);
    }
}
