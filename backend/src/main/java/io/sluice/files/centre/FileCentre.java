package io.sluice.files.centre;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
import io.sluice.files.space.Bin;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.uploads.Uploads;
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
    /** The gateway's own work is nobody's. */
    private static final long NOBODY = -1;

    private final Vertx vertx;
    private final Files files;
    private final CentreMetrics metrics;
    private final Worker worker;
    private final long timer;

    private FileCentre(Vertx vertx, Files files, CollectorRegistry registry) {
        this.vertx = vertx;
        this.files = files;
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
        var spaces = new Spaces(files);
        return Stream.of(
                        new FilePageRoutes(spaces, worker).routes(),
                        new FileRoutes(spaces, worker).routes(),
                        new ContentRoutes(spaces, worker, metrics).routes(),
                        new UploadRoutes(spaces, worker, metrics).routes())
                .flatMap(List::stream)
                .toList();
    }

    private void purge() {
        worker.run(NOBODY, () -> {
                    for (Path home : files.homes()) {
                        purge(home, System.currentTimeMillis());
                    }
                    return files;
                })
                .onFailure(e -> LOG.log(Level.WARNING, "event=files-not-purged", e));
    }

    /** What is old of one home. That of another does not wait for it. */
    void purge(Path home, long now) {
        try {
            var space = new Space(home, Owner.of(home), true);
            if (!space.isUsed()) {
                return;
            }
            int purged = new Bin(space).purge(now - BIN_LIFE.toMillis())
                    + new Uploads(space).purge(now - Uploads.LIFE.toMillis())
                    + space.purge(now - Uploads.LIFE.toMillis());
            metrics.purged(purged);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=files-not-purged home=" + home, e);
        }
    }

    public Future<Void> close() {
        vertx.cancelTimer(timer);
        return worker.close();
    }
}
