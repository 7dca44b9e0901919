package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Takes things away with all that is in them. */
public final class Removal {
    private static final int DEEPEST = 200;
    private static final int AT_ONCE = 10_000;

    private Removal() {}

    /** All that is in a folder that only the gateway reaches, whoever it belongs to. */
    public static void clear(Path folder) throws IOException {
        try (Folder top = Folder.open(folder, Owner.GATEWAY)) {
            empty(top, 0);
        }
    }

    /** What somebody else takes away meanwhile is gone too. */
    static void ifThere(Folder above, String name) throws IOException {
        remove(above, name, 0);
    }

    private static void remove(Folder above, String name, int depth) throws IOException {
        try {
            if (above.found(name).isFolder()) {
                try (Folder folder = above.folder(name)) {
                    empty(folder, depth);
                }
            }
            above.remove(name);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
        }
    }

    private static void empty(Folder folder, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new Refused(Refused.Why.TOO_MANY, "");
        }
        for (Names.Page page = Names.page(folder, null, AT_ONCE);
                !page.names().isEmpty();
                page = Names.page(folder, null, AT_ONCE)) {
            for (String name : page.names()) {
                remove(folder, name, depth + 1);
            }
        }
    }

    /** Of names that tell when they were made. */
    static int older(Folder folder, long before) throws IOException {
        List<String> names = Names.page(folder, null, AT_ONCE).names();
        int removed = 0;
        for (String name : names) {
            if (name.matches("[0-9a-f]{28}") && Space.made(name) < before) {
                ifThere(folder, name);
                removed++;
            }
        }
        return removed;
    }
}
