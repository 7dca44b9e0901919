package io.sluice.files.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders on their way out, while jobs are at work in them. */
@Timeout(60)
class PackingTest {
    private static final int MOST_AT_ONCE = 1 << 20;

    @TempDir
    private Path root;

    private Packing zip() throws IOException {
        return Packing.zip(Folder.open(root, Owner.GATEWAY), "top", ".sluice");
    }

    private Packing tar() throws IOException {
        return Packing.tar(Folder.open(root, Owner.GATEWAY), "top", ".sluice");
    }

    private static byte[] rest(Packing packing) throws IOException {
        var all = new ByteArrayOutputStream();
        for (byte[] piece = packing.next(); piece != null; piece = packing.next()) {
            all.writeBytes(piece);
        }
        packing.close();
        return all.toByteArray();
    }

    private static Map<String, byte[]> unzipped(byte[] zip) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        try (var in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                files.put(entry.getName(), in.readAllBytes());
            }
        }
        return files;
    }

    private void size(String name, long size) throws IOException {
        try (var file = new RandomAccessFile(root.resolve(name).toFile(), "rw")) {
            file.setLength(size);
        }
    }

    @Test
    void a_huge_file_that_becomes_shorter_takes_no_more_memory_than_a_piece() throws IOException {
        size("huge", 1L << 42);
        try (Packing tar = tar()) {
            assertThat(tar.next()).hasSizeLessThan(MOST_AT_ONCE);
            size("huge", 0);
            for (int i = 0; i < 20; i++) {
                assertThat(tar.next()).isNotEmpty().hasSizeLessThan(MOST_AT_ONCE);
            }
        }
    }

    @Test
    void who_leaves_early_leaves_no_memory_beside_the_heap() throws IOException {
        size("large", 3_000_000);
        List<Zip> zips = new ArrayList<>();
        try (Packing left = new Packing(Folder.open(root, Owner.GATEWAY), 10, "", "", out -> {
            zips.add(new Zip(out));
            return zips.getFirst();
        })) {
            assertThat(left.next()).isNotEmpty();
        }
        assertThatThrownBy(() -> zips.getFirst().write(new byte[1 << 20], 1 << 20))
                .hasMessageContaining("closed");
    }

    @Test
    void a_file_that_became_shorter_is_told_and_what_comes_after_it_is_whole() throws Exception {
        size("a", 3_000_001);
        Files.writeString(root.resolve("b"), "whole");
        Packing tar = tar();
        byte[] first = tar.next();
        size("a", 10);
        var packed = new ByteArrayOutputStream();
        packed.writeBytes(first);
        packed.writeBytes(rest(tar));
        Path out = Files.createDirectory(root.resolve("out"));
        Path file = Files.write(out.resolve("t.tar"), packed.toByteArray());
        var untar = new ProcessBuilder("tar", "-xf", file.toString(), "-C", out.toString()).start();
        assertThat(untar.waitFor()).isZero();
        assertThat(out.resolve("top/a")).hasSize(3_000_001);
        assertThat(out.resolve("top/b")).hasContent("whole");
        assertThat(out.resolve("top/LEFT-OUT.txt")).hasContent("a\n");
    }

    @Test
    void small_files_come_as_they_are_and_nothing_happens_to_a_pipe() throws Exception {
        Map<String, byte[]> meant = new LinkedHashMap<>();
        for (int size : new int[] {0, 1, 4_096, 65_536, 65_537, 300_000}) {
            byte[] content = new byte[size];
            new Random(size).nextBytes(content);
            for (int i = 0; i < 5; i++) {
                String name = "%d-%06d".formatted(i, size);
                meant.put("top/" + name, content);
                Files.write(root.resolve(name), content);
            }
        }
        Files.createSymbolicLink(root.resolve("2-link"), Path.of("0-000001"));
        meant.put("top/2-link", "0-000001".getBytes(StandardCharsets.UTF_8));
        meant.put("top/LEFT-OUT.txt", "1-pipe\n".getBytes(StandardCharsets.UTF_8));
        String pipe = root.resolve("1-pipe").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        Process writer = new ProcessBuilder("sh", "-c", "echo begun; echo heard > " + pipe).start();
        try {
            assertThat(writer.inputReader().readLine()).isEqualTo("begun");

            assertThat(unzipped(rest(zip()))).containsExactlyInAnyOrderEntriesOf(meant);

            Path file = Files.write(root.resolve("t.tar"), rest(tar()));
            var told = new ProcessBuilder("tar", "-xOf", file.toString(), "top/3-065537").start();
            assertThat(told.getInputStream().readAllBytes()).isEqualTo(meant.get("top/3-065537"));
            assertThat(writer.isAlive()).as("it still waits for a reader").isTrue();
        } finally {
            writer.destroyForcibly();
        }
    }

    @Test
    void small_files_are_read_as_whoever_they_belong_to() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root is somebody else");
        Path theirs = Files.createDirectory(root.resolve("theirs"));
        Files.setAttribute(theirs, "unix:uid", 4_242);
        Path open = Files.writeString(root.resolve("open"), "for all to read");
        Path closed = Files.writeString(theirs.resolve("closed"), "root's");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));
        Files.createLink(theirs.resolve("linked"), open);
        Path own = Files.writeString(theirs.resolve("own"), "theirs");
        Files.setAttribute(own, "unix:uid", 4_242);
        root.toFile().setExecutable(true, false);

        var packed = Packing.zip(Folder.open(theirs, Owner.of(theirs)), "", "");

        assertThat(unzipped(rest(packed)).keySet()).containsExactlyInAnyOrder("own", "LEFT-OUT.txt");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_file_that_is_written_all_the_time_has_an_end(boolean asZip) throws IOException {
        Path log = Files.write(root.resolve("log"), new byte[1 << 20]);
        int pieces = 0;
        try (Packing packing = asZip ? zip() : tar()) {
            while (packing.next() != null) {
                Files.write(log, new byte[1 << 20], StandardOpenOption.APPEND);
                assertThat(++pieces).isLessThan(20);
            }
        }
        assertThat(pieces).isPositive();
    }

    @Test
    void what_the_file_centre_keeps_for_itself_is_not_packed() throws IOException {
        Files.createDirectories(root.resolve(".sluice/bin/x"));
        Files.writeString(root.resolve(".sluice/bin/x/what"), "deleted");
        Files.createDirectories(root.resolve("sub/.sluice"));
        Files.writeString(root.resolve("sub/.sluice/mine"), "theirs");

        assertThat(unzipped(rest(zip())).keySet())
                .containsExactlyInAnyOrder("top/sub/", "top/sub/.sluice/", "top/sub/.sluice/mine");
        assertThat(new String(rest(tar()), StandardCharsets.ISO_8859_1)).doesNotContain("deleted");
    }

    @Test
    void what_has_too_long_a_way_is_left_out_and_the_rest_comes() throws Exception {
        Folder at = Folder.open(root, Owner.GATEWAY);
        for (int i = 0; i < 80; i++) {
            at.make("d".repeat(250));
            try (Folder above = at) {
                at = above.folder("d".repeat(250));
            }
        }
        at.create("deep").close();
        at.close();
        Files.writeString(root.resolve("z"), "after");
        Files.writeString(root.resolve("LEFT-OUT.txt"), "theirs");

        Map<String, byte[]> files = unzipped(rest(zip()));

        assertThat(files.get("top/z")).asString(StandardCharsets.UTF_8).isEqualTo("after");
        assertThat(files.get("top/LEFT-OUT.txt"))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("theirs");
        assertThat(files.get("top/LEFT-OUT.txt~"))
                .asString(StandardCharsets.UTF_8)
                .endsWith("/deep\n");
        assertThat(new String(rest(tar()), StandardCharsets.ISO_8859_1)).contains("/deep\0");
        // the test's own cleaning up would go by ways that are too long
        Path first = root.resolve("d".repeat(250));
        assertThat(new ProcessBuilder("rm", "-rf", first.toString()).start().waitFor())
                .isZero();
    }
}
