package io.sluice.files.catalogue;

import io.sluice.files.catalogue.DatasetPages.Form;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalogue of datasets for people. */
final class DatasetPageRoutes {
    private static final String ALL = "/datasets";
    private static final String ONE = ALL + "/:dataset";
    private static final Answers ANSWERS = new Answers(ALL);
    private static final String FORM = "files/dataset-edit.jte";
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,15}(?:\\.\\d{1,3})?)\\s*([kmgtp]?)b?", Pattern.CASE_INSENSITIVE);

    private final Datasets datasets;

    DatasetPageRoutes(Datasets datasets) {
        this.datasets = datasets;
    }

    List<Route> routes() {
        var all = Stream.of(
                Route.get(ALL, this::list),
                Route.get(ALL + "/new", call -> form(call, null)),
                Route.post(ALL + "/new", call -> keep(call, null)),
                Route.get(ONE, this::one),
                Route.get(ONE + "/edit", this::edit),
                Route.post(ONE + "/edit", this::change),
                Route.post(ONE + "/remove", this::remove));
        var keeping = Stream.of(Route.post(ONE + "/answer", this::answer), Route.post(ONE + "/count", this::count))
                .map(Route::forAdmins);
        return Stream.concat(all, keeping).map(Route::withoutApplications).toList();
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, ALL, Origin.KINDS);
        return datasets.page(call.caller(), query)
                .map(found -> Reply.page(call, "files/datasets.jte", new DatasetPages.All(query, found, call.note())));
    }

    private Future<Reply> one(Call call) {
        return found(call)
                .compose(found -> datasets.held(call.caller(), found)
                        .map(held -> Reply.page(
                                call,
                                "files/dataset.jte",
                                new DatasetPages.One(found, held, call.caller(), call.note()))));
    }

    private Future<Dataset> found(Call call) {
        return datasets.find(call.caller(), DatasetRoutes.id(call));
    }

    private Future<Reply> edit(Call call) {
        return found(call).compose(old -> form(call, old));
    }

    private static Future<Reply> form(Call call, @Nullable Dataset old) {
        return Future.succeededFuture(Reply.page(FORM, Form.of(old, call.caller())));
    }

    private Future<Reply> change(Call call) {
        return found(call).compose(old -> keep(call, old));
    }

    private Future<Reply> keep(Call call, @Nullable Dataset old) {
        var typed = new Form(
                old == null ? null : old.id(),
                call.caller().admin(),
                Typed.line(call, "name"),
                Typed.lines(call, "description"),
                Typed.line(call, "path"),
                Typed.line(call, "readers"),
                Typed.line(call, "size"),
                Faults.NONE);
        Long told = bytes(typed.size());
        var content = new Dataset.Content(
                typed.name(), typed.description(), typed.path(), Typed.names(typed.readers()), told);
        return datasets.wrong(call.caller(), content).compose(found -> {
            List<Wrong> wrong = new ArrayList<>(found);
            if (told == null && !typed.size().isEmpty()) {
                wrong.add(new Wrong("size", "datasets.fault.bytes", "size: a number with k, m, g or t."));
            }
            return wrong.isEmpty() ? kept(call, old, content, typed) : refused(typed.refused(Wrong.faults(wrong)));
        });
    }

    private Future<Reply> kept(Call call, @Nullable Dataset old, Dataset.Content content, Form typed) {
        var kept =
                old == null ? datasets.add(call.caller(), content) : datasets.change(call.caller(), old.id(), content);
        return ANSWERS.kept(call, kept, why -> refused(typed.refused(why)));
    }

    private static Future<Reply> refused(Form form) {
        return Future.succeededFuture(Reply.page(FORM, form).status(422));
    }

    /** Null: it says nothing that is a size. */
    static @Nullable Long bytes(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            return null;
        }
        String unit = size.group(2).toLowerCase(Locale.ROOT);
        double bytes =
                Double.parseDouble(size.group(1)) * Math.pow(1_000, unit.isEmpty() ? 0 : 1 + "kmgtp".indexOf(unit));
        return bytes > 1e18 ? null : Math.round(bytes);
    }

    private Future<Reply> answer(Call call) {
        return found(call)
                .compose(found ->
                        ANSWERS.answered(call, found, word -> datasets.answer(call.caller(), found.id(), word)));
    }

    private Future<Reply> count(Call call) {
        return found(call)
                .compose(found -> datasets.count(call.caller(), found.id())
                        .map(begun -> ANSWERS.said(call, found, Note.good("note.datasets.counting", found.name()))));
    }

    private Future<Reply> remove(Call call) {
        return datasets.remove(call.caller(), DatasetRoutes.id(call))
                .map(removed -> Reply.seeOther(ALL).noting(call, Note.good("note.catalogue.removed", removed.name())));
    }
}
