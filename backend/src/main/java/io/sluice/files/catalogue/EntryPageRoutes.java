package io.sluice.files.catalogue;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A catalogue for people.
 *
 * @param <E> its entries
 * @param <C> what people say of one
 */
public abstract class EntryPageRoutes<E extends Entry<C>, C> {
    private final Catalogue<E, C> catalogue;
    private final Catalogue.Kind kind;

    /**
     * A form that came back.
     *
     * @param wrong with what stands in it, before anybody looks at what it says
     * @param refused the form again, with what is wrong
     */
    public record Form<C>(C content, List<Wrong> wrong, Function<Faults, Reply> refused) {
        private Future<Reply> refuse(Faults why) {
            return Future.succeededFuture(refused.apply(why).status(422));
        }
    }

    protected EntryPageRoutes(Catalogue<E, C> catalogue) {
        this.catalogue = catalogue;
        this.kind = catalogue.kind();
    }

    protected abstract Reply list(Call call, CatalogueQuery query, CatalogueQuery.Found<E> found);

    protected abstract Future<Reply> one(Call call, E found);

    /** @param old null: a new one is written down */
    protected abstract Reply form(Call call, @Nullable E old);

    /** What somebody has typed. */
    protected abstract Form<C> typed(Call call, @Nullable E old);

    public List<Route> routes() {
        var all = Stream.of(
                Route.get(kind.path(), this::list),
                Route.get(kind.path() + "/new", call -> Future.succeededFuture(form(call, null))),
                Route.post(kind.path() + "/new", call -> keep(call, null)),
                Route.get(kind.one(), call -> found(call).compose(found -> one(call, found))),
                Route.get(kind.one() + "/edit", call -> found(call).map(old -> form(call, old))),
                Route.post(kind.one() + "/edit", call -> found(call).compose(old -> keep(call, old))),
                Route.post(kind.one() + "/remove", this::remove));
        var keeping = Stream.concat(Stream.of(Route.post(kind.one() + "/answer", this::answer)), more(kind.one()))
                .map(Route::forAdmins);
        return Stream.concat(all, keeping).map(Route::withoutApplications).toList();
    }

    /** For administrators. */
    protected Stream<Route> more(String one) {
        return Stream.of();
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, kind.path(), kind.kinds());
        return catalogue.page(call.caller(), query).map(found -> list(call, query, found));
    }

    protected final Future<E> found(Call call) {
        return catalogue.find(call.caller(), kind.id(call));
    }

    private Future<Reply> keep(Call call, @Nullable E old) {
        var form = typed(call, old);
        return catalogue.wrong(call.caller(), form.content()).compose(found -> {
            List<Wrong> wrong =
                    Stream.concat(found.stream(), form.wrong().stream()).toList();
            return wrong.isEmpty() ? kept(call, old, form) : form.refuse(Wrong.faults(wrong));
        });
    }

    private Future<Reply> kept(Call call, @Nullable E old, Form<C> form) {
        var keeping = old == null
                ? catalogue.add(call.caller(), form.content())
                : catalogue.change(call.caller(), old.id(), form.content());
        return keeping.map(one -> said(
                        call,
                        one,
                        Note.good(
                                one.standing().isAccepted() ? "note.catalogue.kept" : "note.catalogue.proposed",
                                one.name())))
                .recover(failure -> isConflict(failure)
                        ? form.refuse(new Faults(Map.of(), Note.bad("catalogue.fault." + ((Problem) failure).code())))
                        : Future.failedFuture(failure));
    }

    protected final Reply said(Call call, E entry, Note note) {
        return Reply.seeOther(kind.path() + "/" + entry.id()).noting(call, note);
    }

    private static boolean isConflict(Throwable failure) {
        return failure instanceof Problem problem && problem.kind() == Problem.Kind.CONFLICT;
    }

    private Future<Reply> answer(Call call) {
        return found(call).compose(found -> answer(call, found, Typed.word(call)));
    }

    private Future<Reply> answer(Call call, E found, Standing.Word word) {
        if (!word.accepted() && word.text().isEmpty()) {
            return Future.succeededFuture(said(call, found, Note.bad("note.catalogue.wordless")));
        }
        return catalogue
                .answer(call.caller(), found.id(), word)
                .map(one -> said(
                        call,
                        one,
                        Note.good(
                                word.accepted() ? "note.catalogue.accepted" : "note.catalogue.declined",
                                one.name(),
                                one.standing().user())))
                .recover(failure -> isConflict(failure)
                        ? Future.succeededFuture(said(call, found, clash(found, (Problem) failure)))
                        : Future.failedFuture(failure));
    }

    private static Note clash(Entry<?> found, Problem problem) {
        return Note.bad(
                problem.code().equals("ConflictError") ? "catalogue.fault.ConflictError" : "note.catalogue.taken",
                found.name());
    }

    private Future<Reply> remove(Call call) {
        return catalogue
                .remove(call.caller(), kind.id(call))
                .map(removed ->
                        Reply.seeOther(kind.path()).noting(call, Note.good("note.catalogue.removed", removed.name())));
    }
}
