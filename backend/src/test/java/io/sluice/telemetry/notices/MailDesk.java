package io.sluice.telemetry.notices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** A mail server that takes letters, or says what a test wants it to say. */
final class MailDesk implements AutoCloseable {
    final List<String> letters = new CopyOnWriteArrayList<>();
    final List<String> said = new CopyOnWriteArrayList<>();
    /** To RCPT. */
    volatile String verdict = "250 fine";

    private final ServerSocket server;
    private final @Nullable SSLSocketFactory tls;
    /** Encrypted from the first byte. */
    private final boolean closed;

    MailDesk() throws IOException {
        this(null, false);
    }

    /** @param tls null: it can not encrypt */
    MailDesk(@Nullable SSLSocketFactory tls, boolean closed) throws IOException {
        this.tls = tls;
        this.closed = closed;
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket guest = server.accept();
                    Thread.ofVirtual().start(() -> talk(guest));
                } catch (IOException over) {
                    return;
                }
            }
        });
    }

    URI address(String user) {
        return URI.create((closed ? "smtps://" : "smtp://") + user + "127.0.0.1:" + server.getLocalPort());
    }

    private void talk(Socket guest) {
        try (guest) {
            Socket line = closed ? secured(guest) : guest;
            say(line.getOutputStream(), "220 here");
            if (!answers(line, closed)) {
                answers(secured(guest), true);
            }
        } catch (SSLException e) {
            said.add("no TLS: " + e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Socket secured(Socket guest) throws IOException {
        var socket = (SSLSocket) Objects.requireNonNull(tls).createSocket(guest, null, guest.getPort(), true);
        socket.setUseClientMode(false);
        socket.startHandshake();
        return socket;
    }

    /** @return false: it is to go on encrypted */
    private boolean answers(Socket guest, boolean safe) throws IOException {
        // byte by byte, for what comes after STARTTLS is not to be read here
        var in = new BufferedReader(new InputStreamReader(guest.getInputStream(), StandardCharsets.US_ASCII), 1);
        OutputStream out = guest.getOutputStream();
        for (String line = in.readLine(); line != null && !line.equals("QUIT"); line = in.readLine()) {
            said.add((safe ? "(TLS) " : "") + line);
            if (line.equals("STARTTLS")) {
                say(out, "220 go on");
                return false;
            }
            if (line.startsWith("EHLO")) {
                say(out, "250-here");
                if (tls != null && !safe) {
                    say(out, "250-STARTTLS");
                }
                say(out, "250-AUTH PLAIN LOGIN");
                say(out, "250 SIZE 1000000");
            } else if (line.startsWith("AUTH")) {
                say(out, "235 in");
            } else if (line.startsWith("RCPT")) {
                say(out, verdict);
            } else if (line.equals("DATA")) {
                say(out, "354 go on");
                letters.add(letter(in));
                say(out, "250 taken");
            } else {
                say(out, "250 fine");
            }
        }
        return true;
    }

    private static String letter(BufferedReader in) throws IOException {
        var letter = new StringBuilder();
        for (String next = in.readLine(); !".".equals(next); next = in.readLine()) {
            letter.append(next).append('\n');
        }
        return letter.toString();
    }

    private static void say(OutputStream out, String line) throws IOException {
        out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
