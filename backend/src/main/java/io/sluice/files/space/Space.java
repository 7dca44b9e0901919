package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A tree of files as one person has it. Every call waits for the disk.
 *
 * @param owner as whom it is read and written
 * @param writable whether that person may change it
 * @param corner where the file centre keeps what is that person's there: bin, uploads on their way, and what is being written
 */
public record Space(Path root, Owner owner, boolean writable, Place corner) {
    /** What the file centre keeps in a tree for itself. */
    public static final String OWN = ".sluice";

    private static final Place TEMPORARY = Place.of("temporary");
    /** Named by the version of what is about to be replaced. */
    private static final Place WRITING = Place.of("writing");

    private static final long LONGEST_WRITE_MILLIS = 60_000;

    /** A tree that is one person's. */
    public Space(Path root, Owner owner, boolean writable) {
        this(root, owner, writable, Place.of(OWN));
    }

    /** Something in a space. */
    public record Entry(Place place, Found found) {}

    /**
     * @param next the name after which the next page begins; null: this was the last
     * @param total of all pages, without what is the file centre's own
     */
    public record Page(List<Entry> entries, @Nullable String next, int total) {}

    /** Something else is there than whoever changes it has seen. */
    public static final class Changed extends IOException {
        private static final long serialVersionUID = 1;
    }

    public Folder top() throws IOException {
        return Folder.open(root, owner);
    }

    public Folder folder(Place place) throws IOException {
        try (Folder top = top()) {
            return top.folder(theirs(place));
        }
    }

    /** What the file centre keeps for itself is not theirs to name. */
    public static Place theirs(Place place) throws Refused {
        if (!place.isRoot() && place.names().getFirst().equals(OWN)) {
            throw new Refused(Refused.Why.MISSING, OWN);
        }
        return place;
    }

    void mustBeWritable() throws Refused {
        if (!writable) {
            throw new Refused(Refused.Why.NOT_ALLOWED, "");
        }
    }

    /** What is done in the folder that something is in. */
    @FunctionalInterface
    interface Step<T> {
        T take(Folder above) throws IOException;
    }

    <T> T above(Place place, Step<T> step) throws IOException {
        if (place.isRoot()) {
            throw new Refused(Refused.Why.EXISTS, "");
        }
        try (Folder above = folder(theirs(place).above())) {
            return step.take(above);
        }
    }

    public Entry entry(Place place) throws IOException {
        theirs(place);
        if (place.isRoot()) {
            try (Folder top = top()) {
                return new Entry(place, top.found());
            }
        }
        return new Entry(place, above(place, above -> above.found(place.name())));
    }

    /** -1: there is nothing. */
    public long sizeOf(Place place) throws IOException {
        try {
            return entry(place).found().size();
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
            return -1;
        }
    }

    public Page list(Place place, @Nullable String after, int most) throws IOException {
        try (Folder folder = folder(place)) {
            Names.Page page = Names.page(folder, after, most, place.isRoot() ? OWN : "");
            List<Entry> entries = new ArrayList<>();
            for (String name : page.names()) {
                found(folder, place.with(name), entries);
            }
            return new Page(entries, page.more() ? page.names().getLast() : null, page.total());
        }
    }

    private static void found(Folder folder, Place place, List<Entry> entries) throws IOException {
        try {
            entries.add(new Entry(place, folder.found(place.name())));
        } catch (Refused gone) {
            if (gone.why() != Refused.Why.MISSING) {
                throw gone;
            }
        }
    }

    public OpenFile read(Place place) throws IOException {
        return above(place, above -> above.read(place.name()));
    }

    public void make(Place place) throws IOException {
        mustBeWritable();
        above(place, above -> {
            above.make(place.name());
            return place;
        });
    }

    /** @param replaces whether a file that has the name already goes for it */
    public void move(Place from, Place to, boolean replaces) throws IOException {
        mustBeWritable();
        if (to.isIn(from)) {
            throw new Refused(Refused.Why.NOT_ALLOWED, from.isRoot() ? "" : from.name());
        }
        above(
                from,
                source -> above(to, target -> {
                    if (replaces && target.has(to.name())) {
                        replace(source, from, target, to);
                    } else {
                        source.move(from.name(), target, to.name());
                    }
                    return to;
                }));
    }

    private static void replace(Folder source, Place from, Folder target, Place to) throws IOException {
        if (target.found(to.name()).isFolder() || source.found(from.name()).isFolder()) {
            throw new Refused(Refused.Why.EXISTS, to.name());
        }
        source.replace(from.name(), target, to.name());
    }

