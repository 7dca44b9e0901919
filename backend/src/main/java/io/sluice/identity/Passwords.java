package io.sluice.identity;

import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.jspecify.annotations.Nullable;

/** Argon2id, off the event loop: two at once, a short queue, and a refusal for who comes after it. */
final class Passwords {
    static final int SHORTEST = 8;
    static final int LONGEST = 1024;
    private static final int AT_ONCE = 2;
    private static final int QUEUE = 64;
    private static final int HASH_BYTES = 32;
    private static final int SALT_BYTES = 16;

    private final WorkerExecutor worker;
    private final Identity.Hashing hashing;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Identity.Metrics metrics;
    private final Phc nobody;

    Passwords(Vertx vertx, Identity.Hashing hashing, Identity.Metrics metrics) {
        this.worker = vertx.createSharedWorkerExecutor("sluice-passwords", AT_ONCE, 10, TimeUnit.SECONDS);
        this.hashing = hashing;
        this.metrics = metrics;
        this.nobody = new Phc(hashing, bytes(SALT_BYTES), bytes(HASH_BYTES));
    }

    Future<String> hash(String password) {
        return bounded(() -> {
            byte[] salt = bytes(SALT_BYTES);
            return new Phc(hashing, salt, derive(password, hashing, salt, HASH_BYTES)).toString();
        });
    }

    /** Takes as long for nobody (null) as for somebody. */
    Future<Boolean> matches(String password, @Nullable String stored) {
        return bounded(() -> {
            Phc phc = stored == null ? nobody : Phc.parse(stored);
            byte[] derived = derive(password, phc.hashing, phc.salt, phc.hash.length);
            return MessageDigest.isEqual(derived, phc.hash) && stored != null;
        });
    }

    /** Whether it was made with less effort than is asked for now. */
    boolean isOutdated(String stored) {
        return !Phc.parse(stored).hashing.equals(hashing);
    }

    Future<Void> close() {
        return worker.close();
    }

    private <T> Future<T> bounded(Callable<T> work) {
        if (waiting.incrementAndGet() > QUEUE) {
            waiting.decrementAndGet();
            metrics.passwordsRefused.inc();
            return Future.failedFuture(Problem.unavailable(
                    "Too many people sign in at this moment. Try again in a few seconds.",
                    new IllegalStateException("password queue full"),
                    Duration.ofSeconds(2)));
        }
        metrics.passwordsWaiting.inc();
        return worker.executeBlocking(work, false).onComplete(done -> {
            waiting.decrementAndGet();
            metrics.passwordsWaiting.dec();
        });
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] derive(String password, Identity.Hashing hashing, byte[] salt, int length) {
        var generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(hashing.kibibytes())
                .withIterations(hashing.passes())
                .withParallelism(hashing.lanes())
                .withSalt(salt)
                .build());
        byte[] derived = new byte[length];
        generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), derived);
        return derived;
    }

    /** A stored password in the PHC string format, which names its own parameters. */
    private static final class Phc {
        final Identity.Hashing hashing;
        final byte[] salt;
        final byte[] hash;

        Phc(Identity.Hashing hashing, byte[] salt, byte[] hash) {
            this.hashing = hashing;
            this.salt = salt;
            this.hash = hash;
        }

        static Phc parse(String text) {
            String[] parts = text.split("\\$");
            if (parts.length != 6 || !parts[1].equals("argon2id") || !parts[2].equals("v=19")) {
                throw new IllegalStateException("a stored password is not in the argon2id format");
            }
            String[] costs = parts[3].split("[=,]");
            var hashing = new Identity.Hashing(
                    Integer.parseInt(costs[1]), Integer.parseInt(costs[3]), Integer.parseInt(costs[5]));
            return new Phc(
                    hashing,
                    Base64.getDecoder().decode(parts[4]),
                    Base64.getDecoder().decode(parts[5]));
        }

        @Override
        public String toString() {
            var base64 = Base64.getEncoder().withoutPadding();
            return "$argon2id$v=19$m=" + hashing.kibibytes() + ",t=" + hashing.passes() + ",p=" + hashing.lanes() + "$"
                    + base64.encodeToString(salt) + "$" + base64.encodeToString(hash);
        }
    }
}
