package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
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
    /** Beside a note of what is done: whoever asked knows it. */
    private static final String KNOWN = ".known";
    /** Of a note that is looked at, and not put where its name says. */
    private static final String TAKEN = ".taken";

    private static final int MOST_READ = 10_000;
    private static final int MOST_TRIES = 10;

    /**
     * How it is heard that something goes on.
     *
     * @param silence after which whoever did it has ended
     * @param every how often it says that it goes on
     */
    public record Hearing(InstantSource clock, Duration silence, Duration every) {
        public static final Hearing USUAL =
                new Hearing(InstantSource.system(), Duration.ofMinutes(1), Duration.ofSeconds(2));

        boolean isSilent(long since) {
            return clock.millis() - since >= silence.toMillis();
        }
    }

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
    private final Hearing hearing;

    public Undertakings(Space space) {
        this(space, Hearing.USUAL);
    }

    public Undertakings(Space space, Hearing hearing) {
        this.space = space;
        this.hearing = hearing;
    }

    Hearing hearing() {
        return hearing;
    }

    /** Null: it begins with this, on this gateway and on no other. On a full disk nothing is known of it, for it may make room. */
    public @Nullable Undertaking begin(String id) throws IOException {
        for (int i = 0; i < MOST_TRIES; i++) {
            try (Folder all = space.own(PLACE)) {
                if (isMade(all, id)) {
                    return null;
                }
                Undertaking there = ended(all, id);
                Undertaking mine = there.state() == State.RUNNING ? there : taken(all, id);
                boolean anew = mine == null
                        || mine.state() == State.FAILED
                        || (mine.state() == State.DONE && all.has(id + KNOWN));
                if (!anew) {
                    return mine;
                }
            } catch (Refused refused) {
                if (refused.why() == Refused.Why.FULL) {
                    return null;
                }
                throw refused;
            }
        }
        throw new Refused(Refused.Why.TAKEN, "");
    }

    private static boolean isMade(Folder all, String id) throws IOException {
        try {
            all.create(id).close();
            // of one before it that had ended by then
            Removal.ifThere(all, id + STOP);
            Removal.ifThere(all, id + KNOWN);
            return true;
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused;
            }
            return false;
        }
    }

    /** What tells nothing, or is there no more, has ended. */
    private Undertaking ended(Folder all, String name) throws IOException {
        try {
            return read(all, name);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
            return Undertaking.BROKEN_OFF;
        }
    }

    /**
     * Of several that have found that it ended one takes its note. Who takes the note of one that has begun since puts it back. Null: another
     * has taken it.
     */
    private @Nullable Undertaking taken(Folder all, String id) throws IOException {
        String mine = Space.fresh() + TAKEN;
        try {
            all.move(id, all, mine);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused;
            }
            return null;
        }
        try {
            Undertaking there = ended(all, mine);
            if (there.state() == State.RUNNING) {
                putBack(all, mine, id);
            }
            return there;
        } finally {
            Removal.ifThere(all, mine);
        }
    }

    private static void putBack(Folder all, String mine, String id) throws IOException {
        try {
            all.move(mine, all, id);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.EXISTS) {
                throw refused; // there: it has been heard of meanwhile
            }
        }
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
                temporary.finish(fresh, 0600, hearing.clock().millis());
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
        try (Folder all = space.own(PLACE)) {
            return read(all, id);
        }
    }

    private Undertaking read(Folder all, String name) throws IOException {
        try (OpenFile file = all.read(name)) {
            var bytes = ByteBuffer.allocate(MOST_READ);
            while (bytes.hasRemaining() && file.channel().read(bytes) >= 0) {}
            boolean heard = !hearing.isSilent(file.found().changed());
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
            Removal.ifThere(all, id + KNOWN);
        }
    }

    /** Whoever does it, on whichever gateway, finds that it is not wanted any more. */
    public void stop(String id) throws IOException {
        find(id);
        mark(id + STOP);
    }

    /** As find, by whoever asked for it: who asks for the same after its end wants it done once more. */
    public Undertaking look(String id) throws IOException {
        Undertaking there = find(id);
        if (there.state() == State.DONE) {
            try {
                mark(id + KNOWN);
            } catch (Refused refused) {
                if (refused.why() != Refused.Why.FULL) {
                    throw refused;
                }
            }
        }
        return there;
    }

    private void mark(String name) throws IOException {
        try (Folder all = space.own(PLACE)) {
            all.create(name).close();
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
    public int purge(long before, Copying.Moved heard) throws IOException {
        try (Folder all = space.own(PLACE)) {
            return Removal.untouched(all, before, heard);
        }
    }
}