    /**
     * A file's whole content, at one blow: whoever reads it meanwhile reads the old one or the new one.
     *
     * @param version that it must have; null: any, empty: there must be none
     */
    public Found write(Place place, byte[] content, @Nullable String version) throws IOException {
        mustBeWritable();
        return above(place, above -> {
            Found before = expected(above, place.name(), version);
            try (Folder temporary = own(TEMPORARY)) {
                String name = fresh();
                try {
                    try (FileChannel file = temporary.create(name)) {
                        write(file, content);
                        file.force(true);
                    }
                    if (before != null) {
                        temporary.permit(name, before.mode());
                    }
                    if (before == null || version == null) {
                        settle(temporary, name, above, place.name(), before != null);
                    } else {
                        replace(temporary, name, above, place.name(), version);
                    }
                } catch (IOException e) {
                    Removal.ifThere(temporary, name);
                    throw e;
                }
            }
            return above.found(place.name());
        });
    }

    /** Of all who have seen the same version one replaces it, on whichever gateway: the others have seen it change. */
    private void replace(Folder from, String name, Folder to, String other, String version) throws IOException {
        try (Folder writing = own(WRITING)) {
            claim(writing, version);
            try {
                expected(to, other, version);
                settle(from, name, to, other, true);
            } finally {
                Removal.ifThere(writing, version);
            }
        }
    }

    private static void claim(Folder writing, String version) throws IOException {
        try {
            writing.create(version).close();
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused;
            }
            if (!isLeft(writing, version)) {
                throw new Changed();
            }
            Removal.ifThere(writing, version);
            writing.create(version).close();
        }
    }

    /** Whether a gateway ended while it was about to replace that version. */
    private static boolean isLeft(Folder writing, String version) throws IOException {
        try {
            return System.currentTimeMillis() - writing.found(version).changed() > LONGEST_WRITE_MILLIS;
        } catch (Refused gone) {
            if (gone.why() != Refused.Why.MISSING) {
                throw gone;
            }
            return false;
        }
    }

    /** All of it: a disk that is nearly full takes a part, and says nothing. */
    public static void write(FileChannel file, byte[] content) throws IOException {
        for (ByteBuffer left = ByteBuffer.wrap(content); left.hasRemaining(); ) {
            file.write(left);
        }
    }

    private static void settle(Folder from, String name, Folder to, String other, boolean replaces) throws IOException {
        if (replaces) {
            from.replace(name, to, other);
        } else {
            from.move(name, to, other);
        }
        to.settle();
    }

    private static @Nullable Found expected(Folder above, String name, @Nullable String version) throws IOException {
        if (!above.has(name)) {
            if (version != null && !version.isEmpty()) {
                throw new Changed();
            }
            return null;
        }
        Found found = above.found(name);
        if (!found.isFile()) {
            throw new Refused(Refused.Why.NOT_A_FILE, name);
        }
        if (version != null && !version.equals(found.version())) {
            throw new Changed();
        }
        return found;
    }

    /** A folder of the file centre's own, made when it is first needed. */
    public Folder own(Place place) throws IOException {
        mustBeWritable();
        try (Folder top = top()) {
            return top.made(corner.then(place));
        }
    }

    /** Whether the file centre keeps anything in it. */
    public boolean isUsed() throws IOException {
        try (Folder top = top()) {
            return top.has(OWN) && top.found(OWN).isFolder() && hasCorner(top);
        }
    }

    private boolean hasCorner(Folder top) throws IOException {
        try (Folder above = top.folder(corner.above())) {
            return above.has(corner.name());
        }
    }

    public Folder temporary() throws IOException {
        return own(TEMPORARY);
    }

    /** A name that nothing has; those made later come after those made before. */
    public static String fresh() {
        byte[] chance = new byte[8];
        ThreadLocalRandom.current().nextBytes(chance);
        return "%012x".formatted(System.currentTimeMillis()) + HexFormat.of().formatHex(chance);
    }

    /** When a fresh name was made. */
    static long made(String name) {
        return Long.parseLong(name, 0, 12, 16);
    }

    /** What was begun and never finished goes. */
    public int purge(long before, Copying.Moved heard) throws IOException {
        int undone = Merging.undoLeft(this, heard);
        try (Folder temporary = temporary();
                Folder writing = own(WRITING)) {
            return undone
                    + Removal.older(temporary, before, heard)
                    + Removal.untouched(writing, before, heard)
                    + new Undertakings(this).purge(before, heard);
        }
    }
}
