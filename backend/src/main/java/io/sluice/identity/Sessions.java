package io.sluice.identity;

import io.sluice.identity.SessionStore.Cache;
import io.sluice.identity.Signer.Refresh;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells who is calling, by cookie or by token, and turns a browser's refresh token when its short pass is over. */
final class Sessions implements Authenticator {
    static final String TOKEN_PREFIX = "sluice_";
    static final int MOST_TOKENS = 50;
    private static final Duration PASS = Duration.ofMinutes(3);
    private static final Duration IDLE = Duration.ofDays(7);
    private static final Duration MOST = Duration.ofDays(30);
    /** Long enough for what a browser sends at once, short enough for a copy to be noticed. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final Duration NOTE_EVERY = Duration.ofSeconds(2);
    private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);
    private static final int NOTED_AT_ONCE = 10_000;
    private static final System.Logger LOG = System.getLogger(Sessions.class.getName());

    /** Who a credential stands for at this moment. */
    record Standing(
            long user,
            String name,
            boolean admin,
            Caller.Kind kind,
            Set<String> scopes,
            Instant since,
            @Nullable Instant until,
            boolean seenLately) {}

    record Session(
            String id,
            long user,
            boolean browser,
            String address,
            String client,
            Instant created,
            Instant lastSeen,
            Instant expires) {}

    record Token(
            long id,
            String name,
            List<String> scopes,
            Instant created,
            @Nullable Instant expires,
            @Nullable Instant lastUsed) {}

    private final Vertx vertx;
    private final Signer signer;
    private final SessionStore store;
    private final Cache cache;
    private final Set<String> used = new HashSet<>();
    private final List<Long> timers;

    Sessions(Vertx vertx, Signer signer, SessionStore store) {
        this.vertx = vertx;
        this.signer = signer;
        this.store = store;
        this.cache = new Cache(this::read, System::nanoTime);
        this.timers = List.of(
                vertx.setPeriodic(NOTE_EVERY.toMillis(), tick -> logged("seen-not-noted", note())),
                vertx.setPeriodic(SWEEP_EVERY.toMillis(), tick -> logged("sessions-not-swept", store.sweep())));
    }

    Signer signer() {
        return signer;
    }

    void close() {
        timers.forEach(vertx::cancelTimer);
    }

    /** Nothing that was known a moment before is believed any more. */
    void forget() {
        cache.forget();
    }

    @Override
    public Future<Verdict> authenticate(Credentials shown) {
        String authorization = shown.authorization();
        if (authorization != null) {
            return byHeader(authorization);
        }
        String session = shown.session();
        String refresh = shown.refresh();
        if (session == null && refresh == null) {
            return Future.succeededFuture(Verdict.NOBODY);
        }
        return admitted(session)
                .compose(caller -> caller.map(known -> Future.succeededFuture(Verdict.of(known)))
                        .orElseGet(() -> refresh == null ? turnedAway(shown) : turn(shown, refresh)));
    }

    @Override
    public Future<Boolean> stillValid(Caller caller) {
        return cache.of(caller.credential(), Cache.RECHECKED)
                .map(standing -> standing.isPresent()
                        && standing.get().user() == caller.id()
                        && standing.get().admin() == caller.admin());
    }

    /** Starts a browser's session; the cookies are what it shows from now on. */
    Future<List<Cookie>> start(long user, boolean secure, String address, String client) {
        var refresh = Refresh.first(signer);
        return store.open(refresh.session(), user, refresh.hash(), address, shortened(client), IDLE)
                .map(opened -> cookies(refresh, secure));
    }

    /** Signs in a program. */
    Future<String> login(long user, String name, String address, String client, Duration life) {
        return store.open(Signer.random(16), user, null, address, shortened(client), life)
                .map(session -> loginToken(session, name));
    }

    String loginToken(Session session, String name) {
        JsonObject claims = new JsonObject()
                .put("username", name)
                .put("application", false)
                .put("jobSpecific", false)
                .put("encodedFrameworkName", "")
                .put("jti", session.id());
        return signer.sign(Signer.Purpose.LOGIN, claims, session.created(), session.expires());
    }

