package io.sluice.logs.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A log's bytes with its holes known: what is in a hole reads as zeros, and those are no bytes of the log. */
public final class Reader implements Closeable {
    private final Gaps gaps;
    private final Bytes bytes;

    public Reader(LogFile file) throws IOException {
        this.gaps = file.gaps();
        this.bytes = file.open();
    }

    public Bytes bytes() {
        return bytes;
    }

    /** As they are known by now. */
    public List<Gaps.Gap> gaps() throws IOException {
        return gaps.all();
    }

    public long size() throws IOException {
        return bytes.size();
    }

    /**
     * Reads up to the next hole. The answer is the hole that the offset lies in, and nothing was read then.
     *
     * <p>A hole is recorded before it is made, so whoever looks for one after having read can not miss it.
     */
    public Gaps.@Nullable Gap read(long offset, ByteBuffer into) throws IOException {
        int begin = into.position();
        while (into.hasRemaining() && bytes.read(offset + into.position() - begin, into) > 0) {}
        Gaps.Gap hole = Gaps.next(gaps.all(), offset);
        if (hole == null) {
            return null;
        }
        if (hole.from() <= offset) {
            into.position(begin);
            return hole;
        }
        into.position((int) Math.min(into.position(), begin + hole.from() - offset));
        return null;
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
