package io.sluice.jobs.overview;

import io.sluice.identity.grants.Grants.Holders;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.overview.ClusterPage.Form;
import io.sluice.jobs.overview.ClusterPage.Row;
import io.sluice.jobs.overview.HomePage.Free;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page of virtual clusters: what each may use and uses; administrators change them here. */
final class ClusterPageRoutes {
    private static final String PATH = "/virtual-clusters";
    private static final String PAGE = "jobs/clusters.jte";

    private final Jobs jobs;
    private final Stock stock;
    private final Live live;

    ClusterPageRoutes(Jobs jobs, Stock stock, Live live) {
        this.jobs = jobs;
        this.stock = stock;
        this.live = live;
    }

    List<Route> routes() {
        var reading = Stream.of(
                Route.get(PATH, call -> page(call, null).map(page -> Reply.page(call, PAGE, page))),
                Route.get("/live" + PATH, this::follow));
        var writing = Stream.of(
                        Route.post(PATH, this::add),
                        Route.post(PATH + "/:vc", this::change),
                        Route.post(PATH + "/:vc/state", this::state),
                        Route.post(PATH + "/:vc/delete", this::remove))
                .map(Route::forAdmins);
        return Stream.concat(reading, writing).map(Route::withoutApplications).toList();
    }

    /** @param refused the form that was sent and can not be taken, null: none */
    private Future<ClusterPage> page(Call call, @Nullable Form refused) {
        Caller caller = call.caller();
        var free = stock.now();
        var all = jobs.clusters().all();
        var open = jobs.clusters().openTo(caller);
        var holders = caller.admin() ? jobs.clusters().holders() : Future.succeededFuture(Map.<String, Holders>of());
        return Future.all(free, all, open, holders).map(read -> {
            List<String> types = types(free.result());
            Map<String, HomePage.Cluster> uses = free.result().clusters().stream()
                    .collect(Collectors.toMap(HomePage.Cluster::name, Function.identity()));
            List<Row> rows = all.result().stream()
                    .map(one -> new Row(
                            uses.getOrDefault(
                                    one.name(), new HomePage.Cluster(one.name(), one.stopped(), List.of(), 0, 0)),
                            one.description(),
                            open.result().contains(one.name()),
                            caller.admin() ? form(one, holders.result(), types, refused) : null))
                    .toList();
            Form fresh = refused != null && !refused.fixed() ? refused : Form.empty(types);
            return new ClusterPage(rows, caller.admin() ? fresh : null, call.note());
        });
    }

    private Form form(Cluster one, Map<String, Holders> holders, List<String> types, @Nullable Form refused) {
        return refused != null && refused.fixed() && refused.name().equals(one.name())
                ? refused
                : Form.of(
                        one,
                        holders.getOrDefault(one.name(), Holders.NOBODY),
                        types,
                        jobs.idling().secret(one.name()));
    }

    private static List<String> types(Free free) {
        return Stream.concat(free.kinds().stream().map(HomePage.Kind::type), Stream.of("any"))
                .distinct()
                .toList();
    }

    private Future<Reply> follow(Call call) {
        return Future.succeededFuture(live.follow(call, HomeRoutes.TOPIC, this::since));
    }

    private Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
        return stock.now()
                .map(free -> new Live.Changes(
                        free.clusters().stream()
                                .map(cluster -> new Live.Fragment("jobs/cluster-live.jte", cluster))
                                .toList(),
                        cursor == null ? "0" : cursor));
    }

    private Future<Reply> add(Call call) {
        return sent(
                call,
                null,
                form -> jobs.clusters()
                        .add(call.caller(), form.cluster(), form.holders())
                        .compose(added -> added
                                ? done(
                                        call,
                                        "note.cluster.added",
                                        form.cluster().name())
                                : shown(call, form.refused(Map.of("name", Note.bad("fault.cluster.taken"))))));
    }

    private Future<Reply> change(Call call) {
        return existing(call)
                .compose(name -> sent(
                        call,
                        name,
                        form -> jobs.clusters()
                                .put(call.caller(), form.cluster(), form.holders())
                                .compose(put -> done(call, "note.cluster.changed", name))));
    }

    private Future<String> existing(Call call) {
        String name = call.path("vc");
        return jobs.clusters()
                .all()
                .map(all -> all.stream()
                        .map(Cluster::name)
                        .filter(name::equals)
                        .findFirst()
                        .orElseThrow(() -> Clusters.none(name)));
    }

    /** What is asked for is done where nothing is wrong with it. */
    private Future<Reply> sent(Call call, @Nullable String name, Function<ClusterForm, Future<Reply>> work) {
        return stock.now().compose(free -> {
            var form = ClusterForm.of(call, name, types(free));
            return form.isGood()
                    ? jobs.clusters().unknown(form.holders()).compose(unknown -> {
                        var fault = unknownNames(unknown);
                        return fault.isEmpty() ? work.apply(form) : shown(call, form.refused(fault));
                    })
                    : shown(call, form.refused(form.faults()));
        });
    }

    private static Map<String, Note> unknownNames(Holders unknown) {
        Map<String, Note> faults = new HashMap<>();
        if (!unknown.users().isEmpty()) {
            faults.put("users", Note.bad("fault.cluster.users", String.join(", ", unknown.users())));
        }
        if (!unknown.groups().isEmpty()) {
            faults.put("groups", Note.bad("fault.cluster.groups", String.join(", ", unknown.groups())));
        }
        return faults;
    }

    private Future<Reply> shown(Call call, Form refused) {
        return page(call, refused).map(page -> Reply.page(PAGE, page).status(422));
    }

    private Future<Reply> done(Call call, String note, String name) {
        stock.renew();
        return Future.succeededFuture(Reply.seeOther(PATH).noting(call, Note.good(note, name)));
    }

    private Future<Reply> state(Call call) {
        String name = call.path("vc");
        boolean stopped = call.field("stopped").map("true"::equals).orElse(false);
        return jobs.clusters()
                .stop(call.caller(), name, stopped)
                .compose(done -> done(call, stopped ? "note.cluster.stopped" : "note.cluster.started", name));
    }

    private Future<Reply> remove(Call call) {
        String name = call.path("vc");
        return jobs.clusters()
                .remove(call.caller(), name)
                .compose(removed -> done(call, "note.cluster.removed", name))
                .recover(failure -> failure instanceof Problem problem && problem.kind() == Problem.Kind.FORBIDDEN
                        ? Future.succeededFuture(Reply.seeOther(PATH)
                                .noting(
                                        call,
                                        Note.bad(
                                                name.equals(Cluster.DEFAULT)
                                                        ? "note.cluster.default"
                                                        : "note.cluster.busy",
                                                name)))
                        : Future.failedFuture(failure));
    }
}
