package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How somebody's browser gets to an app: by a name (A), at a port (B) or inside of the portal's address (C).
 *
 * @param cookie what lets in, where the address does not
 * @param portal the cookie that says where the browser came from, where the address does not
 * @param prefix of the app's addresses; the last part of it lets in
 * @param origin which its pages say they are of
 */
record Way(
        DoorDesk desk,
        DoorDesk.Somebody owner,
        String job,
        int port,
        String host,
        String cookie,
        String portal,
        String prefix,
        String origin) {
    static Way named(DoorDesk desk, DoorDesk.Somebody owner, String job, Door door) {
        return new Way(desk, owner, job, desk.port(), door.host(), door.cookie(), door.portal(), "", door.origin());
    }

    /** As whoever this gateway sends there is let in. */
    static Way of(DoorDesk desk, DoorDesk.Somebody owner, String job) {
        URI ticket = owner.ticket(job, "web");
        Answer answer = at(
                ticket.getPort(),
                "GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: "
                        + ticket.getRawAuthority() + "\r\nConnection: close\r\n\r\n");
        assertThat(answer.status()).as(answer.text()).isEqualTo(303);
        String location = answer.field("Location");
        boolean inside = location.startsWith("/apps/");
        return new Way(
                desk,
                owner,
                job,
                ticket.getPort(),
                ticket.getRawAuthority(),
                inside ? "x=y" : value(answer.fields("Set-Cookie").getFirst()),
                inside ? "" : value(answer.fields("Set-Cookie").getLast()),
                inside ? location.replaceFirst("/$", "") : "",
                inside ? "null" : "http://" + ticket.getRawAuthority());
    }

    private static String value(String cookie) {
        return cookie.replaceFirst(";.*", "");
    }

    private static Answer at(int port, String bytes) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            return new Answer(DoorDesk.all(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isInside() {
        return !prefix.isEmpty();
    }

    boolean isNamed() {
        return host.contains(".localhost");
    }

    @Override
    public String toString() {
        return isNamed() ? "by a name" : isInside() ? "inside" : "at a port";
    }

    /** Which the names of the app's cookies begin with in a browser. */
    String space() {
        return isNamed() || isInside() ? "" : id() + ".";
    }

    /** By which the gateway knows the endpoint. */
    String id() {
        return isNamed()
                ? host.replaceFirst("\\..*", "")
                : isInside() ? prefix.split("/", -1)[2] : cookie.replaceFirst("sluice_pass_(.*)=.*", "$1");
    }

    /** What lets in, without its name. */
    String pass() {
        return isInside() ? prefix.substring(prefix.lastIndexOf('/') + 1) : cookie.substring(cookie.indexOf('=') + 1);
    }

    Path kept() throws IOException {
        return owner.kept(job);
    }

    /** All that the app was told up to now. */
    String heard() {
        try {
            return Files.readString(kept(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String request(String method, String uri, String... lines) {
        return new Door(host, cookie, "", portal).request(method, prefix + uri, lines);
    }

    String upgrade(String uri, String... lines) {
        return new Door(host, cookie, "", portal).upgrade(prefix + uri, lines);
    }

    /** All that comes to these bytes, on a connection of their own, until it is closed. */
    Answer raw(String bytes) {
        return at(port, bytes);
    }

    /** A request as it stands, of whose address the beginning is the app's here. */
    String within(String bytes) {
        return isInside() ? bytes.replaceFirst("^([A-Z]+ |GET http://[A-Za-z]+)/", "$1" + prefix + "/") : bytes;
    }

    Visitor visitor() throws IOException {
        var visitor = new Visitor(new Socket(InetAddress.getLoopbackAddress(), port));
        visitor.socket.setSoTimeout(10_000);
        return visitor;
    }

    /** One who was let in on this connection, comes again, and so goes the short way where there is one. */
    Visitor known(String... lines) throws IOException {
        Visitor visitor = visitor();
        for (int i = 0; i < 2; i++) {
            assertThat(visitor.ask(request("GET", "/echo", lines)).status()).isEqualTo(200);
        }
        return visitor;
    }
}
