package io.sluice.jobs.images;

import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.EntryPageRoutes;
import io.sluice.files.catalogue.Typed;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.View.Faults;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The catalogue of images for people. */
final class ImagePageRoutes extends EntryPageRoutes<Image, Image.Content> {
    private static final String FORM = "jobs/image-edit.jte";

    ImagePageRoutes(Images images) {
        super(images);
    }

    @Override
    protected Reply list(Call call, CatalogueQuery query, CatalogueQuery.Found<Image> found) {
        return Reply.page(call, "jobs/images.jte", new ImagePages.All(query, found, call.note()));
    }

    @Override
    protected Future<Reply> one(Call call, Image found) {
        return Future.succeededFuture(
                Reply.page(call, "jobs/image.jte", new ImagePages.One(found, call.caller(), call.note())));
    }

    @Override
    protected Reply form(Call call, @Nullable Image old) {
        var content = old == null
                ? call.query("saved").map(ImagePageRoutes::ofSaved).orElse(Image.Content.EMPTY)
                : old.content();
        return Reply.page(FORM, ImagePages.Form.of(old, content, call.caller()));
    }

    /** What is known already of an image that was saved of a task. */
    private static Image.Content ofSaved(String reference) {
        int colon = reference.lastIndexOf(':');
        var repository = colon < 0 ? reference : reference.substring(0, colon);
        return new Image.Content(
                repository.substring(repository.lastIndexOf('/') + 1),
                "",
                repository,
                colon < 0 ? List.of() : List.of(reference.substring(colon + 1)),
                "",
                DeviceKind.ANY);
    }

    @Override
    protected Form<Image.Content> typed(Call call, @Nullable Image old) {
        var typed = new ImagePages.Form(
                old == null ? null : old.id(),
                call.caller().admin(),
                Typed.line(call, "name"),
                Typed.lines(call, "description"),
                Typed.line(call, "repository"),
                Typed.line(call, "tags"),
                Typed.line(call, "framework"),
                Typed.line(call, "device"),
                Faults.NONE);
        var content = new Image.Content(
                typed.name(),
                typed.description(),
                typed.repository(),
                Typed.names(typed.tags()),
                typed.framework(),
                DeviceKind.of(typed.device()).orElse(DeviceKind.ANY));
        return new Form<>(content, List.of(), why -> Reply.page(FORM, typed.refused(why)));
    }
}
