package io.sluice.jobs.data.git;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.stores.StoreFault;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.web.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs that somebody has made to harm. */
class PackLookTest {
    private static final int BLOB = 3;
    private static final int TREE = 2;
    private static final int BY_PLACE = 6;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream pack = new ByteArrayOutputStream();

    private void begin(long count) throws IOException {
        pack.write(ByteBuffer.allocate(12)
                .putInt(0x5041434b)
                .putInt(2)
                .putInt((int) count)
                .array());
    }

    /** @return where it begins */
    private int object(int type, long size, int back, byte[] content) throws IOException {
        int place = pack.size();
        long rest = size >> 4;
        pack.write((int) (type << 4 | (size & 15) | (rest > 0 ? 0x80 : 0)));
        for (; rest > 0; rest >>= 7) {
            pack.write((int) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
        }
        if (type == BY_PLACE) {
            // as little as fits into two digits
            int left = back;
            byte[] digits = {(byte) (left & 0x7f)};
            while ((left >>= 7) != 0) {
                byte[] more = new byte[digits.length + 1];
                System.arraycopy(digits, 0, more, 1, digits.length);
                more[0] = (byte) (0x80 | (--left & 0x7f));
                digits = more;
            }
            pack.write(digits);
        }
        try (var deflated = new DeflaterOutputStream(pack)) {
            deflated.write(content);
        }
        return place;
    }

    private static byte[] difference(long from, long to) {
        var bytes = new ByteArrayOutputStream();
        for (long number : new long[] {from, to}) {
            for (long rest = number; ; rest >>= 7) {
                bytes.write((int) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
                if (rest <= 0x7f) {
                    break;
                }
            }
        }
        bytes.write(1);
        bytes.write(0);
        return bytes.toByteArray();
    }

    private void look(byte[] bytes, long most) throws IOException {
        Path file = Files.write(folder.resolve("pack"), bytes);
        var care = new Care(new Pace(1, Duration.ZERO, Duration.ZERO, Duration.ZERO), () -> {});
        PackLook.at(file, new Limits(most, Duration.ofHours(1)), care);
    }

    @Test
    void one_that_is_cut_anywhere_is_told() throws IOException {
        begin(2);
        int base = object(BLOB, 300, 0, new byte[300]);
        object(BY_PLACE, difference(300, 1).length, pack.size() - base, difference(300, 1));
        byte[] whole = pack.toByteArray();
        assertThatCode(() -> look(whole, 1 << 20)).doesNotThrowAnyException();
        for (int end = 0; end < whole.length; end++) {
            byte[] cut = Arrays.copyOf(whole, end);
            assertThatThrownBy(() -> look(cut, 1 << 20))
                    .isInstanceOf(StoreFault.class)
                    .hasMessageContaining("no whole pack");
        }
    }

    @Test
    void a_small_one_that_fills_the_disk_is_refused() throws IOException {
        begin(3);
        for (int i = 0; i < 3; i++) {
            object(BLOB, 500_000, 0, new byte[500_000]);
        }
        assertThatThrownBy(() -> look(pack.toByteArray(), 1 << 20)).hasMessageContaining("--data-size");
    }

    @Test
    void a_small_one_that_fills_the_memory_is_refused() throws IOException {
        begin(40);
        int before = object(BLOB, 10, 0, new byte[10]);
        for (int i = 0; i < 39; i++) {
            byte[] more = difference(10, 8 << 20);
            before = object(BY_PLACE, more.length, pack.size() - before, more);
        }
        assertThatThrownBy(() -> look(pack.toByteArray(), 1L << 40)).hasMessageContaining("MiB of memory to unpack");
    }

    @Test
    void one_that_only_says_that_it_has_many_objects_is_refused() throws IOException {
        begin(0xffffffffL);
        assertThatThrownBy(() -> look(pack.toByteArray(), 1L << 40)).hasMessageContaining("4294967295 objects");
    }

    @Test
    void a_folder_that_fills_the_memory_is_refused() throws IOException {
        begin(1);
        object(TREE, PackLook.MOST_HELD + 1, 0, new byte[(int) PackLook.MOST_HELD + 1]);
        assertThatThrownBy(() -> look(pack.toByteArray(), 1L << 40))
                .hasMessageContaining("a folder or commit of 128 MiB");
    }

    @Test
    void an_object_longer_than_it_says_is_refused() throws IOException {
        begin(1);
        object(BLOB, 10, 0, new byte[1_000_000]);
        assertThatThrownBy(() -> look(pack.toByteArray(), 1L << 40)).hasMessageContaining("longer than it says");
    }
}
