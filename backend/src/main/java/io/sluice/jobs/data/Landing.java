package io.sluice.jobs.data;

import io.sluice.database.Database;
import io.sluice.files.space.Removal;
import io.sluice.files.stores.StoreFault;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Files that come from elsewhere: each is written aside, compared with what was announced, and gets its name at one blow. What is there already
 * with the size and the time that were announced is not fetched again; what was cut off goes on.
 */
final class Landing {
    private static final int PIECE = 256 << 10;
    private static final int MODE = 0644;
    private static final int PROGRAM = 0755;

    /**
     * What is to come.
     *
     * @param version tells it from any other, and from another version of itself
     */
    record Announced(String version, long size, Instant changed) {}

    /** It comes; {@code digest} null: nobody knows its MD5. */
    record Coming(InputStream body, @Nullable String digest) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    /** Lets it come, from there on. */
    @FunctionalInterface
    interface Source {
        Coming from(long at) throws IOException;
    }

    private final Folder top;
    private final Folder aside;
    private final Progress progress;
    private final Care care;

    Landing(Folder top, Folder aside, Progress progress, Care care) {
        this.top = top;
        this.aside = aside;
        this.progress = progress;
        this.care = care;
    }

    void folder(Place place) throws IOException {
        try (Folder made = top.made(place)) {
            made.settle();
        }
    }

    void link(Place place, String leads) throws IOException {
        try (Folder above = top.made(place.above())) {
            above.linkTo(place.name(), leads);
            progress.files.incrementAndGet();
        }
    }

    /** A file that is there may be run. */
    void permit(Place place) throws IOException {
        try (Folder above = top.made(place.above())) {
            above.permit(place.name(), PROGRAM);
        }
    }

    void land(Place place, Announced what, Source source) throws IOException {
        try (Folder above = top.made(place.above())) {
            if (isThere(above, place.name(), what)) {
                progress.bytes.addAndGet(what.size());
            } else {
                String part = part(place, what);
                come(part, what, source);
                aside.finish(part, MODE, what.changed().toEpochMilli());
                aside.replace(part, above, place.name());
            }
            progress.files.incrementAndGet();
        }
    }

    private void come(String part, Announced what, Source source) throws IOException {
        try {
            care.of(() -> once(part, what, source));
        } catch (StoreFault fault) {
            if (fault.why() == StoreFault.Why.CHANGED) { // nothing goes on with it any more
                Removal.ifThere(aside, part);
            }
            throw fault;
        }
    }

    private static boolean isThere(Folder above, String name, Announced what) throws IOException {
        if (!above.has(name)) {
            return false;
        }
        Found found = above.found(name);
        return found.isFile()
                && found.size() == what.size()
                && found.changed() / 1_000 == what.changed().getEpochSecond();
    }

    private static String part(Place place, Announced what) {
        byte[] name = (String.join("/", place.names()) + "\0" + what.version() + "\0" + what.size())
                .getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(Digests.of("SHA-256").digest(name), 0, 20);
    }

    private Void once(String part, Announced what, Source source) throws IOException {
        MessageDigest digest = Digests.of("MD5");
        long counted = 0;
        try (FileChannel channel = opened(part)) {
            long at = read(channel, digest, what.size());
            counted = at;
            progress.bytes.addAndGet(at);
            try (Coming coming = source.from(at)) {
                counted += copied(coming.body(), channel, digest, what.size() - at);
                compare(channel, digest, what, coming.digest());
            }
            channel.force(true);
            return null;
        } catch (IOException e) {
            progress.bytes.addAndGet(-counted);
            throw e;
        }
    }

    private FileChannel opened(String part) throws IOException {
        if (aside.has(part)) {
            OpenFile open = aside.append(part);
            return open.channel();
        }
        return aside.create(part);
    }

    /** How much of it came before. What is as long as the whole was not right, or would have its name. */
    private static long read(FileChannel channel, MessageDigest digest, long size) throws IOException {
        if (channel.size() >= size) {
            channel.truncate(0);
        }
        ByteBuffer buffer = ByteBuffer.allocate(PIECE);
        while (channel.read(buffer) >= 0) {
            digest.update(buffer.flip());
            buffer.clear();
        }
        return channel.position();
    }

    private long copied(InputStream body, FileChannel channel, MessageDigest digest, long most) throws IOException {
        byte[] piece = new byte[PIECE];
        long copied = 0;
        for (int count = read(body, piece); count >= 0; count = read(body, piece)) {
            care.goOn();
            if (copied + count > most) {
                throw new StoreFault(StoreFault.Why.BROKEN, "More came than was announced.");
            }
            ByteBuffer buffer = ByteBuffer.wrap(piece, 0, count);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            digest.update(piece, 0, count);
            copied += count;
            progress.bytes.addAndGet(count);
        }
        return copied;
    }

    /** A line that breaks is the other side's fault, a disk that is full is not. */
    private static int read(InputStream body, byte[] piece) throws StoreFault {
        try {
            return body.read(piece);
        } catch (IOException | RuntimeException e) {
            throw new StoreFault(StoreFault.Why.BROKEN, "The line broke: " + e.getMessage(), e);
        }
    }

    private static void compare(FileChannel channel, MessageDigest digest, Announced what, @Nullable String told)
            throws IOException {
        if (channel.size() != what.size()) {
            throw new StoreFault(
                    StoreFault.Why.BROKEN, "Only " + channel.size() + " of " + what.size() + " bytes came.");
        }
        if (told != null && !HexFormat.of().formatHex(digest.digest()).equals(told)) {
            channel.truncate(0);
            throw new StoreFault(StoreFault.Why.BROKEN, "What came is not what was announced: its MD5 is another.");
        }
    }

    /** In words for whoever has asked for it. */
    static String said(Throwable e) {
        if (e instanceof Refused refused) {
            return switch (refused.why()) {
                case FULL ->
                    "The disk of this gateway, or your share of it, is full. Delete something, or ask your administrator.";
                case NOT_A_FOLDER, EXISTS, NOT_EMPTY ->
                    "“" + Place.shown(refused.name()) + "” would have to be a file and a folder at once.";
                case MISSING -> "“" + Place.shown(refused.name()) + "” is not there any more.";
                case NOT_A_FILE, LINK ->
                    "“" + Place.shown(refused.name()) + "” is a link or a pipe, where a file or folder has to be.";
                case NOT_ALLOWED ->
                    "“" + Place.shown(refused.name())
                            + "” can not be read or written with its owner's rights, or has a name that no file can have.";
                case TOO_MANY -> "There are too many files and folders. Pack them.";
                case TAKEN -> "Somebody else is at “" + Place.shown(refused.name()) + "” at this moment.";
            };
        }
        if (e instanceof IOException full && Refused.isFull(full)) {
            return "The disk of this gateway is full. Delete something, or ask your administrator.";
        }
        if (Database.isUnavailable(e)) {
            return "The database of the gateway does not answer.";
        }
        if (e instanceof FileSystemException disk) { // its message is a path of the gateway's own
            return "The disk of this gateway failed: " + disk.getReason() + ". Ask your administrator.";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
