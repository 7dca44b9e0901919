package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes things away with all that is in them, also what its owner has locked, and however deep it is. */
public final class Removal {
    /** Each takes a folder that is open; what is deeper is moved up, and goes after. */
    private static final int DEEPEST = 100;

    private static final int AT_ONCE = 10_000;

    /** The rest goes another time. */
    public static final class Enough extends IOException {
        private static final long serialVersionUID = 1;
    }

    /**
     * How much is removed of one home at once, and for how long. Its owner's jobs reach what lies there, and may put more into it all the time.
     */
    public static final class Portion implements Copying.Moved {
        private final int most;
        private final long end;
        private int met;

        public Portion(int most, Duration longest) {
            this.most = most;
            this.end = System.nanoTime() + longest.toNanos();
        }

        @Override
        public void on(long bytes) throws Enough {
            if (met == most || System.nanoTime() - end > 0) {
                throw new Enough();
            }
            met++;
        }
    }

    private final Folder begin;
    private final Copying.Moved heard;
    private final Deque<String> movedUp = new ArrayDeque<>();

    private Removal(Folder begin, Copying.Moved heard) {
        this.begin = begin;
        this.heard = heard;
    }

    /** All that is in a folder that only the gateway reaches, whoever it belongs to. */
    public static void clear(Path folder) throws IOException {
        try (Folder top = Folder.open(folder, Owner.GATEWAY)) {
            var removal = new Removal(top, bytes -> {});
            removal.empty(top, 0);
            removal.rest();
        }
    }

    /** What somebody else takes away meanwhile is gone too. */
    public static void ifThere(Folder above, String name) throws IOException {
        ifThere(above, name, bytes -> {});
    }

    /** @param heard of each thing that goes */
    public static void ifThere(Folder above, String name, Copying.Moved heard) throws IOException {
        var removal = new Removal(above, heard);
        removal.remove(above, name, 0);
        removal.rest();
    }

    private void rest() throws IOException {
        for (String name = movedUp.poll(); name != null; name = movedUp.poll()) {
            remove(begin, name, 0);
        }
    }

    private void remove(Folder above, String name, int depth) throws IOException {
        try {
            heard.on(0);
            Found found = above.found(name);
            if (found.isFolder() && (found.mode() & 0700) != 0700) {
                above.unlock(name);
            }
            if (!found.isFolder()) {
                above.remove(name);
            } else if (depth > DEEPEST) {
                String fresh = Space.fresh();
                above.move(name, begin, fresh);
                movedUp.add(fresh);
            } else {
                try (Folder folder = above.folder(name)) {
                    empty(folder, depth);
                }
                above.remove(name);
            }
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
        }
    }

    private void empty(Folder folder, int depth) throws IOException {
        for (Names.Page page = Names.page(folder, null, AT_ONCE);
                !page.names().isEmpty();
                page = Names.page(folder, null, AT_ONCE)) {
            for (String name : page.names()) {
                remove(folder, name, depth + 1);
            }
        }
    }

    /** Of names that tell when they were made. One that can not be removed keeps no other, and is told when they have gone. */
    static int older(Folder folder, long before, Copying.Moved heard) throws IOException {
        List<String> names = Names.page(folder, null, AT_ONCE).names();
        int removed = 0;
        IOException failed = null;
        for (String name : names) {
            if (name.matches("[0-9a-f]{28}") && Space.made(name) < before) {
                IOException now = tried(folder, name, heard);
                failed = now == null ? failed : now;
                removed += now == null ? 1 : 0;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return removed;
    }

    /** What nobody has changed since. */
    static int untouched(Folder folder, long before, Copying.Moved heard) throws IOException {
        int removed = 0;
        for (String name : Names.page(folder, null, AT_ONCE).names()) {
            if (folder.has(name) && folder.found(name).changed() < before) {
                ifThere(folder, name, heard);
                removed++;
            }
        }
        return removed;
    }

    private static @Nullable IOException tried(Folder folder, String name, Copying.Moved heard) throws Enough {
        try {
            ifThere(folder, name, heard);
            return null;
        } catch (Enough enough) {
            throw enough;
        } catch (IOException e) {
            return e;
        }
    }
}
