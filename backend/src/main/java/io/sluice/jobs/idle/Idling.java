package io.sluice.jobs.idle;

import io.sluice.database.Database;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
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
        private static final int BYTES = 32;
        private final byte[] bytes;

        private Key(byte[] bytes) {
            this.bytes = bytes;
        }

        /** Makes it if there is none yet. */
        public static Key open(Path file) throws IOException {
            byte[] fresh = new byte[BYTES];
            new SecureRandom().nextBytes(fresh);
            var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            try (var channel = Files.newByteChannel(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.DSYNC),
                    ownerOnly)) {
                channel.write(ByteBuffer.wrap(HexFormat.of().formatHex(fresh).getBytes(StandardCharsets.US_ASCII)));
                return new Key(fresh);
            } catch (FileAlreadyExistsException e) {
                return read(file);
            }
        }

        private static Key read(Path file) throws IOException {
            try {
                byte[] bytes = HexFormat.of().parseHex(Files.readString(file).strip());
                if (bytes.length == BYTES) {
                    return new Key(bytes);
                }
            } catch (IllegalArgumentException e) {
                throw new IOException(damaged(file), e);
            }
            throw new IOException(damaged(file));
        }

        private static String damaged(Path file) {
            return "The key file " + file
                    + " is damaged; restore it from a backup, or remove it: then webhooks are signed"
                    + " with other secrets, which the page of virtual clusters shows.";
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
