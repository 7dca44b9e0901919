package io.sluice.identity;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.identity.People.Change;
import io.sluice.identity.People.SshKey;
import io.sluice.identity.People.User;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** OpenPAI's API for signing in and for tokens, v1 and v2. */
final class AccountRoutes {
    private static final int LEAST_SECONDS = 60;
    private static final int MOST_SECONDS = 604_800;
    private static final int USUAL_SECONDS = 86_400;
    private static final String VERSION = "v1.8.1";
    private static final Instant FOREVER = Instant.parse("9999-12-31T00:00:00Z");

    private final SignIn signIn;
    private final Sessions sessions;

    AccountRoutes(SignIn signIn, Sessions sessions) {
        this.signIn = signIn;
        this.sessions = sessions;
    }

    List<Route> routes() {
        return Stream.of(
                        about(),
                        signingIn("/api/v1/authn"),
                        signingIn("/api/v2/authn"),
                        tokens("/api/v1/token"),
                        tokens("/api/v2/tokens"))
                .flatMap(List::stream)
                .toList();
    }

    private List<Route> about() {
        return List.of(
                Route.get("/api/v1/", this::info).forAnyone(),
                Route.get("/api/v2/", call -> done(Reply.text("PAI RESTful API v2 (beta version)")))
                        .forAnyone(),
                Route.get("/api/v2/info", this::info).forAnyone());
    }

    private List<Route> signingIn(String base) {
        return List.of(
                Route.get(base + "/info", call -> done(Reply.json(authentication())))
                        .forAnyone(),
                Route.post(base + "/basic/login", this::login).forAnyone().bodyLimit(16 << 10),
                Route.delete(base + "/basic/logout", this::logout).withoutApplications(),
                Route.get(base + "/oidc/login", AccountRoutes::noOidc).forAnyone(),
                Route.get(base + "/oidc/logout", AccountRoutes::noOidc).forAnyone(),
                Route.get(base + "/oidc/return", AccountRoutes::noOidc).forAnyone(),
                Route.post(base + "/oidc/return", AccountRoutes::noOidc).forAnyone());
    }

    private List<Route> tokens(String base) {
        return List.of(
                Route.post(base, this::login).forAnyone().bodyLimit(16 << 10),
                Route.get(base, this::list).withoutApplications(),
                Route.post(base + "/application", this::add).withoutApplications(),
                Route.get(base + "/check", this::check).scope("users:read"),
                Route.delete(base + "/:token", this::revoke).withoutApplications());
    }

    private Future<Reply> info(Call call) {
        return done(Reply.json(
                Map.of("name", "PAI RESTful API", "version", VERSION, "launcherType", "k8s", "authnMethod", "basic")));
    }

    private static Map<String, String> authentication() {
        return Map.of("authn_type", "basic", "loginURI", "/api/v2/authn/basic/login", "loginURIMethod", "post");
    }

    private static Future<Reply> noOidc(Call call) {
        return Future.failedFuture(
                Problem.of(
                        Problem.Kind.INVALID,
                        "NotImplementedError",
                        "This gateway signs people in by name and password; OIDC is not configured. Use POST /api/v2/authn/basic/login."));
    }

    private Future<Reply> login(Call call) {
        String name = call.field("username").orElse("");
        String password = call.field("password").orElse("");
        if (!People.NAME.matcher(name).matches()) {
            throw Problem.invalid("\"username\" must be a name of letters, digits, dot, dash and underscore.");
        }
        if (password.length() > Passwords.LONGEST) {
            throw Problem.invalid("\"password\" is longer than " + Passwords.LONGEST + " characters.");
        }
        Duration life = life(call.field("expiration"));
        return signIn.check(name, password, call.address()).compose(result -> switch (result) {
            case SignIn.Result.Granted(User user) -> granted(call, user, life);
            case SignIn.Result.Refused(boolean known) -> Future.failedFuture(refusal(name, known));
            case SignIn.Result.Disabled disabled ->
                Future.failedFuture(Problem.of(
                        Problem.Kind.FORBIDDEN,
                        "User " + name + " is disabled. Ask an administrator to enable it again."));
        });
    }

    private static Problem refusal(String name, boolean known) {
        return known
                ? Problem.of(Problem.Kind.INVALID, "IncorrectPasswordError", "Password is incorrect.")
                : Problem.of(Problem.Kind.INVALID, "NoUserError", "User " + name + " is not found.");
    }

    private Future<Reply> granted(Call call, User user, Duration life) {
        return sessions.login(user.id(), user.name(), call.address(), call.userAgent(), life)
                .map(token -> Reply.json(
                        Map.of("user", user.name(), "token", token, "admin", user.admin(), "hasGitHubPAT", false)));
    }

