package io.sluice.logs.keep;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Instants;
import io.sluice.logs.files.LogFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway that dies between two steps of compressing, deleting or cutting a log, and the one after it. */
class KilledKeeperIT {
    private static final int KILLED = 137;

    @TempDir
    private Path folder;

    private byte[] filled(int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(3).nextBytes(bytes);
        Files.write(folder.resolve("a.log"), bytes);
        return bytes;
    }

    private void dies(String instant, String doing) throws Exception {
        var process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        KilledKeeper.class.getName(),
                        folder.toString(),
                        instant,
                        doing)
                .inheritIO()
                .start();
        assertThat(process.waitFor()).as("died at " + instant).isEqualTo(KILLED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"pack.block:kill:2", "pack.written:kill", "pack.read:kill", "pack.index:kill", "pack.moved:kill"
            })
    void a_log_is_whole_however_far_its_compressing_came(String instant) throws Exception {
        byte[] bytes = filled(1_000_000);
        dies(instant, "pack");
        var log = new LogFile(folder.resolve("a.log"));
        assertThat(read(log)).isEqualTo(bytes);
        assertThat(log.pack(() -> true, Instants.NONE)).isTrue();
        assertThat(log.plain()).doesNotExist();
        assertThat(read(log)).isEqualTo(bytes);
        try (var left = Files.list(folder)) {
            assertThat(left.map(file -> file.getFileName().toString())).noneMatch(name -> name.endsWith(".part"));
        }
    }

    private static byte[] read(LogFile log) throws Exception {
        try (Bytes bytes = log.open()) {
            byte[] all = new byte[(int) bytes.size()];
            assertThat(bytes.fill(0, all, all.length)).isEqualTo(all.length);
            return all;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete.said:kill", "delete.begun:kill", "delete.file:kill:1", "delete.file:kill:4"})
    void a_log_is_there_or_says_that_it_was_deleted_and_the_next_gateway_ends_it(String instant) throws Exception {
        byte[] bytes = filled(1_000);
        Files.write(folder.resolve("a.log.gz.part"), new byte[10]); // of one that was killed before
        var log = new LogFile(folder.resolve("a.log"));
        log.times().note(0, 1);
        dies(instant, "delete");
        if (log.gone().isEmpty()) {
            assertThat(read(log)).isEqualTo(bytes);
        } else {
            assertThat(log.gone()).contains(new LogFile.Gone(5, "age", 1_000));
        }
        log.delete("age", 6, Instants.NONE);
        assertThat(log.gone().orElseThrow().size()).isEqualTo(1_000);
        try (var left = Files.list(folder)) {
            assertThat(left.map(file -> file.getFileName().toString())).containsExactly("a.log.gone");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cut.begun:kill", "cut.recorded:kill", "cut.made:kill"})
    void what_is_gone_of_a_log_is_recorded_whenever_its_gateway_dies_while_it_cuts(String instant) throws Exception {
        int size = 24 << 20;
        byte[] bytes = filled(size);
        dies(instant, "cut");
        var log = new LogFile(folder.resolve("a.log"));
        byte[] left = read(log);
        int cut = Arrays.mismatch(left, bytes);
        if (cut >= 0) {
            assertThat(log.gaps().all().getFirst().from()).isLessThanOrEqualTo(cut);
        }
        KilledKeeper.cut(log, folder, Instants.NONE);
        assertThat(log.gaps().all()).hasSize(1);
        Gaps.Gap gap = log.gaps().all().getFirst();
        assertThat(gap.from()).isEqualTo(16 << 20);
        left = read(log);
        assertThat(left[(int) gap.from()]).isZero();
        assertThat(Arrays.equals(left, (int) gap.to(), size, bytes, (int) gap.to(), size))
                .isTrue();
        assertThat(Arrays.equals(left, 0, (int) gap.from(), bytes, 0, (int) gap.from()))
                .isTrue();
    }
}
