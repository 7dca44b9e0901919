package io.sluice.files.packing;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A folder that is being packed: each call reads on for as long as it takes to fill a piece. */
public final class Packing implements Closeable {
    private static final int PIECE = 256 << 10;
    private static final int MOST = 1_000_000;
    private static final int MOST_OF_ONE = 200_000;
    private static final String LEFT_OUT = "LEFT-OUT.txt";

    /** How packed things stand one after another. */
    interface Format extends Closeable {
        void folder(Place place, Found found) throws IOException;

        void link(Place place, Found found, String target) throws IOException;

        void begin(Place place, Found found) throws IOException;

        void write(byte[] bytes, int count) throws IOException;

        void end() throws IOException;
    }

    private final Walk walk;
    private final String top;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream(PIECE + (64 << 10));
    private final ByteBuffer read = ByteBuffer.allocate(64 << 10);
    private final Format format;
    private @Nullable OpenFile open;
    private boolean over;

    private Packing(Folder folder, String top, Function<OutputStream, Format> format) throws IOException {
        this.walk = new Walk(folder, MOST, MOST_OF_ONE);
        this.top = top;
        this.format = format.apply(packed);
    }

    /**
     * @param folder closed with the packing
     * @param top what the folder is called in there
     */
    public static Packing zip(Folder folder, String top) throws IOException {
        return new Packing(folder, top, Zip::new);
    }

    public static Packing tar(Folder folder, String top) throws IOException {
        return new Packing(folder, top, Tar::new);
    }

    /** Null: that was all. */
    public byte @Nullable [] next() throws IOException {
        packed.reset();
        while (packed.size() < PIECE && !over) {
            if (open != null) {
                read(open);
            } else {
                proceed();
            }
        }
        return packed.size() == 0 ? null : packed.toByteArray();
    }

    private void read(OpenFile file) throws IOException {
        int count = file.channel().read(read.clear());
        if (count < 0) {
            file.close();
            open = null;
            format.end();
        } else {
            format.write(read.array(), count);
        }
    }

    private void proceed() throws IOException {
        Walk.Step step = walk.next();
        if (step == null) {
            tellLeftOut();
            format.close();
            over = true;
            return;
        }
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

    private Place placed(Place place) {
        return top.isEmpty() ? place : Place.of(top + "/" + String.join("/", place.names()));
    }

    /** Half of a folder that looks like a whole one would be believed. */
    private void tellLeftOut() throws IOException {
        if (!walk.leftOut().isEmpty()) {
            byte[] text = (String.join("\n", walk.leftOut()) + "\n").getBytes(StandardCharsets.UTF_8);
            long now = System.currentTimeMillis();
            format.begin(
                    placed(Place.of(LEFT_OUT)), new Found(Found.Kind.FILE, text.length, now, now, 0644, 0, 1, 0, 0));
            format.write(text, text.length);
            format.end();
        }
    }

    @Override
    public void close() throws IOException {
        walk.close();
        if (open != null) {
            open.close();
        }
    }
}
