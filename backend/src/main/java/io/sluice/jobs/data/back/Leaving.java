package io.sluice.jobs.data.back;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.StoreLine.Part;
import io.sluice.files.stores.Stored;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Digests;
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
public final class Leaving {
    private static final int BUFFER = 256 << 10;
    /** Smaller files go in one piece. */
    static final long PIECE = 64L << 20;

    private static final int MOST_PARTS = 9_000;

    private final StoreLine store;
    private final Stores.Place place;
    private final String key;
    private final FileChannel file;
    private final Unfinished.Own uploads;
    private final Care care;

    public Leaving(
            StoreLine store, Stores.Place place, String key, FileChannel file, Unfinished.Own uploads, Care care) {
        this.store = store;
        this.place = place;
        this.key = key;
        this.file = file;
        this.uploads = uploads;
        this.care = care;
    }

    /** Each request by itself is tried again, and what is sent is looked at anew before it. */
    public void send() throws IOException {
        long size = file.size();
        if (size <= PIECE) {
            care.of(() -> {
                long now = file.size();
                byte[] digest = digest(0, now);
                compare(store.write(place, key, now, base64(digest), () -> new Region(file, 0, now)), hex(digest));
                return digest;
            });
            return;
        }
        Optional<String> begun = care.of(() -> uploads.known(place, key).await());
        if (begun.isEmpty() || !parts(size, begun.get())) {
            parts(size, begin());
        }
    }

    /** Whether the store has it already. */
    public boolean is(Stored there) throws IOException {
        long size = file.size();
        return there.size() == size && there.etag().equals(size <= PIECE ? hex(digest(0, size)) : whole(size));
    }

    private static long part(long size) {
        return Math.max(PIECE, (size / MOST_PARTS / PIECE + 1) * PIECE);
    }

    private String begin() throws IOException {
        String upload = care.of(() -> store.begin(place, key));
        care.of(() -> uploads.begun(place, key, upload).await());
        return upload;
    }

    /** Whether the store knew the upload. */
    private boolean parts(long size, String upload) throws IOException {
        try {
            Map<Integer, Part> there = care.of(() -> store.parts(place, key, upload));
            List<Sent> parts = new ArrayList<>();
            for (long at = 0; at < size; at += part(size)) {
                care.goOn();
                long from = at;
                int number = parts.size() + 1;
                parts.add(care.of(
                        () -> part(upload, number, there.get(number), from, Math.min(part(size), size - from))));
            }
            finish(size, upload, parts);
        } catch (StoreFault gone) {
            if (gone.why() != Why.NO_UPLOAD) {
                throw gone;
            }
            care.of(() -> uploads.over(place, key, upload).await());
            return false;
        }
        care.of(() -> uploads.over(place, key, upload).await());
        return true;
    }

    /** A part that is there, and what its digest has to be. */
    private record Sent(Part part, String digest) {}

    private Sent part(String upload, int number, @Nullable Part there, long from, long length) throws IOException {
        byte[] digest = digest(from, length);
        Part part = there != null && there.etag().equals(hex(digest))
                ? there
                : store.part(place, key, upload, number, length, base64(digest), () -> new Region(file, from, length));
        return new Sent(part, hex(digest));
    }

    private void finish(long size, String upload, List<Sent> parts) throws IOException {
        MessageDigest all = Digests.of("MD5");
        parts.forEach(part -> all.update(HexFormat.of().parseHex(part.digest())));
        String whole = hex(all.digest()) + "-" + parts.size();
        String got = care.of(() -> {
            try {
                return store.finish(
                        place, key, upload, parts.stream().map(Sent::part).toList());
            } catch (StoreFault fault) {
                // an answer that was lost was of a whole object
                var there = fault.why() == Why.NO_UPLOAD ? store.look(place, key) : Optional.<Stored>empty();
                if (there.isPresent()
                        && there.get().size() == size
                        && there.get().etag().equals(whole)) {
                    return whole;
                }
                throw fault;
            }
        });
        compare(got, whole);
    }

    /** The ETag of what goes in parts. */
    private String whole(long size) throws IOException {
        MessageDigest all = Digests.of("MD5");
        long part = part(size);
        int count = 0;
        for (long at = 0; at < size; at += part) {
            all.update(digest(at, Math.min(part, size - at)));
            count++;
        }
        return hex(all.digest()) + "-" + count;
    }

    private static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
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
        MessageDigest digest = Digests.of("MD5");
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
