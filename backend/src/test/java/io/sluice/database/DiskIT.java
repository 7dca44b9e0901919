package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are small, full or read-only: a small one of our own, which takes root to mount. */
class DiskIT {

    @TempDir
    private Path folder;

    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=220m", "tmpfs", disk.toString()) == 0,
                "this machine does not allow mounting");
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            run("umount", disk.toString());
        }
    }

    @Test
    void a_disk_too_small_to_begin_is_told_with_what_is_needed() throws Exception {
        run("mount", "-o", "remount,size=100m", disk.toString());
        assertThatThrownBy(() -> Embedded.start(disk))
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContainingAll(
                        "The disk of " + disk + " has", "MB left and the embedded PostgreSQL needs", "--data");
        assertThat(disk.resolve("postgres")).doesNotExist();
    }

    @Test
    void a_disk_that_fills_up_during_the_first_start_is_told_and_the_next_start_works() throws Exception {
        var filler = OwnServer.in(disk);
        var cluster = new Cluster(filler.cluster(), Account.UNMAPPED);
        fill(20);
        assertThatThrownBy(() -> cluster.create(Binaries.unpacked(disk)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left");
        assertThat(cluster.folder()).doesNotExist();
        Files.delete(disk.resolve("filler"));
        Embedded.start(disk).stop();
    }

    @Test
    void a_full_disk_is_told_at_a_later_start_and_nothing_is_lost() throws Exception {
        OwnServer.in(disk);
        Embedded.start(disk).stop();
        fill(0);
        assertThatThrownBy(() -> Embedded.start(disk))
                .isInstanceOf(Database.Unavailable.class)
                .hasMessage("The disk of the data folder %s is full; make room, or start with another --data.", disk);
        assertThatThrownBy(() -> DataFolder.open(disk))
                .isInstanceOf(DataFolder.Unusable.class)
                .hasMessageContainingAll("No space left", "make room");
        Files.delete(disk.resolve("filler"));
        Embedded.start(disk).stop();
    }

    @Test
    void a_read_only_disk_is_told() throws Exception {
        run("mount", "-o", "remount,ro", disk.toString());
        assertThatThrownBy(() -> DataFolder.open(disk.resolve("data")))
                .isInstanceOf(DataFolder.Unusable.class)
                .hasMessageContainingAll("The data folder " + disk.resolve("data"), "Read-only file system", "--data")
                .message()
                .hasLineCount(1);
    }

    private void fill(int leaveMegabytes) throws IOException {
        var block = new byte[1 << 20];
        try (var out = Files.newOutputStream(disk.resolve("filler"))) {
            while (Files.getFileStore(disk).getUsableSpace() > ((long) leaveMegabytes << 20)) {
                out.write(block, 0, (int)
                        Math.min(block.length, Files.getFileStore(disk).getUsableSpace()));
            }
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
