package io.sluice.files.datasets;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
import io.sluice.files.quota.Tally;
import io.sluice.files.shares.Share;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts what datasets in shares hold, one after the other on one thread: when they are accepted or others, and each day anew. */
final class Counting {
    private static final System.Logger LOG = System.getLogger(Counting.class.getName());
    private static final Duration ROUND = Duration.ofSeconds(20);
    /** For so long nobody else counts it; whoever is at it says so again in time. */
    private static final Duration CLAIM = Duration.ofMinutes(10);

    private static final int EVERY_SECONDS = 86_400;

    private final Vertx vertx;
    private final Files files;
    private final DatasetStore store;
    private final DatasetMetrics metrics;
    private final WorkerExecutor thread;
    private final long timer;
    private final AtomicBoolean counting = new AtomicBoolean();
    private volatile boolean closed;

    Counting(Vertx vertx, Files files, DatasetStore store, CollectorRegistry registry) {
        this.vertx = vertx;
        this.files = files;
        this.store = store;
        this.metrics = new DatasetMetrics(registry);
        // a large tree takes as long as it takes
        this.thread = vertx.createSharedWorkerExecutor("sluice-datasets", 1, EVERY_SECONDS, TimeUnit.SECONDS);
        this.timer = vertx.setPeriodic(ROUND.toMillis(), round -> ring());
    }

    /** Somebody waits for it. */
    void ring() {
        if (counting.compareAndSet(false, true)) {
            next().onFailure(e -> LOG.log(Level.WARNING, "event=dataset-not-counted", e))
                    .onComplete(over -> counting.set(false));
        }
    }

    private Future<Void> next() {
        if (closed) {
            return Future.succeededFuture();
        }
        return store.next(CLAIM)
                .compose(due -> due.isEmpty() || closed
                        ? Future.succeededFuture()
                        : count(due.get()).compose(counted -> next()));
    }

    private Future<Void> count(Dataset dataset) {
        long claiming = vertx.setPeriodic(
                CLAIM.toMillis() / 3,
                round -> store.claim(dataset, CLAIM)
                        .onFailure(e -> LOG.log(Level.WARNING, "dataset=" + dataset.id() + " event=not-claimed", e)));
        return counted(dataset).eventually(() -> {
            vertx.cancelTimer(claiming);
            return Future.succeededFuture();
        });
    }

    private Future<Void> counted(Dataset dataset) {
        return files.allShares()
                .compose(shares -> shares.stream()
                        .filter(share -> share.name().equals(dataset.origin().share()))
                        .findFirst()
                        .map(share -> thread.executeBlocking(() -> tally(share, dataset.origin()), false))
                        .orElseGet(() -> Future.failedFuture(new NoSuchFileException("the share is no more"))))
                .transform((tally, failure) -> {
                    metrics.counted(failure == null);
                    return failure == null ? store.counted(dataset, tally, EVERY_SECONDS) : failed(dataset, failure);
                });
    }

    /** By the gateway's own rights: the administrator has accepted it. */
    private Tally tally(Share share, Origin origin) throws IOException {
        try (Folder top = Folder.open(files.share(share), Owner.GATEWAY)) {
            if (!origin.place().isRoot()) {
                try (Folder above = top.folder(origin.place().above())) {
                    Found found = above.found(origin.place().name());
                    if (found.isFile()) {
                        return new Tally(found.size(), 1);
                    }
                }
            }
            return Tally.of(top.folder(origin.place()));
        }
    }

    private Future<Void> failed(Dataset dataset, Throwable failure) {
        String fault = switch (failure) {
            case Refused refused -> refused.why().name().toLowerCase(Locale.ROOT);
            case NoSuchFileException gone -> "missing";
            default -> "other";
        };
        LOG.log(Level.INFO, "dataset={0} event=not-counted why={1}", dataset.id(), failure);
        return store.uncounted(
                dataset, fault.equals("missing") || fault.equals("link") ? fault : "other", EVERY_SECONDS);
    }

    Future<Void> close() {
        closed = true;
        vertx.cancelTimer(timer);
        return thread.close();
    }
}
