package io.sluice.jobs.gang;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/**
 * A key for SSH, of one attempt: on a curve that OpenSSH reads from PKCS 8, the form that Java writes.
 *
 * @param secret as a file of the client's
 * @param open as a line of {@code authorized_keys}
 */
record JobKey(String secret, String open) {
    private static final String KIND = "ecdsa-sha2-nistp256";
    private static final String CURVE = "nistp256";
    private static final int COORDINATE = 32;

    static JobKey fresh(String comment) {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            var pair = generator.generateKeyPair();
            String secret = Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(pair.getPrivate().getEncoded());
            String open = Base64.getEncoder().encodeToString(wire((ECPublicKey) pair.getPublic()));
            return new JobKey(
                    "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n",
                    KIND + " " + open + " " + comment + "\n");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has this curve", e);
        }
    }

    /** RFC 5656, 3.1. */
    private static byte[] wire(ECPublicKey key) {
        var point = ByteBuffer.allocate(1 + 2 * COORDINATE).put((byte) 4);
        point.put(coordinate(key.getW().getAffineX())).put(coordinate(key.getW().getAffineY()));
        var blob = new ByteArrayOutputStream();
        for (byte[] part : new byte[][] {ascii(KIND), ascii(CURVE), point.array()}) {
            blob.writeBytes(ByteBuffer.allocate(4).putInt(part.length).array());
            blob.writeBytes(part);
        }
        return blob.toByteArray();
    }

    private static byte[] coordinate(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] whole = new byte[COORDINATE];
        int used = Math.min(bytes.length, COORDINATE);
        System.arraycopy(bytes, bytes.length - used, whole, COORDINATE - used, used);
        return whole;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return "JobKey[open=" + open + "]";
    }
}
