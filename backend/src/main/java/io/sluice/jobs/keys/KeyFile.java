package io.sluice.jobs.keys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;

/** A key of the gateways that share a data folder: made by the first of them, for nobody but gateways to read. */
public final class KeyFile {
    private static final int BYTES = 32;

    private KeyFile() {}

    /**
     * Makes it if there is none yet. It has its name only once it is whole.
     *
     * @param loss what follows for whoever removes it
     */
    public static byte[] open(Path file, String loss) throws IOException {
        if (Files.exists(file)) {
            return read(file, loss);
        }
        byte[] fresh = new byte[BYTES];
        new SecureRandom().nextBytes(fresh);
        Path part = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
        try {
            write(part, fresh);
            Files.createLink(file, part);
            return fresh;
        } catch (FileAlreadyExistsException e) {
            return read(file, loss);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void write(Path file, byte[] key) throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel = Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.DSYNC),
                ownerOnly)) {
            channel.write(ByteBuffer.wrap(HexFormat.of().formatHex(key).getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private static byte[] read(Path file, String loss) throws IOException {
        String damaged = "The key file " + file + " is damaged; restore it from a backup, or remove it" + loss + ".";
        try {
            byte[] key = HexFormat.of().parseHex(Files.readString(file).strip());
            if (key.length == BYTES) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(damaged, e);
        }
        throw new IOException(damaged);
    }
}
