package io.sluice.files.links;

import java.time.Instant;

/**
 * What whoever has a link sees before they take what it leads to.
 *
 * @param amount how large it is, as they read it; empty: a folder
 * @param owner whose it is
 */
public record LinkedPage(String token, String name, String amount, String owner, Instant expires) {
    public boolean folder() {
        return amount.isEmpty();
    }
}
