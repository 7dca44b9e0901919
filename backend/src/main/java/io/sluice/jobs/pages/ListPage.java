package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code jobs/list.jte}, for GET /jobs. */
public record ListPage(List<Job> jobs, View.@Nullable Note note) {
    public ListPage {
        jobs = List.copyOf(jobs);
    }
}
