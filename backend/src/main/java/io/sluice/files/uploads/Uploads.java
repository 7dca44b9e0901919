package io.sluice.files.uploads;

import io.sluice.files.space.Copying;
import io.sluice.files.space.Removal;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * What is on its way into one space. It lies there itself: whoever has another space knows none of it, it counts as its owner's, and a gateway
 * that starts again, or another one, goes on with it.
 */
public final class Uploads {
    public static final Duration LIFE = Duration.ofHours(24);
    /** At once, of one person. */
    public static final int MOST = 500;

    private static final Place UNDER_WAY = Place.of("uploads");
    private static final Place DONE = Place.of("uploaded");
    private static final String ID = "[0-9a-f]{28}";
    private static final String ABOUT = "about";
    private static final String DATA = "data";
    /** How much had come before what is being checked. */
    static final String CHECKED = "checked";

    private final Space space;

    public Uploads(Space space) {
        this.space = space;
    }

    public Upload begin(Place place, long length, boolean replaces) throws IOException {
        if (place.isRoot()) {
            throw new Refused(Refused.Why.EXISTS, "");
        }
        mustBeFree(place, replaces);
        long free = space.root().toFile().getUsableSpace();
        if (free > 0 && length > free) { // 0: not told, or none, which the first piece finds out
            throw new Refused(Refused.Why.FULL, place.name());
        }
        try (Folder all = space.own(UNDER_WAY)) {
            if (Names.page(all, null, 1).total() >= MOST) {
                throw new Refused(Refused.Why.TOO_MANY, place.name());
            }
            String id = Space.fresh();
            all.make(id);
            try (Folder slot = all.folder(id)) {
                slot.create(DATA).close();
                String about = length + "\n" + replaces + "\n" + String.join("/", place.names());
                write(slot, ABOUT, about);
            }
            return finish(id);
        }
    }

