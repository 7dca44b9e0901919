package io.sluice.jobs.overview;

import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Route;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The door to the pages about many jobs. */
public final class Overview {
    private final Jobs jobs;
    private final Tally tally;
    private final Stock stock;

    public Overview(Vertx vertx, Jobs jobs) {
        this.jobs = jobs;
        this.tally = new Tally(vertx, jobs);
        this.stock = new Stock(vertx, jobs);
    }

    /** For the door to the list: how many jobs that the caller sees are not over. */
    public Map<String, Long> unfinished(Caller caller) {
        long all = tally.of(caller).values().stream().mapToLong(Long::longValue).sum();
        return all == 0 ? Map.of() : Map.of("/jobs", all);
    }

    /** Something changed: what is kept is read again, and open pages are told. */
    public void forget() {
        tally.forget();
        stock.forget();
    }

    public List<Route> routes(Identity identity, Live live) {
        tally.told(() -> live.ring(Jobs.TOPIC));
        stock.told(() -> live.ring(HomeRoutes.TOPIC));
        var routes = new ArrayList<Route>();
        routes.addAll(new HomeRoutes(jobs, identity, stock, live).routes());
        routes.addAll(new ClusterPageRoutes(jobs, stock, live).routes());
        routes.addAll(new JobListRoutes(jobs, tally, live).routes());
        routes.addAll(new OldPageRoutes().routes());
        return routes;
    }

    public void close() {
        tally.close();
    }
}
