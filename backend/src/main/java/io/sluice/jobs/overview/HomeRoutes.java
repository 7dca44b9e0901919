package io.sluice.jobs.overview;

import io.sluice.identity.Identity;
import io.sluice.jobs.Job.State;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Lists;
import io.sluice.jobs.lists.Lists.Entry;
import io.sluice.jobs.lists.Lists.Leaf;
import io.sluice.jobs.lists.Lists.Place;
import io.sluice.jobs.overview.HomePage.Free;
import io.sluice.jobs.placement.Demand;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Home: one's own jobs, the queue, what is free, and the first steps. */
final class HomeRoutes {
    /** Rung less often than the topic of jobs, as it is about all of them. */
    static final String TOPIC = "home";

    private static final int UNFINISHED = 8;
    private static final int FINISHED = 5;
    private static final int QUEUE = 8;
    private static final Set<State> ACTIVE = Set.of(State.WAITING, State.RUNNING, State.STOPPING, State.UNKNOWN);
    private static final Place NEWEST = new Place(Lists.Sort.NEWEST, false, null);

    /** As the queue has them: by priority, then who came first. */
    private static final Comparator<Demand> TURN = Comparator.<Demand>comparingInt(demand -> -demand.priority())
            .thenComparing(Demand::submitted)
            .thenComparing(demand -> Long.valueOf(demand.job()));

    private final Jobs jobs;
    private final Identity identity;
    private final Stock stock;
    private final Live live;

    HomeRoutes(Jobs jobs, Identity identity, Stock stock, Live live) {
        this.jobs = jobs;
        this.identity = identity;
        this.stock = stock;
        this.live = live;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get(
                                "/",
                                call -> page(call.caller(), call.note())
                                        .map(page -> Reply.page(call, "jobs/home.jte", page))),
                        Route.get("/live/home", this::follow))
                .map(Route::withoutApplications)
                .toList();
    }

    private Future<Reply> follow(Call call) {
        return Future.succeededFuture(live.follow(call, TOPIC, this::since));
    }

    private Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
        return page(caller, null)
                .map(page -> new Live.Changes(List.of(new Live.Fragment("jobs/home-live.jte", page)), page.cursor()));
    }

    private Future<HomePage> page(Caller me, @Nullable Note note) {
        var mine = JobFilter.ALL.of(me.name());
        // older than all that is read after it, so that nothing is between them
        return jobs.changes(me, mine, null)
                .compose(begun -> stock.now().compose(free -> {
                    var unfinished = jobs.lists().leaf(me, mine.in(ACTIVE), NEWEST, UNFINISHED);
                    var finished = jobs.lists().leaf(me, mine.in(State.FINAL), NEWEST, FINISHED);
                    var queue = queue(me, free);
                    var belongings = identity.belongings(me);
                    return Future.all(unfinished, finished, queue, belongings).map(read -> {
                        long own = me.admin()
                                ? free.queue().size()
                                : free.queue().stream()
                                        .filter(demand -> demand.user().equals(me.name()))
                                        .count();
                        return new HomePage(
                                me,
                                entries(unfinished),
                                entries(finished),
                                queue.result(),
                                free.queue().size(),
                                free.queue().size() - own,
                                free,
                                belongings.result(),
                                begun.cursor(),
                                note);
                    });
                }));
    }

    private static List<Entry> entries(Future<Leaf> leaf) {
        return leaf.result().entries();
    }

    /** Nobody sees the jobs of others here either, but administrators. */
    private Future<List<Entry>> queue(Caller me, Free free) {
        List<Long> first = free.queue().stream()
                .filter(demand -> me.admin() || demand.user().equals(me.name()))
                .sorted(TURN)
                .limit(QUEUE)
                .map(demand -> Long.valueOf(demand.job()))
                .toList();
        return jobs.lists().numbered(me, first);
    }
}
