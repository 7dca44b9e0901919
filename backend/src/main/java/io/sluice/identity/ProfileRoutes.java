package io.sluice.identity;

import io.sluice.identity.IdentityPages.CreatedToken;
import io.sluice.identity.IdentityPages.KeyForm;
import io.sluice.identity.IdentityPages.Profile;
import io.sluice.identity.IdentityPages.Session;
import io.sluice.identity.IdentityPages.Token;
import io.sluice.identity.IdentityPages.TokenForm;
import io.sluice.identity.People.Change;
import io.sluice.identity.People.SshKey;
import io.sluice.identity.People.User;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page on which people look after their own password, tokens, keys and sessions. */
final class ProfileRoutes {
    private static final String PROFILE = "identity/profile.jte";
    private static final int LONGEST_NAME = 60;
    private static final List<Integer> DAYS = List.of(7, 30, 90, 365, 0);
    private static final Map<String, String> BROWSERS = new java.util.TreeMap<>(Map.of(
            "1Edg/", "Edge", "2OPR/", "Opera", "3Firefox/", "Firefox", "4Chrome/", "Chrome", "5Safari/", "Safari"));
    private static final Map<String, String> SYSTEMS = new java.util.TreeMap<>(Map.of(
            "1Android",
            "Android",
            "2iPhone",
            "iPhone",
            "3iPad",
            "iPad",
            "4Windows",
            "Windows",
            "5Mac OS",
            "macOS",
            "6Linux",
            "Linux"));

    private final People people;
    private final Sessions sessions;
    private final SignIn signIn;