    private static Duration life(Optional<String> seconds) {
        int asked = seconds.map(text -> text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1)
                .orElse(USUAL_SECONDS);
        if (asked < LEAST_SECONDS || asked > MOST_SECONDS) {
            throw Problem.invalid(
                    "\"expiration\" must be a number of seconds from " + LEAST_SECONDS + " to " + MOST_SECONDS + ".");
        }
        return Duration.ofSeconds(asked);
    }

    private Future<Reply> logout(Call call) {
        Identity.audit("signed-out", "user", call.caller().name(), "address", call.address());
        return sessions.end(call.caller()).map(Reply.message(200, "Logout successfully"));
    }

    /** Login tokens as they were given; application tokens, of which nobody keeps the text, as names that can be revoked by. */
    private Future<Reply> list(Call call) {
        Caller caller = call.caller();
        return sessions.open(caller.id())
                .compose(open -> sessions.tokens(caller.id()).map(tokens -> {
                    var texts = new ArrayList<String>();
                    open.stream()
                            .filter(session -> !session.browser())
                            .map(session -> sessions.loginToken(session, caller.name()))
                            .forEach(texts::add);
                    tokens.stream().map(token -> named(token, caller.name())).forEach(texts::add);
                    return Reply.json(Map.of("tokens", texts));
                }));
    }

    private String named(Sessions.Token token, String user) {
        JsonObject claims = new JsonObject()
                .put("username", user)
                .put("application", true)
                .put("name", token.name())
                .put("jti", Long.toString(token.id()));
        Instant expires = token.expires();
        return sessions.signer()
                .sign(Signer.Purpose.LISTING, claims, token.created(), expires == null ? FOREVER : expires);
    }

    private Future<Reply> add(Call call) {
        String text = Sessions.newToken();
        return sessions.addToken(
                        call.caller().id(),
                        Optional.of(EntryRoutes.line(call, "name"))
                                .filter(name -> !name.isEmpty())
                                .orElse("OpenPAI API"),
                        text,
                        List.of("*"),
                        null)
                .map(made -> {
                    if (made.isEmpty()) {
                        throw Problem.of(
                                Problem.Kind.CONFLICT,
                                "You have " + Sessions.MOST_TOKENS + " tokens, which is the limit. Revoke one first.");
                    }
                    Identity.audit(
                            "token-made",
                            "user",
                            call.caller().name(),
                            "token",
                            "" + made.get().id());
                    return Reply.json(Map.of("token", text, "application", true));
                });
    }

    private Future<Reply> check(Call call) {
        Caller caller = call.caller();
        return sessions.known(caller.credential()).map(known -> {
            var told = new LinkedHashMap<String, Object>();
            told.put("username", caller.name());
            told.put("application", caller.kind() == Caller.Kind.APPLICATION);
            known.ifPresent(standing -> told.put("iat", standing.since().getEpochSecond()));
            known.map(Sessions.Standing::until).ifPresent(until -> told.put("exp", until.getEpochSecond()));
            told.put("admin", caller.admin());
            return Reply.json(told);
        });
    }

    private Future<Reply> revoke(Call call) {
        String token = call.path("token");
        Caller caller = call.caller();
        return revoked(token, caller).map(gone -> {
            if (!gone) {
                throw Problem.of(Problem.Kind.FORBIDDEN, "This token is not yours, or it is over already.");
            }
            sessions.forget();
            Identity.audit("token-revoked", "user", caller.name());
            return Reply.message(200, "revoke successfully");
        });
    }

    private Future<Boolean> revoked(String token, Caller caller) {
        if (token.startsWith(Sessions.TOKEN_PREFIX)) {
            return sessions.revoke(token, caller.id());
        }
        Signer signer = sessions.signer();
        return signer.read(Signer.Purpose.LOGIN, token)
                .compose(claims -> sessions.end(claims.getString("jti"), caller.id()))
                .recover(other -> signer.read(Signer.Purpose.LISTING, token)
                        .compose(claims -> sessions.revoke(Long.parseLong(claims.getString("jti")), caller.id())
                                .map(Optional::isPresent)))
                .recover(other -> other instanceof Signer.Invalid
                        ? Future.failedFuture(
                                Problem.of(Problem.Kind.FORBIDDEN, "This token is not yours, or it is over already."))
                        : Future.failedFuture(other));
    }

    private static Future<Reply> done(Reply reply) {
        return Future.succeededFuture(reply);
    }

    /** What a client of the API sent, field by field; what is wrong with one is said with its name. */
    record Body(JsonNode json) {
        private static final int SHORTEST_PASSWORD = 6;
        private static final int MOST_LISTED = 1_000;

