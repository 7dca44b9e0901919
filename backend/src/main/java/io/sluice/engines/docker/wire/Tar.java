package io.sluice.engines.docker.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** As the engine takes files: one header of 512 bytes for each, its bytes, and zeroes up to the next. */
public final class Tar {
    private static final int BLOCK = 512;

    private final ByteArrayOutputStream all = new ByteArrayOutputStream();

    public void file(String path, int mode, byte[] bytes) {
        header(path.substring(1), mode, bytes.length);
        all.writeBytes(bytes);
        all.writeBytes(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
    }

    public byte[] bytes() {
        all.writeBytes(new byte[2 * BLOCK]);
        return all.toByteArray();
    }

    private void header(String name, int mode, int size) {
        var header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "%07o".formatted(mode));
        put(header, 108, "%07o".formatted(0));
        put(header, 116, "%07o".formatted(0));
        put(header, 124, "%011o".formatted(size));
        put(header, 136, "%011o".formatted(0));
        Arrays.fill(header, 148, 156, (byte) ' ');
        header[156] = '0';
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (var octet : header) {
            sum += octet & 0xFF;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        all.writeBytes(header);
    }

    private static void put(byte[] header, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    /** The bytes of the first file, if it is one and not longer than that. */
    public static byte[] first(InputStream tar, int most) throws IOException {
        var header = tar.readNBytes(BLOCK);
        if (header.length < BLOCK || (header[156] != '0' && header[156] != 0)) {
            return new byte[0];
        }
        var size = new String(header, 124, 11, StandardCharsets.US_ASCII).strip();
        long length = size.matches("[0-7]+") ? Long.parseLong(size, 8) : Long.MAX_VALUE;
        return length > most ? new byte[0] : tar.readNBytes((int) length);
    }
}
