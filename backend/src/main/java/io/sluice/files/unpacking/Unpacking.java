package io.sluice.files.unpacking;

import io.sluice.files.space.Copying;
import io.sluice.files.space.Merging;
import io.sluice.files.space.Removal;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.Archive.Entry;
import io.sluice.files.unpacking.BadArchive.Why;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Unpacks an archive: made aside, and in its place when it is whole and nothing in it was amiss. */
public final class Unpacking implements AutoCloseable {
    private static final int MOST = 1_000_000;
    private static final int MOST_LINKS_TELL = 16 << 20;
    /** What an archive of any size may become. */
    private static final long MOST_OF_SMALL = 1L << 30;

    private static final int MOST_TIMES = 200;
    private static final int PIECE = 256 << 10;
    /** What is larger is on the disk before the next begins: at the end there would be too much at once. */
    private static final long LARGE = 1 << 20;

    private static final int TAKEN_FILES = 500;
    private static final long TAKEN_BYTES = 16 << 20;

    /** Of memory, for as long as it takes to unpack what takes most. */
    public static final long HEAVY = Opened.XZ_KIB * 1_024L;

    /** There is no file of the name. */
    private static final Set<Refused.Why> NOTHING =
            Set.of(Refused.Why.MISSING, Refused.Why.NOT_A_FOLDER, Refused.Why.LINK, Refused.Why.NOT_A_FILE);

    /** How much there may be. Each fails where it is too much. */
    public interface Room {
        /** So much more is going to be there. */
        void take(long bytes, long files) throws IOException;

        /** It takes {@code HEAVY} of the memory. */
        void heavy();
    }

    private final Folder top;
    private final Archive archive;
    private final long most;
    private final Room room;
    private final Copying.Moved heard;
    private final byte[] piece = new byte[PIECE];
    /** Made when all else is there: nothing goes by way of them. */
    private final List<Entry> links = new ArrayList<>();

    private int topMode = 0755;
    private long linksTell;
    private Folder here;
    private Place herePlace = Place.ROOT;
    private long bytes;
    private long files;
    private long taken;
    private long takenFiles;
    private final boolean intoTop;

    private Unpacking(Folder top, Archive archive, long most, boolean intoTop, Room room, Copying.Moved heard)
            throws IOException {
        this.top = top;
        this.archive = archive;
        this.most = most;
        this.intoTop = intoTop;
        this.room = room;
        this.heard = heard;
        this.here = top.folder(Place.ROOT);
    }

    /**
     * Unpacks a file of a space into a folder of the same.
     *
     * @param collisions null: the folder is new
     */
    public static void unpack(
            Space space, Place from, Place to, Merging.@Nullable Collisions collisions, Room room, Copying.Moved heard)
            throws IOException {
        if (collisions != null) {
            Merging.undoLeft(space); // or it would meet what it has put there itself before its gateway ended
        }
        try (OpenFile file = space.read(from);
                Folder above =
                        space.folder(collisions == null ? Space.theirs(to).above() : to);
                Folder temporary = space.temporary()) {
            if (collisions == null && above.has(to.name())) {
                throw new Refused(Refused.Why.EXISTS, to.name());
            }
            String name = Space.fresh();
            temporary.makeClosed(name); // what is in it may be open to all before it is known to whom it is to be
            try {
                int mode = all(file, temporary, name, collisions != null && to.isRoot(), room, heard);
                if (collisions == null) {
                    try (Folder top = temporary.folder(name)) {
                        top.permit(mode);
                    }
                    temporary.move(name, above, to.name());
                    above.settle();
                } else {
                    Merging.into(temporary, name, above, to, collisions, heard);
                }
            } finally {
                Removal.ifThere(temporary, name);
            }
        }
    }

    /** @return who may do what with the folder in which it all is */
    private static int all(
            OpenFile file, Folder temporary, String name, boolean intoTop, Room room, Copying.Moved heard)
            throws IOException {
        long most = Math.max(MOST_OF_SMALL, MOST_TIMES * file.found().size());
        try (Archive archive = Opened.of(file.channel(), most, room);
                Folder top = temporary.folder(name);
                var unpacking = new Unpacking(top, archive, most, intoTop, room, heard)) {
            unpacking.all();
            top.settleAll();
            return unpacking.topMode;
        }
    }

