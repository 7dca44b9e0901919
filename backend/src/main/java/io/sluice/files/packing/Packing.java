package io.sluice.files.packing;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Gulp;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A folder that is being packed: each call reads on for as long as it takes to fill a piece. */
public final class Packing implements Closeable {
    private static final int PIECE = 256 << 10;
    private static final int MOST = 1_000_000;
    /** A zip ends with a list of all that is in it, and that list is kept until then. */
    private static final int MOST_ZIPPED = 100_000;

    private static final String LEFT_OUT = "LEFT-OUT.txt";

    /** How packed things stand one after another. */
    interface Format extends Closeable {
        void folder(Place place, Found found) throws IOException;

        void link(Place place, Found found, String target) throws IOException;

        void begin(Place place, Found found) throws IOException;

        void write(byte[] bytes, int count) throws IOException;

        /** Of a file. False: it has more to write, and is asked again. */
        boolean end() throws IOException;

        /** A file of which all is at hand. */
        void whole(Place place, Found found, byte[] bytes, int count) throws IOException;

        /** What it holds beside the heap, also of one that never came to its end. */
        void release();
    }

    private final Walk walk;
    private final String top;
    private final String without;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream(PIECE + (64 << 10));
    private final ByteBuffer read = ByteBuffer.allocate(64 << 10);
    /** Memory beside the heap, which comes free late: only where there are small files. */
    private @Nullable Gulp gulp;

    /** What comes next is no small file, or none that can be had. */
    private boolean odd;

    private final Format format;
    private String toldIn = LEFT_OUT;
    private @Nullable OpenFile open;
    private Place at = Place.ROOT;
    /** Of what was promised of the file that is open. */
    private long left;

    private boolean ending;
    private boolean told;
    private boolean over;

    Packing(Folder folder, int most, String top, String without, Function<OutputStream, Format> format)
            throws IOException {
        this.walk = new Walk(folder, most);
        this.top = top;
        this.without = without;
        this.format = format.apply(packed);
    }

    /**
     * @param folder closed with the packing
     * @param top what the folder is called in there
     * @param without a name in the folder that is passed over
     */
    public static Packing zip(Folder folder, String top, String without) throws IOException {
        return new Packing(folder, MOST_ZIPPED, top, without, Zip::new);
    }

    public static Packing tar(Folder folder, String top, String without) throws IOException {
        return new Packing(folder, MOST, top, without, Tar::new);
    }

    /** Null: that was all. */
    public byte @Nullable [] next() throws IOException {
        packed.reset();
        while (packed.size() < PIECE && !over) {
            if (open != null) {
                read(open);
            } else if (ending) {
                ending = !format.end();
            } else {
                proceed();
            }
        }
        return packed.size() == 0 ? null : packed.toByteArray();
    }

    /** As much as there was when it was opened: one that somebody writes all the time would have no end. */
    private void read(OpenFile file) throws IOException {
        int count = file.channel().read(read.clear().limit((int) Math.min(read.capacity(), left)));
        if (count > 0) {
            format.write(read.array(), count);
            left -= count;
        }
        if (count < 0) {
            walk.leave(at, new Refused(Refused.Why.NOT_A_FILE, "")); // it has become shorter: what it has now is not it
        }
        if (count < 0 || left == 0) {
            file.close();
            open = null;
            ending = true;
        }
    }

    private void proceed() throws IOException {
        if (odd || !small()) {
            odd = false;
            one();
        }
    }

    /** Small files are read many at a time. False: there is none. */
    private boolean small() throws IOException {
        Walk.Ahead ahead = walk.ahead(Gulp.MOST);
        if (ahead == null) {
            return false;
        }
        int own = ahead.place().isRoot() ? ahead.names().indexOf(without) : -1;
        List<String> names = own < 0 ? ahead.names() : ahead.names().subList(0, own);
        Gulp small = gulp == null ? new Gulp() : gulp;
        gulp = small;
        int count = ahead.folder().gulp(names, small);
        for (int i = 0; i < count; i++) {
            Place place = ahead.place().with(names.get(i));
            avoid(place);
            try {
                format.whole(placed(place), small.found(i), read.array(), small.copy(i, read.array()));
            } catch (Refused refused) {
                walk.leave(place, refused);
            }
        }
        odd = count < ahead.names().size();
        walk.pass(count);
        return count > 0;
    }

    /** One of theirs has the name in which what is left out is told. */
    private void avoid(Place place) {
        if (place.names().equals(List.of(toldIn))) {
            toldIn += "~";
        }
    }

    private void one() throws IOException {
        Walk.Step step = next(walk);
        if (step == null) {
            finish();
            return;
        }
        if (step.place().names().equals(List.of(without))) {
            walk.pass();
            return;
        }
        avoid(step.place());
        Place place = placed(step.place());
        String name = step.place().name();
        try {
            switch (step.found().kind()) {
                case FOLDER -> format.folder(place, step.found());
                case LINK -> format.link(place, step.found(), step.folder().target(name));
                case FILE -> {
                    OpenFile file = step.folder().read(name);
                    try {
                        format.begin(place, file.found());
                        at = step.place();
                        left = file.found().size();
                        open = file;
                    } catch (Refused refused) {
                        file.close();
                        throw refused;
                    }
                }
                case OTHER -> throw new Refused(Refused.Why.NOT_A_FILE, name);
            }
        } catch (Refused refused) {
            walk.leave(step.place(), refused);
        }
    }

    /** What is too much for one is told in it: a line that breaks off says nothing. */
    private static Walk.@Nullable Step next(Walk walk) throws IOException {
        try {
            return walk.next();
        } catch (Refused tooMany) {
            walk.leave(Place.of("… > " + walk.met()), tooMany);
            return null;
        }
    }

    private Place placed(Place place) {
        List<String> names = new ArrayList<>(place.names());
        if (!top.isEmpty()) {
            names.addFirst(top);
        }
        return new Place(names);
    }

    /** Half of a folder that looks like a whole one would be believed. */
    private void finish() throws IOException {
        if (walk.leftOut().isEmpty() || told) {
            format.close();
            over = true;
        } else {
            told = true;
            byte[] text = (String.join("\n", walk.leftOut()) + "\n").getBytes(StandardCharsets.UTF_8);
            long now = System.currentTimeMillis();
            format.begin(placed(Place.of(toldIn)), new Found(Found.Kind.FILE, text.length, now, now, 0644, 0, 1, 0, 0));
            format.write(text, text.length);
            ending = true;
        }
    }

    @Override
    public void close() throws IOException {
        format.release();
        walk.close();
        if (open != null) {
            open.close();
        }
    }
}
