package io.sluice.files.unpacking;

import io.sluice.files.unpacking.BadArchive.Why;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.ZipException;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZIOException;

/** What comes out of something packed, up to as much as may; how it fails is told in words of archives. */
final class Measured extends FilterInputStream {
    private final long most;
    private long met;

    /** How something packed is opened. */
    @FunctionalInterface
    interface Opening {
        InputStream open() throws IOException;
    }

    Measured(Opening opening, long most) throws IOException {
        super(opened(opening));
        this.most = most;
    }

    private static InputStream opened(Opening opening) throws IOException {
        try {
            return opening.open();
        } catch (IOException e) {
            throw told(e);
        }
    }

    private static IOException told(IOException e) {
        if (e instanceof MemoryLimitException) {
            return new BadArchive(Why.MEMORY, "");
        }
        if (e instanceof EOFException) {
            return new BadArchive(Why.CUT, "");
        }
        return e instanceof ZipException || e instanceof XZIOException ? new BadArchive(Why.DAMAGED, "") : e;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
        try {
            int count = in.read(into, at, most);
            met += Math.max(0, count);
            if (met > this.most) {
                throw new BadArchive(Why.TOO_LARGE, "");
            }
            return count;
        } catch (IOException e) {
            throw told(e);
        }
    }

    /** xz tells of what is damaged here, too, where nobody looks for it. */
    @Override
    public int available() {
        return 0;
    }
}
