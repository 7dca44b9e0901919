package io.sluice.jobs.output;

import io.sluice.files.centre.FileCentre;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.saving.Savings;
import io.sluice.web.Live;
import io.sluice.web.Route;
import java.time.Duration;
import java.util.List;

/** The door to what jobs leave behind. */
public final class Outputs {
    static final String TOPIC = "outputs";
    /** Tasks write there without saying so. */
    static final Duration LOOK = Duration.ofSeconds(2);

    private final Jobs jobs;
    private final FileCentre centre;
    private final Savings savings;
    private final Live live;

    public Outputs(Jobs jobs, FileCentre centre, Savings savings, Live live) {
        this.jobs = jobs;
        this.centre = centre;
        this.savings = savings;
        this.live = live;
        live.ring(TOPIC, LOOK);
    }

    public List<Route> routes() {
        return new OutputRoutes(jobs, centre, savings, live).routes();
    }
}
