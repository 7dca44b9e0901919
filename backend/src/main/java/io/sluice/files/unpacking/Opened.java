package io.sluice.files.unpacking;

import io.sluice.files.unpacking.BadArchive.Why;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/** Tells by its first bytes what an archive is: what a file is called says nothing. */
final class Opened {
    private static final int AT_ONCE = 128 << 10;
    /** What has been packed with {@code xz -9} takes so much. */
    static final int XZ_KIB = 66 << 10;

    private Opened() {}

    /** @param most bytes that may come of it */
    static Archive of(FileChannel file, long most, Unpacking.Room room) throws IOException {
        String begin = begin(file);
        if (begin.startsWith("PK\3\4") || begin.startsWith("PK\5\6")) {
            return ZipArchive.of(file);
        }
        if (begin.startsWith("\u001f\u008b")) {
            return tar(new Measured(() -> new GZIPInputStream(from(file), AT_ONCE), most));
        }
        if (begin.startsWith("\u00fd7zXZ\0")) {
            room.heavy();
            return tar(new Measured(() -> new XZInputStream(from(file), XZ_KIB), most));
        }
        return tar(new Measured(() -> from(file), most));
    }

    private static String begin(FileChannel file) throws IOException {
        var bytes = ByteBuffer.allocate(8);
        file.read(bytes, 0);
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
    }

    private static InputStream from(FileChannel file) throws IOException {
        return Channels.newInputStream(file.position(0));
    }

    /** What is packed holds memory beside the heap until it is closed. */
    private static Archive tar(InputStream packed) throws IOException {
        try {
            return begun(packed);
        } catch (IOException | RuntimeException e) {
            packed.close();
            throw e;
        }
    }

    private static Archive begun(InputStream packed) throws IOException {
        var in = new BufferedInputStream(packed, AT_ONCE);
        in.mark(TarArchive.BLOCK);
        byte[] block = in.readNBytes(TarArchive.BLOCK);
        if (block.length < TarArchive.BLOCK || !TarArchive.begins(block)) {
            throw new BadArchive(Why.UNKNOWN, "");
        }
        in.reset();
        return new TarArchive(in);
    }
}
