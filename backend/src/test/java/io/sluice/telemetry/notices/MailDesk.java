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
import java.util.concurrent.CopyOnWriteArrayList;

/** A mail server that takes letters, or says what a test wants it to say. */
final class MailDesk implements AutoCloseable {
    final List<String> letters = new CopyOnWriteArrayList<>();
    final List<String> said = new CopyOnWriteArrayList<>();
    /** To RCPT. */
    volatile String verdict = "250 fine";

    private final ServerSocket server;

    MailDesk() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket guest = server.accept();
                    Thread.ofVirtual().start(() -> talk(guest));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    URI address(String user) {
        return URI.create("smtp://" + user + "127.0.0.1:" + server.getLocalPort());
    }

    private void talk(Socket guest) {
        try (guest) {
            var in = new BufferedReader(new InputStreamReader(guest.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = guest.getOutputStream();
            say(out, "220 here");
            for (String line = in.readLine(); line != null && !line.equals("QUIT"); line = in.readLine()) {
                said.add(line);
                if (line.startsWith("EHLO")) {
                    say(out, "250-here");
                    say(out, "250-AUTH PLAIN LOGIN");
                    say(out, "250 SIZE 1000000");
                } else if (line.startsWith("AUTH")) {
                    say(out, "235 in");
                } else if (line.startsWith("RCPT")) {
                    say(out, verdict);
                } else if (line.equals("DATA")) {
                    say(out, "354 go on");
                    var letter = new StringBuilder();
                    for (String next = in.readLine(); !".".equals(next); next = in.readLine()) {
                        letter.append(next).append('\n');
                    }
                    letters.add(letter.toString());
                    say(out, "250 taken");
                } else {
                    say(out, "250 fine");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