    /** The text of a new application token. */
    static String newToken() {
        byte[] random = new byte[20];
        new SecureRandom().nextBytes(random);
        return TOKEN_PREFIX + HexFormat.of().formatHex(random);
    }

    /** What the database knows of the credential that somebody came with. */
    Future<Optional<Standing>> known(String credential) {
        return cache.of(credential, Cache.FRESH);
    }

    Future<List<Session>> open(long user) {
        return store.sessions(user);
    }

    Future<List<Token>> tokens(long user) {
        return store.tokens(user);
    }

    /** Empty when there are as many as allowed. */
    Future<Optional<Token>> addToken(
            long user, String name, String text, List<String> scopes, @Nullable Duration life) {
        return store.addToken(user, name, Signer.digest(text), scopes, life, MOST_TOKENS);
    }

    Future<Boolean> end(String session, long user) {
        return store.end(session, user).onSuccess(ended -> forget());
    }

    /** The name of the token that was revoked. */
    Future<Optional<String>> revoke(long token, long user) {
        return store.revoke(token, user).onSuccess(revoked -> forget());
    }

    Future<Boolean> revoke(String text, long user) {
        return store.revoke(Signer.digest(text), user).onSuccess(revoked -> forget());
    }

    /** Ends the session that the caller came with; nothing for other credentials. */
    Future<Void> end(Caller caller) {
        return sessionOf(caller.credential())
                .map(id ->
                        store.end(id, caller.id()).onSuccess(gone -> forget()).<Void>mapEmpty())
                .orElseGet(Future::succeededFuture);
    }

    static Optional<String> sessionOf(String credential) {
        return credential.startsWith("s:") ? Optional.of(credential.substring(2)) : Optional.empty();
    }

    static List<Cookie> noCookies(boolean secure) {
        return List.of(
                cookie(SESSION_COOKIE, "", Duration.ZERO, secure), cookie(REFRESH_COOKIE, "", Duration.ZERO, secure));
    }

    private Future<Verdict> byHeader(String authorization) {
        String[] parts = authorization.split(" ", 2);
        if (parts.length != 2) {
            return Future.succeededFuture(invalid());
        }
        return switch (parts[0].toLowerCase(java.util.Locale.ROOT)) {
            case "bearer" -> byToken(parts[1].strip(), null);
            case "basic" -> basic(parts[1].strip());
            default -> Future.succeededFuture(invalid());
        };
    }

    private Future<Verdict> basic(String base64) {
        try {
            String text = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
            int colon = text.indexOf(':');
            String token = text.substring(colon + 1);
            return colon < 1 || !token.startsWith(TOKEN_PREFIX)
                    ? Future.succeededFuture(invalid())
                    : byToken(token, text.substring(0, colon));
        } catch (IllegalArgumentException e) {
            return Future.succeededFuture(invalid());
        }
    }

    private Future<Verdict> byToken(String token, @Nullable String owner) {
        Future<Optional<Caller>> caller = token.startsWith(TOKEN_PREFIX)
                ? standing("t:" + Signer.encode(Signer.digest(token)))
                : signer.read(Signer.Purpose.LOGIN, token)
                        .compose(claims -> standing("s:" + claims.getString("jti")))
                        .recover(Sessions::nobody);
        return caller.map(known -> known.filter(it -> it.kind() != Caller.Kind.SESSION)
                .filter(it -> owner == null || it.name().equalsIgnoreCase(owner))
                .map(Verdict::of)
                .orElseGet(Sessions::invalid));
    }

    private Future<Optional<Caller>> admitted(@Nullable String session) {
        return session == null
                ? Future.succeededFuture(Optional.empty())
                : signer.read(Signer.Purpose.SESSION, session)
                        .compose(claims -> standing("s:" + claims.getString("jti")))
                        .recover(Sessions::nobody);
    }