    ProfileRoutes(People people, Sessions sessions, SignIn signIn) {
        this.people = people;
        this.sessions = sessions;
        this.signIn = signIn;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get("/profile", call -> show(call, page -> page)),
                        Route.post("/profile/password", this::changePassword),
                        Route.get("/profile/tokens", call -> Future.succeededFuture(Reply.seeOther("/profile"))),
                        Route.post("/profile/tokens", this::addToken),
                        Route.post("/profile/tokens/:id/revoke", this::revokeToken),
                        Route.get("/profile/keys", call -> Future.succeededFuture(Reply.seeOther("/profile"))),
                        Route.post("/profile/keys", this::addKey),
                        Route.post("/profile/keys/:id/remove", this::removeKey),
                        Route.post("/profile/sessions/:id/end", this::endSession))
                .map(route -> route.withoutApplications())
                .toList();
    }

    private Future<Reply> show(Call call, UnaryOperator<Profile> with) {
        long id = call.caller().id();
        return people.numbered(id)
                .compose(me -> sessions.tokens(id)
                        .compose(tokens -> people.keys(id)
                                .compose(keys -> sessions.open(id)
                                        .map(open -> Reply.page(
                                                call, PROFILE, with.apply(profile(call, me, tokens, keys, open)))))));
    }

    private static Profile profile(
            Call call, User me, List<Sessions.Token> tokens, List<SshKey> keys, List<Sessions.Session> sessions) {
        String current = Sessions.sessionOf(call.caller().credential()).orElse("");
        return new Profile(
                EntryRoutes.row(me),
                Identity.SCOPES,
                tokens.stream().map(ProfileRoutes::shown).toList(),
                null,
                keys.stream().map(ProfileRoutes::shown).toList(),
                sessions.stream().map(session -> shown(session, current)).toList(),
                Faults.NONE,
                TokenForm.EMPTY,
                KeyForm.EMPTY,
                call.note());
    }

    private Future<Reply> refused(Call call, UnaryOperator<Profile> with) {
        return show(call, with).map(reply -> reply.status(422));
    }

    private Future<Reply> changePassword(Call call) {
        String name = call.caller().name();
        String password = call.field("password").orElse("");
        String current = call.field("current").orElse("");
        var faults = new HashMap<>(EntryRoutes.passwordFaults(name, password));
        if (!faults.containsKey("password") && password.equals(current)) {
            faults.put("password", Note.bad("fault.passwordSame"));
        }
        if (faults.isEmpty() && !password.equals(call.field("again").orElse(""))) {
            faults.put("again", Note.bad("fault.passwordAgain"));
        }
        if (!faults.isEmpty()) {
            return refused(call, page -> with(page, new Faults(faults, null)));
        }
        return signIn.check(name, current, call.address())
                .compose(result -> result instanceof SignIn.Result.Granted(User user)
                        ? replacePassword(call, user, password)
                        : refused(call, page -> with(page, passwordFault(Note.bad("fault.passwordCurrent")))))
                .recover(failure -> failure instanceof Problem problem && problem.kind() == Problem.Kind.TOO_MANY
                        ? show(call, page -> with(page, passwordFault(tooMany(problem))))
                                .map(reply -> reply.status(problem.status()))
                        : Future.failedFuture(failure));
    }

    private Future<Reply> replacePassword(Call call, User user, String password) {
        String survivor = Sessions.sessionOf(call.caller().credential()).orElse(null);
        return signIn.passwords()
                .hash(password)
                .compose(hash -> people.change(user.id(), Change.NONE.password(hash, survivor)))
                .map(changed -> {
                    sessions.forget();
                    Identity.audit("password-changed", "user", user.name(), "by", user.name());
                    return Reply.seeOther("/profile").noting(call, Note.good("note.password"));
                });
    }

    private static Faults passwordFault(Note note) {
        return new Faults(Map.of("current", note), null);
    }

    private static Note tooMany(Problem problem) {
        Duration wait = Optional.ofNullable(problem.retryAfter()).orElse(Duration.ofMinutes(1));
        return Note.bad("fault.tooMany", (wait.toSeconds() + 59) / 60);
    }

    private Future<Reply> addToken(Call call) {
        String name = EntryRoutes.line(call, "name");
        List<String> scopes = call.fields("scopes");
        int days = call.field("days")
                .filter(text -> text.matches("\\d{1,4}"))
                .map(Integer::valueOf)
                .orElse(90);
        var faults = new HashMap<>(nameFaults(name));
        if (scopes.isEmpty() || !Identity.SCOPES.containsAll(scopes)) {
            faults.put("scopes", Note.bad("fault.scopes"));
        }
        if (!DAYS.contains(days)) {
            faults.put("days", Note.bad("fault.days"));
        }
        var form = new TokenForm(name, scopes, days, new Faults(faults, null));
        if (!faults.isEmpty()) {
            return refused(call, page -> with(page, form, null));
        }
        String text = Sessions.newToken();
        Duration life = days == 0 ? null : Duration.ofDays(days);
        return sessions.addToken(call.caller().id(), name, text, scopes, life)
                .compose(made -> made.map(token -> {
                            Identity.audit("token-made", "user", call.caller().name(), "token", "" + token.id());
                            return show(call, page -> with(page, TokenForm.EMPTY, new CreatedToken(name, text)))
                                    .map(reply -> reply.status(201));
                        })
                        .orElseGet(() -> refused(call, page -> with(page, tooManyTokens(form), null))));
    }

    private static TokenForm tooManyTokens(TokenForm form) {
        var faults = new Faults(Map.of(), Note.bad("fault.tooManyTokens", Sessions.MOST_TOKENS));
        return new TokenForm(form.name(), form.scopes(), form.days(), faults);
    }

    private static Map<String, Note> nameFaults(String name) {
        if (name.isEmpty()) {
            return Map.of("name", Note.bad("fault.required"));
        }
        return name.length() > LONGEST_NAME ? Map.of("name", Note.bad("fault.tooLong", LONGEST_NAME)) : Map.of();
    }

    private Future<Reply> revokeToken(Call call) {
        return sessions.revoke(number(call), call.caller().id()).map(gone -> {
            sessions.forget();
            Identity.audit("token-revoked", "user", call.caller().name(), "token", call.path("id"));
            return back(call, "tokens", "note.tokenRevoked", gone);
        });
    }

    private Future<Reply> addKey(Call call) {
        String text = call.field("key").orElse("");
        String name = EntryRoutes.line(call, "name");
        SshKey key;
        try {
            key = SshKey.parse(text, name);
        } catch (SshKey.Unfit unfit) {
            return keyRefused(call, text, name, Map.of("key", Note.bad(unfit.fault)));
        }
        if (key.name().length() > LONGEST_NAME) {
            return keyRefused(call, text, name, Map.of("name", Note.bad("fault.tooLong", LONGEST_NAME)));
        }
        return people.addKey(call.caller().id(), key)
                .compose(added -> {
                    if (!added) {
                        return keyRefused(
                                call, text, name, Map.of("key", Note.bad("fault.tooManyKeys", People.MOST_KEYS)));
                    }
                    Identity.audit("key-added", "user", call.caller().name(), "key", key.fingerprint());
                    return Future.succeededFuture(back(call, "keys", "note.keyAdded", Optional.of(key.name())));
                })
                .recover(failure -> People.isThere(failure)
                        ? keyRefused(call, text, name, Map.of("key", Note.bad("fault.keyTaken")))
                        : Future.failedFuture(failure));
    }

    private Future<Reply> keyRefused(Call call, String text, String name, Map<String, Note> faults) {
        // a private key that was pasted by mistake is not sent back
        String shown = text.contains("PRIVATE KEY") ? "" : text;
        return refused(call, page -> with(page, new KeyForm(name, shown, new Faults(faults, null))));
    }

    private Future<Reply> removeKey(Call call) {
        return people.removeKey(call.caller().id(), number(call)).map(gone -> {
            Identity.audit("key-removed", "user", call.caller().name(), "key", call.path("id"));
            return back(call, "keys", "note.keyRemoved", gone);
        });
    }

    private Future<Reply> endSession(Call call) {
        return sessions.end(call.path("id"), call.caller().id()).map(ended -> {
            sessions.forget();
            Identity.audit("session-ended", "user", call.caller().name());
            return back(call, "sessions", "note.sessionOver", ended ? Optional.of("") : Optional.empty());
        });
    }

    /** What is not there, or somebody else's, has been taken away already as far as this person is concerned. */
    private static Reply back(Call call, String section, String note, Optional<String> name) {
        if (name.isEmpty()) {
            throw Problem.notFound("There is no such entry on your profile page.");
        }
        return Reply.seeOther("/profile#" + section).noting(call, Note.good(note, name.get()));
    }

    private static long number(Call call) {
        String id = call.path("id");
        return id.matches("\\d{1,18}") ? Long.parseLong(id) : -1;
    }

    private static Token shown(Sessions.Token token) {
        return new Token(
                Long.toString(token.id()),
                token.name(),
                token.scopes(),
                token.created(),
                token.expires(),
                token.lastUsed());
    }

    private static IdentityPages.Key shown(SshKey key) {
        return new IdentityPages.Key(Long.toString(key.id()), key.name(), key.kind(), key.fingerprint(), key.added());
    }

    private static Session shown(Sessions.Session session, String current) {
        return new Session(
                session.id(),
                session.browser() ? inShort(session.client()) : "API: " + firstWord(session.client()),
                session.address(),
                session.created(),
                session.lastSeen(),
                session.id().equals(current));
    }

    static String inShort(String client) {
        String browser = first(BROWSERS, client);
        String system = first(SYSTEMS, client);
        return browser.isEmpty() ? firstWord(client) : system.isEmpty() ? browser : browser + " on " + system;
    }

    private static String first(Map<String, String> signs, String client) {
        return signs.entrySet().stream()
                .filter(sign -> client.contains(sign.getKey().substring(1)))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    private static String firstWord(String client) {
        return client.isBlank() ? "?" : client.strip().split("[\\s;(]", 2)[0];
    }

    private static Profile with(Profile page, Faults passwordFaults) {
        return rebuilt(page, page.created(), passwordFaults, page.tokenForm(), page.keyForm());
    }

    private static Profile with(Profile page, TokenForm form, @Nullable CreatedToken created) {
        return rebuilt(page, created, page.passwordFaults(), form, page.keyForm());
    }

    private static Profile with(Profile page, KeyForm form) {
        return rebuilt(page, page.created(), page.passwordFaults(), page.tokenForm(), form);
    }

    private static Profile rebuilt(
            Profile page, @Nullable CreatedToken created, Faults passwordFaults, TokenForm tokenForm, KeyForm keyForm) {
        return new Profile(
                page.me(),
                page.scopes(),
                page.tokens(),
                created,
                page.keys(),
                page.sessions(),
                passwordFaults,
                tokenForm,
                keyForm,
                page.note());
    }
}
