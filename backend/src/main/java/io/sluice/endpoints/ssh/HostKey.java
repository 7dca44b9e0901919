package io.sluice.endpoints.ssh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.util.security.SecurityUtils;

/** By what clients know this gateway again: a file as ssh-keygen makes them, so that an administrator may bring one. */
final class HostKey {
    private static final String OWNER_ONLY = "rw-------";

    private HostKey() {}

    /** That of an earlier start, or a new one. */
    static KeyPair open(Path file) throws IOException, GeneralSecurityException {
        var ownerOnly = PosixFilePermissions.fromString(OWNER_ONLY);
        if (!Files.exists(file)) {
            // whole or not at all, whatever happens meanwhile
            Path draft = Files.createTempFile(
                    file.toAbsolutePath().getParent(),
                    "ssh-host",
                    ".new",
                    PosixFilePermissions.asFileAttribute(ownerOnly));
            try (var out = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                for (var key = ByteBuffer.wrap(fresh()); key.hasRemaining(); ) {
                    out.write(key);
                }
                out.force(true);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.setPosixFilePermissions(file, ownerOnly);
        List<KeyPair> found = new ArrayList<>();
        try (var in = Files.newInputStream(file)) {
            var read = SecurityUtils.loadKeyPairIdentities(null, NamedResource.ofName(file.toString()), in, null);
            if (read != null) {
                read.forEach(found::add);
            }
        }
        if (found.size() != 1) {
            throw new IOException(file
                    + " holds no private key without a passphrase. Bring one that ssh-keygen has made, or remove the"
                    + " file to have a new one made; clients then ask whether they may trust it.");
        }
        return found.getFirst();
    }

    private static byte[] fresh() throws IOException, GeneralSecurityException {
        KeyPair pair = KeyUtils.generateKeyPair(KeyPairProvider.SSH_ED25519, 256);
        var text = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(pair, "sluice", null, text);
        return text.toByteArray();
    }
}
