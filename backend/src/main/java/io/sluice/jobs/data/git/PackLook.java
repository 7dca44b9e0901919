package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.web.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Looks through a pack before it is unpacked, with a few kilobytes of memory: a pack of some kilobytes can hold what fills the memory or the disk
 * of a gateway. An object that is told as the difference to another is held together with all those that it goes back to.
 */
final class PackLook implements AutoCloseable {
    static final int MOST_OBJECTS = 2_000_000;
    static final long MOST_HELD = 128L << 20;

    private static final int PIECE = 64 << 10;
    private static final int HEADER = 12;
    private static final int COMMIT = 1;
    private static final int BLOB = 3;
    private static final int TAG = 4;
    private static final int BY_PLACE = 6;
    private static final int BY_ID = 7;
    /** Two numbers stand at the beginning of a difference. */
    private static final int NUMBERS = 20;

    private final InputStream in;
    private final Limits limits;
    private final Care care;
    private final Inflater inflater = new Inflater();
    private final byte[] piece = new byte[PIECE];
    private final byte[] plain = new byte[PIECE];
    private int at;
    private int end;
    /** Of the first byte in the piece. */
    private long before;

    private long all;
    private int count;
    private long[] places = new long[1_000];
    private long[] held = new long[1_000];

    private PackLook(InputStream in, Limits limits, Care care) {
        this.in = in;
        this.limits = limits;
        this.care = care;
    }

    static void at(Path pack, Limits limits, Care care) throws IOException {
        try (var in = Files.newInputStream(pack);
                var look = new PackLook(in, limits, care)) {
            look.whole();
        } catch (EOFException | DataFormatException e) {
            throw broken(e);
        }
    }

    private static StoreFault broken(Exception e) {
        return new StoreFault(
                Why.REFUSED,
                "What came is no whole pack of git: " + e.getMessage() + ". Look at the repository with git fsck.",
                e);
    }

    private void whole() throws IOException, DataFormatException {
        byte[] header = new byte[HEADER];
        for (int i = 0; i < HEADER; i++) {
            header[i] = (byte) next();
        }
        if (header[0] != 'P' || header[1] != 'A' || header[2] != 'C' || header[3] != 'K') {
            throw new DataFormatException("it does not begin as one");
        }
        long told =
                (header[8] & 0xffL) << 24 | (header[9] & 0xff) << 16 | (header[10] & 0xff) << 8 | (header[11] & 0xff);
        if (told > MOST_OBJECTS) {
            throw refused("has " + told + " objects, and " + MOST_OBJECTS + " can be unpacked here");
        }
        while (count < told) {
            care.goOn();
            one();
        }
    }

    private static StoreFault refused(String why) {
        return new StoreFault(
                Why.REFUSED, "The repository's pack " + why + ". Fetch it in the commands with git clone --depth 1.");
    }

    private void one() throws IOException, DataFormatException {
        long place = before + at;
        int first = next();
        int type = first >> 4 & 7;
        long size = first & 15;
        int shift = 4;
        for (int more = first; (more & 0x80) != 0; shift += 7) {
            more = next();
            if (shift > 46) {
                throw new DataFormatException("an object is larger than any can be");
            }
            size |= (long) (more & 0x7f) << shift;
        }
        if (type == BY_PLACE) {
            difference(place, heldAt(place - back()), size);
        } else if (type >= COMMIT && type <= TAG) {
            inflate(size);
            if (type != BLOB && size > MOST_HELD) {
                throw refused("has a folder or commit of " + (size >> 20) + " MiB");
            }
            add(place, size, size);
        } else if (type == BY_ID) {
            throw refused("names objects in a way that is not asked for here");
        } else {
            throw new DataFormatException("an object is of no kind");
        }
    }

    /** How far before it the object begins that it is a difference to. */
    private long back() throws IOException, DataFormatException {
        int more = next();
        long back = more & 0x7f;
        for (int digits = 1; (more & 0x80) != 0; digits++) {
            if (digits > 7) {
                throw new DataFormatException("an object goes back too far");
            }
            more = next();
            back = ((back + 1) << 7) | (more & 0x7f);
        }
        return back;
    }

    private long heldAt(long place) throws DataFormatException {
        int found = Arrays.binarySearch(places, 0, count, place);
        if (found < 0) {
            throw new DataFormatException("an object goes back to none");
        }
        return held[found];
    }

    private void difference(long place, long base, long size) throws IOException, DataFormatException {
        byte[] numbers = inflate(size);
        int[] from = {0};
        number(numbers, from);
        long result = number(numbers, from);
        if (base + size + result > MOST_HELD) {
            throw refused("has files that need more than " + (MOST_HELD >> 20) + " MiB of memory to unpack");
        }
        add(place, size + result, base + result);
    }

    private static long number(byte[] bytes, int[] from) throws DataFormatException {
        long number = 0;
        for (int shift = 0; shift <= 49 && from[0] < bytes.length; shift += 7) {
            int one = bytes[from[0]++];
            number |= (long) (one & 0x7f) << shift;
            if ((one & 0x80) == 0) {
                return number;
            }
        }
        throw new DataFormatException("a difference does not say how long it is");
    }

    private void add(long place, long bytes, long holds) throws StoreFault {
        all += bytes;
        limits.check("What the repository's pack holds", all);
        if (count == places.length) {
            places = Arrays.copyOf(places, count * 2);
            held = Arrays.copyOf(held, count * 2);
        }
        places[count] = place;
        held[count++] = holds;
    }

    /** The first bytes of it; all of it is read. */
    private byte[] inflate(long size) throws IOException, DataFormatException {
        limits.check("One file of the repository", size);
        inflater.reset();
        byte[] begin = new byte[NUMBERS];
        long done = 0;
        while (!inflater.finished()) {
            if (inflater.needsInput()) {
                fill();
                inflater.setInput(piece, at, end - at);
                at = end;
            }
            int more = inflater.inflate(plain);
            if (more == 0 && (inflater.needsDictionary() || done > size)) {
                throw new DataFormatException("an object can not be read");
            }
            if (done < NUMBERS) {
                System.arraycopy(plain, 0, begin, (int) done, (int) Math.min(more, NUMBERS - done));
            }
            done += more;
            if (done > size) {
                throw new DataFormatException("an object is longer than it says");
            }
        }
        at = end - inflater.getRemaining();
        if (done != size) {
            throw new DataFormatException("an object is shorter than it says");
        }
        return Arrays.copyOf(begin, (int) Math.min(NUMBERS, size));
    }

    private int next() throws IOException {
        fill();
        return piece[at++] & 0xff;
    }

    private void fill() throws IOException {
        if (at == end) {
            care.goOn();
            before += end;
            at = 0;
            end = Math.max(0, in.read(piece));
            if (end == 0) {
                throw new EOFException("it was cut off");
            }
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
