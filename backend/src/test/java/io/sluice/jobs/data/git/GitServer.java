package io.sluice.jobs.data.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Git's own server of repositories behind a web server, and a repository to write in. */
public final class GitServer implements AutoCloseable {
    private static final String IDENTITY =
            "-c user.name=a -c user.email=a@b -c commit.gpgsign=false -c init.defaultBranch=main";

    public final AtomicInteger asked = new AtomicInteger();
    public final Path tree;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean knowsSecond = true;

    /** @param folder in which {@code x.git} is served, and written from {@code tree} */
    public GitServer(Path folder) throws Exception {
        tree = Files.createDirectories(folder.resolve("tree"));
        sh("git " + IDENTITY
                + " init -q . && git init -q --bare ../x.git && git -C ../x.git symbolic-ref HEAD refs/heads/main");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", call -> answer(call, folder));
        server.createContext("/inside.git", call -> lead(call, "http://127.0.0.1:" + port() + "/x.git"));
        server.createContext("/there.git", call -> lead(call, "/x.git"));
        server.createContext("/page.git", call -> {
            call.sendResponseHeaders(200, 4);
            call.getResponseBody().write("page".getBytes(StandardCharsets.UTF_8));
            call.close();
        });
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String address(String path) {
        return "http://localhost:" + port() + path;
    }

    /** As servers are that know the first protocol only. */
    void forgetSecond() {
        knowsSecond = false;
    }

    /** Commits what is in the tree, and serves it. */
    public String commit() throws Exception {
        sh("git " + IDENTITY + " add -A && git " + IDENTITY
                + " commit -q --allow-empty -m more && git push -q ../x.git HEAD:main --tags");
        return sh("git rev-parse HEAD").strip();
    }

    public String sh(String script) throws Exception {
        var process = new ProcessBuilder("bash", "-ec", script)
                .directory(tree.toFile())
                .redirectErrorStream(true);
        process.environment()
                .putAll(java.util.Map.of(
                        "GIT_CONFIG_NOSYSTEM", "1",
                        "GIT_CONFIG_GLOBAL", "/dev/null",
                        "GIT_AUTHOR_NAME", "a",
                        "GIT_AUTHOR_EMAIL", "a@b",
                        "GIT_COMMITTER_NAME", "a",
                        "GIT_COMMITTER_EMAIL", "a@b"));
        var running = process.start();
        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(running.waitFor()).as(said).isZero();
        return said;
    }

    private static void lead(HttpExchange call, String to) throws IOException {
        String path = call.getRequestURI().toString().replaceFirst("^/[a-z]+\\.git", "");
        call.getResponseHeaders().set("Location", to + path);
        call.sendResponseHeaders(302, -1);
        call.close();
    }

    private void answer(HttpExchange call, Path folder) throws IOException {
        asked.incrementAndGet();
        var backend = new ProcessBuilder("git", "http-backend");
        var environment = backend.environment();
        environment.put("GIT_PROJECT_ROOT", folder.toString());
        environment.put("GIT_HTTP_EXPORT_ALL", "1");
        environment.put("GIT_CONFIG_COUNT", "1");
        environment.put("GIT_CONFIG_KEY_0", "safe.directory");
        environment.put("GIT_CONFIG_VALUE_0", "*");
        environment.put("REQUEST_METHOD", call.getRequestMethod());
        environment.put("PATH_INFO", call.getRequestURI().getPath());
        environment.put("QUERY_STRING", String.valueOf(call.getRequestURI().getQuery()));
        environment.put("CONTENT_TYPE", String.valueOf(call.getRequestHeaders().getFirst("Content-Type")));
        String protocol = call.getRequestHeaders().getFirst("Git-Protocol");
        if (protocol != null && knowsSecond) {
            environment.put("GIT_PROTOCOL", protocol);
        }
        var running = backend.start();
        try (call) {
            try (var to = running.getOutputStream()) {
                call.getRequestBody().transferTo(to);
            }
            send(call, running.getInputStream());
        } finally {
            running.destroy();
        }
    }

    private static void send(HttpExchange call, InputStream from) throws IOException {
        int status = 200;
        for (String line = line(from); !line.isEmpty(); line = line(from)) {
            String[] header = line.split(": ", 2);
            if (header[0].equals("Status")) {
                status = Integer.parseInt(header[1].substring(0, 3));
            } else {
                call.getResponseHeaders().set(header[0], header[1]);
            }
        }
        call.sendResponseHeaders(status, 0);
        from.transferTo(call.getResponseBody());
    }

    private static String line(InputStream from) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = from.read(); next >= 0 && next != '\n'; next = from.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
