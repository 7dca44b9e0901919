package io.sluice.web;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One line per request, written by a thread of its own: an event loop only drops a line into a bounded queue. */
final class AccessLog {
    static final int QUEUE = 8_192;
    static final long FILE_BYTES = 32L << 20;
    static final int FILES = 4;
    /** Lines of one moment are written together: to open the file for each costs more than the line. */
    private static final long TOGETHER_MILLIS = 20;

    private static final Pattern TOKEN =
            Pattern.compile("sluice_[0-9a-zA-Z]+|[A-Za-z0-9_=-]{10,}\\.[A-Za-z0-9_=-]{10,}\\.[A-Za-z0-9_=-]*");
    private static final Set<HttpMethod> METHODS = Set.of(
            HttpMethod.GET,
            HttpMethod.HEAD,
            HttpMethod.POST,
            HttpMethod.PUT,
            HttpMethod.PATCH,
            HttpMethod.DELETE,
            HttpMethod.OPTIONS,
            HttpMethod.TRACE);
    private static final System.Logger LOG = System.getLogger(AccessLog.class.getName());
    private static final String END = "";

    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(QUEUE);
    private final Path file;
    private final Web.Metrics metrics;
    private final Thread writer;

    AccessLog(Path folder, Web.Metrics metrics) {
        this.file = folder.resolve("access.log");
        this.metrics = metrics;
        this.writer = Thread.ofVirtual().name("sluice-access-log").start(this::run);
    }

    void write(String line) {
        if (!queue.offer(line)) {
            metrics.logLinesDropped.inc();
        }
    }

    static String line(RoutingContext context, Call.Passage passage, long nanos) {
        var request = context.request();
        Caller caller = passage.caller();
        return "time=" + Instant.now() + " id=" + passage.id() + " from=" + passage.address() + " user="
                + (caller == null ? "-" : quoted(caller.name())) + " method=" + known(request.method()) + " path="
                + path(Optional.ofNullable(request.path()).orElse("")) + " status="
                + context.response().getStatusCode() + " bytes="
                + context.response().bytesWritten() + " ms="
                + nanos / 1_000_000;
    }

    /** Strangers make methods up, and each would be a series of its own. */
    static String known(HttpMethod method) {
        return METHODS.contains(method) ? method.name() : "OTHER";
    }

    /** A path as it may be kept: OpenPAI's clients revoke a token by a path that ends with it. */
    static String path(String path) {
        return quoted(TOKEN.matcher(path).replaceAll("***"));
    }

    /** What a stranger sent, in a form that can not end a line or steer a terminal. */
    static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints().limit(512).forEach(c -> {
            if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.appendCodePoint(c);
            }
        });
        return quoted.append('"').toString();
    }

    void close() throws InterruptedException {
        if (queue.offer(END, 1, TimeUnit.SECONDS)) {
            writer.join(2_000);
        }
    }

    private void run() {
        List<String> lines = new ArrayList<>();
        boolean open = true;
        while (open) {
            try {
                lines.add(queue.take());
                Thread.sleep(TOGETHER_MILLIS);
                queue.drainTo(lines);
                open = !lines.remove(END);
                append(lines);
            } catch (InterruptedException e) {
                return;
            } catch (IOException | UncheckedIOException e) { // a full disk must not end the log for good
                metrics.logLinesDropped.inc(lines.size());
                LOG.log(System.Logger.Level.WARNING, "event=access-log-lost lines={0} cause={1}", lines.size(), e);
            }
            lines.clear();
        }
    }

    private void append(List<String> lines) throws IOException {
        Files.createDirectories(file.getParent());
        if (Files.exists(file) && Files.size(file) > FILE_BYTES) {
            rotate();
        }
        try (Writer out = Files.newBufferedWriter(
                file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line : lines) {
                out.write(line);
                out.write('\n');
            }
        }
    }

    private void rotate() throws IOException {
        for (int i = FILES - 1; i > 0; i--) {
            Path older = numbered(i);
            if (Files.exists(older)) {
                Files.move(older, numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(file, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path numbered(int i) {
        return file.resolveSibling("access.log." + i);
    }
}
