package io.sluice.files.centre;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
import io.sluice.files.links.Links;
import io.sluice.files.quota.Quotas;
import io.sluice.files.quota.Tally;
import io.sluice.files.shares.Share;
import io.sluice.files.space.Bin;
import io.sluice.files.space.Removal;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.uploads.Uploads;
import io.sluice.web.Caller;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** The door to the file centre: people's files in the browser and over the API. */
public final class FileCentre {
    static final Duration BIN_LIFE = Duration.ofDays(30);
    private static final Duration COUNTING = Duration.ofSeconds(15);
    private static final Duration ROUND = Duration.ofHours(1);
    /** Of one home in a round; what is left goes in the next. */
    private static final int MOST_PURGED = 200_000;

    private static final Duration LONGEST_PURGE = Duration.ofMinutes(1);
    private static final System.Logger LOG = System.getLogger(FileCentre.class.getName());
    /** Of a job's output on the job's page. */
    private static final int SHOWN = 50;
    /** The gateway's own work is nobody's. */
    private static final long NOBODY = -1;

    private final Vertx vertx;
    private final Files files;
    private final Links links;
    private final Spaces spaces;
    private final CentreMetrics metrics;
    private final Worker worker;
    private final Worker slow;
    private final long timer;
    private final long counter;
    private final Operations operations;
    private final AtomicBoolean counting = new AtomicBoolean();
    private final AtomicBoolean purging = new AtomicBoolean();

    private FileCentre(Vertx vertx, Files files, Links links, CollectorRegistry registry) {
        this.vertx = vertx;
        this.files = files;
        this.links = links;
        this.spaces = new Spaces(files);
        this.metrics = new CentreMetrics(registry);
        this.worker = Worker.quick(vertx, metrics);
        this.slow = Worker.slow(vertx, metrics);
        this.operations = Operations.open(vertx, spaces, worker, slow, metrics);
        this.timer = vertx.setPeriodic(ROUND.toMillis(), ROUND.toMillis(), round -> purge());
        files.quotas().ifPresent(quotas -> quotas.listen(() -> count(quotas)));
        this.counter =
                vertx.setPeriodic(COUNTING.toMillis(), round -> files.quotas().ifPresent(this::count));
    }

    public static FileCentre open(Vertx vertx, Files files, Links links, CollectorRegistry registry) {
        String missing = Folder.missing();
        if (!missing.isEmpty()) {
            LOG.log(Level.ERROR, "event=files-closed The file centre can open no files here: " + missing);
        }
        return new FileCentre(vertx, files, links, registry);
    }

    public List<Route> routes() {
        var content = new ContentRoutes(spaces, worker, metrics);
        return Stream.of(
                        files.routes(),
                        new FilePageRoutes(spaces, worker).routes(),
                        new FileRoutes(spaces, worker, operations, metrics).routes(),
                        content.routes(),
                        new LinkRoutes(links, spaces, worker, content).routes(),
                        new UploadRoutes(spaces, worker, metrics).routes())
                .flatMap(List::stream)
                .toList();
    }

    /**
     * A page of what a job has left behind.
     *
     * @param user whose job it is
     * @param asks who looks; only whose it is can open what they see
     */
    public Future<FilePage> output(long user, String name, String job, Caller asks) {
        return worker.run(asks.id(), () -> {
            Place place = Place.ROOT.with(job);
            var space = new Space(files.outputs(user), Owner.of(files.home(user, name)), false);
            try {
                Space.Page page = space.list(place, null, SHOWN);
                return FilePage.of(name, Spaces.OUTPUT, place, page, List.of()).seen(asks.id() == user);
            } catch (Refused refused) {
                if (refused.why() != Refused.Why.MISSING) {
                    throw refused;
                }
                return FilePage.of(name, Spaces.OUTPUT, place, new Space.Page(List.of(), null, 0), List.of());
            }
        });
    }