    private void all() throws IOException {
        if (archive.promised() > most) {
            throw new BadArchive(Why.TOO_LARGE, "");
        }
        room.take(archive.promised(), 0);
        taken = archive.promised();
        String last = "";
        try {
            for (Entry entry = archive.next(); entry != null; entry = archive.next()) {
                last = entry.name();
                heard.on(0);
                entry(entry);
            }
        } catch (BadArchive bad) {
            throw bad.at(last);
        }
        for (Entry link : links) {
            put(link, (above, name) -> above.linkTo(name, link.way()));
        }
        take();
    }

    private void entry(Entry entry) throws IOException {
        Place place = entry.place();
        if (intoTop && !place.isRoot() && place.names().getFirst().equals(Space.OWN)) {
            throw new BadArchive(Why.OWN, entry.name());
        }
        if (place.isRoot() && entry.kind() != Archive.Kind.FOLDER) {
            throw new BadArchive(Why.NAME, entry.name());
        }
        switch (entry.kind()) {
            case FOLDER -> folder(entry);
            case FILE -> file(entry);
            case LINK -> {
                linksTell += place.encoded().length() + entry.way().length() + 100;
                if (linksTell > MOST_LINKS_TELL) {
                    throw new BadArchive(Why.TOO_MANY, entry.name());
                }
                links.add(entry);
            }
            case TWIN -> twin(entry);
        }
    }

    private void folder(Entry entry) throws IOException {
        int mode = (entry.mode() & 0755) | 0700;
        try {
            enter(entry.place());
            if (entry.place().isRoot()) {
                topMode = mode;
            } else {
                here.permit(mode);
            }
        } catch (Refused refused) {
            throw told(refused, entry);
        }
    }

    /** What is put under a name. */
    @FunctionalInterface
    private interface Put {
        void under(Folder above, String name) throws IOException;
    }

    private void put(Entry entry, Put put) throws IOException {
        Place place = entry.place();
        count(entry, 0);
        try {
            enter(place.above());
            put.under(here, place.name());
        } catch (Refused refused) {
            throw told(refused, entry);
        }
    }

    /** Whoever packs a name twice has one of them seen by who looks, and the other by who opens it. */
    private static IOException told(Refused refused, Entry entry) {
        return switch (refused.why()) {
            case EXISTS, NOT_A_FOLDER, LINK -> new BadArchive(Why.TWICE, entry.name());
            default -> refused;
        };
    }

    private void file(Entry entry) throws IOException {
        put(entry, (above, name) -> {
            long size = 0;
            try (FileChannel to = above.create(name)) {
                for (int count = archive.read(piece); count >= 0; count = archive.read(piece)) {
                    count(entry, count);
                    for (ByteBuffer left = ByteBuffer.wrap(piece, 0, count); left.hasRemaining(); ) {
                        to.write(left);
                    }
                    size += count;
                    heard.on(count);
                }
                if (size >= LARGE) {
                    to.force(false);
                }
            }
            above.finish(name, (entry.mode() & 0755) | 0600, entry.changed());
        });
    }

    private void twin(Entry entry) throws IOException {
        Place original = entry.original();
        put(entry, (above, name) -> {
            try (Folder of = top.folder(original.isRoot() ? original : original.above())) {
                if (original.isRoot() || !of.found(original.name()).isFile()) {
                    throw new BadArchive(Why.HARD_LINK, entry.name());
                }
                above.twin(name, of, original.name());
            } catch (Refused refused) {
                throw NOTHING.contains(refused.why()) ? new BadArchive(Why.HARD_LINK, entry.name()) : refused;
            }
        });
    }

    private void enter(Place place) throws IOException {
        if (place.equals(herePlace)) {
            return;
        }
        Folder at = top.folder(Place.ROOT);
        for (String name : place.names()) {
            try (Folder above = at) {
                at = entered(above, name);
            }
        }
        here.close();
        here = at;
        herePlace = place;
    }

    private Folder entered(Folder above, String name) throws IOException {
        if (!above.has(name)) {
            more(name);
            above.make(name);
        }
        return above.folder(name);
    }

    private void count(Entry entry, int more) throws IOException {
        bytes += more;
        if (bytes > most) {
            throw new BadArchive(Why.TOO_LARGE, entry.name());
        }
        if (more == 0) {
            more(entry.name());
        }
        if (bytes - taken > TAKEN_BYTES || files - takenFiles > TAKEN_FILES) {
            take();
        }
    }

    private void more(String entry) throws IOException {
        files++;
        if (files > MOST) {
            throw new BadArchive(Why.TOO_MANY, entry);
        }
    }

    private void take() throws IOException {
        room.take(Math.max(0, bytes - taken), files - takenFiles);
        taken = Math.max(taken, bytes);
        takenFiles = files;
    }

    @Override
    public void close() {
        here.close();
    }
}
