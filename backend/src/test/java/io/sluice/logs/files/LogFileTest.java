package io.sluice.logs.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFileTest {
    @TempDir
    private Path folder;

    private LogFile file;

    @BeforeEach
    void name() {
        file = new LogFile(folder.resolve("main-0-0.log"));
    }

    private byte[] filled(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Files.write(file.plain(), bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 262_143, 262_144, 262_145, 1_000_000})
    void a_compressed_log_has_every_byte_at_its_offset(int size) throws IOException {
        byte[] bytes = filled(size);
        assertThat(file.pack(() -> true, Instants.NONE)).isTrue();
        assertThat(file.plain()).doesNotExist();
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file.packed())))) {
            assertThat(size == 0 ? new byte[0] : plain.readAllBytes()).isEqualTo(bytes);
        } catch (EOFException empty) {
            assertThat(size).isZero();
        }
        try (Bytes packed = file.open()) {
            assertThat(packed.size()).isEqualTo(size);
            var random = new Random(1);
            for (int time = 0; time < 200 && size > 0; time++) {
                int from = random.nextInt(size);
                byte[] part = new byte[random.nextInt(5_000)];
                int count = packed.fill(from, part, part.length);
                assertThat(Arrays.copyOf(part, count))
                        .isEqualTo(Arrays.copyOfRange(bytes, from, Math.min(size, from + part.length)));
            }
        }
    }

    @Test
    void compression_that_is_broken_off_leaves_the_log_and_can_be_begun_again() throws IOException {
        byte[] bytes = filled(1_000_000);
        int[] asked = {2};
        assertThat(file.pack(() -> asked[0]-- > 0, Instants.NONE)).isFalse();
        assertThat(Files.readAllBytes(file.plain())).isEqualTo(bytes);
        assertThat(file.compressed()).isNull();
        assertThat(file.pack(() -> true, Instants.NONE)).isTrue();
        assertThat(file.compressed()).isNotNull();
    }

    @Test
    void a_damaged_block_is_an_error_and_not_other_bytes() throws IOException {
        filled(600_000);
        file.pack(() -> true, Instants.NONE);
        try (var channel = Files.newByteChannel(file.packed(), StandardOpenOption.WRITE)) {
            channel.position(300_000).write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
        }
        try (Bytes packed = file.open()) {
            assertThat(packed.fill(0, new byte[10], 10)).isEqualTo(10);
            assertThatThrownBy(() -> packed.fill(300_000, new byte[10], 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("damaged");
        }
    }

    @Test
    void a_log_that_comes_to_be_after_it_was_opened_is_seen() throws IOException {
        try (Bytes bytes = file.open()) {
            assertThat(bytes.size()).isZero();
            filled(10);
            assertThat(bytes.size()).isEqualTo(10);
        }
    }

    @Test
    void what_is_in_a_hole_is_no_part_of_the_log() throws IOException {
        byte[] bytes = filled(1_000);
        file.gaps().add(new Gaps.Gap(100, 200, Gaps.SIZE_LIMIT, 1, null));
        file.gaps().add(new Gaps.Gap(150, 300, Gaps.SIZE_LIMIT, 2, null));
        file.gaps().add(new Gaps.Gap(500, 500, Gaps.DISK_FULL, 3, 4L));
        try (var reader = new Reader(file)) {
            ByteBuffer before = ByteBuffer.allocate(1_000);
            assertThat(reader.read(40, before)).isNull();
            assertThat(Arrays.copyOf(before.array(), before.position())).isEqualTo(Arrays.copyOfRange(bytes, 40, 100));
            Gaps.Gap hole = reader.read(120, ByteBuffer.allocate(10));
            assertThat(hole).isEqualTo(new Gaps.Gap(100, 300, Gaps.SIZE_LIMIT, 1, null));
            ByteBuffer after = ByteBuffer.allocate(1_000);
            assertThat(reader.read(300, after)).isNull();
            assertThat(after.position()).isEqualTo(700);
            assertThat(reader.gaps()).hasSize(2);
        }
    }

    @Test
    void a_gap_that_was_half_written_when_its_gateway_died_is_none() throws IOException {
        Files.writeString(folder.resolve("main-0-0.log.gaps"), "{\"from\":1,\"to\":");
        file.gaps().add(new Gaps.Gap(5, 9, Gaps.SIZE_LIMIT, 1, null));
        assertThat(file.gaps().all()).containsExactly(new Gaps.Gap(5, 9, Gaps.SIZE_LIMIT, 1, null));
    }

    @Test
    void cuts_of_a_day_are_one_line_and_a_reader_who_has_it_open_knows_them_all() throws IOException {
        filled(100);
        var gaps = file.gaps();
        try (var reader = new Reader(file)) {
            for (int cut = 1; cut <= 500; cut++) {
                gaps.add(new Gaps.Gap(cut == 1 ? 10 : 10 + (cut - 1) * 7, 10 + cut * 7, Gaps.SIZE_LIMIT, cut, null));
                assertThat(reader.gaps()).containsExactly(new Gaps.Gap(10, 10 + cut * 7, Gaps.SIZE_LIMIT, 1, null));
            }
            gaps.add(new Gaps.Gap(5_000, 5_000, Gaps.DISK_FULL, 3, 4L));
            assertThat(reader.gaps()).hasSize(2);
        }
        assertThat(Files.readAllLines(folder.resolve("main-0-0.log.gaps"))).hasSizeLessThan(80);
    }

    @Test
    void what_is_gone_is_not_compressed_and_its_lines_are_not_counted() throws IOException {
        long hole = 1L << 36;
        byte[] begin = "first\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Files.write(file.plain(), begin);
        file.gaps().add(new Gaps.Gap(524_288, hole, Gaps.SIZE_LIMIT, 1, null));
        try (var channel = FileChannel.open(file.plain(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("last\n".getBytes(StandardCharsets.UTF_8)), hole);
        }
        long began = System.nanoTime();
        assertThat(file.pack(() -> true, Instants.NONE)).isTrue();
        assertThat(Files.size(file.packed())).isLessThan(100_000);
        try (Bytes bytes = file.open()) {
            assertThat(bytes.size()).isEqualTo(hole + 5);
            byte[] part = new byte[20];
            assertThat(bytes.fill(hole, part, 20)).isEqualTo(5);
            assertThat(new String(part, 0, 5, StandardCharsets.UTF_8)).isEqualTo("last\n");
            assertThat(bytes.fill(600_000, part, 20)).isEqualTo(20);
            assertThat(part).containsOnly(0);
            assertThat(file.lines().line(bytes, hole + 2, () -> true)).isGreaterThan(80_000);
        }
        assertThat(System.nanoTime() - began).as("64 GiB of nothing").isLessThan(10_000_000_000L);
    }

    @Test
    void a_log_that_its_task_has_emptied_goes_on_behind_all_that_was_read() throws IOException {
        Files.writeString(file.plain(), "0123456789");
        assertThat(file.lines().offset(new PlainBytes(file.plain(), null), 2, () -> true))
                .isEqualTo(10);
        Files.writeString(file.plain(), "new");
        file.emptied(10, 7);
        Files.writeString(file.plain(), "more", StandardOpenOption.APPEND);
        try (var reader = new Reader(file)) {
            var gap = reader.gaps().getFirst();
            assertThat(gap.from()).isEqualTo(3);
            assertThat(gap.to()).isGreaterThanOrEqualTo(11);
            assertThat(reader.read(10, ByteBuffer.allocate(10))).isEqualTo(gap);
            ByteBuffer after = ByteBuffer.allocate(10);
            assertThat(reader.read(gap.to(), after)).isNull();
            assertThat(after.position()).isEqualTo(4);
            assertThat(gap.asText()).contains("the task emptied its output at 1970-01-01T00:00:00.007Z");
        }
    }

    @Test
    void times_lead_to_offsets_and_back_also_after_a_note_was_cut_off() throws IOException {
        TimeIndex times = file.times();
        times.note(0, 1_000);
        times.note(100, 2_000);
        Files.write(folder.resolve("main-0-0.log.times"), new byte[7], StandardOpenOption.APPEND);
        times.note(300, 3_000);
        times.note(200, 3_500); // a log never becomes shorter
        times.note(400, 2_500); // a clock that was set back
        assertThat(times.points(0, 1_000, 10))
                .containsExactly(
                        new TimeIndex.Point(0, 1_000),
                        new TimeIndex.Point(100, 2_000),
                        new TimeIndex.Point(300, 3_000),
                        new TimeIndex.Point(400, 3_000));
        assertThat(times.offsetAt(500)).isZero();
        assertThat(times.offsetAt(2_000)).isEqualTo(100);
        assertThat(times.offsetAt(2_999)).isEqualTo(100);
        assertThat(times.offsetAt(9_000)).isEqualTo(400);
        assertThat(times.timeOf(99)).isEqualTo(new TimeIndex.Span(1_000L, 2_000L));
        assertThat(times.timeOf(100)).isEqualTo(new TimeIndex.Span(2_000L, 3_000L));
        assertThat(times.timeOf(400)).isEqualTo(new TimeIndex.Span(3_000L, null));
        assertThat(times.points(0, 1_000, 2)).hasSize(2);
    }

    @Test
    void lines_are_counted_over_blocks() throws IOException {
        var text = new StringBuilder();
        for (int line = 1; line <= 200_000; line++) {
            text.append("line ").append(line).append('\n');
        }
        Files.writeString(file.plain(), text);
        try (Bytes bytes = file.open()) {
            for (int line : new int[] {1, 2, 99_999, 150_000, 200_000}) {
                long offset = file.lines().offset(bytes, line, () -> true);
                assertThat(text.substring((int) offset)).startsWith("line " + line + "\n");
                assertThat(file.lines().line(bytes, offset, () -> true)).isEqualTo(line);
                assertThat(file.lines().line(bytes, offset + 4, () -> true)).isEqualTo(line);
            }
            assertThat(file.lines().offset(bytes, 300_000, () -> true)).isEqualTo(text.length());
        }
        Files.delete(folder.resolve("main-0-0.log.lines"));
        try (Bytes bytes = file.open()) {
            assertThatThrownBy(() -> file.lines().offset(bytes, 190_000, () -> false))
                    .isInstanceOf(LineIndex.Unfinished.class);
        }
    }

    @Test
    void a_deleted_log_says_so_and_leaves_nothing_else() throws IOException {
        filled(1_000);
        file.times().note(0, 1);
        file.delete("age", 5, Instants.NONE);
        assertThat(file.gone()).contains(new LogFile.Gone(5, "age", 1_000));
        try (var left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString())).containsExactly("main-0-0.log.gone");
        }
        file.delete("space", 6, Instants.NONE);
        assertThat(file.gone()).contains(new LogFile.Gone(5, "age", 1_000));
    }
}
