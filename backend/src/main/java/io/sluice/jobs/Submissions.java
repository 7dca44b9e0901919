package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.life.Failpoint;
import io.sluice.jobs.mounts.Mounts;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.stores.StoreKeys;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The way of a text into the queue: what is wrong with it is told, what is right is stored once, however often it is sent. */
final class Submissions {
    private final JobStore store;
    private final Clusters clusters;
    private final Mounts mounts;
    private final StoreKeys stores;
    private final Vault vault;
    private final JobMetrics metrics;
    private final Failpoint failpoint;
    private final Allowance allowance;
    private final Runnable changed;
    private final Apps apps;

    /** @param changed is run when there is another job */
    Submissions(
            JobStore store,
            Clusters clusters,
            Mounts mounts,
            StoreKeys stores,
            Vault vault,
            JobMetrics metrics,
            Failpoint failpoint,
            Allowance allowance,
            Apps apps,
            Runnable changed) {
        this.store = store;
        this.clusters = clusters;
        this.mounts = mounts;
        this.stores = stores;
        this.vault = vault;
        this.metrics = metrics;
        this.failpoint = failpoint;
        this.allowance = allowance;
        this.apps = apps;
        this.changed = changed;
    }

    /** @param refusal why it can not start, whatever it is; null: it can */
    Future<Submitted> take(Caller caller, String text, @Nullable String idempotencyKey, @Nullable Exit refusal) {
        var wait = allowance.take(caller.id());
        if (wait.isPresent()) {
            return idempotencyKey == null
                    ? tooMany(wait.get())
                    : repeated(caller, text, idempotencyKey)
                            .compose(earlier ->
                                    earlier.isPresent() ? Future.succeededFuture(earlier.get()) : tooMany(wait.get()));
        }
        return read(caller, text, idempotencyKey, refusal).onSuccess(submitted -> {
            if (submitted instanceof Submitted.Stored stored && stored.again()) {
                allowance.giveBack(caller.id());
            }
        });
    }

    private <T> Future<T> tooMany(Duration wait) {
        metrics.submitted("too_many");
        return Future.failedFuture(
                Problem.tooMany("You have submitted as many jobs as one user may in an hour.", wait));
    }

    /** What an earlier submission with the same key became: who only asks again because the answer was lost is always answered. */
    private Future<Optional<Submitted>> repeated(Caller caller, String text, String key) {
        return store.earlier(caller.id(), caller.name(), "", key)
                .map(found -> found.filter(earlier -> hash(text).equals(earlier.bodyHash()))
                        .map(earlier -> {
                            metrics.submitted("again");
                            return new Submitted.Stored(earlier.id(), caller.name(), earlier.name(), true, List.of());
                        }));
    }

    /** One more of those that a user may have in an hour. */
    private Future<Void> counted(Caller caller) {
        return allowance.take(caller.id()).map(this::<Void>tooMany).orElseGet(Future::succeededFuture);
    }

    /** A stopped job goes back into the queue, which counts like another one. The answer is whether it was stopped. */
    Future<Boolean> again(Caller caller, Job job, @Nullable Exit refusal) {
        if (refusal != null) {
            return Future.failedFuture(Problem.of(Problem.Kind.FORBIDDEN, String.valueOf(refusal.message())));
        }
        return counted(caller)
                .compose(counted -> withinQuota(caller))
                .compose(within -> clusters.barred(caller, job.virtualCluster()))
                .compose(barred -> barred.isPresent()
                        ? Future.failedFuture(barred.get().problem(caller))
                        : store.start(job.id(), "Started again by " + caller.name() + "."))
                .onSuccess(news -> {
                    if (news) {
                        changed.run();
                    }
                });
    }