        static Body of(Call call) {
            return new Body(call.input());
        }

        /** {@code {patch, data}}; without patch every field of the whole must be there. */
        static Body patch(Call call, List<String> whole) {
            JsonNode body = call.input();
            JsonNode data = body.path("data").isObject() ? body.path("data") : body;
            if (!body.path("patch").asBoolean(false) && body.has("data")) {
                whole.stream().filter(field -> !data.has(field)).findFirst().ifPresent(field -> {
                    throw Problem.invalid("\"" + field + "\" is required unless \"patch\" is true.");
                });
            }
            return new Body(data);
        }

        <T> T required(String name, @Nullable T value) {
            if (value == null) {
                throw Problem.invalid("\"" + name + "\" is required.");
            }
            return value;
        }

        Optional<String> text(String name) {
            JsonNode value = json.path(name);
            if (value.isMissingNode() || value.isNull()) {
                return Optional.empty();
            }
            if (!value.isTextual()) {
                throw Problem.invalid("\"" + name + "\" must be text.");
            }
            return Optional.of(value.textValue().replace("\0", ""));
        }

        /** OpenPAI asks for 6 characters, and its clients make such; the pages ask for more. */
        Optional<String> password(String name) {
            Optional<String> password = text(name);
            password.filter(text -> text.length() < SHORTEST_PASSWORD || text.length() > Passwords.LONGEST)
                    .ifPresent(text -> {
                        throw Problem.invalid("\"" + name + "\" must have " + SHORTEST_PASSWORD + " to "
                                + Passwords.LONGEST + " characters.");
                    });
            return password;
        }

        @Nullable
        String email() {
            String email = text("email").orElse(null);
            if (email != null
                    && !email.isEmpty()
                    && !People.EMAIL.matcher(email).matches()) {
                throw Problem.invalid("\"email\" must be an e-mail address or empty.");
            }
            return email;
        }

        @Nullable
        Boolean truth(String name) {
            JsonNode value = json.path(name);
            if (value.isMissingNode()) {
                return null;
            }
            return switch (value.asText()) {
                case "true" -> true;
                case "false" -> false;
                default -> throw Problem.invalid("\"" + name + "\" must be true or false.");
            };
        }

        @Nullable
        List<String> names(String name) {
            JsonNode value = json.path(name);
            if (value.isMissingNode()) {
                return null;
            }
            if (!value.isArray()
                    || value.size() > MOST_LISTED
                    || value.valueStream()
                            .anyMatch(
                                    item -> !People.GROUP.matcher(item.asText()).matches())) {
                throw Problem.invalid("\"" + name + "\" must be a list of names that match ^[A-Za-z0-9_]+$.");
            }
            return value.valueStream().map(JsonNode::asText).distinct().toList();
        }

        @Nullable
        JsonObject object(String name) {
            JsonNode value = json.path(name);
            if (value.isMissingNode()) {
                return null;
            }
            if (!value.isObject()) {
                throw Problem.invalid("\"" + name + "\" must be an object.");
            }
            if (value.toString().contains("\\u0000")) {
                throw Problem.invalid("\"" + name + "\" holds a character that can not be kept: \\u0000.");
            }
            return new JsonObject(value.toString());
        }

        String group() {
            return text("groupname")
                    .filter(name -> People.GROUP.matcher(name).matches())
                    .orElseThrow(
                            () -> Problem.invalid("\"groupname\" must match ^[A-Za-z0-9_]+$, at most 64 characters."));
        }

        Change change() {
            return extended(Change.NONE.email(email()).admin(truth("admin")).virtualClusters(names("virtualCluster")));
        }

        /** OpenPAI keeps a user's SSH keys among what it does not know; we know them. */
        Change extended(Change change) {
            JsonObject extension = object("extension");
            if (extension == null || !extension.containsKey("sshKeys")) {
                return change.extension(extension);
            }
            JsonNode keys = json.path("extension").path("sshKeys");
            if (!keys.isArray() || keys.size() > People.MOST_KEYS) {
                throw Problem.invalid("\"sshKeys\" must be a list of " + People.MOST_KEYS + " keys at most.");
            }
            extension.remove("sshKeys");
            return change.extension(extension)
                    .keys(keys.valueStream().map(Body::key).toList());
        }

        private static SshKey key(JsonNode key) {
            try {
                String title = key.path("title").asText().replaceAll("\\p{Cntrl}", "");
                return SshKey.parse(key.path("value").asText(), title.substring(0, Math.min(60, title.length())));
            } catch (SshKey.Unfit unfit) {
                throw Problem.invalid("\"sshKeys\" holds a value that is no SSH public key, or a weak one.");
            }
        }
    }
}
