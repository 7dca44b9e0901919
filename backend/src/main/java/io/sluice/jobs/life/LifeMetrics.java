package io.sluice.jobs.life;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import io.sluice.jobs.Job;
import java.time.Duration;

/** What the leader counts. */
final class LifeMetrics {
    private final Counter started;
    private final Counter finalised;
    private final Counter failures;
    private final Histogram pass;
    private final Gauge waiting;
    private final Gauge leading;
    private final Gauge away;
    private final Gauge turns;
    private final Histogram calls;

    LifeMetrics(CollectorRegistry registry) {
        started = Counter.build("sluice_jobs_tasks_started_total", "Tasks that an engine started")
                .register(registry);
        finalised = Counter.build("sluice_jobs_finalised_total", "Jobs that ended, by state")
                .labelNames("state")
                .register(registry);
        failures = Counter.build("sluice_jobs_step_failures_total", "Steps of the scheduler that failed, by step")
                .labelNames("step")
                .register(registry);
        pass = Histogram.build(
                        "sluice_jobs_pass_seconds", "Time of a scheduling pass, from the tables to the decisions")
                .buckets(.001, .0025, .005, .01, .025, .05, .1, .25, 1)
                .register(registry);
        waiting = Gauge.build("sluice_jobs_waiting", "Jobs in the queue, on the gateway that leads")
                .register(registry);
        turns = Gauge.build(
                        "sluice_jobs_turns",
                        "Jobs that are moved forward, or wait for their turn, by whether they begin or end")
                .labelNames("kind")
                .register(registry);
        away = Gauge.build("sluice_jobs_engine_away", "Whether the engine does not answer")
                .register(registry);
        calls = Histogram.build("sluice_jobs_engine_call_seconds", "Time of a call to the engine, by what was asked")
                .labelNames("call", "answer")
                .buckets(.005, .01, .025, .05, .1, .25, 1, 3, 10, 60)
                .register(registry);
        leading = Gauge.build("sluice_jobs_leading", "Whether this gateway schedules")
                .register(registry);
    }

    void asked(String call, boolean answered, long nanos) {
        calls.labels(call, answered ? "given" : "none").observe(nanos / 1e9);
    }

    void turns(boolean over, int more) {
        turns.labels(over ? "end" : "begin").inc(more);
    }

    void away(boolean isAway) {
        away.set(isAway ? 1 : 0);
    }

    void started(int tasks) {
        started.inc(tasks);
    }

    void finalised(Job.State state) {
        finalised.labels(state.name()).inc();
    }

    void failed(String step) {
        failures.labels(step).inc();
    }

    void passed(Duration time) {
        pass.observe(time.toNanos() / 1e9);
    }

    void waiting(int jobs) {
        waiting.set(jobs);
    }

    void leading(boolean leads) {
        leading.set(leads ? 1 : 0);
    }
}
