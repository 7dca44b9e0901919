package io.sluice.engines.docker.wire;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.transport.DockerHttpClient;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
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
import java.util.HexFormat;
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
    private static final int HANDSHAKE_MILLIS = 10_000;
    /** Longer than any call may take: for those that go on, of which an engine says at once that they begin. */
    private static final int ANSWER_MILLIS = 960_000;

    private static final int PIECE = 16 * 1024;
    private static final int SWITCHED = 101;
    private static final int REDIRECTED = 300;
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
            var answer = HttpAnswer.read(request.method(), connection.in(), connection.socket());
            patience(connection, 0); // what comes from then on may be long in coming
            return answer;
        } catch (IOException e) {
            close(connection);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    /** A call with bytes, of which docker-java would send an empty object. */
    String post(String path, byte[] body) {
        var request = Request.builder()
                .method(Request.Method.POST)
                .path(path)
                .putHeader("content-type", "application/x-tar")
                .bodyBytes(body)
                .build();
        try (var answer = execute(request)) {
            var said = new String(answer.getBody().readNBytes(MOST_OF_FAULT), StandardCharsets.UTF_8);
            if (answer.getStatusCode() >= REDIRECTED) {
                throw new DockerException(said, answer.getStatusCode());
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
            patience(connection, 0);
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
            socket.setKeepAlive(true); // a machine that lost its power says nothing more
            socket.setSoTimeout(HANDSHAKE_MILLIS);
            socket.startHandshake();
            socket.setSoTimeout(ANSWER_MILLIS);
            return new Connection(
                    new BufferedInputStream(socket.getInputStream(), PIECE),
                    new BufferedOutputStream(socket.getOutputStream(), PIECE),
                    socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static void patience(Connection connection, int millis) throws IOException {
        if (connection.socket() instanceof SSLSocket socket) {
            socket.setSoTimeout(millis);
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
}
