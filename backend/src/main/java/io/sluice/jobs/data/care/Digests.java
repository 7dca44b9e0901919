package io.sluice.jobs.data.care;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What tells whether something came as it was sent. */
public final class Digests {
    private Digests() {}

    /** One that every Java has. */
    public static MessageDigest of(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
