package io.sluice.jobs.images;

import io.sluice.files.catalogue.Answers;
import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.Typed;
import io.sluice.files.catalogue.Wrong;
import io.sluice.jobs.images.ImagePages.Form;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalogue of images for people. */
final class ImagePageRoutes {
    private static final String ALL = "/images";
    private static final String ONE = ALL + "/:image";
    private static final Answers ANSWERS = new Answers(ALL);
    private static final String FORM = "jobs/image-edit.jte";

    private final Images images;

    ImagePageRoutes(Images images) {
        this.images = images;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get(ALL, this::list),
                        Route.get(ALL + "/new", call -> form(call, null)),
                        Route.post(ALL + "/new", call -> keep(call, null)),
                        Route.get(ONE, this::one),
                        Route.get(ONE + "/edit", call -> found(call).compose(old -> form(call, old))),
                        Route.post(ONE + "/edit", call -> found(call).compose(old -> keep(call, old))),
                        Route.post(ONE + "/remove", this::remove),
                        Route.post(ONE + "/answer", this::answer).forAdmins())
                .map(Route::withoutApplications)
                .toList();
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, ALL, DeviceKind.KEYS);
        return images.page(call.caller(), query)
                .map(found -> Reply.page(call, "jobs/images.jte", new ImagePages.All(query, found, call.note())));
    }

    private Future<Reply> one(Call call) {
        return found(call)
                .map(found ->
                        Reply.page(call, "jobs/image.jte", new ImagePages.One(found, call.caller(), call.note())));
    }

    private Future<Image> found(Call call) {
        return images.find(call.caller(), ImageRoutes.id(call));
    }

    private static Future<Reply> form(Call call, @Nullable Image old) {
        var content = old == null
                ? call.query("saved").map(ImagePageRoutes::ofSaved).orElse(Image.Content.EMPTY)
                : old.content();
        return Future.succeededFuture(Reply.page(FORM, Form.of(old, content, call.caller())));
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

    private Future<Reply> keep(Call call, @Nullable Image old) {
        var typed = new Form(
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
        return images.wrong(call.caller(), content)
                .compose(wrong -> wrong.isEmpty()
                        ? kept(call, old, content, typed)
                        : refused(typed.refused(Wrong.faults(wrong))));
    }

    private Future<Reply> kept(Call call, @Nullable Image old, Image.Content content, Form typed) {
        var kept = old == null ? images.add(call.caller(), content) : images.change(call.caller(), old.id(), content);
        return ANSWERS.kept(call, kept, why -> refused(typed.refused(why)));
    }

    private static Future<Reply> refused(Form form) {
        return Future.succeededFuture(Reply.page(FORM, form).status(422));
    }

    private Future<Reply> answer(Call call) {
        return found(call)
                .compose(
                        found -> ANSWERS.answered(call, found, word -> images.answer(call.caller(), found.id(), word)));
    }

    private Future<Reply> remove(Call call) {
        return images.remove(call.caller(), ImageRoutes.id(call))
                .map(removed -> Reply.seeOther(ALL).noting(call, Note.good("note.catalogue.removed", removed.name())));
    }
}
