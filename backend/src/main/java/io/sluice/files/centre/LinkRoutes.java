package io.sluice.files.centre;

import io.sluice.files.links.Link;
import io.sluice.files.links.LinkPage;
import io.sluice.files.links.LinkedPage;
import io.sluice.files.links.Links;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Links to files: made by whose they are, opened by whoever is signed in and has one. */
final class LinkRoutes {
    private static final String PAGE = "/files/links";
    private static final int USUAL_HOURS = 7 * 24;

    private final Links links;
    private final Spaces spaces;
    private final Worker worker;
    private final ContentRoutes content;

    LinkRoutes(Links links, Spaces spaces, Worker worker, ContentRoutes content) {
        this.links = links;
        this.spaces = spaces;
        this.worker = worker;
        this.content = content;
    }

    List<Route> routes() {
        return List.of(
                Route.post("/api/v2/files/:user/link", this::make).scope("files:write"),
                Route.get("/api/v2/links", this::list).scope("files:read"),
                Route.delete("/api/v2/links/:link", this::remove).scope("files:write"),
                Route.get(PAGE, this::page).withoutApplications(),
                Route.post(PAGE + "/:link/remove", this::removeFromPage).withoutApplications(),
                Route.get("/files/link/:token", this::open).scope("files:read"));
    }

    private Future<Reply> make(Call call) {
        String whose = call.path("user");
        Place place = Asked.place(call, "path");
        int hours = Asked.count(call, "hours", USUAL_HOURS, Links.LONGEST_HOURS);
        // what is not there, or not theirs to read, is told now
        return worker.run(
                        call.caller().id(),
                        () -> spaces.of(call.caller(), whose).entry(place))
                .compose(found -> links.make(call.caller(), whose, place.encoded(), hours))
                .map(made -> {
                    Map<String, Object> shown = shown(made.link());
                    shown.put("url", "/files/link/" + made.token());
                    return Reply.json(shown).status(201);
                });
    }

    private static Map<String, Object> shown(Link link) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", Long.toString(link.id()));
        shown.put("space", link.space());
        shown.put("path", link.path());
        shown.put("expires", link.expires().toEpochMilli());
        shown.put("opened", link.opened());
        return shown;
    }

    private Future<Reply> list(Call call) {
        return links.of(call.caller())
                .map(all -> Reply.json(
                        Map.of("links", all.stream().map(LinkRoutes::shown).toList())));
    }

    private Future<Void> removed(Call call) {
        String id = call.path("link");
        Future<Boolean> removed = id.matches("\\d{1,18}")
                ? links.remove(call.caller(), Long.parseLong(id))
                : Future.succeededFuture(false);
        return removed.map(done -> {
            if (!done) {
                throw Problem.notFound("There is no such link of yours.");
            }
            return null;
        });
    }

    private Future<Reply> remove(Call call) {
        return removed(call).map(done -> Reply.nothing());
    }

    private Future<Reply> removeFromPage(Call call) {
        return removed(call).map(done -> Reply.seeOther(PAGE).noting(call, Note.good("note.link.removed")));
    }

    private Future<Reply> page(Call call) {
        return links.of(call.caller())
                .map(all -> Reply.page(
                        call, "files/links.jte", new LinkPage(call.caller().name(), all, call.note())));
    }

    /** Browsers are shown first what it is, and from whom: whoever signs in to have it is not left on that page then. */
    private Future<Reply> open(Call call) {
        String token = call.path("token");
        boolean shown = call.wantsPage() && !Asked.flag(call, "download");
        return (shown ? links.look(token) : links.open(token)).compose(found -> {
            if (shown && found.isEmpty()) {
                return Future.succeededFuture(Reply.page("files/link-over.jte", Links.LONGEST_HOURS / 24)
                        .status(404));
            }
            Links.Opened opened = found.orElseThrow(
                    () -> Problem.notFound(
                            "This link leads nowhere: its time is over, or it was taken back. Ask whom you have it from for another."));
            Place place = Place.of(
                    java.net.URLDecoder.decode(opened.path().replace("+", "%2B"), StandardCharsets.ISO_8859_1));
            return shown ? linked(call, opened, place) : content.sent(call, opened.owner(), opened.space(), place, "");
        });
    }

    private Future<Reply> linked(Call call, Links.Opened opened, Place place) {
        return worker.run(call.caller().id(), () -> {
            Found found = spaces.of(opened.owner(), opened.space()).entry(place).found();
            String name = place.isRoot() ? opened.space() : Place.shown(place.name());
            String amount =
                    found.isFolder() ? "" : FilePage.Row.amount(found.size(), Locale.forLanguageTag(call.language()));
            var page = new LinkedPage(call.path("token"), name, amount, opened.name(), opened.expires());
            return Reply.page(call, "files/link.jte", page);
        });
    }
}
