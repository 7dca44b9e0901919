package io.sluice.telemetry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/** What only the gateway and one program beside it know. */
final class Secret {
    private static final int BYTES = 32;
    static final int SHORTEST = 20;

    private Secret() {}

    static String fresh() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Takes as long whatever was guessed right. */
    static boolean same(String shown, String secret) {
        return MessageDigest.isEqual(shown.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8));
    }

    /** Made the first time, for its owner's eyes only; afterwards what stands in the file. */
    static String kept(Path file) {
        try {
            write(file, fresh());
            String secret = Files.readString(file).strip();
            if (secret.length() < SHORTEST) {
                throw new IllegalStateException(
                        file + " holds no token. Remove it to have a new one made, and give that to Grafana.");
            }
            return secret;
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can not be written or read", e);
        }
    }

    private static void write(Path file, String secret) throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (var channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
            channel.write(StandardCharsets.US_ASCII.encode(secret + "\n"));
        } catch (FileAlreadyExistsException e) { // from an earlier start
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }
}
