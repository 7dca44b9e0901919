package io.sluice.endpoints.ssh;

import org.jspecify.annotations.Nullable;

/**
 * Somebody who has shown a key that is let in.
 *
 * @param user 0: it is one of a job's own keys, and whoever holds it comes as the job's user
 * @param job the only one that the key is for; null: the key is a user's
 * @param several whether the key is in the profiles of several users, so that it does not say whose job is meant
 */
record Guest(
        long user,
        String name,
        boolean admin,
        String fingerprint,
        @Nullable Long job,
        boolean several,
        Address address) {

    boolean maySee(String owner) {
        return admin || name.equals(owner);
    }
}
