package io.sluice.engines.docker.wire;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.transport.DockerHttpClient;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * What docker-java speaks through: the JDK's own sockets, a connection for each call. A call that waits gives its
 * carrier thread back, and ends when its thread is interrupted; docker-java's own transports do neither, because they
 * wait in native code.
 */
final class Wire implements DockerHttpClient {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int PIECE = 16 * 1024;
    private static final int SWITCHED = 101;
    private static final int OLD_SWITCHED = 200;
    private static final int MOST_OF_FAULT = 4_096;

    private final Address address;
    private final @Nullable SSLContext tls;

    private Wire(Address address, @Nullable SSLContext tls) {
        this.address = address;
        this.tls = tls;
    }

    static Wire to(Vertx vertx, Address address) {
        var certificates = address.certificates();
        return new Wire(address, certificates == null ? null : context(vertx, certificates));
    }

    private static SSLContext context(Vertx vertx, Path folder) {
        try {
            var context = SSLContext.getInstance("TLS");
            var own = new PemKeyCertOptions()
                    .addCertPath(folder.resolve("cert.pem").toString())
                    .addKeyPath(folder.resolve("key.pem").toString());
            var trusted =
                    new PemTrustOptions().addCertPath(folder.resolve("ca.pem").toString());
            context.init(
                    own.getKeyManagerFactory(vertx).getKeyManagers(),
                    trusted.getTrustManagerFactory(vertx).getTrustManagers(),
                    null);
            return context;
        } catch (Exception e) { // what Vert.x declares
            throw new IllegalArgumentException(
                    "The certificates in " + folder + " can not be used: " + e.getMessage(), e);
        }
    }

    @Override
    public Response execute(Request request) {
        Connection connection = null;
        try {
            connection = connect();
            send(request, connection.out());
            return HttpAnswer.read(request.method(), connection.in(), connection.socket());
        } catch (IOException e) {
            close(connection);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    /** A call whose connection belongs to a program from then on, in both directions. */
    Conversation talk(String path, byte[] body) {
        Connection connection = null;
        try {
            connection = connect();
            var head = "POST " + path + " HTTP/1.1\r\nHost: " + address.host()
                    + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.length + "\r\n\r\n";
            connection.out().write(head.getBytes(StandardCharsets.ISO_8859_1));
            connection.out().write(body);
            connection.out().flush();
            int status = HttpAnswer.status(connection.in());
            HttpAnswer.headers(connection.in());
            if (status != SWITCHED && status != OLD_SWITCHED) {
                var said = new String(connection.in().readNBytes(MOST_OF_FAULT), StandardCharsets.UTF_8);
                throw new DockerException(said, status);
            }
            return new Conversation(connection.in(), halfClosing(connection), connection.socket());
        } catch (IOException e) {
            close(connection);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    /** Closing it tells the program that it has nothing more to read; what it prints still comes. */
    private static OutputStream halfClosing(Connection connection) {
        return new FilterOutputStream(connection.out()) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
                if (connection.socket() instanceof SocketChannel channel) {
                    channel.shutdownOutput();
                } else if (connection.socket() instanceof SSLSocket socket) {
                    socket.shutdownOutput();
                }
            }
        };
    }

    /** Each call has closed its own. */
    @Override
    public void close() {}

    private record Connection(InputStream in, OutputStream out, Closeable socket) {}

    private Connection connect() throws IOException {
        var socket = address.socket();
        if (socket != null) {
            var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
            return new Connection(
                    new BufferedInputStream(Channels.newInputStream(channel), PIECE),
                    new BufferedOutputStream(Channels.newOutputStream(channel), PIECE),
                    channel);
        }
        return secure();
    }

    private Connection secure() throws IOException {
        if (tls == null) {
            throw new IOException("no TLS");
        }
        var socket = (SSLSocket) tls.getSocketFactory().createSocket();
        try {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
            socket.startHandshake();
            return new Connection(
                    new BufferedInputStream(socket.getInputStream(), PIECE),
                    new BufferedOutputStream(socket.getOutputStream(), PIECE),
                    socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void send(Request request, OutputStream out) throws IOException {
        var bytes = request.bodyBytes();
        var body = bytes == null ? request.body() : null;
        var head = new StringBuilder()
                .append(request.method())
                .append(' ')
                .append(request.path())
                .append(" HTTP/1.1\r\nHost: ")
                .append(address.host())
                .append("\r\nConnection: close\r\n");
        request.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        if (body != null) {
            head.append("Transfer-Encoding: chunked\r\n");
        } else if (bytes != null || !request.method().equals("GET")) {
            head.append("Content-Length: ")
                    .append(bytes == null ? 0 : bytes.length)
                    .append("\r\n");
        }
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (bytes != null) {
            out.write(bytes);
        } else if (body != null) {
            chunks(body, out);
        }
        out.flush();
    }

    private static void chunks(InputStream body, OutputStream out) throws IOException {
        var piece = new byte[PIECE];
        for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
            if (read > 0) {
                out.write((HexFormat.of().toHexDigits(read) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                out.write(piece, 0, read);
                out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static void close(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.socket().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One answer of the engine; closing it, from any thread, ends whoever reads it. */
    private static final class HttpAnswer implements Response {

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

        private static int status(InputStream in) throws IOException {
            var words = line(in).split(" ", 3);
            if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("\\d{3}")) {
                throw new IOException("what listens there does not speak HTTP");
            }
            return Integer.parseInt(words[1]);
        }

        private static Map<String, List<String>> headers(InputStream in) throws IOException {
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
}
