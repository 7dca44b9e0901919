package io.sluice.database;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.tukaani.xz.XZInputStream;

/** Unpacks a {@code .tar.xz}: files, folders and symbolic links, none of which may leave the target folder. */
final class Archive {

    private static final int BLOCK = 512;
    private static final int MODE = 100;
    private static final int SIZE = 124;
    private static final int TYPE = 156;
    private static final int LINK = 157;
    private static final int MAGIC = 257;
    private static final int PREFIX = 345;

    private final InputStream in;
    private final Path root;
    private final byte[] header = new byte[BLOCK];

    private Archive(InputStream in, Path root) {
        this.in = in;
        this.root = root;
    }

    static void unpack(InputStream packed, Path into) throws IOException {
        try (var in = new XZInputStream(packed)) {
            new Archive(in, into.toAbsolutePath().normalize()).unpackAll();
        }
    }

    private void unpackAll() throws IOException {
        while (nextHeader()) {
            unpackOne();
        }
    }

    /** False at the block of zeros that ends an archive. */
    private boolean nextHeader() throws IOException {
        if (in.readNBytes(header, 0, BLOCK) != BLOCK) {
            throw new EOFException("the archive ends too early");
        }
        return header[0] != 0;
    }

    private void unpackOne() throws IOException {
        var target = inside(root.resolve(name()));
        switch (header[TYPE]) {
            case '5' -> Files.createDirectories(target);
            case '2' -> link(target);
            case '0', 0 -> file(target);
            default -> throw new IOException("a kind of entry that is not expected: " + (char) header[TYPE]);
        }
    }

    private void link(Path target) throws IOException {
        var to = Path.of(text(LINK, 100));
        inside(target.resolveSibling(to));
        Files.createDirectories(parent(target));
        Files.createSymbolicLink(target, to);
    }

    private void file(Path target) throws IOException {
        Files.createDirectories(parent(target));
        var size = octal(SIZE, 12);
        try (var out = Files.newOutputStream(target)) {
            copy(size, out);
        }
        in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
        var executable = (octal(MODE, 8) & 0111) != 0;
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }

    private void copy(long size, OutputStream out) throws IOException {
        var buffer = new byte[1 << 16];
        for (long left = size; left > 0; ) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new EOFException("the archive ends inside a file");
            }
            out.write(buffer, 0, read);
            left -= read;
        }
    }

    private Path inside(Path path) throws IOException {
        var plain = path.normalize();
        if (!plain.startsWith(root)) {
            throw new IOException("an entry that leaves its folder: " + path);
        }
        return plain;
    }

    private static Path parent(Path path) {
        var parent = path.getParent();
        return parent == null ? path : parent;
    }

    private String name() {
        var name = text(0, 100);
        // GNU's own format keeps times where POSIX's has the name's first part
        var prefix = header[MAGIC + 5] == 0 ? text(PREFIX, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private String text(int from, int length) {
        int end = from;
        while (end < from + length && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }

    private long octal(int from, int length) throws IOException {
        try {
            return Long.parseLong(text(from, length).strip(), 8);
        } catch (NumberFormatException e) {
            throw new IOException("not a tar archive", e);
        }
    }
}
