package io.sluice.files.centre;

import io.sluice.files.Files;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Owner;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import java.io.IOException;
import java.nio.file.Path;

/** Whose tree an address means, and what who asks may do in it. Another's answers as one that there is not. */
final class Spaces {
    /** What everybody reads; no user has such a name. */
    static final String SHARED = "@gdata";

    /** What the jobs of who asks have left behind. */
    static final String OUTPUT = "@output";

    private final Files files;

    Spaces(Files files) {
        this.files = files;
    }

    Space of(Caller caller, String name) throws IOException {
        if (name.equals(caller.name())) {
            return home(caller);
        }
        if (name.equals(SHARED)) {
            return new Space(files.shared(), home(caller).owner(), false);
        }
        if (name.equals(OUTPUT)) {
            return new Space(files.outputs(caller.id()), home(caller).owner(), false);
        }
        throw Problem.of(
                Problem.Kind.NOT_FOUND,
                "NoFileError",
                "There are no files of that name. Your own are under your own name.");
    }

    Space home(Caller caller) throws IOException {
        try {
            Path home = files.home(caller.id(), caller.name());
            return new Space(home, Owner.of(home), true);
        } catch (IllegalStateException full) {
            throw Problem.of(Problem.Kind.UNPROCESSABLE, String.valueOf(full.getMessage()));
        }
    }
}
