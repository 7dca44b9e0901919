package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.util.FS;

/** The files of a commit, out of a pack. They are read as bytes: no filter, hook or submodule of the repository is ever looked at. */
final class Unpacked implements AutoCloseable {
    private static final int DEEPEST = 100;
    private static final int LONGEST_LINK = 4_000;
    /** A file that is larger comes piece by piece, if it is no difference to another. Folders are read whole. */
    private static final int IN_MEMORY = 1 << 20;
    /** It leads up first and then down, if at all, so that it does not leave the repository by way of another link. */
    private static final Pattern INSIDE =
            Pattern.compile("(?:\\.\\./)*(?:\\.\\.|(?!\\.\\.(?:/|$))[^/\\x00]+(?:/(?!\\.\\.(?:/|$))[^/\\x00]+)*/?)");

    private final ObjectDirectory objects;
    private final ObjectReader reader;
    private final ObjectReader contents;
    private final RevCommit commit;

    /** What a commit holds, one after the other. */
    interface Visitor {
        /** A folder, before what is in it. */
        void enter() throws IOException;

        void folder(Place place) throws IOException;

        void link(Place place, String leads) throws IOException;

        void file(Place place, ObjectId id, long size, boolean program) throws IOException;
    }

    private Unpacked(ObjectDirectory objects, ObjectReader reader, RevCommit commit) {
        this.objects = objects;
        this.reader = reader;
        this.contents = objects.newReader();
        contents.setStreamFileThreshold(IN_MEMORY);
        this.commit = commit;
    }

    static Unpacked of(Path folder, Path pack, String id, BooleanSupplier isOff) throws IOException {
        var objects = new ObjectDirectory(new Config(), folder.toFile(), null, FS.DETECTED, null);
        ObjectReader reader = null;
        try {
            objects.create();
            try (ObjectInserter inserter = objects.newInserter();
                    var in = Files.newInputStream(pack)) {
                inserter.newPackParser(in).parse(new Off(isOff));
            }
            reader = objects.newReader();
            return new Unpacked(objects, reader, commit(reader, id));
        } catch (IOException | RuntimeException e) {
            if (reader != null) {
                reader.close();
            }
            objects.close();
            throw told(e);
        }
    }

    private static IOException told(Exception e) {
        if (e instanceof IOException full && Refused.isFull(full)) {
            return full;
        }
        return e instanceof StoreFault fault
                ? fault
                : new StoreFault(Why.REFUSED, "The repository can not be unpacked: " + e.getMessage() + ".", e);
    }

    private static RevCommit commit(ObjectReader reader, String id) throws IOException {
        try (var walk = new RevWalk(reader)) {
            return walk.parseCommit(ObjectId.fromString(id));
        }
    }

    /** Leaves off when nobody wants it any more. */
    private static final class Off extends EmptyProgressMonitor {
        private final BooleanSupplier isOff;

        Off(BooleanSupplier isOff) {
            this.isOff = isOff;
        }

        @Override
        public boolean isCancelled() {
            return isOff.getAsBoolean();
        }
    }

    String id() {
        return commit.name();
    }

    Instant time() {
        return Instant.ofEpochSecond(Math.max(0, commit.getCommitTime()));
    }

    void each(Visitor visitor) throws IOException {
        try (var walk = new TreeWalk(reader)) {
            walk.addTree(commit.getTree());
            while (walk.next()) {
                visit(walk, visitor);
            }
        } catch (RuntimeException e) {
            throw told(e);
        }
    }

    private void visit(TreeWalk walk, Visitor visitor) throws IOException {
        Place place = place(walk);
        FileMode mode = walk.getFileMode(0);
        if (mode.equals(FileMode.TREE)) {
            visitor.enter();
            walk.enterSubtree();
        } else if (mode.equals(FileMode.GITLINK)) {
            visitor.folder(place);
        } else if (mode.equals(FileMode.SYMLINK) && isInside(place, leads(walk.getObjectId(0)))) {
            visitor.link(place, leads(walk.getObjectId(0)));
        } else {
            ObjectId id = walk.getObjectId(0);
            visitor.file(
                    place, id, reader.getObjectSize(id, ObjectReader.OBJ_ANY), mode.equals(FileMode.EXECUTABLE_FILE));
        }
    }

    /** As git itself does it, a name that leads out of its folder or into git's own is none, however it is written. */
    private static Place place(TreeWalk walk) throws StoreFault {
        byte[] path = walk.getRawPath();
        try {
            if (walk.getDepth() > DEEPEST) {
                throw new StoreFault(
                        Why.REFUSED, "The repository has more than " + DEEPEST + " folders in one another.");
            }
            new ObjectChecker().setSafeForMacOS(true).checkPath(path, 0, path.length);
            return Place.of(path);
        } catch (CorruptObjectException | Place.Unspeakable e) {
            throw new StoreFault(
                    Why.REFUSED,
                    "The repository has a file whose name none can have here: “"
                            + Place.shown(new String(path, StandardCharsets.ISO_8859_1)) + "”.",
                    e);
        }
    }

    private String leads(ObjectId id) throws IOException {
        var loader = contents.open(id);
        return loader.getSize() > LONGEST_LINK
                ? ""
                : new String(loader.getBytes(LONGEST_LINK), StandardCharsets.ISO_8859_1);
    }

    static boolean isInside(Place place, String leads) {
        int up = 0;
        for (String rest = leads; rest.equals("..") || rest.startsWith("../"); up++) {
            rest = rest.substring(Math.min(3, rest.length()));
        }
        return INSIDE.matcher(leads).matches() && up < place.names().size();
    }

    InputStream open(ObjectId id) throws IOException {
        return contents.open(id).openStream();
    }

    @Override
    public void close() {
        contents.close();
        reader.close();
        objects.close();
    }
}
