package io.sluice.files.stores;

import java.time.Instant;
import java.util.regex.Pattern;

/**
 * An object, as its store lists it.
 *
 * @param key its whole name
 * @param etag without quotation marks; of what came in one piece, its MD5
 * @param changed to the second
 */
public record Stored(String key, long size, String etag, Instant changed) {
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");

    /** Whether the ETag can be compared with what has come. */
    public boolean tellsDigest() {
        return MD5.matcher(etag).matches();
    }
}
