package io.sluice.endpoints;

import io.sluice.database.Database;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads once what each job was submitted with. One that can not be read keeps nobody else's endpoints waiting. */
final class Submitted {
    private static final System.Logger LOG = System.getLogger(Submitted.class.getName());

    private final Places places;
    private final EndpointStore store;
    private final EndpointMetrics metrics;
    /** Jobs whose wishes are known. */
    private final Set<Long> read = ConcurrentHashMap.newKeySet();

    Submitted(Places places, EndpointStore store, EndpointMetrics metrics) {
        this.places = places;
        this.store = store;
        this.metrics = metrics;
    }

    /** Of jobs that were not looked at yet. What fails is told, and never the whole of it. */
    Future<Void> read(List<Places.Active> active) {
        read.retainAll(active.stream().map(Places.Active::job).toList());
        var fresh = active.stream().filter(job -> !read.contains(job.job())).toList();
        if (fresh.isEmpty()) {
            return Future.succeededFuture();
        }
        return places.specs(fresh.stream().map(Places.Active::job).toList())
                .transform(found -> found.succeeded() ? all(fresh, found.result()) : each(fresh, found.cause()));
    }

    private Future<Void> all(List<Places.Active> fresh, Map<Long, JobSpec> specs) {
        return Future.join(fresh.stream()
                        .map(job -> settled(job, add(job, specs.get(job.job()))))
                        .toList())
                .mapEmpty();
    }

    /** One of them is at fault, and each is asked for alone; or the database is away, and they are all asked for again. */
    private Future<Void> each(List<Places.Active> fresh, Throwable cause) {
        Future<Void> done = Future.succeededFuture();
        if (Database.isUnavailable(cause)) {
            return done;
        }
        for (Places.Active job : fresh) {
            done = done.compose(before ->
                    settled(job, places.specs(List.of(job.job())).compose(specs -> add(job, specs.get(job.job())))));
        }
        return done;
    }

    private Future<Void> add(Places.Active job, @Nullable JobSpec spec) {
        if (spec == null) {
            return Future.succeededFuture();
        }
        return Future.succeededFuture()
                .compose(begun -> Future.join(
                        Wishes.of(job, spec).stream().map(store::addOnce).toList()))
                .mapEmpty();
    }

    /** What the values are at fault for, they are at fault for again. */
    private Future<Void> settled(Places.Active job, Future<Void> added) {
        return added.onSuccess(done -> read.add(job.job())).recover(failure -> {
            if (!Database.isUnavailable(failure)) {
                read.add(job.job());
                metrics.fault();
                LOG.log(
                        System.Logger.Level.WARNING,
                        "event=endpoints-not-read job={0} cause=\"{1}\"",
                        job.key(),
                        failure.getMessage());
            }
            return Future.succeededFuture();
        });
    }
}
