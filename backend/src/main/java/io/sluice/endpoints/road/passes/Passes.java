package io.sluice.endpoints.road.passes;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who may go where. A ticket leads there once; what it is changed into is looked at again every two seconds, so that who
 * signs out, is disabled, loses the job or came in a week ago is cut off wherever they are.
 */
public final class Passes {
    static final Duration TICKET = Duration.ofSeconds(60);
    private static final Duration LIFE = Duration.ofDays(7);
    private static final long LOOK_MILLIS = 2_000;
    private static final long TIDY_MILLIS = 60_000;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long LEFT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST = 20_000;
    private static final int BYTES = 32;
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final System.Logger LOG = System.getLogger(Passes.class.getName());

    private final Vertx vertx;
    private final PassStore store;
    private final Authenticator authenticator;
    private final PassMetrics metrics;
    /** In nanoseconds. */
    private final LongSupplier clock;

    private final ConcurrentMap<String, Pass> known;
    /** Given back a moment ago, and when: who reads the table meanwhile may still find them there. */
    private final Map<String, Long> left = new ConcurrentHashMap<>();

    /** What checks have come in with. */
    private final Set<String> checking = ConcurrentHashMap.newKeySet();

    private final List<Long> timers;

    public Passes(Vertx vertx, Database database, Authenticator authenticator, CollectorRegistry registry) {
        this(vertx, database, authenticator, registry, System::nanoTime, new ConcurrentHashMap<>());
    }

    Passes(
            Vertx vertx,
            Database database,
            Authenticator authenticator,
            CollectorRegistry registry,
            LongSupplier clock,
            ConcurrentMap<String, Pass> known) {
        this.vertx = vertx;
        this.known = known;
        this.clock = clock;
        this.store = new PassStore(database);
        this.authenticator = authenticator;
        this.metrics = new PassMetrics(registry);
        this.timers =
                List.of(vertx.setPeriodic(LOOK_MILLIS, tick -> look()), vertx.setPeriodic(TIDY_MILLIS, tick -> tidy()));
    }

    public Future<String> ticket(String endpoint, Caller caller, String portal) {
        String token = token();
        return store.add(hash(token), endpoint, true, new PassStore.Holder(caller, portal), TICKET)
                .map(token);
    }

    /**
     * What a browser shows from now on.
     *
     * @param portal where it came from
     */
    public record Entry(String token, String portal) {}

    /** What a ticket is changed into. */
    public Future<Optional<Entry>> enter(String endpoint, String ticket) {
        if (!TOKEN.matcher(ticket).matches()) {
            return Future.succeededFuture(Optional.empty());
        }
        return store.take(hash(ticket), endpoint).compose(found -> {
            if (found.isEmpty()) {
                metrics.entered("refused");
                return Future.succeededFuture(Optional.empty());
            }
            metrics.entered("let_in");
            String token = token();
            PassStore.Holder holder = found.get().holder();
            return store.add(hash(token), endpoint, false, holder, LIFE)
                    .map(Optional.of(new Entry(token, holder.portal())));
        });
    }

    /** One that was shown a moment ago; null: it has to be looked up, or is none. */
    public @Nullable Pass known(String endpoint, String token) {
        Pass pass = known.get(token);
        return pass != null && pass.valid && pass.id.equals(endpoint) ? pass : null;
    }

