package io.sluice.jobs.pages;

import io.sluice.database.Doorbell;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.drafts.Catalogues;
import io.sluice.jobs.overview.Overview;
import io.sluice.jobs.training.Trainings;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The door to the pages about jobs. */
public final class JobPages {
    private final Jobs jobs;
    private final Doorbell doorbell;
    private final Catalogues catalogues;
    private final Overview overview;
    private final List<Doorbell.Subscription> subscriptions = new ArrayList<>();

    private JobPages(Vertx vertx, Doorbell doorbell, Jobs jobs, Catalogues catalogues) {
        this.jobs = jobs;
        this.catalogues = catalogues;
        this.doorbell = doorbell;
        this.overview = new Overview(vertx, jobs);
    }

    public static JobPages open(Vertx vertx, Doorbell doorbell, Jobs jobs, Catalogues catalogues) {
        return new JobPages(vertx, doorbell, jobs, catalogues);
    }

    /** For the door to the list: how many jobs that the caller sees are not over. */
    public Map<String, Long> unfinished(Caller caller) {
        return overview.unfinished(caller);
    }

    /**
     * All of its rows. From now on what changes in the database is told to open pages.
     *
     * @param apps that can be opened in a running job
     * @param remarks what the rooms above have to say about one
     */
    public List<Route> routes(Identity identity, Live live, List<Panel> panels, List<App> apps, Remark.Source remarks) {
        subscriptions.add(doorbell.listen(Jobs.TOPIC, () -> {
            overview.forget();
            live.ring(Jobs.TOPIC);
        }));
        var routes = new ArrayList<>(overview.routes(identity, live));
        // before the routes of one job, whose paths would fit too
        routes.addAll(catalogues.routes());
        var editor = new NewJobRoutes(jobs, catalogues, apps);
        routes.addAll(editor.routes());
        routes.addAll(Trainings.routes(jobs, catalogues, editor::open));
        routes.addAll(new GangRoutes(jobs).routes());
        // last: to its path /jobs/:job everything below /jobs/ looks like a job
        routes.addAll(new JobPageRoutes(jobs, live, panels, remarks).routes());
        return routes;
    }

    public Future<Void> close() {
        subscriptions.forEach(Doorbell.Subscription::cancel);
        overview.close();
        return Future.succeededFuture();
    }
}
