package io.sluice.web;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import gg.jte.resolve.DirectoryCodeResolver;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws templates: compiled ones from the jar, or those of the source tree, recompiled when they change. */
final class Pages {
    static final String HTML = "text/html; charset=utf-8";

    private final TemplateEngine templates;
    private final Assets assets;
    private final Assets.Source source;
    private final boolean fresh;
    private final Map<String, View.Texts> texts = new HashMap<>();

    Pages(@Nullable Path tree) {
        source = Assets.Source.of(tree);
        fresh = tree != null;
        assets = new Assets(source, fresh);
        templates = tree == null
                ? TemplateEngine.createPrecompiled(ContentType.Html)
                : TemplateEngine.create(new DirectoryCodeResolver(tree.resolve("webapp/pages")), ContentType.Html);
        View.Texts.LANGUAGES.forEach(language -> texts.put(language, View.Texts.read(language, source)));
    }

    Assets assets() {
        return assets;
    }

    Buffer draw(String template, View view, Object page) {
        var output = new Utf8ByteOutput();
        templates.render(template, Map.of("view", view, "page", page), output);
        Buffer drawn = Buffer.buffer(output.getContentLength());
        output.writeTo((bytes, from, length) -> drawn.appendBytes(bytes, from, length));
        return drawn;
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
        return new View(textsOf(language), assets, View.theme(theme), nonce, path, caller);
    }

    private View.Texts textsOf(String language) {
        View.Texts known = texts.get(language);
        return known == null || fresh ? View.Texts.read(language, source) : known;
    }
}
