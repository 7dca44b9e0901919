package io.sluice.identity;

import io.sluice.identity.AccountRoutes.Body;
import io.sluice.identity.People.Change;
import io.sluice.identity.People.Group;
import io.sluice.identity.People.Outcome;
import io.sluice.identity.People.SshKey;
import io.sluice.identity.People.User;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** OpenPAI's API for users and groups. */
final class UserRoutes {
    private static final String DEFAULT = "default";

    private final People people;
    private final SignIn signIn;
    private final Sessions sessions;

    UserRoutes(People people, SignIn signIn, Sessions sessions) {
        this.people = people;
        this.signIn = signIn;
        this.sessions = sessions;
    }

    List<Route> routes() {
        var reading = Stream.of(
                        Route.get("/api/v2/users", this::list),
                        Route.get("/api/v2/users/:user", this::one),
                        Route.get("/api/v2/user/:user", this::one),
                        Route.get("/api/v1/user/:user", this::one),
                        Route.get("/api/v2/groups", this::groups),
                        Route.get("/api/v2/groups/:group", this::group),
                        Route.get("/api/v2/groups/:group/userlist", this::members)
                                .forAdmins())
                .map(route -> route.scope("users:read"));
        var own = Stream.of(
                        Route.put("/api/v2/users/me", this::changeSelf),
                        Route.put("/api/v2/users/:user/email", this::changeEmail),
                        Route.put("/api/v2/users/:user/password", this::changePassword),
                        Route.put("/api/v2/users/:user/extension", this::changeExtension))
                .map(Route::withoutApplications);
        var administrating = Stream.of(
                        Route.post("/api/v2/users", this::add),
                        Route.put("/api/v2/users", this::change),
                        Route.delete("/api/v2/users/:user", this::remove),
                        Route.put("/api/v2/users/:user/group", this::joinGroup),
                        Route.delete("/api/v2/users/:user/group", this::leaveGroup),
                        Route.put("/api/v2/users/:user/grouplist", this::replaceGroups),
                        Route.put("/api/v2/users/:user/virtualcluster", this::changeVirtualClusters),
                        Route.put("/api/v2/users/:user/admin", this::changeAdmin),
                        Route.post("/api/v2/groups", this::addGroup),
                        Route.put("/api/v2/groups", this::changeGroup),
                        Route.delete("/api/v2/groups/:group", this::removeGroup))
                .map(route -> route.forAdmins().withoutApplications());
        return Stream.of(own, reading, administrating).flatMap(routes -> routes).toList();
    }

    /** Everybody for administrators, and oneself for everybody else. */
    private Future<Reply> list(Call call) {
        Caller caller = call.caller();
        Future<List<User>> seen =
                caller.admin() ? people.all() : people.numbered(caller.id()).map(List::of);
        return seen.compose(users -> people.keysOf(users)
                .map(keys -> Reply.json(users.stream()
                        .map(user -> shown(user, keys.getOrDefault(user.id(), List.of())))
                        .toList())));
    }

    private Future<Reply> one(Call call) {
        return visible(call).compose(user -> people.keys(user.id()).map(keys -> Reply.json(shown(user, keys))));
    }

    /** Somebody else is told about to administrators only; to others there is no such user, with OpenPAI's status for it. */
    private Future<User> visible(Call call) {
        String name = call.path("user");
        return people.named(name)
                .map(found -> found.filter(user -> call.caller().admin()
                                || user.id() == call.caller().id())
                        .orElseThrow(() -> noUser(Problem.Kind.INVALID, name)));
    }

    /** A change of somebody else, by an administrator only, who is told when there is nobody; everybody else may change themselves. */
    private Future<User> changeable(Call call) {
        String name = call.path("user");
        if (!call.caller().admin() && !call.caller().name().equalsIgnoreCase(name)) {
            throw Problem.of(Problem.Kind.FORBIDDEN, "Non-admin is not allow to do this operation.");
        }
        return existing(name);
    }

    private Future<User> existing(String name) {
        return people.named(name).map(found -> found.orElseThrow(() -> noUser(Problem.Kind.NOT_FOUND, name)));
    }

    private static Problem noUser(Problem.Kind kind, String name) {
        return Problem.of(kind, "NoUserError", "User " + name + " is not found.");
    }

