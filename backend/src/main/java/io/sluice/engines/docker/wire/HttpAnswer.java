package io.sluice.engines.docker.wire;

import com.github.dockerjava.transport.DockerHttpClient;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One answer of the engine; closing it, from any thread, ends whoever reads it. */
final class HttpAnswer implements DockerHttpClient.Response {

    private static final int LONGEST_LINE = 64 * 1024;
    private static final int MOST_LINES = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final int status;
    private final Map<String, List<String>> headers;
    private final InputStream body;
    private final Closeable socket;

    private HttpAnswer(int status, Map<String, List<String>> headers, InputStream body, Closeable socket) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.socket = socket;
    }

    static HttpAnswer read(String method, InputStream in, Closeable socket) throws IOException {
        int status = status(in);
        while (status >= 100 && status < 200) {
            headers(in);
            status = status(in);
        }
        var headers = headers(in);
        return new HttpAnswer(status, headers, body(method, status, headers, in), socket);
    }

    @Override
    public int getStatusCode() {
        return status;
    }

    @Override
    public Map<String, List<String>> getHeaders() {
        return headers;
    }

    @Override
    public InputStream getBody() {
        return body;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int status(InputStream in) throws IOException {
        var words = line(in).split(" ", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("\\d{3}")) {
            throw new IOException("what listens there does not speak HTTP");
        }
        return Integer.parseInt(words[1]);
    }

    static Map<String, List<String>> headers(InputStream in) throws IOException {
        var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 0; i < MOST_LINES; i++) {
            var line = line(in);
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
                        .add(line.substring(colon + 1).strip());
            }
        }
        throw new IOException("the answer has no end of its header");
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the engine closed the connection before it answered");
            }
            if (line.length() == LONGEST_LINE) {
                throw new IOException("the answer has a line that is too long");
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    private static InputStream body(String method, int status, Map<String, List<String>> headers, InputStream in) {
        if (method.equals("HEAD") || status == NO_CONTENT || status == NOT_MODIFIED) {
            return InputStream.nullInputStream();
        }
        if (headers.getOrDefault("transfer-encoding", List.of()).contains("chunked")) {
            return new Counted(in, true, 0);
        }
        var length = headers.getOrDefault("content-length", List.of());
        return length.isEmpty() ? in : new Counted(in, false, Long.parseLong(length.getFirst()));
    }

    /** A body in chunks, or one whose length is known; one that is cut off is a fault and not an end. */
    private static final class Counted extends InputStream {
        private final InputStream in;
        private final boolean chunked;
        private long left;
        private boolean first = true;
        private boolean over;

        Counted(InputStream in, boolean chunked, long left) {
            this.in = in;
            this.chunked = chunked;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (isOver()) {
                return -1;
            }
            int read = in.read(into, offset, (int) Math.min(length, left));
            if (read < 0) {
                throw new EOFException("the engine's answer was cut off");
            }
            left -= read;
            return read;
        }

        private boolean isOver() throws IOException {
            if (left > 0 || over) {
                return over;
            }
            over = !chunked;
            if (chunked) {
                if (!first) {
                    line(in);
                }
                first = false;
                left = Long.parseLong(line(in).split(";", 2)[0].strip(), 16);
                over = left == 0;
            }
            return over;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
