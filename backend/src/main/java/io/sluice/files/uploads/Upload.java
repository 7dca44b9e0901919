package io.sluice.files.uploads;

import io.sluice.files.tree.Place;

/**
 * A file on its way in.
 *
 * @param offset how many bytes have come
 * @param replaces whether a file of the name goes for it
 * @param touched when bytes came last, in milliseconds since 1970
 */
public record Upload(String id, Place place, long length, long offset, boolean replaces, long touched) {
    boolean isWhole() {
        return offset == length;
    }
}
