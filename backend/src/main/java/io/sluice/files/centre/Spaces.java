package io.sluice.files.centre;

import io.sluice.files.Files;
import io.sluice.files.quota.Usage;
import io.sluice.files.shares.Held;
import io.sluice.files.shares.Share;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whose tree an address means, and what who asks may do in it. Another's answers as one that there is not. */
final class Spaces {
    /** Begins the name of what is shared; no user has such a name. */
    static final String SHARED = "@";

    /** What the jobs of who asks have left behind. */
    static final String OUTPUT = "@output";

    private static final int GATEWAY = 0;

    private final Files files;

    Spaces(Files files) {
        this.files = files;
    }

    Space of(Caller caller, String name) throws IOException {
        if (name.equals(caller.name())) {
            return home(caller);
        }
        if (name.equals(OUTPUT)) {
            return new Space(files.outputs(caller.id()), home(caller).owner(), false);
        }
        for (Held held : held(caller)) {
            if (name.equals(SHARED + held.share().name())) {
                return shared(held, caller);
            }
        }
        throw Problem.of(
                Problem.Kind.NOT_FOUND,
                "NoFileError",
                "There are no files of that name. Your own are under your own name.");
    }

    /** What is shared with who asks. */
    List<Held> held(Caller caller) {
        return files.shares(caller.id()).await();
    }

    /**
     * Where many write, the folder for the file centre's own is the gateway's, and each writer has one in it: what one of them could put there
     * for another would be written to as the other.
     */
    private Space shared(Held held, Caller caller) throws IOException {
        Path folder = files.share(held.share());
        Owner owner = home(caller).owner();
        Place corner = Place.of(Space.OWN).with(Long.toString(caller.id()));
        if (held.writable()) {
            try (Folder top = Folder.open(folder, Owner.GATEWAY);
                    Folder all = top.made(corner.above())) {
                if (owner.user() >= 0 && all.found().owner() != GATEWAY) {
                    throw new Refused(Refused.Why.NOT_ALLOWED, Space.OWN);
                }
                if (!all.has(corner.name())) {
                    try (Folder own = all.made(Place.ROOT.with(corner.name()))) {
                        if (owner.user() >= 0) {
                            own.give(owner);
                        }
                    }
                }
            }
        }
        return new Space(folder, owner, held.writable(), corner);
    }

    /** As whoever has something of their own in a share. */
    List<Space> corners(Share share) throws IOException {
        Path folder = files.share(share);
        List<Space> all = new ArrayList<>();
        try (var own = java.nio.file.Files.newDirectoryStream(folder.resolve(Space.OWN))) {
            for (Path corner : own) {
                String name = String.valueOf(corner.getFileName());
                if (name.matches("\\d{1,18}")) {
                    all.add(new Space(
                            folder, Owner.of(corner), true, Place.of(Space.OWN).with(name)));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException none) {
            return List.of();
        }
        return all;
    }

    /** Fails where so much more does not fit into whose files it goes to. In shares nobody counts. */
    void room(Caller caller, String into, long bytes, long files) {
        if (into.equals(caller.name()) && (bytes > 0 || files > 0)) {
            this.files
                    .quotas()
                    .ifPresent(quotas ->
                            quotas.room(caller.id(), Math.max(0, bytes), files).await());
        }
    }

    void changed(Caller caller, String into, long bytes, long files) {
        if (into.equals(caller.name())) {
            this.files
                    .quotas()
                    .ifPresent(quotas -> quotas.add(caller.id(), bytes, files).await());
        }
    }

    void removed(Caller caller, String into) {
        if (into.equals(caller.name())) {
            files.quotas().ifPresent(quotas -> quotas.removed(caller.id()).await());
        }
    }

    /** How much who asks has; null: nobody counts. */
    @Nullable
    Usage usage(Caller caller) {
        return files.quotas().map(quotas -> quotas.of(caller.id()).await()).orElse(null);
    }

    Space home(Caller caller) throws IOException {
        try {
            Path home = files.home(caller.id(), caller.name());
            if (!java.nio.file.Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
                // whose it is would be who made the link: root
                throw Problem.of(
                        Problem.Kind.UNPROCESSABLE,
                        "Your home on the gateway's machine is no folder, or a link to one, and links are not followed"
                                + " here. Ask your administrator to mount it there instead.");
            }
            return new Space(home, Owner.of(home), true);
        } catch (IllegalStateException full) {
            throw Problem.of(Problem.Kind.UNPROCESSABLE, String.valueOf(full.getMessage()));
        }
    }
}
