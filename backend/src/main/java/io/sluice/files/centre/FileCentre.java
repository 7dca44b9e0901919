package io.sluice.files.centre;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
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
import java.util.stream.Stream;

/** The door to the file centre: people's files in the browser and over the API. */
public final class FileCentre {
    static final Duration BIN_LIFE = Duration.ofDays(30);
    private static final Duration ROUND = Duration.ofHours(1);
    private static final System.Logger LOG = System.getLogger(FileCentre.class.getName());
    /** Of a job's output on the job's page. */
    private static final int SHOWN = 50;
    /** The gateway's own work is nobody's. */
    private static final long NOBODY = -1;

    private final Vertx vertx;
    private final Files files;
    private final Spaces spaces;
    private final CentreMetrics metrics;
    private final Worker worker;
    private final long timer;

    private FileCentre(Vertx vertx, Files files, CollectorRegistry registry) {
        this.vertx = vertx;
        this.files = files;
        this.spaces = new Spaces(files);
        this.metrics = new CentreMetrics(registry);
        this.worker = new Worker(vertx, metrics);
        this.timer = vertx.setPeriodic(ROUND.toMillis(), ROUND.toMillis(), round -> purge());
    }

    public static FileCentre open(Vertx vertx, Files files, CollectorRegistry registry) {
        String missing = Folder.missing();
        if (!missing.isEmpty()) {
            LOG.log(Level.ERROR, "event=files-closed The file centre can open no files here: " + missing);
        }
        return new FileCentre(vertx, files, registry);
    }

    public List<Route> routes() {
        return Stream.of(
                        new FilePageRoutes(spaces, worker).routes(),
                        new FileRoutes(spaces, worker).routes(),
                        new ContentRoutes(spaces, worker, metrics).routes(),
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
        return worker.run(NOBODY, () -> files.removeOutput(user, job))
                .onSuccess(removed -> worker.run(NOBODY, () -> {
                            Removal.clear(files.removedOutputs());
                            return job;
                        })
                        .onFailure(e -> LOG.log(Level.WARNING, "event=output-not-cleared", e)));
    }

    private void purge() {
        worker.run(NOBODY, () -> {
                    Removal.clear(files.removedOutputs());
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
                .onFailure(e -> LOG.log(Level.WARNING, "event=files-not-purged", e));
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
        try {
            if (!space.isUsed()) {
                return;
            }
            int purged = new Bin(space).purge(now - BIN_LIFE.toMillis())
                    + new Uploads(space).purge(now - Uploads.LIFE.toMillis())
                    + space.purge(now - Uploads.LIFE.toMillis());
            metrics.purged(purged);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=files-not-purged in=" + space.root(), e);
        }
    }

    public Future<Void> close() {
        vertx.cancelTimer(timer);
        return worker.close();
    }
}