    private static Problem noGroup(String name) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoGroupError", "Group " + name + " is not found.");
    }

    private static Map<String, Object> shown(User user, List<SshKey> keys) {
        var extension = new LinkedHashMap<>(user.extension().getMap());
        if (!keys.isEmpty()) {
            extension.put("sshKeys", keys.stream().map(UserRoutes::shown).toList());
        }
        var clusters = new LinkedHashSet<>(List.of(DEFAULT));
        clusters.addAll(user.virtualClusters());
        var shown = new LinkedHashMap<String, Object>();
        shown.put("username", user.name());
        shown.put("email", user.email());
        shown.put("grouplist", user.groups());
        shown.put("extension", extension);
        shown.put("admin", user.admin());
        shown.put("virtualCluster", clusters);
        shown.put("storageConfig", List.of());
        return shown;
    }

    private static Map<String, Object> shown(SshKey key) {
        return Map.of(
                "title", key.name(), "value", key.body(), "time", key.added().toEpochMilli());
    }

    private Future<Reply> add(Call call) {
        Body body = Body.of(call);
        String name = body.text("username").orElse("");
        if (!People.isName(name)) {
            throw Problem.invalid("\"username\" must match ^[\\w.-]+$, at most 64 characters, and not be reserved.");
        }
        String password = body.required("password", body.password("password").orElse(null));
        Change rest = body.change();
        return signIn.passwords()
                .hash(password)
                .compose(hash -> people.add(name, hash, rest))
                .map(outcome -> {
                    if (outcome.refusal() == People.Refusal.NAME_TAKEN) {
                        throw Problem.of(
                                Problem.Kind.CONFLICT, "ConflictUserError", "User name " + name + " already exists.");
                    }
                    granted(call, outcome, name, "user-added");
                    return Reply.message(201, "User is created successfully");
                });
    }

    private Future<Reply> change(Call call) {
        Body data = Body.patch(call, List.of("username", "email", "virtualCluster", "admin", "password", "extension"));
        String name = data.text("username").orElse("");
        return existing(name)
                .compose(user -> hashed(data.password("password"))
                        .compose(hash ->
                                people.change(user.id(), data.change().password(hash.orElse(null), sessionOf(call)))))
                .map(outcome -> done(call, outcome, name, "update user " + name + " successfully."));
    }

    private Future<Reply> changeSelf(Call call) {
        Body data = Body.patch(call, List.of("username", "email", "newPassword", "oldPassword"));
        String name = call.caller().name();
        if (!data.text("username").map(name::equalsIgnoreCase).orElse(true)) {
            throw Problem.of(Problem.Kind.FORBIDDEN, "Update of another user is not allowed here.");
        }
        Change change = data.extended(Change.NONE.email(data.email()));
        return rightOldPassword(call, data)
                .compose(right -> hashed(data.password("newPassword")))
                .compose(hash -> people.change(call.caller().id(), change.password(hash.orElse(null), sessionOf(call))))
                .map(outcome -> done(call, outcome, name, "update user " + name + " successfully."));
    }

    private Future<Void> rightOldPassword(Call call, Body data) {
        if (data.text("newPassword").isEmpty()) {
            return Future.succeededFuture();
        }
        String old = data.required("oldPassword", data.text("oldPassword").orElse(null));
        return signIn.check(call.caller().name(), old, call.address())
                .compose(result -> result instanceof SignIn.Result.Granted
                        ? Future.succeededFuture()
                        : Future.failedFuture(
                                Problem.of(Problem.Kind.INVALID, "IncorrectPasswordError", "Password is incorrect.")));
    }

    private Future<Reply> changePassword(Call call) {
        Body body = Body.of(call);
        String fresh = body.required("newPassword", body.password("newPassword").orElse(null));
        return changeable(call).compose(user -> {
            boolean self = user.id() == call.caller().id();
            return (self ? rightOldPassword(call, body) : Future.<Void>succeededFuture())
                    .compose(right -> signIn.passwords().hash(fresh))
                    .compose(
                            hash -> people.change(user.id(), Change.NONE.password(hash, self ? sessionOf(call) : null)))
                    .map(outcome -> done(call, outcome, user.name(), "update user password successfully."));
        });
    }

    private Future<Reply> changeEmail(Call call) {
        Body body = Body.of(call);
        return changed(
                call, Change.NONE.email(body.required("email", body.email())), "Update user email data successfully.");
    }

    private Future<Reply> changeExtension(Call call) {
        Body body = Body.of(call);
        body.required("extension", body.object("extension"));
        return changed(call, body.extended(Change.NONE), "update user extension data successfully.");
    }

    private Future<Reply> changeVirtualClusters(Call call) {
        Body body = Body.of(call);
        return changed(
                call,
                Change.NONE.virtualClusters(body.required("virtualCluster", body.names("virtualCluster"))),
                "Update user virtualCluster data successfully.");
    }

    private Future<Reply> changeAdmin(Call call) {
        Body body = Body.of(call);
        return changed(
                call,
                Change.NONE.admin(body.required("admin", body.truth("admin"))),
                "Update user admin permission successfully.");
    }

    private Future<Reply> remove(Call call) {
        return existing(call.path("user")).compose(user -> {
            if (user.admin()) {
                throw Problem.of(
                        Problem.Kind.FORBIDDEN,
                        "RemoveAdminError",
                        "Admin " + user.name() + " is not allowed to remove.");
            }
            return people.change(user.id(), Change.NONE.deleted()).map(outcome -> {
                granted(call, outcome, user.name(), "user-deleted");
                return Reply.message(200, "user is removed successfully");
            });
        });
    }

    private Future<Reply> joinGroup(Call call) {
        String group = Body.of(call).group();
        return existing(call.path("user")).compose(user -> {
            var groups = new LinkedHashSet<>(user.groups());
            groups.add(group);
            return people.change(user.id(), Change.NONE.groups(List.copyOf(groups)))
                    .map(outcome ->
                            done(call, outcome, group, "User " + user.name() + " is added into group " + group));
        });
    }

    private Future<Reply> leaveGroup(Call call) {
        String group = Body.of(call).group();
        return existing(call.path("user"))
                .compose(user -> people.change(
                                user.id(),
                                Change.NONE.groups(user.groups().stream()
                                        .filter(other -> !other.equals(group))
                                        .toList()))
                        .map(outcome ->
                                done(call, outcome, group, "User " + user.name() + " is removed from group " + group)));
    }

    private Future<Reply> replaceGroups(Call call) {
        Body body = Body.of(call);
        return changed(
                call,
                Change.NONE.groups(body.required("grouplist", body.names("grouplist"))),
                "update user grouplist successfully.");
    }

    private Future<Reply> changed(Call call, Change change, String message) {
        return changeable(call)
                .compose(user ->
                        people.change(user.id(), change).map(outcome -> done(call, outcome, user.name(), message)));
    }

    private Reply done(Call call, Outcome outcome, String name, String message) {
        granted(call, outcome, name, "user-changed");
        return Reply.message(201, message);
    }

    private void granted(Call call, Outcome outcome, String name, String event) {
        switch (outcome.refusal()) {
            case null -> {
                sessions.forget();
                Identity.audit(event, "user", name, "by", call.caller().name());
            }
            case NO_USER, NAME_TAKEN -> throw noUser(Problem.Kind.NOT_FOUND, name);
            case NO_GROUP -> throw noGroup(name);
            case LAST_ADMINISTRATOR ->
                throw Problem.of(
                        Problem.Kind.FORBIDDEN,
                        "RemoveAdminError",
                        "Admin " + name + " is the last one. Make somebody else an administrator first.");
        }
    }

    private Future<Reply> groups(Call call) {
        return people.groups(call.caller().admin() ? null : call.caller().id())
                .map(groups -> Reply.json(groups.stream().map(UserRoutes::shown).toList()));
    }

    private Future<Reply> group(Call call) {
        String name = call.path("group");
        return people.groups(call.caller().admin() ? null : call.caller().id())
                .map(groups -> groups.stream()
                        .filter(group -> group.name().equals(name))
                        .findFirst()
                        .map(group -> Reply.json(shown(group)))
                        .orElseThrow(() -> noGroup(name)));
    }

    private Future<Reply> members(Call call) {
        return people.members(call.path("group"))
                .map(users -> Reply.json(users.stream()
                        .map(user -> Map.of("username", user.name(), "clusterAdmin", user.admin()))
                        .toList()));
    }

    private Future<Reply> addGroup(Call call) {
        Body body = Body.of(call);
        var group = new Group(
                body.group(),
                body.text("description").orElse(""),
                body.text("externalName").orElse(""),
                Optional.ofNullable(body.object("extension")).orElseGet(JsonObject::new));
        return people.addGroup(group).map(added -> {
            if (!added) {
                throw Problem.of(
                        Problem.Kind.CONFLICT, "ConflictGroupError", "Group name " + group.name() + " already exists.");
            }
            Identity.audit(
                    "group-added", "group", group.name(), "by", call.caller().name());
            return Reply.message(201, "group is created successfully");
        });
    }

    /** OpenPAI's SDK puts the whole group under {@code data.data}, or plainly: both are taken. */
    private Future<Reply> changeGroup(Call call) {
        Body data = Body.patch(call, List.of());
        String name = data.group();
        return people.group(name)
                .map(found -> found.orElseThrow(() -> noGroup(name)))
                .compose(old -> people.changeGroup(new Group(
                        name,
                        data.text("description").orElse(old.description()),
                        data.text("externalName").orElse(old.externalName()),
                        Optional.ofNullable(data.object("extension")).orElse(old.extension()))))
                .map(changed -> {
                    Identity.audit(
                            "group-changed", "group", name, "by", call.caller().name());
                    return Reply.message(201, "update group " + name + " successfully.");
                });
    }

    private Future<Reply> removeGroup(Call call) {
        String name = call.path("group");
        if (name.equals(DEFAULT)) {
            throw Problem.of(Problem.Kind.FORBIDDEN, "ForbiddenUserError", "Group default is not allowed to remove.");
        }
        return people.removeGroup(name).map(removed -> {
            if (!removed) {
                throw noGroup(name);
            }
            Identity.audit("group-removed", "group", name, "by", call.caller().name());
            return Reply.message(200, "group is removed successfully");
        });
    }

    private static Map<String, Object> shown(Group group) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("groupname", group.name());
        shown.put("description", group.description());
        shown.put("externalName", group.externalName());
        shown.put("extension", group.extension().getMap());
        return shown;
    }

    private static @Nullable String sessionOf(Call call) {
        return Sessions.sessionOf(call.caller().credential()).orElse(null);
    }

    private Future<Optional<String>> hashed(Optional<String> password) {
        return password.map(text -> signIn.passwords().hash(text).map(Optional::of))
                .orElseGet(() -> Future.succeededFuture(Optional.empty()));
    }
}
