package io.sluice.files.datasets;

import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.EntryPageRoutes;
import io.sluice.files.catalogue.Typed;
import io.sluice.files.catalogue.Wrong;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalogue of datasets for people. */
final class DatasetPageRoutes extends EntryPageRoutes<Dataset, Dataset.Content> {
    private static final String FORM = "files/dataset-edit.jte";
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,15}(?:\\.\\d{1,3})?)\\s*([kmgtp]?)b?", Pattern.CASE_INSENSITIVE);

    private static final Wrong SIZELESS =
            new Wrong("size", "datasets.fault.bytes", "size: a number with k, m, g or t.");

    private final Datasets datasets;

    DatasetPageRoutes(Datasets datasets) {
        super(datasets);
        this.datasets = datasets;
    }

    @Override
    protected Stream<Route> more(String one) {
        return Stream.of(Route.post(one + "/count", this::count));
    }

    @Override
    protected Reply list(Call call, CatalogueQuery query, CatalogueQuery.Found<Dataset> found) {
        return Reply.page(call, "files/datasets.jte", new DatasetPages.All(query, found, call.note()));
    }

    @Override
    protected Future<Reply> one(Call call, Dataset found) {
        return datasets.held(call.caller(), found)
                .map(held -> Reply.page(
                        call, "files/dataset.jte", new DatasetPages.One(found, held, call.caller(), call.note())));
    }

    @Override
    protected Reply form(Call call, @Nullable Dataset old) {
        return Reply.page(FORM, DatasetPages.Form.of(old, call.caller()));
    }

    @Override
    protected Form<Dataset.Content> typed(Call call, @Nullable Dataset old) {
        var typed = new DatasetPages.Form(
                old == null ? null : old.id(),
                call.caller().admin(),
                Typed.line(call, "name"),
                Typed.lines(call, "description"),
                Typed.line(call, "path"),
                Typed.line(call, "readers"),
                Typed.line(call, "size"),
                Faults.NONE);
        Long told = bytes(typed.size());
        return new Form<>(
                new Dataset.Content(
                        typed.name(), typed.description(), typed.path(), Typed.names(typed.readers()), told),
                told == null && !typed.size().isEmpty() ? List.of(SIZELESS) : List.of(),
                why -> Reply.page(FORM, typed.refused(why)));
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

    private Future<Reply> count(Call call) {
        return found(call)
                .compose(found -> datasets.count(call.caller(), found.id())
                        .map(begun -> said(call, found, Note.good("note.datasets.counting", found.name()))));
    }
}
