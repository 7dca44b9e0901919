package io.sluice.jobs.data;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.StoreLine.Part;
import io.sluice.files.stores.Stored;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.care.Care;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One file on its way to a store. The store is told what to expect of each piece, and what it says it has is compared. */
final class Leaving {
    private static final int BUFFER = 256 << 10;
    /** Smaller files go in one piece. */
    static final long PIECE = 64L << 20;

    private static final int MOST_PARTS = 9_000;

    private final StoreLine store;
    private final Stores.Place place;
    private final String key;
    private final FileChannel file;
    private final Care care;

    Leaving(StoreLine store, Stores.Place place, String key, FileChannel file, Care care) {
        this.store = store;
        this.place = place;
        this.key = key;
        this.file = file;
        this.care = care;
    }

    /**
     * Not where it is there already.
     *
     * @param there what the store lists under this name, null: nothing
     */
    void send(@Nullable Stored there) throws IOException {
        long size = file.size();
        long part = Math.max(PIECE, (size / MOST_PARTS / PIECE + 1) * PIECE);
        if (size <= PIECE) {
            byte[] digest = digest(0, size);
            String etag = HexFormat.of().formatHex(digest);
            if (!is(there, size, etag)) {
                String got = store.write(place, key, size, base64(digest), () -> new Region(file, 0, size));
                compare(got, etag);
            }
        } else if (there == null || there.size() != size || !is(there, size, whole(size, part))) {
            parts(size, part);
        }
    }

    private static boolean is(@Nullable Stored there, long size, String etag) {
        return there != null && there.size() == size && there.etag().equals(etag);
    }

    private void parts(long size, long part) throws IOException {
        Optional<String> begun = store.begun(place, key);
        String upload = begun.isPresent() ? begun.get() : store.begin(place, key);
        Map<Integer, Part> there = begun.isPresent() ? store.parts(place, key, upload) : Map.of();
        MessageDigest all = Landing.digest("MD5");
        List<Part> parts = new ArrayList<>();
        for (long at = 0; at < size; at += part) {
            care.goOn();
            long from = at;
            long length = Math.min(part, size - at);
            byte[] digest = digest(at, length);
            all.update(digest);
            int number = parts.size() + 1;
            Part known = there.get(number);
            parts.add(
                    known != null && known.etag().equals(HexFormat.of().formatHex(digest))
                            ? known
                            : care.of(() -> store.part(
                                    place,
                                    key,
                                    upload,
                                    number,
                                    length,
                                    base64(digest),
                                    () -> new Region(file, from, length))));
        }
        compare(store.finish(place, key, upload, parts), HexFormat.of().formatHex(all.digest()) + "-" + parts.size());
    }

    /** The ETag of what goes in parts. */
    private String whole(long size, long part) throws IOException {
        MessageDigest all = Landing.digest("MD5");
        int count = 0;
        for (long at = 0; at < size; at += part) {
            all.update(digest(at, Math.min(part, size - at)));
            count++;
        }
        return HexFormat.of().formatHex(all.digest()) + "-" + count;
    }

    private static String base64(byte[] digest) {
        return Base64.getEncoder().encodeToString(digest);
    }

    /** A store that encrypts tells another kind of ETag; it has compared the digest itself. */
    private void compare(String got, String etag) throws StoreFault {
        if (got.matches("[0-9a-f]{32}(-\\d+)?") && got.contains("-") == etag.contains("-") && !got.equals(etag)) {
            if (!store.isEncrypted(place, key)) {
                throw new StoreFault(Why.BROKEN, "What arrived as " + key + " in " + place + " is not what was sent.");
            }
        }
    }

    private byte[] digest(long from, long length) throws IOException {
        MessageDigest digest = Landing.digest("MD5");
        byte[] piece = new byte[BUFFER];
        try (InputStream region = new Region(file, from, length)) {
            for (int count = region.read(piece); count >= 0; count = region.read(piece)) {
                care.goOn();
                digest.update(piece, 0, count);
            }
        }
        return digest.digest();
    }

    /** A piece of a file, however others read it. */
    private static final class Region extends InputStream {
        private final FileChannel file;
        private long at;
        private long left;

        Region(FileChannel file, long from, long length) {
            this.file = file;
            this.at = from;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left <= 0) {
                return -1;
            }
            int count = file.read(ByteBuffer.wrap(bytes, offset, (int) Math.min(length, left)), at);
            if (count < 0) {
                return -1; // it has become shorter
            }
            at += count;
            left -= count;
            return count;
        }
    }
}
