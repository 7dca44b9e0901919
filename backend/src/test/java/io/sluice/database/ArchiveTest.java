package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class ArchiveTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream tar = new ByteArrayOutputStream();

    @Test
    void files_folders_and_links_come_out_as_they_went_in() throws IOException {
        entry("bin/", '5', "", "");
        entry("bin/run", '0', "", "#!/bin/sh\n");
        entry("lib/deep/text", '0', "", "x".repeat(1500));
        entry("lib/link", '2', "deep/text", "");
        Archive.unpack(packed(), folder);
        assertThat(folder.resolve("bin/run")).hasContent("#!/bin/sh\n").isExecutable();
        assertThat(folder.resolve("lib/link")).isSymbolicLink().hasContent("x".repeat(1500));
    }

    @Test
    void nothing_is_written_outside_the_folder() throws IOException {
        entry("../outside", '0', "", "bad");
        assertThatThrownBy(() -> Archive.unpack(packed(), folder.resolve("in")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("leaves its folder");
        assertThat(folder.resolve("outside")).doesNotExist();
    }

    @Test
    void no_link_leads_outside_the_folder() throws IOException {
        entry("door", '2', "/etc", "");
        assertThatThrownBy(() -> Archive.unpack(packed(), folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("leaves its folder");
    }

    @Test
    void an_archive_that_ends_too_early_is_an_error() throws IOException {
        entry("file", '0', "", "x".repeat(5000));
        var half = Arrays.copyOf(tar.toByteArray(), 2000);
        tar.reset();
        tar.write(half);
        assertThatThrownBy(() -> Archive.unpack(packedWithoutEnd(), folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ends inside a file");
    }

    private void entry(String name, char type, String link, String content) throws IOException {
        var body = content.getBytes(StandardCharsets.UTF_8);
        var header = new byte[512];
        put(header, 0, name);
        put(header, 100, "0000755");
        put(header, 124, "%011o".formatted(body.length));
        header[156] = (byte) type;
        put(header, 157, link);
        put(header, 257, "ustar  ");
        tar.write(header);
        tar.write(Arrays.copyOf(body, (body.length + 511) / 512 * 512));
    }

    private static void put(byte[] header, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private InputStream packed() throws IOException {
        tar.write(new byte[1024]);
        return packedWithoutEnd();
    }

    private InputStream packedWithoutEnd() throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var out = new XZOutputStream(packed, new LZMA2Options(0))) {
            tar.writeTo(out);
        }
        return new ByteArrayInputStream(packed.toByteArray());
    }
}
