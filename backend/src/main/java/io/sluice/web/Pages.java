package io.sluice.web;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import gg.jte.resolve.DirectoryCodeResolver;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Draws templates (compiled ones from the jar, or those of the source tree, recompiled when they change) and sends the files they name. */
final class Pages {
    static final String HTML = "text/html; charset=utf-8";

    private static final String ENGLISH = "en";

    private final TemplateEngine templates;
    private final Assets assets;
    private final Assets.Source source;
    private final boolean fresh;
    private final View.Counts counts;
    private final Map<String, View.Texts> texts = new HashMap<>();

    Pages(@Nullable Path tree, View.Counts counts) {
        this.counts = counts;
        source = Assets.Source.of(tree);
        fresh = tree != null;
        assets = new Assets(source, fresh);
        templates = tree == null
                ? TemplateEngine.createPrecompiled(ContentType.Html)
                : TemplateEngine.create(
                        new DirectoryCodeResolver(tree.resolve("webapp/pages")),
                        tree.resolve("backend/target/jte-classes"),
                        ContentType.Html);
        View.Texts.LANGUAGES.forEach(language -> texts.put(language, View.Texts.read(language, source)));
    }

    Assets assets() {
        return assets;
    }

    Buffer draw(String template, View view, Object page) {
        var output = new Utf8ByteOutput();
        templates.render(template, Map.of("view", view, "page", page), output);
        return Buffer.buffer(output.toByteArray());
    }

    View view(Call call) {
        return view(
                call.language(),
                call.cookie(View.THEME_COOKIE).orElse(null),
                call.passage().nonce(),
                call.context().request().uri(),
                call.passage().caller());
    }

    View view(String language, @Nullable String theme, String nonce, String path, @Nullable Caller caller) {
        UnaryOperator<String> told = message -> Objects.requireNonNullElse(said(message, language), message);
        return new View(textsOf(language), told, assets, counts, View.theme(theme), nonce, path, caller);
    }

    /** What programs are told in English, as this reader is; null: nobody has written it down. */
    @Nullable
    String said(String message, String language) {
        return language.equals(ENGLISH) ? message : textsOf(ENGLISH).said(message, textsOf(language));
    }

    String text(String language, String key, Object... values) {
        return textsOf(language).text(key, values);
    }

    private View.Texts textsOf(String language) {
        View.Texts known = texts.get(language);
        return known == null || fresh ? View.Texts.read(language, source) : known;
    }

    /** Styles, islands and icons as the webapp build made them: named by their content, kept in memory, sent as compressed at the build. */
    static final class Assets {
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
                InputStream stream = Pages.class.getResourceAsStream("/" + path);
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
            best(
                            path,
                            Optional.ofNullable(context.request().getHeader("Accept-Encoding"))
                                    .orElse(""))
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
}
