package io.sluice;

import io.sluice.identity.Identity;
import io.sluice.web.Route;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A whole life in a few seconds, on a scratch folder: every page once. What the JVM loads meanwhile, it need not find again at a real start. */
final class Rehearsal {
    private static final Pattern COOKIE = Pattern.compile("(?im)^set-cookie: ([^;\\r\\n]+)");
    private static final Pattern ASSET = Pattern.compile("(?:href|src)=\"(/assets/[^\"#]+)");

    private final PrintStream out;
    private String cookies = "";

    Rehearsal(PrintStream out) {
        this.out = out;
    }

    int run() {
        try {
            Path scratch = Files.createTempDirectory("sluice-rehearsal-");
            try {
                run(scratch);
            } finally {
                delete(scratch);
            }
            return 0;
        } catch (IOException | Server.NotStarted e) {
            out.println("sluice: the rehearsal broke off: " + e);
            return 1;
        }
    }

    private void run(Path scratch) throws IOException {
        String password = UUID.randomUUID().toString();
        var read = Settings.read(
                new String[] {"--port", "0", "--engine", "process", "--ssh-port", "0", "--data", scratch.toString()},
                Map.of("SLUICE_ADMIN_PASSWORD", password));
        if (!(read instanceof Settings.Right right)) {
            throw new IllegalStateException("the rehearsal's own settings are wrong: " + read);
        }
        var server = new Server(right.settings(), Identity.Hashing.DEFAULT, out);
        // Ctrl-C at the launcher: PostgreSQL is in a session of its own and would stay
        var brokenOff = new Thread(server::stop, "sluice-stop");
        Runtime.getRuntime().addShutdownHook(brokenOff);
        try {
            server.start();
            walk(URI.create(server.address()), server.routes(), password);
        } finally {
            server.stop();
        }
        Runtime.getRuntime().removeShutdownHook(brokenOff);
    }

    private void walk(URI address, List<Route> routes, String password) throws IOException {
        String page = ask(address, "GET", "/sign-in", "");
        for (String asset : ASSET.matcher(page)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList()) {
            ask(address, "GET", asset, "");
        }
        String signedIn = ask(address, "POST", "/sign-in", "name=admin&password=" + password + "&next=/");
        cookies = COOKIE.matcher(signedIn)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.joining("; "));
        for (Route route : routes) {
            if (HttpMethod.GET.equals(route.method()) && !route.path().contains(":")) {
                ask(address, "GET", route.path(), "");
            }
        }
    }

    private String ask(URI address, String method, String path, String form) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
            socket.setSoTimeout(10_000);
            String request = method + " " + path + " HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\nOrigin: "
                    + address
                    + "\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nAccept-Language: zh\r\nCookie: " + cookies
                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length()
                    + "\r\nConnection: close\r\n\r\n" + form;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