    /** For good, of a job that has ended. The answer is whether it had one. */
    public Future<Boolean> removeOutput(long user, String job) {
        files.quotas()
                .ifPresent(quotas ->
                        quotas.removed(user).onFailure(e -> LOG.log(Level.WARNING, "event=files-not-counted", e)));
        return worker.run(NOBODY, () -> files.removeOutput(user, job))
                .onSuccess(removed -> slow.run(NOBODY, this::clearOutputs)
                        .onFailure(e -> LOG.log(Level.WARNING, "event=output-not-cleared", e)));
    }

    private Files clearOutputs() {
        try {
            Removal.clear(files.removedOutputs());
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=output-not-cleared", e);
        }
        return files;
    }

    private void purge() {
        links.purge().onFailure(e -> LOG.log(Level.WARNING, "event=links-not-purged", e));
        if (!purging.compareAndSet(false, true)) {
            return;
        }
        slow.run(NOBODY, () -> {
                    clearOutputs();
                    long now = System.currentTimeMillis();
                    for (Path home : files.homes()) {
                        purge(home, now);
                    }
                    for (Share share : files.allShares().await()) {
                        for (Space corner : spaces.corners(share)) {
                            purge(corner, now);
                        }
                    }
                    return files;
                })
                .onFailure(e -> LOG.log(Level.WARNING, "event=files-not-purged", e))
                .onComplete(over -> purging.set(false));
    }

    /** What is old of one home. That of another does not wait for it. */
    void purge(Path home, long now) {
        try {
            purge(new Space(home, Owner.of(home), true), now);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=files-not-purged home=" + home, e);
        }
    }

    private void purge(Space space, long now) {
        var portion = new Removal.Portion(MOST_PURGED, LONGEST_PURGE);
        try {
            if (space.isUsed()) {
                long before = now - Uploads.LIFE.toMillis();
                purge(space, () -> new Bin(space).purge(now - BIN_LIFE.toMillis(), portion));
                purge(space, () -> new Uploads(space).purge(before, portion));
                purge(space, () -> space.purge(before, portion));
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=files-not-purged in=" + space.root(), e);
        }
    }

    /** One part that can not be cleared keeps no other. */
    private void purge(Space space, Callable<Integer> part) {
        try {
            metrics.purged(part.call());
        } catch (Removal.Enough enough) {
            metrics.refused("purge");
            LOG.log(Level.WARNING, "event=files-not-all-purged in={0} The rest goes in the next round.", space.root());
        } catch (Exception e) {
            LOG.log(Level.WARNING, "event=files-not-purged in=" + space.root(), e);
        }
    }

    /** One after the other, whoever is due; no two at once. */
    private void count(Quotas quotas) {
        if (!counting.compareAndSet(false, true)) {
            return;
        }
        countNext(quotas)
                .onFailure(e -> LOG.log(Level.WARNING, "event=files-not-counted", e))
                .onComplete(over -> counting.set(false));
    }

    Future<Void> countNext(Quotas quotas) {
        return quotas.next()
                .compose(due -> due.isEmpty()
                        ? Future.succeededFuture()
                        : slow.run(NOBODY, () -> tally(due.get()))
                                .compose(tally -> quotas.counted(due.get().user(), tally))
                                .compose(counted -> countNext(quotas)));
    }

    /** What an upload under way is going to take is taken. */
    private Tally tally(Quotas.Due due) throws IOException {
        Tally tally = files.tally(due.user(), due.name());
        metrics.counted();
        if (tally.files() == 0) {
            return tally;
        }
        Path home = files.home(due.user(), due.name());
        var space = new Space(home, Owner.of(home), true);
        return space.isUsed() ? tally.plus(new Tally(new Uploads(space).outstanding(), 0)) : tally;
    }

    public Future<Void> close() {
        vertx.cancelTimer(timer);
        vertx.cancelTimer(counter);
        return operations.close().compose(closed -> worker.close()).compose(closed -> slow.close());
    }
}
