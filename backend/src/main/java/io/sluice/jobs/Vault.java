package io.sluice.jobs;

import io.sluice.jobs.keys.KeyFile;
import io.sluice.jobs.stores.StoreKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals secrets for the database. The key lies in the data folder and not beside what it opens: a dump of the database tells nothing, and
 * the embedded database's files have the same owner as the key. Gateways that share a database share the file.
 */
final class Vault implements StoreKeys.Vault {
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    private Vault(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
    }

    /** Makes the key if there is none yet. */
    static Vault open(Path file) throws IOException {
        return new Vault(KeyFile.open(file, " and submit jobs with secrets again"));
    }

    /** @param holder whose secret it is; it opens for nobody else */
    @Override
    public byte[] seal(String secret, String holder) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] sealed = run(Cipher.ENCRYPT_MODE, nonce, secret.getBytes(StandardCharsets.UTF_8), holder);
        return ByteBuffer.allocate(NONCE_BYTES + sealed.length)
                .put(nonce)
                .put(sealed)
                .array();
    }

    @Override
    public String open(byte[] sealed, String holder) {
        var bytes = ByteBuffer.wrap(sealed);
        byte[] nonce = new byte[NONCE_BYTES];
        byte[] rest = new byte[sealed.length - NONCE_BYTES];
        bytes.get(nonce).get(rest);
        return new String(run(Cipher.DECRYPT_MODE, nonce, rest, holder), StandardCharsets.UTF_8);
    }

    private byte[] run(int mode, byte[] nonce, byte[] text, String holder) {
        try {
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(holder.getBytes(StandardCharsets.UTF_8));
            return cipher.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "The secrets of " + holder + " do not open with this installation's key.", e);
        }
    }
}
