package io.sluice.jobs.api;

import io.sluice.jobs.Jobs;
import io.sluice.web.Route;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door of the API: all of its rows. */
public final class JobsApi {
    /**
     * @param listsPerMinute of one user
     * @param sshPort of the gateway, by which tasks are reached; gives null where there is none
     */
    public record Settings(int listsPerMinute, Supplier<@Nullable Integer> sshPort) {}

    private JobsApi() {}

    public static List<Route> routes(Jobs jobs, Settings settings) {
        var ssh = new SshJson(jobs, settings.sshPort());
        var old = new OldRoutes(jobs, ssh);
        return Stream.of(
                        new SubmitRoutes(jobs).routes(),
                        new DraftRoutes(jobs).routes(),
                        new JobRoutes(jobs, ssh).routes(),
                        new ListRoutes(jobs, settings).routes(),
                        old.routes(),
                        new ClusterRoutes(jobs).routes())
                .flatMap(List::stream)
                .toList();
    }
}
