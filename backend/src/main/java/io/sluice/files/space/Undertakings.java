package io.sluice.files.space;

import io.sluice.files.tree.Folder;
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
    private static final Place PLACE = Place.of("operations");
    private static final String ID = "[0-9a-f]{28}";
    private static final String STOP = ".stop";
    private static final long SILENT_MILLIS = 60_000;
    private static final int MOST_READ = 10_000;

    /** Somebody wants it no more. */
    public static final class Stopped extends IOException {
        private static final long serialVersionUID = 1;
    }

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
     * @param status of an answer that had told its failure
     * @param code as that had it
     * @param message what that had said
     */
    public record Undertaking(State state, long bytes, int status, String code, String message) {
        private static final Undertaking BROKEN_OFF = new Undertaking(
                State.FAILED, 0, 503, "UnavailableError", "The gateway that did this has ended. Ask for it again.");

        public static Undertaking running(long bytes) {
            return new Undertaking(State.RUNNING, bytes, 0, "", "");
        }

        private String text() {
            return state + "\n" + bytes + "\n" + status + " " + code + "\n" + message;
        }

        private static Undertaking of(String text) throws Refused {
            String[] said = text.split("\n", 4);
            try {
                String[] status = said[2].split(" ", 2);
                return new Undertaking(
                        State.valueOf(said[0]),
                        Long.parseLong(said[1]),
                        Integer.parseInt(status[0]),
                        status.length > 1 ? status[1] : "",
                        said[3]);
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

    /** Null: it begins with this, on this gateway and on no other. On a full disk nothing is known of it, for it may make room. */
    public @Nullable Undertaking begin(String id) throws IOException {
        try (Folder all = space.own(PLACE)) {
            all.create(id).close();
            Removal.ifThere(all, id + STOP); // of one before it that had ended by then
            return null;
        } catch (Refused refused) {
            if (refused.why() == Refused.Why.FULL) {
                return null;
            }
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused;
            }
        }
        Undertaking there = find(id);
        if (there.state() == State.RUNNING) {
            return there;
        }
        forget(id);
        return there.state() == State.DONE ? there : begin(id);
    }

    /** What a full disk does not take is not told: what is done goes on, and fails by itself if it needs room. */
    public void tell(String id, Undertaking now) throws IOException {
        try (Folder all = space.own(PLACE);
                Folder temporary = space.temporary()) {
            String fresh = Space.fresh();
            try {
                try (FileChannel file = temporary.create(fresh)) {
                    Space.write(file, now.text().getBytes(StandardCharsets.UTF_8));
                }
                temporary.replace(fresh, all, id);
            } finally {
                Removal.ifThere(temporary, fresh);
            }
        } catch (IOException e) {
            if (!Refused.isFull(e)) {
                throw e;
            }
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
                return heard ? Undertaking.running(0) : Undertaking.BROKEN_OFF;
            }
            var told = Undertaking.of(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
            return told.state() == State.RUNNING && !heard ? Undertaking.BROKEN_OFF : told;
        }
    }

    public void forget(String id) throws IOException {
        try (Folder all = space.own(PLACE)) {
            Removal.ifThere(all, id);
            Removal.ifThere(all, id + STOP);
        }
    }

    /** Whoever does it, on whichever gateway, finds that it is not wanted any more. */
    public void stop(String id) throws IOException {
        find(id);
        try (Folder all = space.own(PLACE)) {
            all.create(id + STOP).close();
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused;
            }
        }
    }

    public boolean isStopped(String id) throws IOException {
        try (Folder all = space.own(PLACE)) {
            return all.has(id + STOP);
        }
    }

    /** What nobody asked after. */
    public int purge(long before) throws IOException {
        try (Folder all = space.own(PLACE)) {
            return Removal.untouched(all, before);
        }
    }
}
