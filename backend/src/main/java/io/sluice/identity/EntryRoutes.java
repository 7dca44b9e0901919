package io.sluice.identity;

import io.sluice.identity.IdentityPages.PersonRow;
import io.sluice.identity.IdentityPages.SetUp;
import io.sluice.identity.People.User;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The pages on the way in: set up, sign in and out; and the choice of language and theme. */
final class EntryRoutes {
    private static final String SIGN_IN = "identity/sign-in.jte";
    private static final String SET_UP = "identity/set-up.jte";
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Set<String> THEMES = Set.of("auto", "light", "dark");
    private static final Set<String> LANGUAGES = Set.of("en", "zh");

    /** A path of this portal and nothing that a browser could read as anything else; spelled plainly, so nothing to decode. */
    private static final Pattern LOCAL =
            Pattern.compile("/(?![/\\\\])[A-Za-z0-9._~/-]*(\\?[A-Za-z0-9._~/=&%+:,-]*)?(#[A-Za-z0-9._~-]*)?");

    private final SignIn signIn;
    private final Sessions sessions;
    private final People people;

    EntryRoutes(SignIn signIn, Sessions sessions, People people) {
        this.signIn = signIn;
        this.sessions = sessions;
        this.people = people;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/sign-in", this::signInPage).forAnyone(),
                Route.post("/sign-in", this::signIn).forAnyone().bodyLimit(16 << 10),
                Route.post("/sign-out", this::signOut).forAnyone().bodyLimit(16 << 10),
                Route.get("/set-up", this::setUpPage).forAnyone(),
                Route.post("/set-up", this::setUp).forAnyone().bodyLimit(16 << 10),
                Route.post("/preferences", this::prefer).forAnyone().bodyLimit(16 << 10));
    }

    /** Where to go on to: a path of ours, or home. */
    static String local(@Nullable String next) {
        return next != null
                        && next.length() <= 2_000
                        && LOCAL.matcher(next).matches()
                        && !next.split("[?#]", 2)[0].contains("//")
                        && !next.matches("[^?#]*/\\.{1,2}(/.*|[?#].*)?")
                ? next
                : "/";
    }

    static PersonRow row(User user) {
        return new PersonRow(
                user.id(),
                user.name(),
                user.email(),
                user.admin(),
                user.disabled(),
                user.groups(),
                user.created(),
                user.lastSeen());
    }

    private Future<Reply> signInPage(Call call) {
        String next = local(call.query("next").orElse("/"));
        return Future.succeededFuture(
                call.callerIfAny().isPresent()
                        ? Reply.seeOther(next)
                        : Reply.page(call, SIGN_IN, new IdentityPages.SignIn("", next, call.note())));
    }

    private Future<Reply> signIn(Call call) {
        String name = line(call, "name");
        String next = local(call.field("next").orElse("/"));
        return signIn.check(name, call.field("password").orElse(""), call.address())
                .compose(result -> switch (result) {
                    case SignIn.Result.Granted(User user) -> enter(call, user, next);
                    case SignIn.Result.Refused refused ->
                        Future.succeededFuture(refused(name, next, Note.bad("fault.signIn"), 422));
                    // told to nobody but who knows the password
                    case SignIn.Result.Disabled disabled ->
                        Future.succeededFuture(refused(name, next, Note.bad("fault.disabled"), 422));
                })
                .recover(failure -> failure instanceof Problem problem && problem.kind() == Problem.Kind.TOO_MANY
                        ? Future.succeededFuture(tooMany(problem, name, next))
                        : Future.failedFuture(failure));
    }

    private static Reply tooMany(Problem problem, String name, String next) {
        long seconds = Optional.ofNullable(problem.retryAfter())
                .orElse(Duration.ofMinutes(1))
                .toSeconds();
        return refused(name, next, Note.bad("fault.tooMany", (seconds + 59) / 60), problem.status())
                .header("Retry-After", Long.toString(seconds));
    }

    private static Reply refused(String name, String next, Note note, int status) {
        return Reply.page(SIGN_IN, new IdentityPages.SignIn(name, next, note)).status(status);
    }

    /** In place of the session before, if there is one. What was chosen once is found again in every browser. */
    private Future<Reply> enter(Call call, User user, String next) {
        Future<Void> before = call.callerIfAny().map(sessions::end).orElseGet(Future::succeededFuture);
        return before.compose(ended -> sessions.start(user.id(), call.secure(), call.address(), call.userAgent()))
                .map(cookies -> chosen(Reply.seeOther(next), user.language(), user.theme(), call.secure())
                        .cookies(cookies));
    }

    private Future<Reply> signOut(Call call) {
        Reply reply = Reply.seeOther("/sign-in")
                .noting(call, Note.good("note.signedOut"))
                .cookies(Sessions.noCookies(call.secure()));
        return call.callerIfAny()
                .map(caller -> {
                    Identity.audit("signed-out", "user", caller.name(), "address", call.address());
                    return sessions.end(caller).map(reply);
                })
                .orElseGet(() -> Future.succeededFuture(reply));
    }

    private Future<Reply> setUpPage(Call call) {
        String token = call.query("token").orElse("");
        return usable(call, token)
                .map(usable -> Reply.page(SET_UP, new SetUp(token, "admin", usable, Faults.NONE))
                        .status(usable ? 200 : 404));
    }

    private Future<Reply> setUp(Call call) {
        String token = call.field("token").orElse("");
        String name = line(call, "name");
        String password = call.field("password").orElse("");
        Faults faults = faults(name, password, call.field("again").orElse(""));
        return usable(call, token).compose(usable -> {
            if (!usable || !faults.equals(Faults.NONE)) {
                Reply page = Reply.page(SET_UP, new SetUp(token, name, usable, faults));
                return Future.succeededFuture(page.status(usable ? 422 : 404));
            }
            return signIn.setUp(token, name, password)
                    .compose(made -> made.map(user ->
                                    enter(call, user, "/").map(reply -> reply.noting(call, Note.good("note.setUp"))))
                            .orElseGet(() -> Future.succeededFuture(
                                    Reply.page(SET_UP, new SetUp(token, name, false, Faults.NONE))
                                            .status(404))));
        });
    }

    /** Whoever holds the link must sit at this machine too. */
    private Future<Boolean> usable(Call call, String token) {
        return call.isLocal() && !token.isEmpty() ? signIn.isLink(token) : Future.succeededFuture(false);
    }

    /** What somebody typed on one line: nothing that does not print, which a database would not even take. */
    static String line(Call call, String field) {
        return call.field(field).orElse("").replaceAll("\\p{Cntrl}", "").strip();
    }

    static Faults faults(String name, String password, String again) {
        var fields = new HashMap<String, Note>();
        if (!People.isName(name)) {
            fields.put("name", Note.bad(name.isEmpty() ? "fault.required" : "fault.name"));
        }
        fields.putAll(passwordFaults(name, password));
        if (!fields.containsKey("password") && !password.equals(again)) {
            fields.put("again", Note.bad("fault.passwordAgain"));
        }
        return faults(fields);
    }

    static Map<String, Note> passwordFaults(String name, String password) {
        if (password.length() < Passwords.SHORTEST) {
            return Map.of("password", Note.bad("fault.passwordShort", Passwords.SHORTEST));
        }
        if (password.length() > Passwords.LONGEST) {
            return Map.of("password", Note.bad("fault.passwordLong", Passwords.LONGEST));
        }
        return password.equalsIgnoreCase(name) ? Map.of("password", Note.bad("fault.passwordName")) : Map.of();
    }

    static Faults faults(Map<String, Note> fields) {
        return fields.isEmpty() ? Faults.NONE : new Faults(fields, null);
    }

    private Future<Reply> prefer(Call call) {
        String language = call.field("language").filter(LANGUAGES::contains).orElse(null);
        String theme = call.field("theme").filter(THEMES::contains).orElse(null);
        Reply reply = chosen(Reply.seeOther(local(call.field("next").orElse("/"))), language, theme, call.secure());
        return call.callerIfAny()
                .filter(caller -> caller.kind() == Caller.Kind.SESSION)
                .map(caller -> people.prefer(caller.id(), language, theme).map(reply))
                .orElseGet(() -> Future.succeededFuture(reply));
    }

    private static Reply chosen(Reply reply, @Nullable String language, @Nullable String theme, boolean secure) {
        Reply chosen = language == null ? reply : reply.cookie(cookie(View.LANGUAGE_COOKIE, language, YEAR, secure));
        return theme == null ? chosen : chosen.cookie(cookie(View.THEME_COOKIE, theme, YEAR, secure));
    }

    private static Cookie cookie(String name, String value, Duration life, boolean secure) {
        return Cookie.cookie(name, value)
                .setPath("/")
                .setSecure(secure)
                .setSameSite(CookieSameSite.LAX)
                .setMaxAge(life.toSeconds());
    }
}
