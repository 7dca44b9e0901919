package io.sluice.jobs.data.back;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.files.stores.Stores;
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Uploads in parts that were begun for jobs and are not finished. Only what stands here is taken up again or given up: whoever else sends to the
 * same bucket has uploads of their own.
 */
public final class Unfinished {
    private static final System.Logger log = System.getLogger(Unfinished.class.getName());
    /** Given up at a time. */
    private static final int LOT = 20;

    /** An upload, by what the store calls it. */
    public record Upload(long job, long user, String store, String bucket, String key, String id, boolean old) {}

    /** Tells a store to throw it away. */
    @FunctionalInterface
    public interface Abort {
        void of(Upload upload) throws IOException;
    }

    /** Those of one job. */
    public final class Own {
        private final long job;
        private final long user;

        private Own(long job, long user) {
            this.job = job;
            this.user = user;
        }

        /** The newest for an object. */
        public Future<Optional<String>> known(Stores.Place place, String key) {
            return uploads.known(job, place.store().name(), place.bucket(), key);
        }

        public Future<Void> begun(Stores.Place place, String key, String id) {
            return uploads.begun(upload(place, key, id));
        }

        /** It is finished, or the store has it no more. */
        public Future<Void> over(Stores.Place place, String key, String id) {
            return uploads.over(upload(place, key, id));
        }

        private Upload upload(Stores.Place place, String key, String id) {
            return new Upload(job, user, place.store().name(), place.bucket(), key, id, false);
        }
    }

    private final UploadStore uploads;
    private final UploadMetrics metrics;
    private final AtomicBoolean givingUp = new AtomicBoolean();

    public Unfinished(Database database, CollectorRegistry registry) {
        this.uploads = new UploadStore(database);
        this.metrics = new UploadMetrics(registry);
    }

    public Own of(long job, long user) {
        return new Own(job, user);
    }

    /**
     * Those of jobs that are over, some at a time, beside what waits for it: a store may take its time. One that does not throw one away is asked
     * again, for a week.
     */
    public void giveUp(Abort abort) {
        if (givingUp.compareAndSet(false, true)) {
            Thread.ofVirtual().name("sluice-data-left").start(() -> {
                try {
                    each(abort);
                } catch (RuntimeException e) { // the database; there is another time
                    log.log(Level.WARNING, "uploads=left cause=\"{0}\"", e.getMessage());
                } finally {
                    givingUp.set(false);
                }
            });
        }
    }

    private void each(Abort abort) {
        for (Upload upload : uploads.left(LOT).await()) {
            try {
                abort.of(upload);
                uploads.over(upload).await();
                metrics.aborted();
            } catch (IOException | RuntimeException e) {
                if (upload.old()) {
                    uploads.over(upload).await();
                    metrics.left();
                }
                log.log(
                        Level.WARNING,
                        "job={0} upload={1} store={2} key={3} given-up=no cause=\"{4}\"",
                        Long.toString(upload.job()),
                        upload.id(),
                        upload.store(),
                        upload.key(),
                        e.getMessage());
            }
        }
    }
}