    private void mustBeFree(Place place, boolean replaces) throws IOException {
        try {
            Found there = space.entry(place).found();
            if (!replaces || !there.isFile()) {
                throw new Refused(Refused.Why.EXISTS, place.name());
            }
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING || place.names().getFirst().equals(".sluice")) {
                throw refused;
            }
        }
    }

    /** As a whole or not at all: whoever reads it takes it for the truth. */
    private static void write(Folder slot, String name, String text) throws IOException {
        String fresh = Space.fresh();
        try (FileChannel file = slot.create(fresh)) {
            Space.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
        }
        slot.replace(fresh, slot, name);
    }

    private static String text(Folder slot, String name) throws IOException {
        try (OpenFile file = slot.read(name)) {
            var bytes = ByteBuffer.allocate(5_000);
            file.channel().read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    private static String known(String id) throws Refused {
        if (!id.matches(ID)) {
            throw new Refused(Refused.Why.MISSING, "");
        }
        return id;
    }

    public Upload find(String id) throws IOException {
        try (Folder all = space.own(UNDER_WAY);
                Folder slot = all.folder(known(id))) {
            return find(slot, id);
        } catch (Refused refused) {
            return done(id, refused);
        }
    }

    private static Upload find(Folder slot, String id) throws IOException {
        if (!slot.has(DATA)) {
            // it was made before what is told of it: it has gone to its place, and a gateway ended before that was told
            Found about = slot.found(ABOUT);
            return read(id, text(slot, ABOUT), 0, about.changed()).whole();
        }
        Found data = slot.found(DATA);
        long offset = slot.has(CHECKED) ? Math.min(data.size(), number(text(slot, CHECKED))) : data.size();
        return read(id, text(slot, ABOUT), offset, data.changed());
    }

    private Upload done(String id, Refused refused) throws IOException {
        if (refused.why() != Refused.Why.MISSING || !id.matches(ID)) {
            throw refused;
        }
        try (Folder done = space.own(DONE)) {
            return read(id, text(done, id), 0, done.found(id).changed()).whole();
        }
    }

    /** It lies where its owner can write: what is no longer what was written is no upload. */
    private static Upload read(String id, String about, long offset, long touched) throws Refused {
        String[] said = about.split("\n", 3);
        try {
            boolean replaces = Boolean.parseBoolean(said[1]);
            return new Upload(id, Place.of(said[2]), number(said[0]), offset, replaces, touched, false);
        } catch (Place.Unspeakable | ArrayIndexOutOfBoundsException spoilt) {
            throw new Refused(Refused.Why.MISSING, "");
        }
    }

    private static long number(String text) throws Refused {
        if (!text.matches("\\d{1,18}")) {
            throw new Refused(Refused.Why.MISSING, "");
        }
        return Long.parseLong(text);
    }

    /**
     * To go on writing; only one at a time, on whichever gateway.
     *
     * @param found that it must still be: whoever has written since has been told that it is kept
     */
    Taking take(Upload found, boolean checked) throws IOException {
        Taking taking = hold(found.id());
        try (Folder all = space.own(UNDER_WAY);
                Folder slot = all.folder(found.id())) {
            if (taking.upload().offset() != found.offset()) {
                throw new Refused(Refused.Why.TAKEN, found.place().name());
            }
            taking.begin();
            if (checked) {
                write(slot, CHECKED, Long.toString(found.offset()));
            } else if (slot.has(CHECKED)) {
                slot.remove(CHECKED); // what was being checked has just gone
            }
            return taking;
        } catch (IOException e) {
            taking.close();
            throw e;
        }
    }

    /** As it stands once nobody else can write it. */
    private Taking hold(String id) throws IOException {
        try (Folder all = space.own(UNDER_WAY);
                Folder slot = all.folder(known(id))) {
            OpenFile data = slot.append(DATA);
            try {
                // while its lock was another's it may have gone to its place, where nobody writes in it
                if (!Taking.isFree(data.channel()) || !slot.has(DATA)) {
                    throw new Refused(Refused.Why.TAKEN, "");
                }
                return new Taking(find(slot, id), data);
            } catch (IOException e) {
                data.close();
                throw e;
            }
        }
    }

    /** What has come is as it was sent. */
    void believe(Taking taking) throws IOException {
        try (Folder all = space.own(UNDER_WAY);
                Folder slot = all.folder(taking.upload().id())) {
            slot.remove(CHECKED);
        }
    }

    /** There under its name, if it is whole: one that came with a gateway's last breath, too. */
    public Upload finish(String id) throws IOException {
        Upload upload = find(id);
        if (!upload.isWhole() || upload.placed()) {
            return upload;
        }
        try (Taking taking = hold(id)) {
            return finish(taking);
        }
    }

    /** The same, of what is held. */
    Upload finish(Taking taking) throws IOException {
        Upload upload = find(taking.upload().id());
        if (!upload.isWhole() || upload.placed()) {
            return upload;
        }
        Place place = upload.place();
        mustBeFree(place, upload.replaces());
        try (Folder all = space.own(UNDER_WAY)) {
            try (Folder slot = all.folder(upload.id());
                    Folder top = space.top();
                    Folder above = top.made(place.above());
                    Folder done = space.own(DONE)) {
                taking.settle();
                if (upload.replaces()) {
                    slot.replace(DATA, above, place.name());
                } else {
                    slot.move(DATA, above, place.name());
                }
                above.settle();
                slot.replace(ABOUT, done, upload.id());
            }
            Removal.ifThere(all, upload.id());
        }
        return upload.whole();
    }

    /** How much is still to come of what is under way. */
    public long outstanding() throws IOException {
        long bytes = 0;
        try (Folder all = space.own(UNDER_WAY)) {
            for (String id : Names.page(all, null, 2 * MOST).names()) {
                bytes += missing(id);
            }
        }
        return bytes;
    }

    private long missing(String id) throws IOException {
        try {
            Upload upload = find(id);
            return upload.length() - upload.offset();
        } catch (Refused gone) {
            return 0; // finished or spoilt meanwhile
        }
    }

    public void remove(String id) throws IOException {
        try (Folder all = space.own(UNDER_WAY)) {
            all.found(known(id));
            Removal.ifThere(all, id);
        }
    }

    /** What nobody has sent anything of for long, and what was told of those that are done. */
    public int purge(long before, Copying.Moved heard) throws IOException {
        int purged = 0;
        try (Folder all = space.own(UNDER_WAY);
                Folder done = space.own(DONE)) {
            for (String id : Names.page(all, null, 2 * MOST).names()) {
                if (id.matches(ID) && isOld(all, id, before)) {
                    Removal.ifThere(all, id, heard);
                    purged++;
                }
            }
            List<String> told = Names.page(done, null, 10_000).names();
            for (String id : told) {
                if (done.has(id) && done.found(id).changed() < before) {
                    Removal.ifThere(done, id, heard);
                }
            }
        }
        return purged;
    }

    private static boolean isOld(Folder all, String id, long before) throws IOException {
        try (Folder slot = all.folder(id)) {
            return (slot.has(DATA) ? slot.found(DATA) : slot.found()).changed() < before;
        } catch (Refused notOurs) {
            // it has gone meanwhile, or its owner has put something else there
            return notOurs.why() != Refused.Why.MISSING
                    && all.has(id)
                    && all.found(id).changed() < before;
        }
    }
}
