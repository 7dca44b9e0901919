package io.sluice.files.uploads;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who sends what at the moment, through this gateway. */
public final class Intake {
    private static final Map<String, String> ALGORITHMS = Map.of("sha1", "SHA-1", "sha256", "SHA-256", "md5", "MD5");

    private record Line(Receiving receiving, Future<Void> over) {}

    private final Map<String, Line> lines = new ConcurrentHashMap<>();

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

    /** How a piece was taken. */
    public enum End {
        TAKEN,
        OTHER_CHECKSUM
    }

    /** What is on its way through another connection ends first: whoever asks anew has lost that one. */
    public Future<Void> alone(String id) {
        Line line = lines.get(id);
        if (line == null) {
            return Future.succeededFuture();
        }
        line.receiving().cut();
        return line.over();
    }

    public int open() {
        return lines.size();
    }

    /**
     * Takes a piece, and puts the file in its place when it was the last.
     *
     * @param context on which the piece comes
     */
    public Future<End> take(
            Context context,
            Uploads uploads,
            Upload upload,
            ReadStream<Buffer> body,
            @Nullable Checksum checksum,
            Receiving.Worker worker) {
        return worker.run(() -> uploads.take(upload, checksum != null)).compose(taking -> {
            MessageDigest digest = checksum == null ? null : checksum.digest();
            var receiving = new Receiving(context, body, taking, worker, digest);
            Future<Void> over = receiving
                    .receive()
                    .eventually(() -> worker.after(() -> {
                        taking.close();
                        return taking;
                    }));
            var line = new Line(receiving, over.otherwiseEmpty());
            lines.put(upload.id(), line);
            return over.eventually(() -> {
                        lines.remove(upload.id(), line);
                        return Future.succeededFuture();
                    })
                    .compose(received -> worker.run(() -> ended(uploads, upload, checksum, digest)));
        });
    }

    private static End ended(
            Uploads uploads, Upload upload, @Nullable Checksum checksum, @Nullable MessageDigest digest)
            throws java.io.IOException {
        if (checksum != null && digest != null) {
            if (!Arrays.equals(digest.digest(), checksum.value())) {
                return End.OTHER_CHECKSUM;
            }
            uploads.believe(upload);
        }
        uploads.finish(upload);
        return End.TAKEN;
    }
}
