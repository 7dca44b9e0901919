package io.sluice.web;

import java.util.Set;

/**
 * Who is asking, as the {@link Authenticator} found it out.
 *
 * @param id the user's number, stable over renames
 * @param credential the session or token that was shown; what a revocation names
 * @param scopes what the credential may do; {@link #EVERYTHING} for a session
 */
public record Caller(long id, String name, boolean admin, Kind kind, String credential, Set<String> scopes) {
    public static final Set<String> EVERYTHING = Set.of("*");

    /** How the caller came: with a browser's session, an API sign-in, or a token made for a program. */
    public enum Kind {
        SESSION,
        SIGN_IN,
        APPLICATION
    }

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    boolean may(String scope) {
        return scopes.contains("*") || scopes.contains(scope);
    }
}
