package io.sluice.files.uploads;

import io.sluice.files.tree.Place;

/**
 * A file on its way in.
 *
 * @param offset how many bytes have come
 * @param replaces whether a file of the name goes for it
 * @param touched when bytes came last, in milliseconds since 1970
 * @param placed whether the file bears its name: what has come as a whole may still be told that it can not
 */
public record Upload(String id, Place place, long length, long offset, boolean replaces, long touched, boolean placed) {
    boolean isWhole() {
        return offset == length;
    }

    Upload whole() {
        return new Upload(id, place, length, length, replaces, touched, true);
    }
}
