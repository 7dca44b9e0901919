package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.jobs.data.web.Hosts;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A repository, and what of it.
 *
 * @param base without what says that it is a repository, or what of it
 * @param revision a branch, tag or commit; null: what its server shows first
 */
record Wanted(URI base, @Nullable String revision) {
    private static final String PREFIX = "git+";
    private static final Pattern REVISION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}");
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    /** As {@code https://host/x.git#v1}, or pip's way: {@code git+https://host/x@v1}. */
    static Wanted of(String address) throws StoreFault {
        boolean said = address.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
        URI whole = Hosts.address(said ? address.substring(PREFIX.length()) : address);
        String text = whole.toString();
        int end = text.indexOf('#');
        String base = end < 0 ? text : text.substring(0, end);
        String revision = end < 0 ? null : text.substring(end + 1);
        int at = base.indexOf('@', base.lastIndexOf('/') + 1);
        if (said && revision == null && at >= 0) {
            revision = base.substring(at + 1);
            base = base.substring(0, at);
        }
        if (base.indexOf('?') >= 0) {
            throw new StoreFault(Why.REFUSED, "A repository's address has no “?”. Take it and what follows out.");
        }
        if (revision != null && (!REVISION.matcher(revision).matches() || revision.contains(".."))) {
            throw new StoreFault(
                    Why.REFUSED,
                    "“" + revision + "” is no branch, tag or commit. Write it behind the address, as in " + base
                            + "#main.");
        }
        return new Wanted(Hosts.address(base.replaceFirst("/+$", "")), revision);
    }

    boolean isCommit() {
        return revision != null && COMMIT.matcher(revision).matches();
    }

    /** How its server may call it, the likeliest first. */
    List<String> names() {
        if (revision == null) {
            return List.of("HEAD");
        }
        return revision.startsWith("refs/")
                ? List.of(revision)
                : List.of("refs/heads/" + revision, "refs/tags/" + revision);
    }

    URI at(String path) throws StoreFault {
        return Hosts.address(base + path);
    }

    /** For people. */
    @Override
    public String toString() {
        return Hosts.shown(base);
    }
}
