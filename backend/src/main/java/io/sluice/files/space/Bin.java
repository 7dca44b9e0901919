package io.sluice.files.space;

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
import java.util.ArrayList;
import java.util.List;

/** What somebody has deleted and may have back: it lies in their own home, so it counts as theirs and moves there at once whatever its size. */
public final class Bin {
    private static final Place PLACE = Place.of("bin");
    private static final String FROM = "from";
    private static final String WHAT = "what";
    private static final String ID = "[0-9a-f]{28}";
    private static final int MOST = 1_000;

    /** @param deleted when, in milliseconds since 1970 */
    public record Deleted(String id, Place from, long deleted, Found found) {}

    private final Space space;

    public Bin(Space space) {
        this.space = space;
    }

    private Folder open() throws IOException {
        return space.own(PLACE);
    }

    public void put(Place place) throws IOException {
        space.mustBeWritable();
        space.above(place, above -> {
            above.found(place.name());
            try (Folder bin = open()) {
                String id = Space.fresh();
                bin.make(id);
                try (Folder slot = bin.folder(id)) {
                    try (FileChannel from = slot.create(FROM)) {
                        Space.write(from, String.join("/", place.names()).getBytes(StandardCharsets.ISO_8859_1));
                    }
                    above.move(place.name(), slot, WHAT);
                } catch (IOException e) {
                    Removal.ifThere(bin, id);
                    throw e;
                }
            }
            return place;
        });
    }

    /** The latest first, as many as are shown. */
    public List<Deleted> list() throws IOException {
        List<Deleted> all = new ArrayList<>();
        try (Folder bin = open()) {
            for (String id : Names.page(bin, null, 100 * MOST).names().reversed()) {
                if (id.matches(ID) && all.size() < MOST) {
                    add(bin, id, all);
                }
            }
        }
        return all;
    }

    private static void add(Folder bin, String id, List<Deleted> all) throws IOException {
        try (Folder slot = bin.folder(id)) {
            all.add(new Deleted(id, from(slot), Space.made(id), slot.found(WHAT)));
        } catch (Refused notWhole) {
            if (notWhole.why() == Refused.Why.FULL) {
                throw notWhole;
            }
        }
    }

    private static Place from(Folder slot) throws IOException {
        try (OpenFile from = slot.read(FROM)) {
            var bytes = ByteBuffer.allocate(5_000);
            from.channel().read(bytes);
            Place place = Place.of(new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1));
            if (place.isRoot()) {
                throw new Refused(Refused.Why.MISSING, FROM);
            }
            return place;
        } catch (Place.Unspeakable spoilt) {
            throw new Refused(Refused.Why.MISSING, FROM);
        }
    }

    private static String known(String id) throws Refused {
        if (!id.matches(ID)) {
            throw new Refused(Refused.Why.MISSING, "");
        }
        return id;
    }

    /** Where it was, with the folders that have gone since. */
    public Place restore(String id) throws IOException {
        try (Folder bin = open();
                Folder slot = bin.folder(known(id));
                Folder top = space.top()) {
            Place from = Space.theirs(from(slot));
            try (Folder above = top.made(from.above())) {
                slot.move(WHAT, above, from.name());
            }
            Removal.ifThere(bin, id);
            return from;
        }
    }

    public void forget(String id, Copying.Moved heard) throws IOException {
        try (Folder bin = open()) {
            bin.found(known(id));
            aside(bin, id, heard);
        }
    }

    /** Without the bin, which takes room: what fills a disk may go from where it is. */
    public void destroy(Place place, Copying.Moved heard) throws IOException {
        space.mustBeWritable();
        space.above(place, above -> {
            above.found(place.name());
            aside(above, place.name(), heard);
            return place;
        });
    }

    /** Gone at once, and what it had goes by and by: with this gateway's end too, by age. */
    private void aside(Folder from, String name, Copying.Moved heard) throws IOException {
        String fresh = Space.fresh();
        try (Folder temporary = space.temporary()) {
            from.move(name, temporary, fresh);
            Removal.ifThere(temporary, fresh, heard);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.FULL) {
                throw refused;
            }
            Removal.ifThere(from, name, heard);
        }
    }

    public int purge(long before, Copying.Moved heard) throws IOException {
        try (Folder bin = open()) {
            return Removal.older(bin, before, heard);
        }
    }
}