    /** @param allowed who may come in at all, now: somebody else's pass is not kept, or it would be known when it is shown next */
    public Future<Optional<Pass>> find(String endpoint, String token, Predicate<Caller> allowed) {
        if (!TOKEN.matcher(token).matches()) {
            return Future.succeededFuture(Optional.empty());
        }
        byte[] hash = hash(token);
        return store.find(hash, endpoint).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(Optional.empty());
            }
            Caller caller = found.get().holder().caller();
            long ends = clock.getAsLong() + found.get().left().toNanos();
            if (!allowed.test(caller)) {
                return Future.succeededFuture(Optional.empty());
            }
            return authenticator.stillValid(caller).compose(valid -> {
                Optional<Pass> kept = valid ? stays(token, new Pass(endpoint, caller, hash, ends)) : Optional.empty();
                return kept.isPresent()
                        ? Future.succeededFuture(kept)
                        : store.remove(hash).map(kept);
            });
        });
    }

    /** Kept before it is asked who has left: one of the two who come at the same time sees the other. */
    private Optional<Pass> stays(String token, Pass fresh) {
        Pass pass = keep(token, fresh);
        if (left.containsKey(token)) {
            forget(token, pass);
            pass.cut();
            return Optional.empty();
        }
        return Optional.of(pass);
    }

    private Pass keep(String token, Pass fresh) {
        if (known.size() >= MOST) {
            known.entrySet().stream()
                    .filter(entry -> entry.getValue().open.isEmpty())
                    .min(Comparator.comparingLong(entry -> entry.getValue().used))
                    .ifPresent(oldest -> forget(oldest.getKey(), oldest.getValue()));
        }
        fresh.counts = !checking.contains(token);
        Pass before = known.putIfAbsent(token, fresh);
        if (before != null && before.valid) {
            return before;
        }
        fresh.kept = before == null;
        return fresh;
    }

    /** It is not looked at again: whoever comes with it is looked up. */
    private void forget(String token, Pass pass) {
        pass.kept = false;
        known.remove(token, pass);
    }

    /** Who comes with it uses nothing; until it is left. */
    public void checks(String token) {
        checking.add(token);
    }

    /** Endpoints where somebody is. */
    public Set<String> busy() {
        return known.values().stream()
                .filter(pass -> pass.counts && !pass.open.isEmpty())
                .map(pass -> pass.id)
                .collect(Collectors.toSet());
    }

    /** Whoever had it needs it no more. */
    public void leave(String endpoint, String token) {
        left.put(token, clock.getAsLong());
        checking.remove(token);
        Pass pass = known(endpoint, token);
        if (pass != null) {
            known.values().remove(pass);
            pass.cut();
        }
        forget(hash(token));
    }

    /** What was allowed is not any more. */
    public void revoke(Predicate<Pass> whose) {
        known.values().stream().filter(whose).toList().forEach(this::end);
    }

    private void end(Pass pass) {
        metrics.cut();
        known.values().remove(pass);
        pass.cut();
        forget(pass.hash);
    }

    private void forget(byte[] hash) {
        store.remove(hash)
                .onFailure(
                        e -> LOG.log(System.Logger.Level.WARNING, "event=pass-not-removed cause={0}", e.getMessage()));
    }

    void look() {
        long now = clock.getAsLong();
        left.values().removeIf(since -> now - since > LEFT_NANOS);
        known.forEach((token, pass) -> {
            if (now - pass.ends >= 0) {
                end(pass);
            } else if (pass.open.isEmpty() && now - pass.used > IDLE_NANOS) {
                forget(token, pass);
            }
        });
        known.values().stream()
                .collect(Collectors.groupingBy(pass -> pass.caller.credential()))
                .values()
                .forEach(this::look);
    }

    /** A failed look says nothing about the caller: the database may be away for a moment. */
    private void look(List<Pass> sameCredential) {
        authenticator
                .stillValid(sameCredential.getFirst().caller)
                .otherwise(true)
                .onSuccess(valid -> {
                    if (!valid) {
                        sameCredential.forEach(this::end);
                    }
                });
    }

    private void tidy() {
        store.removeOld()
                .onFailure(
                        e -> LOG.log(System.Logger.Level.WARNING, "event=passes-not-tidied cause={0}", e.getMessage()));
    }

    public void close() {
        timers.forEach(vertx::cancelTimer);
        known.values().forEach(Pass::cut);
        known.clear();
    }

    private static String token() {
        byte[] random = new byte[BYTES];
        RANDOM.nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