    private Future<Submitted> read(
            Caller caller, String text, @Nullable String idempotencyKey, @Nullable Exit refusal) {
        return switch (Protocols.read(text, apps)) {
            case Read.Refused refused -> {
                metrics.submitted("refused");
                yield Future.succeededFuture(
                        new Submitted.Refused(refused.code(), refused.message(), refused.faults()));
            }
            case Read.Accepted accepted ->
                mounts.missing(caller.id(), accepted.spec())
                        .compose(missing -> missing.isPresent()
                                ? missing(missing.get())
                                : supplied(caller, accepted)
                                        .compose(supplied ->
                                                allowed(caller, accepted, idempotencyKey, hash(text), refusal)));
        };
    }

    /** Fails where its data can not be had: a store that nobody knows, or no key for it. */
    private Future<Void> supplied(Caller caller, Read.Accepted job) {
        return stores.barred(caller.id(), job.spec().data()).compose(why -> {
            if (why.isEmpty()) {
                return Future.succeededFuture();
            }
            metrics.submitted("no_store");
            return Future.failedFuture(why.get());
        });
    }

    private Future<Submitted> missing(String storage) {
        metrics.submitted("no_storage");
        return Future.succeededFuture(new Submitted.NoStorage(storage));
    }

    private Future<Submitted> allowed(
            Caller caller, Read.Accepted job, @Nullable String key, String hash, @Nullable Exit refusal) {
        return withinQuota(caller)
                .compose(within -> clusters.barred(caller, job.spec().virtualCluster()))
                .compose(barred -> barred.isPresent() ? barred(barred.get()) : store(caller, job, key, hash, refusal));
    }

    /** Fails where whoever keeps more than they may can have nothing run. */
    private Future<Void> withinQuota(Caller caller) {
        return mounts.barred(caller.id()).compose(over -> {
            if (over.isEmpty()) {
                return Future.succeededFuture();
            }
            metrics.submitted("over_quota");
            return Future.failedFuture(over.get());
        });
    }

    private Future<Submitted> barred(Clusters.Barred why) {
        metrics.submitted("barred");
        return Future.succeededFuture(new Submitted.Barred(why));
    }

    private Future<Submitted> store(
            Caller caller, Read.Accepted job, @Nullable String key, String hash, @Nullable Exit refusal) {
        JobSpec spec = job.spec();
        var submission = JobStore.Submission.of(
                caller.id(), caller.name(), job, refusal, key, key == null ? null : hash, sealed(caller, job));
        failpoint.pass("submit.beforeCommit");
        return store.submit(submission)
                .recover(e -> key != null && Database.isConflict(e, "jobs_idempotency")
                        ? Future.succeededFuture(Optional.empty())
                        : Future.failedFuture(e))
                .compose(id -> {
                    failpoint.pass("submit.afterCommit");
                    return id.isPresent()
                            ? Future.succeededFuture(stored(id.get(), caller, spec, sentences(job)))
                            : collided(caller, spec, key, hash, sentences(job));
                });
    }

    private @Nullable Buffer sealed(Caller caller, Read.Accepted job) {
        return job.secrets().isEmpty()
                ? null
                : Buffer.buffer(vault.seal(
                        Json.write(job.secrets()),
                        caller.name() + "~" + job.spec().name()));
    }

    private static List<String> sentences(Read.Accepted job) {
        return job.warnings().stream().map(Read.Warning::sentence).toList();
    }

    private Submitted stored(long id, Caller caller, JobSpec spec, List<String> warnings) {
        metrics.submitted("stored");
        changed.run();
        return new Submitted.Stored(id, caller.name(), spec.name(), false, warnings);
    }

    private Future<Submitted> collided(
            Caller caller, JobSpec spec, @Nullable String key, String hash, List<String> warnings) {
        return store.earlier(caller.id(), caller.name(), spec.name(), key).map(found -> {
            var earlier = found.orElseThrow();
            if (!earlier.sameKey() || key == null) {
                metrics.submitted("name_taken");
                return new Submitted.NameTaken(caller.name(), spec.name());
            }
            if (!hash.equals(earlier.bodyHash())) {
                metrics.submitted("key_reused");
                return new Submitted.KeyReused(key, earlier.name());
            }
            metrics.submitted("again");
            return new Submitted.Stored(earlier.id(), caller.name(), earlier.name(), true, warnings);
        });
    }

    private static String hash(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
