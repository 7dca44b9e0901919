package io.sluice.jobs.api;

import io.sluice.jobs.Jobs;
import io.sluice.web.Route;
import java.util.List;
import java.util.stream.Stream;

/** The door of the API: all of its rows. */
public final class JobsApi {
    /** @param listsPerMinute of one user */
    public record Settings(int listsPerMinute) {}

    private JobsApi() {}

    public static List<Route> routes(Jobs jobs, Settings settings) {
        var old = new OldRoutes(jobs);
        return Stream.of(
                        new SubmitRoutes(jobs).routes(),
                        new DraftRoutes(jobs).routes(),
                        new JobRoutes(jobs).routes(),
                        new ListRoutes(jobs, settings).routes(),
                        old.routes(),
                        new ClusterRoutes(jobs).routes())
                .flatMap(List::stream)
                .toList();
    }
}
