package io.sluice.web;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Styles, islands and icons as the webapp build made them: named by their content, kept in memory, sent as compressed at the build. */
final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "json", "application/json",
            "png", "image/png",
            "woff2", "font/woff2");

    /** Where the files are read: the jar, or in development the build's folder. */
    interface Source {
        InputStream open(String path) throws IOException;

        static Source of(@Nullable Path tree) {
            return tree == null ? Source::ofJar : path -> ofTree(tree, path);
        }

        private static InputStream ofJar(String path) throws IOException {
            InputStream stream = Assets.class.getResourceAsStream("/" + path);
            if (stream == null) {
                throw new FileNotFoundException(path);
            }
            return stream;
        }

        private static InputStream ofTree(Path tree, String path) throws IOException {
            Path webapp = tree.resolve("webapp");
            return Files.newInputStream(
                    path.startsWith("texts/")
                            ? webapp.resolve(path)
                            : webapp.resolve("target/site").resolve(path));
        }
    }

    private record Stored(Buffer bytes, @Nullable String encoding) {}

    private final Source source;
    private final boolean fresh;
    private final Map<String, Optional<Stored>> kept = new ConcurrentHashMap<>();
    private volatile Map<String, Object> manifest;

    Assets(Source source, boolean fresh) {
        this.source = source;
        this.fresh = fresh;
        this.manifest = readManifest();
    }

    String path(String name) {
        if (fresh) {
            manifest = readManifest();
        }
        Object path = manifest.get(name);
        if (path == null) {
            throw new IllegalArgumentException("the webapp build made no " + name);
        }
        return path.toString();
    }

    /** Sends a file of the build, or passes on where there is none of that name. */
    void serve(RoutingContext context) {
        String path = context.request().path().substring(1);
        if (!fresh && !manifest.containsValue("/" + path)) {
            context.next(); // only the build's own names are looked up and remembered
            return;
        }
        best(path, Optional.ofNullable(context.request().getHeader("Accept-Encoding")).orElse(""))
                .ifPresentOrElse(stored -> send(context, path, stored), context::next);
    }

    private void send(RoutingContext context, String path, Stored stored) {
        var response = context.response()
                .putHeader("Content-Type", TYPES.getOrDefault(extension(path), "application/octet-stream"))
                .putHeader("Cache-Control", fresh ? "no-cache" : "public, max-age=31536000, immutable")
                .putHeader("Vary", "Accept-Encoding");
        // an encoding that is named, even "identity", keeps Netty from compressing once more
        response.putHeader("Content-Encoding", stored.encoding() == null ? "identity" : stored.encoding());
        Edge.end(response.end(stored.bytes()));
    }

    private Optional<Stored> best(String path, String accepted) {
        return (accepted.contains("br") ? stored(path, ".br", "br") : Optional.<Stored>empty())
                .or(() -> accepted.contains("gzip") ? stored(path, ".gz", "gzip") : Optional.empty())
                .or(() -> stored(path, "", null));
    }

    private Optional<Stored> stored(String path, String ending, @Nullable String encoding) {
        return fresh
                ? read(path + ending, encoding)
                : kept.computeIfAbsent(path + ending, file -> read(file, encoding));
    }

    private Optional<Stored> read(String file, @Nullable String encoding) {
        try (InputStream stream = source.open(file)) {
            return Optional.of(new Stored(Buffer.buffer(stream.readAllBytes()), encoding));
        } catch (IOException e) { // the build made no such variant of it
            return Optional.empty();
        }
    }

    private Map<String, Object> readManifest() {
        try (InputStream stream = source.open("assets.json")) {
            return new JsonObject(Buffer.buffer(stream.readAllBytes())).getMap();
        } catch (IOException e) {
            throw new IllegalStateException("the webapp build left no assets.json", e);
        }
    }

    private static String extension(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
