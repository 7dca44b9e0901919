package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What takes long in a space, as each gateway finds it there: how far it is, and how it ended. Whoever does it says so again and again; of
 * whom nothing is heard has ended.
 */
public final class Undertakings {
    private static final Place PLACE = Place.of(Space.OWN + "/operations");
    private static final String ID = "[0-9a-f]{28}";
    private static final long SILENT_MILLIS = 60_000;
    private static final int MOST_READ = 10_000;

    /** How it stands. */
    public enum State {
        RUNNING,
        DONE,
        FAILED
    }

    /**
     * Something that takes long.
     *
     * @param bytes how many it has moved
     * @param message what its failure says
     */
    public record Undertaking(State state, long bytes, String message) {
        private static final Undertaking BROKEN_OFF =
                new Undertaking(State.FAILED, 0, "The gateway that did this has ended. Ask for it again.");

        private String text() {
            return state + "\n" + bytes + "\n" + message;
        }

        private static Undertaking of(String text) throws Refused {
            String[] said = text.split("\n", 3);
            try {
                return new Undertaking(State.valueOf(said[0]), Long.parseLong(said[1]), said[2]);
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException spoilt) {
                throw new Refused(Refused.Why.MISSING, "");
            }
        }

        public String shown() {
            return state.name().toLowerCase(Locale.ROOT);
        }
    }

    private final Space space;

    public Undertakings(Space space) {
        this.space = space;
    }

    /** Null: it begins with this, on this gateway and on no other. */
    public @Nullable Undertaking begin(String id) throws IOException {
        try (Folder all = space.own(PLACE)) {
            all.create(id).close();
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused;
            }
            Undertaking there = find(id);
            if (there.state() == State.RUNNING) {
                return there;
            }
            forget(id);
            return there.state() == State.DONE ? there : begin(id);
        }
        tell(id, new Undertaking(State.RUNNING, 0, ""));
        return null;
    }

    public void tell(String id, Undertaking now) throws IOException {
        try (Folder all = space.own(PLACE);
                Folder temporary = space.temporary()) {
            String fresh = Space.fresh();
            try (FileChannel file = temporary.create(fresh)) {
                Space.write(file, now.text().getBytes(StandardCharsets.UTF_8));
            }
            temporary.replace(fresh, all, id);
        }
    }

    public Undertaking find(String id) throws IOException {
        if (!id.matches(ID)) {
            throw new Refused(Refused.Why.MISSING, "");
        }
        try (Folder all = space.own(PLACE);
                OpenFile file = all.read(id)) {
            var bytes = ByteBuffer.allocate(MOST_READ);
            while (bytes.hasRemaining() && file.channel().read(bytes) >= 0) {}
            boolean heard = System.currentTimeMillis() - file.found().changed() < SILENT_MILLIS;
            if (bytes.position() == 0) {
                return heard ? new Undertaking(State.RUNNING, 0, "") : Undertaking.BROKEN_OFF;
            }
            var told = Undertaking.of(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
            return told.state() == State.RUNNING && !heard ? Undertaking.BROKEN_OFF : told;
        }
    }

    public void forget(String id) throws IOException {
        try (Folder all = space.own(PLACE)) {
            Removal.ifThere(all, id);
        }
    }

    /** What nobody asked after. */
    public int purge(long before) throws IOException {
        int purged = 0;
        try (Folder all = space.own(PLACE)) {
            for (String id : Names.page(all, null, MOST_READ).names()) {
                if (all.has(id) && all.found(id).changed() < before) {
                    Removal.ifThere(all, id);
                    purged++;
                }
            }
        }
        return purged;
    }
}
