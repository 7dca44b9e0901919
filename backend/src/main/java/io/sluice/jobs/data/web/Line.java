package io.sluice.jobs.data.web;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A line for one question and its answer, to an address that was looked at. Whoever asks waits on a thread of their own; what has been sent meanwhile
 * waits with the system, also when the server has hung up since.
 */
final class Line implements Closeable {
    private static final Logger log = System.getLogger(Line.class.getName());
    private static final int SILENCE_MILLIS = 30_000;
    private static final long HEAD_NANOS = 90_000_000_000L;
    private static final int LONGEST_HEAD = 64 << 10;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: .*)?");

    private final Socket socket;
    private final InputStream in;

    /** The beginning of an answer. */
    record Head(int status, Map<String, String> fields) {}

    private Line(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), LONGEST_HEAD);
    }

    static Line open(Hosts.Place place, SSLSocketFactory tls) throws IOException {
        var socket = new Socket();
        try {
            socket.setSoTimeout(SILENCE_MILLIS);
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(place.address(), place.port()), SILENCE_MILLIS);
            return new Line(place.tls() ? secured(socket, place, tls) : socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket secured(Socket socket, Hosts.Place place, SSLSocketFactory tls) throws IOException {
        String name = place.host().replaceAll("[\\[\\]]", "");
        var secure = (SSLSocket) tls.createSocket(socket, name, place.port(), true);
        var parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    Head ask(String method, String path, Map<String, String> fields, byte[] body) throws IOException {
        var text = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        fields.forEach((name, value) -> text.append(name)
                .append(": ")
                .append(value.replaceAll("\\p{Cntrl}", " "))
                .append("\r\n"));
        if (body.length > 0) {
            text.append("Content-Length: ").append(body.length).append("\r\n");
        }
        text.append("Connection: close\r\n\r\n");
        var out = socket.getOutputStream();
        out.write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
        out.write(body);
        out.flush();
        long end = System.nanoTime() + HEAD_NANOS;
        Head head = head(end);
        while (head.status() < 200) {
            head = head(end);
        }
        return head;
    }

    private Head head(long end) throws IOException {
        var status = STATUS.matcher(text(end));
        if (!status.matches()) {
            throw new IOException("it does not speak HTTP");
        }
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        int size = 0;
        for (String field = text(end); !field.isEmpty(); field = text(end)) {
            int colon = field.indexOf(':');
            size += field.length();
            if (colon <= 0 || size > LONGEST_HEAD) {
                throw new IOException("it does not speak HTTP");
            }
            fields.merge(
                    field.substring(0, colon), field.substring(colon + 1).strip(), (one, more) -> one + ", " + more);
        }
        return new Head(Integer.parseInt(status.group(1)), fields);
    }

    /** Up to the next end of a line. */
    String text(long end) throws IOException {
        var text = new StringBuilder();
        for (int one = in.read(); one != '\n'; one = in.read()) {
            if (one < 0) {
                throw new IOException("it hung up");
            }
            if (text.length() > LONGEST_HEAD || System.nanoTime() - end > 0) {
                throw new SocketTimeoutException("it does not come to an end");
            }
            text.append((char) one);
        }
        int last = text.length() - 1;
        return last >= 0 && text.charAt(last) == '\r' ? text.substring(0, last) : text.toString();
    }

    /** @return -1 where the server has hung up */
    int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            return in.read(bytes, offset, length);
        } catch (SocketTimeoutException e) {
            throw new IOException("nothing came for " + SILENCE_MILLIS / 1000 + " seconds", e);
        }
    }

    boolean isClosed() {
        return socket.isClosed();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            log.log(Level.DEBUG, "data=web closed=no", e);
        }
    }
}
