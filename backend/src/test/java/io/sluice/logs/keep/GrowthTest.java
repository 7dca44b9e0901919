package io.sluice.logs.keep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Instants;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.TimeIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrowthTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    private static Growth growth(long limit, Path data) throws IOException {
        var metrics = new KeepMetrics(new CollectorRegistry());
        Disk disk = Disk.open(data);
        return new Growth(new Holes(limit, disk, metrics, Instants.NONE), disk, metrics, task -> 0);
    }

    private static List<Output> printing(Path file) {
        return List.of(new Output(1, 1, file, Instant.ofEpochMilli(500), null, null));
    }

    @Test
    void growth_is_noted_and_a_pause_is_not_smeared() throws IOException {
        Path file = folder.resolve("a.log");
        var growth = growth(1 << 30, folder);
        growth.look(printing(file), 1_000, since -> List.of());
        Files.writeString(file, "12345");
        growth.look(printing(file), 2_000, since -> List.of());
        long written = Files.getLastModifiedTime(file).toMillis();
        for (long second = 1; second < 10; second++) {
            growth.look(printing(file), written + second * 1_000, since -> List.of());
        }
        Files.writeString(file, "678", StandardOpenOption.APPEND);
        growth.look(printing(file), written + 10_000, since -> List.of());
        assertThat(new LogFile(file).times().points(0, 100, 10))
                .containsExactly(
                        new TimeIndex.Point(0, 500),
                        new TimeIndex.Point(5, written),
                        new TimeIndex.Point(5, written + 9_000),
                        new TimeIndex.Point(8, written + 10_000));
    }

    @Test
    void what_a_task_printed_without_a_gateway_is_noted_by_the_next_one() throws IOException {
        Path file = folder.resolve("a.log");
        Files.writeString(file, "12345");
        growth(1 << 30, folder).look(printing(file), 1_000, since -> List.of());
        Files.writeString(file, "678", StandardOpenOption.APPEND);
        Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + 5_000));
        growth(1 << 30, folder).look(printing(file), System.currentTimeMillis() + 9_000, since -> List.of());
        assertThat(new LogFile(file).times().last())
                .isEqualTo(
                        new TimeIndex.Point(8, Files.getLastModifiedTime(file).toMillis()));
    }

    @Test
    void a_log_that_is_too_large_loses_its_middle_and_no_offset_changes() throws IOException {
        Path file = folder.resolve("a.log");
        byte[] bytes = new byte[(int) (60 * MIB)];
        new Random(1).nextBytes(bytes);
        Files.write(file, bytes);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        var growth = growth(32 * MIB, folder);
        growth.look(printing(file), 1_000, since -> List.of());
        growth.look(printing(file), 2_000, since -> List.of());
        assertThat(new LogFile(file).gaps().all())
                .containsExactly(new Gaps.Gap(16 * MIB, 44 * MIB, Gaps.SIZE_LIMIT, 1_000, null));
        byte[] kept = Files.readAllBytes(file);
        assertThat(kept).hasSize(bytes.length);
        assertThat(Arrays.equals(kept, 0, (int) (16 * MIB), bytes, 0, (int) (16 * MIB)))
                .isTrue();
        assertThat(Arrays.equals(kept, (int) (44 * MIB), kept.length, bytes, (int) (44 * MIB), bytes.length))
                .isTrue();
        assertThat(kept[(int) (20 * MIB)]).isZero();
        assertThat(new LogFile(file).stored()).isLessThan(33 * MIB);
        assertThat(Files.getPosixFilePermissions(file)).hasSize(1);
    }

    @Test
    void one_log_that_can_not_be_looked_at_keeps_no_other_from_it() throws IOException {
        Path broken = Files.writeString(folder.resolve("a.log"), "12345");
        Path whole = Files.writeString(folder.resolve("b.log"), "12345");
        Files.createDirectory(folder.resolve("a.log.times"));
        var both = List.of(printing(broken).getFirst(), new Output(2, 1, whole, Instant.ofEpochMilli(500), null, null));
        var growth = growth(1 << 30, folder);
        growth.look(both, 1_000, since -> List.of());
        assertThat(new LogFile(whole).times().last()).isNotNull();
        Files.delete(folder.resolve("a.log.times"));
        growth.look(both, 2_000, since -> List.of());
        assertThat(new LogFile(broken).times().last()).isNotNull();
    }

    @Test
    void what_was_recorded_and_not_yet_cut_when_the_gateway_died_is_cut_by_the_next() throws Exception {
        Path file = folder.resolve("a.log");
        Files.write(file, new byte[(int) (40 * MIB)]);
        long before = blocks(file);
        new LogFile(file).gaps().add(new Gaps.Gap(16 * MIB, 30 * MIB, Gaps.SIZE_LIMIT, 1, null));
        growth(32 * MIB, folder).look(printing(file), 1_000, since -> List.of());
        assertThat(blocks(file)).isLessThanOrEqualTo(before - 13 * MIB / 512);
    }

    private static long blocks(Path file) throws Exception {
        var process = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return Long.parseLong(new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
    }

    @Test
    void a_log_that_its_task_emptied_is_noticed_also_by_a_gateway_that_did_not_run_then() throws IOException {
        for (boolean restarted : new boolean[] {false, true}) {
            Path file = folder.resolve(restarted + ".log");
            Files.writeString(file, "x".repeat(1_000));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
            var growth = growth(1 << 30, folder);
            growth.look(printing(file), 1_000, since -> List.of());
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            Files.writeString(file, "new");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
            (restarted ? growth(1 << 30, folder) : growth).look(printing(file), 2_000, since -> List.of());
            var gap = new LogFile(file).gaps().all().getFirst();
            assertThat(gap.reason()).isEqualTo(Gaps.EMPTIED);
            assertThat(gap.from()).isEqualTo(3);
            assertThat(gap.to()).isEqualTo(Files.size(file));
            assertThat(Files.getPosixFilePermissions(file)).hasSize(1);
        }
    }

    @Test
    void a_disk_is_full_for_somebody_who_may_write_no_more_and_has_room_again_once_he_may() throws Exception {
        Path file = Files.writeString(folder.resolve("a.log"), "begun\n");
        var growth = growth(1 << 30, folder);
        growth.look(printing(file), 1_000, since -> List.of());
        // as a quota answers: the disk has room, and no write of ours finds any
        Path probe = folder.resolve("jobs/disk-probe");
        Files.deleteIfExists(probe);
        Files.createSymbolicLink(probe, Path.of("/dev/full"));
        growth.look(printing(file), 2_000, since -> List.of());
        assertThat(new LogFile(file).gaps().all()).isEmpty();
        growth.look(printing(file), 3_000, since -> List.of());
        growth.look(printing(file), 4_000, since -> List.of());
        assertThat(new LogFile(file).gaps().all()).containsExactly(new Gaps.Gap(6, 6, Gaps.DISK_FULL, 2_000, 3_000L));
    }

    @Test
    void a_full_disk_is_recorded_as_a_gap_also_by_the_next_gateway_and_writing_goes_on() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        try {
            Path file = disk.resolve("a.log");
            Files.writeString(file, "before\n");
            var growth = growth(1 << 30, disk);
            growth.look(printing(file), 1_000, since -> List.of());
            run("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k");
            run("sh", "-c", "yes lost | head -c 100000 >> " + file);
            long full = Files.size(file);
            growth.look(printing(file), 2_000, since -> List.of());
            assertThat(new LogFile(file).gaps().all()).isEmpty();
            var next = growth(1 << 30, disk);
            next.look(printing(file), 3_000, since -> List.of());
            Files.delete(disk.resolve("filler"));
            next.look(printing(file), 4_000, since -> List.of());
            assertThat(new LogFile(file).gaps().all())
                    .containsExactly(new Gaps.Gap(full, full, Gaps.DISK_FULL, 2_000, 4_000L));
            Files.writeString(file, "after\n", StandardOpenOption.APPEND);
            next.look(printing(file), 5_000, since -> List.of());
            assertThat(Files.readString(file)).startsWith("before\n").endsWith("after\n");
            assertThat(new LogFile(file).gaps().all()).hasSize(1);
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    @Test
    void a_disk_that_was_full_between_two_looks_leaves_a_gap_where_it_was_nearly_full_before() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        try {
            Path file = Files.writeString(disk.resolve("a.log"), "begun\n");
            var metrics = new KeepMetrics(new CollectorRegistry());
            Disk watched = Disk.open(disk);
            var growth = new Growth(new Holes(1 << 30, watched, metrics, Instants.NONE), watched, metrics, task -> 0);
            growth.look(printing(file), 1_000, since -> List.of());
            assertThat(watched.isTight()).isTrue();
            run("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k");
            watched.glance(1_300);
            Files.delete(disk.resolve("filler"));
            growth.look(printing(file), 2_000, since -> List.of());
            assertThat(new LogFile(file).gaps().all())
                    .containsExactly(new Gaps.Gap(6, 6, Gaps.DISK_FULL, 1_300, 2_000L));
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    @Test
    void a_log_that_ended_while_the_disk_was_full_says_so_too() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        try {
            Path going = disk.resolve("a.log");
            Path told = disk.resolve("b.log");
            Path before = disk.resolve("c.log");
            for (Path file : List.of(going, told, before)) {
                Files.writeString(file, "begun\n");
            }
            var growth = growth(1 << 30, disk);
            run("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k");
            growth.look(printing(going), 2_000, since -> List.of());
            Files.delete(disk.resolve("filler"));
            // one is not among those that print any more, another has ended while another gateway looked
            growth.look(List.of(), 4_000, since -> since == 2_000 ? printing(told) : List.of());
            var gap = new Gaps.Gap(6, 6, Gaps.DISK_FULL, 2_000, 4_000L);
            assertThat(new LogFile(going).gaps().all()).containsExactly(gap);
            assertThat(new LogFile(told).gaps().all()).containsExactly(gap);
            assertThat(new LogFile(before).gaps().all()).isEmpty();
            growth.look(printing(going), 5_000, since -> List.of());
            assertThat(new LogFile(going).gaps().all()).hasSize(1);
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
