package io.sluice;

import io.sluice.DoorDesk.Answer;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Somebody who stays on one connection, and reads each answer to its end. */
final class Visitor implements AutoCloseable {
    final Socket socket;
    private final InputStream in;

    Visitor(DoorDesk desk) throws IOException {
        this(desk.connect());
    }

    Visitor(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    Answer ask(String request) throws IOException {
        send(request);
        return hear(request.startsWith("HEAD "));
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    Answer hear(boolean onlyHead) throws IOException {
        var text = new ByteArrayOutputStream();
        while (!text.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            text.write(one());
        }
        var head = new Answer(text.toString(StandardCharsets.ISO_8859_1));
        if (onlyHead || head.status() == 204 || head.status() == 304) {
            return head;
        }
        byte[] body = head.field("Transfer-Encoding").isEmpty()
                ? in.readNBytes(Integer.parseInt(head.field("Content-Length")))
                : chunks();
        return new Answer(head.text() + new String(body, StandardCharsets.ISO_8859_1));
    }

    private byte[] chunks() throws IOException {
        var all = new ByteArrayOutputStream();
        for (int size; (size = Integer.parseInt(line(), 16)) > 0; ) {
            all.write(in.readNBytes(size));
            line();
        }
        line();
        return all.toByteArray();
    }

    private String line() throws IOException {
        var text = new StringBuilder();
        for (int letter; (letter = one()) != '\n'; ) {
            text.append((char) letter);
        }
        return text.toString().strip();
    }

    private int one() throws IOException {
        int letter = in.read();
        if (letter < 0) {
            throw new EOFException("the gateway closed the connection");
        }
        return letter;
    }

    /** All that comes until the connection is closed or a moment passes. */
    Answer rest(String bytes, int patience) throws IOException {
        socket.setSoTimeout(patience);
        try {
            send(bytes);
        } catch (IOException closed) {
            return new Answer("");
        }
        return new Answer(DoorDesk.all(socket));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
