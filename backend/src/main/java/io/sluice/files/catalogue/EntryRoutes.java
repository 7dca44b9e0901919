package io.sluice.files.catalogue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A catalogue for programs.
 *
 * @param <E> its entries
 * @param <C> what people say of one
 */
public abstract class EntryRoutes<E extends Entry<C>, C> {
    private final Catalogue<E, C> catalogue;
    private final Catalogue.Kind kind;
    private final C empty;
    private final String scope;

    /** @param empty what nothing has been said of */
    protected EntryRoutes(Catalogue<E, C> catalogue, C empty, String scope) {
        this.catalogue = catalogue;
        this.kind = catalogue.kind();
        this.empty = empty;
        this.scope = scope;
    }

    /** What an entry says. */
    protected abstract Map<String, Object> shown(E entry);

    /** What is not said stays as it is. */
    protected abstract C content(ObjectNode body, C otherwise);

    public List<Route> routes() {
        String all = "/api/v2" + kind.path();
        String one = "/api/v2" + kind.one();
        var reading = Stream.of(Route.get(all, this::list), Route.get(one, this::one))
                .map(route -> route.scope(scope + ":read"));
        var writing = Stream.of(
                        Route.post(all, this::add), Route.put(one, this::change), Route.delete(one, this::remove))
                .map(route -> route.scope(scope + ":write"));
        var keeping = Stream.concat(Stream.of(Route.post(one + "/answer", this::answer)), more(one))
                .map(route -> route.forAdmins().withoutApplications());
        return Stream.of(reading, writing, keeping).flatMap(routes -> routes).toList();
    }

    /** For administrators. */
    protected Stream<Route> more(String one) {
        return Stream.of();
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, "/api/v2" + kind.path(), kind.kinds());
        return catalogue.page(call.caller(), query).map(found -> {
            Map<String, Object> page = new LinkedHashMap<>();
            page.put(kind.word() + "s", found.entries().stream().map(this::told).toList());
            page.put(
                    "next",
                    found.more()
                            ? query.from(query.from() + CatalogueQuery.PAGE).link()
                            : null);
            return Reply.json(page);
        });
    }

    private Map<String, Object> told(E entry) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("id", entry.id());
        told.put("name", entry.name());
        told.putAll(shown(entry));
        told.putAll(entry.standing().shown());
        return told;
    }

    private Future<Reply> one(Call call) {
        return found(call).map(found -> Reply.json(told(found)));
    }

    protected final Future<E> found(Call call) {
        return catalogue.find(call.caller(), kind.id(call));
    }

    private Future<Reply> add(Call call) {
        return catalogue
                .add(call.caller(), content(call.input(), empty))
                .map(added -> Reply.json(told(added)).status(201));
    }

    private Future<Reply> change(Call call) {
        return found(call)
                .compose(old -> catalogue.change(call.caller(), old.id(), content(call.input(), old.content())))
                .map(changed -> Reply.json(told(changed)));
    }

    private Future<Reply> remove(Call call) {
        return catalogue.remove(call.caller(), kind.id(call)).map(removed -> Reply.nothing());
    }

    private Future<Reply> answer(Call call) {
        return catalogue
                .answer(call.caller(), kind.id(call), Typed.word(call.input()))
                .map(answered -> Reply.json(told(answered)));
    }
}
