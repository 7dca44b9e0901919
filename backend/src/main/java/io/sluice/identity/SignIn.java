package io.sluice.identity;

import io.netty.util.NetUtil;
import io.sluice.identity.People.User;
import io.sluice.identity.PeopleStore.Stored;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks passwords, with limits per account, per address and in all; and lets the very first administrator in. */
final class SignIn {
    static final int PER_ACCOUNT = 10;
    static final int PER_ADDRESS = 100;
    static final Duration WITHIN = Duration.ofMinutes(15);
    static final Duration LINK = Duration.ofMinutes(30);
    private static final int IN_ALL = 1_200;
    private static final Duration IN_ALL_WITHIN = Duration.ofMinutes(1);
    private static final Duration SWEEP_EVERY = Duration.ofMinutes(5);
    private static final System.Logger LOG = System.getLogger(SignIn.class.getName());

    private final PeopleStore people;
    private final SignInStore store;
    private final Passwords passwords;
    private final Identity.Metrics metrics;
    private final Vertx vertx;
    private final long timer;
    private long minute;
    private int inMinute;

    /** What came of a try. */
    sealed interface Result {
        record Granted(User user) implements Result {}

        /** @param known whether there is such an account: told to nobody but OpenPAI's clients, which switch on it */
        record Refused(boolean known) implements Result {}

        record Disabled(User user) implements Result {}
    }

    SignIn(Vertx vertx, PeopleStore people, SignInStore store, Passwords passwords, Identity.Metrics metrics) {
        this.vertx = vertx;
        this.people = people;
        this.store = store;
        this.passwords = passwords;
        this.metrics = metrics;
        this.timer = vertx.setPeriodic(
                SWEEP_EVERY.toMillis(),
                tick -> store.sweep(WITHIN)
                        .onFailure(away -> LOG.log(
                                System.Logger.Level.WARNING,
                                "event=sign-in-tries-not-swept cause={0}",
                                away.getMessage())));
    }

    void close() {
        vertx.cancelTimer(timer);
    }

    Passwords passwords() {
        return passwords;
    }

    /** Fails with a problem that says how long to wait when there were too many tries. */
    Future<Result> check(String name, String password, String address) {
        String account = "account " + HexFormat.of().formatHex(Signer.digest(name.toLowerCase(Locale.ROOT)));
        String place = "address " + network(address);
        return allowed(place, PER_ADDRESS)
                .compose(ok -> allowed(account, PER_ACCOUNT))
                .compose(ok -> inAll())
                .compose(ok -> People.NAME.matcher(name).matches()
                        ? people.withPassword(name)
                        : Future.succeededFuture(Optional.<Stored>empty()))
                .compose(stored -> compare(stored.orElse(null), password))
                .compose(result -> settle(result, account, place))
                .onSuccess(result -> report(result, name, address))
                .onFailure(refused -> count(refused instanceof Problem ? "limited" : "failed"));
    }

    private Future<Result> compare(@Nullable Stored stored, String password) {
        String tried = password.length() > Passwords.LONGEST ? "" : password;
        return passwords
                .matches(tried, stored == null ? null : stored.password())
                .map(same -> {
                    if (stored == null || !same) {
                        return new Result.Refused(stored != null);
                    }
                    if (stored.user().disabled()) {
                        return new Result.Disabled(stored.user());
                    }
                    renew(stored, tried);
                    return new Result.Granted(stored.user());
                });
    }

    private Future<Result> settle(Result result, String account, String place) {
        return result instanceof Result.Granted
                ? store.giveBack(account, place).map(result)
                : Future.succeededFuture(result);
    }

    /** Meanwhile more effort is asked for: the moment when the password is known is the only one to do it. */
    private void renew(Stored stored, String password) {
        if (passwords.isOutdated(stored.password())) {
            passwords
                    .hash(password)
                    .compose(fresh -> people.rehash(stored.user().id(), stored.password(), fresh))
                    .onFailure(failure -> LOG.log(
                            System.Logger.Level.WARNING, "event=password-not-renewed cause={0}", failure.getMessage()));
        }
    }

    private void report(Result result, String name, String address) {
        String event = switch (result) {
            case Result.Granted granted -> "signed-in";
            case Result.Refused refused -> "sign-in-refused";
            case Result.Disabled disabled -> "sign-in-disabled";
        };
        count(event);
        // a stranger's text may be a password typed into the wrong field: only names that exist are written
        boolean known = !(result instanceof Result.Refused refused) || refused.known();
        Identity.audit(event, "user", known ? name : "(unknown)", "address", address);
    }

    private void count(String result) {
        metrics.signIns.labels(result).inc();
    }

    private Future<Void> allowed(String key, int most) {
        return store.take(key, most, WITHIN)
                .compose(wait -> wait.map(SignIn::<Void>tooMany).orElseGet(Future::succeededFuture));
    }

    /** What this gateway's processors can bear; in memory, because another gateway has its own. */
    private synchronized Future<Void> inAll() {
        long now = System.nanoTime() / IN_ALL_WITHIN.toNanos();
        inMinute = now == minute ? inMinute + 1 : 1;
        minute = now;
        return inMinute > IN_ALL ? tooMany(Duration.ofSeconds(30)) : Future.succeededFuture();
    }

    private static <T> Future<T> tooMany(Duration wait) {
        return Future.failedFuture(Problem.tooMany(
                "Too many tries to sign in. Wait " + Math.max(1, (wait.toSeconds() + 59) / 60)
                        + " min, then try again.",
                wait));
    }

    /** An IPv6 subscriber has a whole /64, so that is what counts as one address. */
    private static String network(String address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        if (bytes == null) {
            return "other"; // a proxy that we trust named something else
        }
        return bytes.length == 4 ? address : HexFormat.of().formatHex(Arrays.copyOf(bytes, 8));
    }

    Future<Boolean> isEmpty() {
        return store.isEmpty();
    }

    /** A new link's token; only its digest is kept. */
    Future<String> link() {
        String token = Signer.random(20);
        return store.addLink(Signer.digest(token), LINK).map(token);
    }

    Future<Boolean> isLink(String token) {
        return store.isLink(Signer.digest(token));
    }

    /** Makes the first administrator; empty when the link is used up or over, or somebody is there already. */
    Future<Optional<User>> setUp(String token, String name, String password) {
        return isLink(token)
                .compose(usable -> usable
                        ? passwords
                                .hash(password)
                                .compose(hash -> store.withLink(
                                        Signer.digest(token), client -> people.add(client, name, "", hash, true)))
                        : Future.succeededFuture(Optional.<User>empty()))
                .onSuccess(made ->
                        made.ifPresent(user -> Identity.audit("set-up", "user", user.name(), "by", "one-time link")));
    }

    /** Makes the first administrator unattended; whoever is there is left as they are. */
    Future<Void> setUp(String name, String password) {
        return passwords
                .hash(password)
                .compose(hash -> store.asFirst(
                        client -> people.add(client, name, "", hash, true).map(Optional::of)))
                .onSuccess(
                        made -> made.ifPresent(user -> Identity.audit("set-up", "user", user.name(), "by", "variable")))
                .mapEmpty();
    }
}
