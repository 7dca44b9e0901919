package io.sluice.files.unpacking;

import io.sluice.files.tree.Place;
import io.sluice.files.unpacking.BadArchive.Why;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is packed, one after another. */
interface Archive extends Closeable {
    /** What an entry is. */
    enum Kind {
        FOLDER,
        FILE,
        LINK,
        /** A further name of a file that came before. */
        TWIN
    }

    /**
     * Something that is packed.
     *
     * @param name as it stands there, in bytes
     * @param changed in milliseconds since 1970
     * @param target of a link or a twin, in bytes
     */
    record Entry(String name, Kind kind, int mode, long changed, String target) {
        private static final int LONGEST = 4_000;
        private static final int LONGEST_PART = 255;
        private static final int DEEPEST = 200;

        /** Where it goes, from the folder that all goes into. */
        Place place() throws BadArchive {
            return place(name);
        }

        /** What it is another name of. */
        Place original() throws BadArchive {
            return place(target);
        }

        private Place place(String path) throws BadArchive {
            must(path.length() <= LONGEST && path.indexOf('\0') < 0, Why.NAME);
            must(!path.matches("(?s)[/\\\\].*|[A-Za-z]:[/\\\\].*"), Why.ABSOLUTE);
            List<String> names = new ArrayList<>();
            for (String part : path.split("/", -1)) {
                must(!List.of(part.split("\\\\", -1)).contains(".."), Why.OUTSIDE);
                must(part.length() <= LONGEST_PART, Why.NAME);
                if (!part.isEmpty() && !part.equals(".")) {
                    names.add(part);
                }
            }
            must(names.size() <= DEEPEST, Why.NAME);
            return new Place(names);
        }

        /**
         * Where a link leads: up from the folder that it is in, which is one, and then down. What went up after a name could be led out by
         * another link of that name.
         */
        String way() throws BadArchive {
            must(!target.isEmpty() && target.length() <= LONGEST && target.indexOf('\0') < 0, Why.LINK);
            must(!target.startsWith("/"), Why.LINK);
            int up = 0;
            List<String> parts = new ArrayList<>();
            for (String part : target.split("/", -1)) {
                must(part.length() <= LONGEST_PART, Why.LINK);
                if (part.equals("..")) {
                    must(parts.size() == up, Why.LINK);
                    up++;
                    parts.add(part);
                } else if (!part.isEmpty() && !part.equals(".")) {
                    parts.add(part);
                }
            }
            must(up < Math.max(1, place().names().size()), Why.LINK);
            return parts.isEmpty() ? "." : String.join("/", parts);
        }

        private void must(boolean so, Why otherwise) throws BadArchive {
            if (!so) {
                throw new BadArchive(otherwise, name);
            }
        }
    }

    /** Null: that was all, and it was whole. */
    @Nullable
    Entry next() throws IOException;

    /** Of the file that came last. -1: that was all of it, and it is what was promised. */
    int read(byte[] into) throws IOException;

    /** How much all of it says that it is; 0: it does not say. */
    long promised();
}
