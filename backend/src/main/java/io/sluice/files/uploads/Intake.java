package io.sluice.files.uploads;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who has which upload at the moment, of all that come to this gateway: one at a time. */
public final class Intake {
    private static final Map<String, String> ALGORITHMS = Map.of("sha1", "SHA-1", "sha256", "SHA-256", "md5", "MD5");

    /** Whoever has an upload, until they are done with it. */
    private static final class Line {
        final Promise<Void> over = Promise.promise();
        private @Nullable Receiving receiving;
        private boolean cut;

        synchronized void receives(Receiving by) {
            receiving = by;
            if (cut) {
                by.cut();
            }
        }

        synchronized void cut() {
            cut = true;
            if (receiving != null) {
                receiving.cut();
            }
        }
    }

    private final Map<Key, Line> lines = new ConcurrentHashMap<>();

    /** An upload of somebody's: in their own home anybody may give one any number, and that is not another's. */
    public record Key(long user, String upload) {}

    /**
     * A piece's checksum as its sender has it.
     *
     * @param algorithm as tus names it
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Checksum(String algorithm, byte[] value) {
        public boolean isKnown() {
            return ALGORITHMS.containsKey(algorithm);
        }

        MessageDigest digest() {
            try {
                return MessageDigest.getInstance(ALGORITHMS.getOrDefault(algorithm, algorithm));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(algorithm, e);
            }
        }
    }

    /**
     * What somebody sends.
     *
     * @param context on which it comes
     * @param gone whether they have left: who has left before they were listened to is not told of again
     */
    public record Piece(
            Context context,
            ReadStream<Buffer> body,
            BooleanSupplier gone,
            @Nullable Checksum checksum) {}

    /** How a piece was taken. */
    public enum End {
        TAKEN,
        OTHER_CHECKSUM
    }

    /**
     * What is on its way through another connection ends first: whoever asks anew has lost that one.
     *
     * @param context of whoever asks, on which the step begins
     */
    public <T> Future<T> alone(Context context, Key key, Supplier<Future<T>> step) {
        var line = new Line();
        Line before = lines.putIfAbsent(key, line);
        if (before == null) {
            return step.get().eventually(() -> {
                lines.remove(key, line);
                line.over.complete();
                return Future.succeededFuture();
            });
        }
        before.cut();
        Promise<T> promise = Promise.promise();
        before.over
                .future()
                .onComplete(over ->
                        context.runOnContext(now -> alone(context, key, step).onComplete(promise)));
        return promise.future();
    }

    public int open() {
        return lines.size();
    }

    /** Takes a piece of an upload that whoever calls has alone, and puts the file in its place when it was the last. */
    public Future<End> take(Key key, Uploads uploads, Upload upload, Piece piece, Receiving.Worker worker) {
        Checksum checksum = piece.checksum();
        return worker.run(() -> uploads.take(upload, checksum != null)).compose(taking -> {
            MessageDigest digest = checksum == null ? null : checksum.digest();
            var receiving = new Receiving(piece.context(), piece.body(), taking, worker, digest);
            Future<Void> received = receiving.receive();
            if (piece.gone().getAsBoolean()) {
                receiving.cut();
            }
            Line line = lines.get(key);
            if (line != null) {
                line.receives(receiving);
            }
            return received.compose(whole -> worker.after(() -> ended(uploads, taking, checksum, digest)))
                    .eventually(() -> worker.after(() -> {
                        taking.close();
                        return taking;
                    }));
        });
    }

    private static End ended(
            Uploads uploads, Taking taking, @Nullable Checksum checksum, @Nullable MessageDigest digest)
            throws IOException {
        if (checksum != null && digest != null) {
            if (!Arrays.equals(digest.digest(), checksum.value())) {
                return End.OTHER_CHECKSUM;
            }
            uploads.believe(taking);
        }
        uploads.finish(taking);
        return End.TAKEN;
    }
}
