package io.sluice.jobs.idle;

import io.sluice.database.Database;
import io.sluice.jobs.keys.KeyFile;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The door to what becomes of jobs whose devices do nothing. Each answer is whether that was news. */
public final class Idling {
    /** Of the history: {@code pages.Happening} has their words. */
    private static final String WARNED = "IdleWarning";

    private static final String OVER = "IdleOver";
    private static final String KEPT = "IdleKept";
    private static final String REQUEUED = "IdleRequeued";
    private static final String UNTOLD = "IdleNotTold";

    /** Stops an attempt of a job. */
    @FunctionalInterface
    public interface Stop {
        Future<Boolean> stop(long job, @Nullable Integer attempt, String message);
    }

    /** Signs what virtual clusters' webhooks are told. Lies in the data folder, which gateways that share a database share. */
    public static final class Key {
        private final byte[] bytes;

        private Key(byte[] bytes) {
            this.bytes = bytes;
        }

        /** Makes it if there is none yet. */
        public static Key open(Path file) throws IOException {
            return new Key(KeyFile.open(
                    file, ": then webhooks are signed with other secrets, which the page of virtual clusters shows"));
        }

        private String secret(String cluster) {
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(bytes, "HmacSHA256"));
                byte[] own = mac.doFinal(("webhook " + cluster).getBytes(StandardCharsets.UTF_8));
                return "whsec_" + Base64.getEncoder().encodeToString(own);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this JVM has no HmacSHA256", e);
            }
        }
    }

    private final IdlingStore store;
    private final Key key;
    private final Runnable changed;
    private final Stop stop;

    /** @param changed is run when a job is another */
    public Idling(Database database, Key key, Runnable changed, Stop stop) {
        this.store = new IdlingStore(database);
        this.key = key;
        this.changed = changed;
        this.stop = stop;
    }

    /** With which a virtual cluster's webhook proves whose it is, as Standard Webhooks writes it. For administrators. */
    public String secret(String cluster) {
        return key.secret(cluster);
    }

    public Future<Boolean> warned(long job, int attempt, long minutes) {
        return store.note(job, attempt, true, WARNED, "Its devices have done nothing for " + minutes + " minutes.")
                .onSuccess(this::told);
    }

    /** It does something again. */
    public Future<Boolean> over(long job, int attempt) {
        return store.note(job, attempt, false, OVER, "It does something again.").onSuccess(this::told);
    }

    public Future<Boolean> kept(long job, int attempt, String by, int hours) {
        return store.note(job, attempt, false, KEPT, "Kept for " + hours + " hours by " + by + ".")
                .onSuccess(this::told);
    }

    /** What was to be told outside could not be. */
    public Future<Boolean> untold(long job, int attempt, String why) {
        return store.note(job, attempt, true, UNTOLD, why).onSuccess(this::told);
    }

    public Future<Boolean> stop(long job, int attempt, long minutes) {
        return stop.stop(job, attempt, "Stopped because its devices did nothing for " + minutes + " minutes.")
                .onSuccess(this::told);
    }

    /** It ends, and begins anew when its turn comes. */
    public Future<Boolean> requeue(long job, int attempt, long minutes) {
        return store.requeue(
                        job,
                        attempt,
                        REQUEUED,
                        "Put back into the queue because its devices did nothing for " + minutes + " minutes.")
                .onSuccess(this::told);
    }

    private void told(boolean news) {
        if (news) {
            changed.run();
        }
    }
}
