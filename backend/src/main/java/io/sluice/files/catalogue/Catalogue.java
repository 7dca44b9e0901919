package io.sluice.files.catalogue;

import io.sluice.database.Database;
import io.sluice.identity.Identity;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;

/**
 * What people propose and administrators accept. What a caller may not see does not exist.
 *
 * @param <E> its entries
 * @param <C> what people say of one
 */
public abstract class Catalogue<E extends Entry<C>, C> {
    private final EntryStore<E, C> rows;
    private final Kind kind;

    /**
     * What an entry is called.
     *
     * @param word as {@code image}
     * @param phrase as {@code an image}
     * @param code of its problems, as {@code Image}
     * @param unique the rule of the table that keeps a name for one
     * @param kinds that entries are told apart by
     */
    public record Kind(String word, String phrase, String code, String unique, List<String> kinds) {
        /** Where all of them are. */
        String path() {
            return "/" + word + "s";
        }

        /** Where one of them is. */
        String one() {
            return path() + "/:" + word;
        }

        long id(Call call) {
            String id = call.path(word);
            if (!id.matches("\\d{1,18}")) {
                throw none(id);
            }
            return Long.parseLong(id);
        }

        public Problem none(String id) {
            return Problem.of(Problem.Kind.NOT_FOUND, "No" + code + "Error", code + " " + id + " is not found.");
        }
    }

    protected Catalogue(EntryStore<E, C> rows, Kind kind) {
        this.rows = rows;
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** All that keeps this from being an entry of the caller's. */
    public abstract Future<List<Wrong>> wrong(Caller caller, C content);

    /** As it is kept. */
    protected C kept(C content) {
        return content;
    }

    /** An entry has been added, changed, answered or removed. */
    protected void touched() {}

    protected abstract String nameOf(C content);

    public Future<CatalogueQuery.Found<E>> page(Caller caller, CatalogueQuery query) {
        return rows.page(caller, query, CatalogueQuery.PAGE + 1)
                .compose(read -> rows.waiting(caller).map(waiting -> CatalogueQuery.Found.of(read, waiting)));
    }

    /** Those that a job of the caller's can take, as far as a list to choose from goes. */
    public Future<List<E>> offered(Caller caller, CatalogueQuery query, int most) {
        return rows.page(caller, query, most);
    }

    public Future<E> find(Caller caller, long id) {
        return rows.find(caller, id).map(found -> found.orElseThrow(() -> kind.none("" + id)));
    }

    /** What an administrator brings is accepted, what others bring is proposed. */
    public Future<E> add(Caller caller, C content) {
        return passed(caller, content)
                .compose(passed -> rows.waiting(caller))
                .compose(waiting -> {
                    Standing.refuse(caller, waiting);
                    return rows.add(caller, kept(content), Standing.State.of(caller));
                })
                .recover(e -> taken(e, nameOf(content)))
                .onSuccess(added -> told(caller, added.id(), "added"));
    }

    private Future<Void> passed(Caller caller, C content) {
        return wrong(caller, content).map(wrong -> {
            Wrong.refuse(wrong);
            return null;
        });
    }

    /** A proposal that is changed is proposed anew. */
    public Future<E> change(Caller caller, long id, C content) {
        return changeable(caller, id)
                .compose(old -> passed(caller, content)
                        .compose(passed -> rows.change(
                                old,
                                kept(content),
                                caller.admin() ? old.standing().state() : Standing.State.PROPOSED)))
                .recover(e -> taken(e, nameOf(content)))
                .map(changed -> changed.orElseThrow(Standing::meanwhile))
                .onSuccess(changed -> told(caller, id, "changed"));
    }

    private Future<E> changeable(Caller caller, long id) {
        return find(caller, id).map(found -> {
            found.standing().refuse(caller);
            return found;
        });
    }

    private <T> Future<T> taken(Throwable failure, String name) {
        return Future.failedFuture(
                Database.isConflict(failure, kind.unique())
                        ? Problem.of(
                                Problem.Kind.CONFLICT,
                                "Conflict" + kind.code() + "Error",
                                "There is " + kind.phrase() + " called " + name
                                        + " already. Choose another name, or change that one.")
                        : failure);
    }

    /** The administrator's word on it, which may be another than before. */
    public Future<E> answer(Caller admin, long id, Standing.Word word) {
        word.refuse();
        return find(admin, id)
                .compose(found -> rows.answer(id, word).recover(e -> taken(e, found.name())))
                .map(answered -> answered.orElseThrow(Standing::meanwhile))
                .onSuccess(answered -> told(admin, id, word.state().key()));
    }

    /** Out of the catalogue; what it tells of stays where it is. */
    public Future<E> remove(Caller caller, long id) {
        return changeable(caller, id)
                .compose(old -> rows.remove(old).map(removed -> {
                    if (!removed) {
                        throw Standing.meanwhile();
                    }
                    told(caller, id, "removed");
                    return old;
                }));
    }

    private void told(Caller caller, long id, String what) {
        Identity.audit(kind.word() + "-" + what, kind.word(), "" + id, "by", caller.name());
        touched();
    }
}
