package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.jobs.data.ObjectServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data that comes to a disk which others fill meanwhile: a small one of our own, which takes root to mount. */
class DataDiskIT extends AtStores {
    private static final int SIZE = 6_000_000;

    @TempDir
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        desk.leave();
        desk.open(disk, objects.stores());
        key("ada", ObjectServer.KEY);
    }

    @AfterEach
    void unmount() throws Exception {
        desk.leave();
        run("umount", "-l", disk.toString());
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** What the disk has for all that is on it. */
    private void size(String size) throws IOException, InterruptedException {
        assertThat(run("mount", "-o", "remount,size=" + size, disk.toString())).isZero();
    }

    @Test
    void a_job_whose_data_fills_the_disk_says_so_and_leaves_its_room_to_others() throws Exception {
        objects.put("filling/one", bytes(SIZE, 1));
        objects.put("filling/two", bytes(SIZE, 2));
        objects.stall(SIZE / 2);
        desk.submit("ada", input("filling", "s3://lab/filling"));
        desk.eventually(objects::isStalled);
        size("8m");
        objects.flow();
        assertThat(failure("filling"))
                .contains(
                        "Input data_url could not be fetched.",
                        "The disk of this gateway is full.",
                        "Delete something");
        Path inputs = disk.resolve("inputs/" + "ada".hashCode());
        long job = desk.job("ada", "filling").id();
        desk.eventually(
                () -> !Files.exists(inputs.resolve("" + job)) && !Files.exists(disk.resolve("transfers/" + job)));
        desk.eventually(() -> disk.toFile().getUsableSpace() > 7_000_000);

        desk.submit("ada", input("large", "s3://lab/filling"));
        assertThat(failure("large")).contains("MiB more, and the disk of this gateway has 0 MiB for them");

        desk.submit("ada", output("other", "s3://lab/other"));
        engine.end(desk.running(1).getFirst(), 0);
        assertThat(desk.finished("ada", "other").state()).isEqualTo(Job.State.SUCCEEDED);

        size("2g");
        desk.submit("ada", input("emptied", "s3://lab/filling"));
        desk.running(1);
        Path there = inputs.resolve(desk.job("ada", "emptied").id() + "/data_url");
        assertThat(there.resolve("one")).hasBinaryContent(bytes(SIZE, 1));
        assertThat(there.resolve("two")).hasBinaryContent(bytes(SIZE, 2));
    }
}
