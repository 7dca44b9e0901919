package io.sluice.jobs.training;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.drafts.Catalogues;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;

/** The door to the form of ModelArts' kind. */
public final class Trainings {
    private Trainings() {}

    /** Where a text is looked at, changed and submitted. */
    @FunctionalInterface
    public interface Editor {
        /**
         * @param tone good, info, warning or bad
         * @param key of what is to be said of the text
         */
        Future<Reply> open(Call call, String text, String tone, String key);
    }

    public static List<Route> routes(Jobs jobs, Catalogues catalogues, Editor editor) {
        return new TrainingRoutes(jobs, catalogues, editor).routes();
    }
}
