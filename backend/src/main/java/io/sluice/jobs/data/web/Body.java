package io.sluice.jobs.data.web;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.regex.Pattern;

/** What a server sends after the head of its answer, to its end as the head tells that. */
final class Body extends InputStream {
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final Pattern CHUNK = Pattern.compile("([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?");
    private static final long UNKNOWN = -1;

    private final Line line;
    private final Limits.Span span;
    private final boolean inChunks;
    /** Of the whole, or of this chunk; {@link #UNKNOWN}: until the server hangs up. */
    private long left;

    private boolean ended;

    Body(Line line, Line.Head head, Limits.Span span) throws IOException {
        this.line = line;
        this.span = span;
        String coding = head.fields().get("Transfer-Encoding");
        String length = head.fields().get("Content-Length");
        if (coding != null && !coding.equalsIgnoreCase("chunked")) {
            throw new IOException("it sends what is coded as " + coding);
        }
        if (coding == null && length != null && !LENGTH.matcher(length).matches()) {
            throw new IOException("it tells no length: " + length);
        }
        this.inChunks = coding != null;
        this.left = inChunks ? 0 : length == null ? UNKNOWN : Long.parseLong(length);
        this.ended = head.status() == 204 || head.status() == 304 || (!inChunks && left == 0);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (span.isOver()) {
            throw new IOException("there is no more time for it");
        }
        if (inChunks && left == 0 && !ended) {
            begin();
        }
        if (ended) {
            return -1;
        }
        int count = line.read(bytes, offset, left == UNKNOWN ? length : (int) Math.min(length, left));
        if (count < 0 && left != UNKNOWN) {
            throw new EOFException("it hung up before the end");
        }
        came(count);
        return count;
    }

    private void came(int count) throws IOException {
        if (left == UNKNOWN) {
            ended = count < 0;
            return;
        }
        left -= count;
        if (left == 0 && inChunks) {
            line.text(span.end());
        }
        ended = left == 0 && !inChunks;
    }

    private void begin() throws IOException {
        var chunk = CHUNK.matcher(line.text(span.end()));
        if (!chunk.matches()) {
            throw new IOException("it sends pieces without a length");
        }
        left = Long.parseLong(chunk.group(1), 16);
        if (left == 0) {
            ended = true; // fields after it are nothing to us
        }
    }

    @Override
    public void close() {
        line.close();
    }
}
