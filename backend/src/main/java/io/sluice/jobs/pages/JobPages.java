package io.sluice.jobs.pages;

import io.sluice.database.Doorbell;
import io.sluice.jobs.Jobs;
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
    /** The topic of live pages about jobs; rung by the doorbell's topic of the same name, and when a count has changed. */
    static final String TOPIC = Jobs.TOPIC;

    private final Jobs jobs;
    private final Doorbell doorbell;
    private final Tally tally;
    private final List<Doorbell.Subscription> subscriptions = new ArrayList<>();

    private JobPages(Vertx vertx, Doorbell doorbell, Jobs jobs) {
        this.jobs = jobs;
        this.doorbell = doorbell;
        this.tally = new Tally(vertx, jobs);
    }

    public static JobPages open(Vertx vertx, Doorbell doorbell, Jobs jobs) {
        return new JobPages(vertx, doorbell, jobs);
    }

    /** For the door to the list: how many jobs that the caller sees are not over. */
    public Map<String, Long> unfinished(Caller caller) {
        long all = tally.of(caller).values().stream().mapToLong(Long::longValue).sum();
        return all == 0 ? Map.of() : Map.of("/jobs", all);
    }

    /** All of its rows. From now on what changes in the database is told to open pages. */
    public List<Route> routes(Live live, List<Panel> panels) {
        subscriptions.add(doorbell.listen(Jobs.TOPIC, () -> {
            tally.forget();
            live.ring(TOPIC);
        }));
        tally.told(() -> live.ring(TOPIC));
        var routes = new ArrayList<Route>();
        routes.addAll(new JobListRoutes(jobs, tally, live).routes());
        // last: to its path /jobs/:job everything below /jobs/ looks like a job
        routes.addAll(new JobPageRoutes(jobs, live, panels).routes());
        return routes;
    }

    public Future<Void> close() {
        subscriptions.forEach(Doorbell.Subscription::cancel);
        tally.close();
        return Future.succeededFuture();
    }
}