    private static Future<Optional<Caller>> nobody(Throwable failure) {
        return failure instanceof Signer.Invalid
                ? Future.succeededFuture(Optional.empty())
                : Future.failedFuture(failure);
    }

    private Future<Verdict> turn(Credentials shown, String text) {
        Refresh refresh = Refresh.parse(text, signer);
        if (refresh == null) {
            return turnedAway(shown);
        }
        Refresh next = refresh.next(signer);
        return store.turn(refresh.session(), refresh.hash(), next.hash(), IDLE, MOST, GRACE)
                .compose(turn -> switch (turn) {
                    case TURNED, BESIDE ->
                        standing("s:" + refresh.session())
                                .compose(caller -> caller.map(known -> Future.succeededFuture(
                                                new Verdict(known, null, cookies(next, shown.secure()))))
                                        .orElseGet(() -> turnedAway(shown)));
                    case STALE -> stolen(shown, refresh);
                    case OVER -> turnedAway(shown);
                });
    }

    private Future<Verdict> stolen(Credentials shown, Refresh refresh) {
        Identity.audit("session-copied", "session", refresh.session(), "address", shown.address());
        return store.endStolen(refresh.session()).compose(ended -> {
            forget();
            return turnedAway(shown);
        });
    }

    private static Future<Verdict> turnedAway(Credentials shown) {
        return Future.succeededFuture(new Verdict(null, refusal(), noCookies(shown.secure())));
    }

    private static Verdict invalid() {
        return Verdict.refused(refusal());
    }

    private static Problem refusal() {
        return Problem.of(Problem.Kind.UNAUTHENTICATED, "Your token is invalid.");
    }

    private Future<Optional<Caller>> standing(String credential) {
        return cache.of(credential, Cache.FRESH)
                .map(standing -> standing.map(known -> {
                    if (!known.seenLately()) {
                        use(credential);
                    }
                    return new Caller(
                            known.user(), known.name(), known.admin(), known.kind(), credential, known.scopes());
                }));
    }

    private Future<Optional<Standing>> read(String credential) {
        String value = credential.substring(2);
        return credential.startsWith("t:")
                ? store.ofToken(Base64.getUrlDecoder().decode(value))
                : store.ofSession(value);
    }

    private List<Cookie> cookies(Refresh refresh, boolean secure) {
        Instant now = Instant.now();
        String pass = signer.sign(
                Signer.Purpose.SESSION, new JsonObject().put("jti", refresh.session()), now, now.plus(PASS));
        return List.of(
                cookie(SESSION_COOKIE, pass, PASS, secure), cookie(REFRESH_COOKIE, refresh.text(), IDLE, secure));
    }

    private static Cookie cookie(String name, String value, Duration life, boolean secure) {
        return Cookie.cookie(Authenticator.cookieName(name, secure), value)
                .setPath("/")
                .setHttpOnly(true)
                .setSecure(secure)
                .setSameSite(CookieSameSite.LAX)
                .setMaxAge(life.toSeconds());
    }

    private static String shortened(String client) {
        return client.substring(0, Math.min(200, client.length())).replaceAll("\\p{Cntrl}", "");
    }

    private synchronized void use(String credential) {
        if (used.size() < NOTED_AT_ONCE) {
            used.add(credential);
        }
    }

    private Future<Void> note() {
        List<String> noted;
        synchronized (this) {
            noted = List.copyOf(used);
            used.clear();
        }
        return noted.isEmpty()
                ? Future.succeededFuture()
                : store.seen(
                        noted.stream().flatMap(it -> sessionOf(it).stream()).toList(),
                        noted.stream()
                                .filter(it -> it.startsWith("t:"))
                                .map(it -> Base64.getUrlDecoder().decode(it.substring(2)))
                                .toList());
    }

    private static void logged(String event, Future<?> work) {
        work.onFailure(
                failure -> LOG.log(System.Logger.Level.WARNING, "event={0} cause={1}", event, failure.getMessage()));
    }
}
