package io.sluice.jobs;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;

/** What is counted of submissions. */
final class JobMetrics {
    private final Counter submissions;

    JobMetrics(CollectorRegistry registry) {
        submissions = Counter.build("sluice_jobs_submissions_total", "Submissions, by what became of them")
                .labelNames("outcome")
                .register(registry);
    }

    void submitted(String outcome) {
        submissions.labels(outcome).inc();
    }
}
