package io.sluice.telemetry.notices;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Hands letters to a mail server: {@code smtp://} with STARTTLS where the server has it, or {@code smtps://}. It blocks. */
final class Smtp {
    private static final int LIMIT_MILLIS = 10_000;
    private static final long WHOLE_NANOS = 30_000_000_000L;
    private static final int MOST_LINES = 100;
    private static final int LONGEST_LINE = 2_000;
    /** No more than an address needs: what ends a line or closes a bracket would be a command of somebody else's. */
    private static final Pattern ADDRESS = Pattern.compile("[^\\s<>@\\p{Cntrl}]{1,64}@[A-Za-z0-9.\\-\\[\\]:]{1,255}");

    private final URI server;
    private final @Nullable String password;
    private final SSLSocketFactory tls;

    /** @param server with the user's name in it, where there is one */
    Smtp(URI server, @Nullable String password, SSLSocketFactory tls) {
        this.server = server;
        this.password = password;
        this.tls = tls;
    }

    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    void send(Mail mail) throws Undelivered {
        if (!isAddress(mail.to()) || !isAddress(mail.from())) {
            throw new Undelivered("an address is none", true);
        }
        boolean closed = "smtps".equals(server.getScheme());
        int port = server.getPort() > 0 ? server.getPort() : closed ? 465 : 25;
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(server.getHost(), port), LIMIT_MILLIS);
            plain.setSoTimeout(LIMIT_MILLIS);
            var talk = new Talk(closed ? secured(plain) : plain);
            talk.expect(220);
            Set<String> able = talk.hello();
            if (!closed && able.contains("STARTTLS")) {
                talk.say("STARTTLS", 220);
                talk = new Talk(secured(plain));
                able = talk.hello();
                closed = true;
            }
            if (server.getUserInfo() != null) {
                enter(talk, able, closed || plain.getInetAddress().isLoopbackAddress());
            }
            talk.say("MAIL FROM:<" + mail.from() + ">", 250);
            talk.say("RCPT TO:<" + mail.to() + ">", 250);
            talk.say("DATA", 354);
            talk.say(mail.lines() + ".", 250);
            talk.write("QUIT");
        } catch (IOException e) {
            throw new Undelivered(server.getHost() + ": " + e.getMessage(), false);
        }
    }

    private Socket secured(Socket plain) throws IOException {
        var socket = (SSLSocket) tls.createSocket(plain, server.getHost(), plain.getPort(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private void enter(Talk talk, Set<String> able, boolean safe) throws IOException, Undelivered {
        if (!safe) {
            throw new Undelivered(
                    server.getHost() + " has no STARTTLS, and the password would travel unencrypted. Use smtps://.",
                    true);
        }
        String user = URLDecoder.decode(server.getRawUserInfo().replace("+", "%2B"), StandardCharsets.UTF_8);
        String secret = password == null ? "" : password;
        if (able.contains("AUTH PLAIN")) {
            talk.say("AUTH PLAIN " + base64("\0" + user + "\0" + secret), 235);
        } else {
            talk.say("AUTH LOGIN", 334);
            talk.say(base64(user), 334);
            talk.say(base64(secret), 235);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** One conversation, of bounded length in every direction. */
    private static final class Talk {
        private final InputStream in;
        private final OutputStream out;
        private final String name;
        private final long until = System.nanoTime() + WHOLE_NANOS;

        Talk(Socket socket) throws IOException {
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
            String own = socket.getLocalAddress().getHostAddress();
            this.name = own.contains(":") ? "[IPv6:" + own + "]" : "[" + own + "]";
        }

        /** What the server can, one word or two each. */
        Set<String> hello() throws IOException, Undelivered {
            write("EHLO " + name);
            Set<String> able = new HashSet<>();
            for (String line : expect(250)) {
                List<String> words = List.of(line.toUpperCase(Locale.ROOT).split("[ =]+"));
                able.add(words.getFirst());
                able.addAll(words.stream()
                        .skip(1)
                        .map(word -> words.getFirst() + " " + word)
                        .collect(Collectors.toSet()));
            }
            return able;
        }

        void say(String line, int code) throws IOException, Undelivered {
            write(line);
            expect(code);
        }

        void write(String line) throws IOException {
            out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        /** The lines of an answer, without their number. */
        List<String> expect(int code) throws IOException, Undelivered {
            var lines = new ArrayList<String>();
            while (lines.size() < MOST_LINES && System.nanoTime() < until) {
                String line = line();
                if (!line.matches("\\d{3}([ -].*)?")) {
                    throw new IOException("this is no mail server");
                }
                lines.add(line.length() > 4 ? line.substring(4) : "");
                if (line.length() == 3 || line.charAt(3) == ' ') {
                    int said = Integer.parseInt(line.substring(0, 3));
                    if (said / 10 != code / 10) {
                        throw new Undelivered("the mail server says " + line, said >= 500);
                    }
                    return lines;
                }
            }
            throw new IOException("it does not come to an end");
        }

        private String line() throws IOException {
            var line = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0 || line.length() > LONGEST_LINE) {
                    throw new IOException(next < 0 ? "it hung up" : "it does not come to an end");
                }
                if (next != '\r') {
                    line.append((char) next);
                }
            }
            return line.toString();
        }
    }
}
