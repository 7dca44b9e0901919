package io.sluice.telemetry.ranks;

import io.sluice.jobs.Jobs;
import io.sluice.telemetry.history.History;
import io.sluice.web.Route;
import java.util.List;
import java.util.function.BiFunction;

/** The door to the tasks of a job beside one another. */
public final class Ranks {
    private Ranks() {}

    /** @param drawn values as the points of a small line, with the value at its upper edge */
    public static List<Route> routes(Jobs jobs, History history, BiFunction<float[], Double, String> drawn) {
        return new RanksRoutes(jobs, history, drawn).routes();
    }
}
