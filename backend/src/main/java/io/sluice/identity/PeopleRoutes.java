package io.sluice.identity;

import io.sluice.identity.IdentityPages.NewPerson;
import io.sluice.identity.IdentityPages.PeopleChanges;
import io.sluice.identity.IdentityPages.PersonRow;
import io.sluice.identity.People.Change;
import io.sluice.identity.People.Outcome;
import io.sluice.identity.People.Page;
import io.sluice.identity.People.Refusal;
import io.sluice.identity.People.User;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pages on which an administrator looks after people. */
final class PeopleRoutes {
    private static final String PEOPLE = "identity/people.jte";
    private static final String PERSON = "identity/person.jte";
    private static final int CAUGHT_UP = 200;
    private static final int MOST_GROUPS = 50;

    private final People people;
    private final Sessions sessions;
    private final Passwords passwords;
    private final Live live;

    PeopleRoutes(People people, Sessions sessions, Passwords passwords, Live live) {
        this.people = people;
        this.sessions = sessions;
        this.passwords = passwords;
        this.live = live;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get("/people", this::list),
                        Route.post("/people", this::add),
                        Route.get(
                                "/live/people",
                                call -> Future.succeededFuture(live.follow(call, "people", this::since))),
                        Route.get(
                                "/people/:name", call -> somebody(call).compose(user -> show(call, user, Faults.NONE))),
                        Route.post("/people/:name/groups", this::regroup),
                        Route.post("/people/:name/reset", this::reset),
                        Route.post("/people/:name/admin", this::promote),
                        Route.post(
                                "/people/:name/enable",
                                call -> change(call, Change.NONE.disabled(false), "note.enabled")),
                        Route.post(
                                "/people/:name/disable",
                                call -> change(call, Change.NONE.disabled(true), "note.disabled")),
                        Route.post("/people/:name/delete", call -> change(call, Change.NONE.deleted(), "note.deleted")))
                .map(route -> route.forAdmins().withoutApplications())
                .toList();
    }

    private Future<Reply> list(Call call) {
        return list(call, NewPerson.EMPTY);
    }

    private Future<Reply> list(Call call, NewPerson form) {
        String search =
                call.query("search").orElse("").replaceAll("\\p{Cntrl}", "").strip();
        Optional<Long> before = number(call.query("before"));
        long edge = before.or(() -> number(call.query("after"))).orElse(Long.MAX_VALUE);
        int size = IdentityPages.PAGE_SIZE;
        return people.page(search, edge, before.isPresent(), size + 1)
                .compose(page -> people.total().map(total -> {
                    List<User> all = page.users();
                    boolean more = all.size() > size;
                    List<User> shown =
                            !more ? all : before.isPresent() ? all.subList(1, all.size()) : all.subList(0, size);
                    boolean older = before.isPresent() ? !shown.isEmpty() : more;
                    boolean newer = before.isPresent() ? more : edge != Long.MAX_VALUE && !shown.isEmpty();
                    return Reply.page(
                            call,
                            PEOPLE,
                            new IdentityPages.People(
                                    rows(shown),
                                    search,
                                    older ? path("after", shown.getLast().id(), search) : null,
                                    newer ? path("before", shown.getFirst().id(), search) : null,
                                    total,
                                    page.cursor(),
                                    form,
                                    call.note()));
                }));
    }

    private static String path(String edge, long id, String search) {
        String found = search.isEmpty() ? "" : "&search=" + URLEncoder.encode(search, StandardCharsets.UTF_8);
        return "/people?" + edge + "=" + id + found;
    }

    private static Optional<Long> number(Optional<String> text) {
        return text.filter(digits -> digits.matches("\\d{1,18}")).map(Long::valueOf);
    }

    /** What changed since a cursor; somebody who asks with none of ours is told of everybody that a first page has. */
    private Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
        String from = cursor != null && cursor.matches("\\d{1,18}") ? cursor : "0";
        return people.since(from, CAUGHT_UP).compose(page -> people.total().map(total -> changes(page, total)));
    }

    private static Live.Changes changes(Page page, long total) {
        var added = page.users().stream()
                .filter(user -> !user.gone() && page.added().contains(user.id()));
        var changed = page.users().stream()
                .filter(user -> !user.gone() && !page.added().contains(user.id()));
        var removed = page.users().stream().filter(User::gone).map(User::id);
        var changes = new PeopleChanges(
                added.map(EntryRoutes::row).toList(),
                changed.map(EntryRoutes::row).toList(),
                removed.toList(),
                total);
        // so much that drawing the whole page anew is less
        String template = page.users().size() == CAUGHT_UP ? "identity/people-reload.jte" : "identity/people-live.jte";
        return new Live.Changes(
                page.users().isEmpty() ? List.of() : List.of(new Live.Fragment(template, changes)), page.cursor());
    }

    private static List<PersonRow> rows(List<User> users) {
        return users.stream().map(EntryRoutes::row).toList();
    }

    private Future<Reply> add(Call call) {
        String name = EntryRoutes.line(call, "name");
        String email = EntryRoutes.line(call, "email");
        String groups = EntryRoutes.line(call, "groups");
        String password = call.field("password").orElse("");
        boolean admin = call.field("admin").map("true"::equals).orElse(false);
        Faults faults = EntryRoutes.faults(faults(name, email, password, groups));
        if (!faults.equals(Faults.NONE)) {
            return refused(call, new NewPerson(name, email, groups, admin, faults));
        }
        Change rest = Change.NONE.email(email).admin(admin).groups(split(groups));
        return ensured(split(groups))
                .compose(ready -> passwords.hash(password))
                .compose(hash -> people.add(name, hash, rest))
                .compose(outcome -> {
                    if (outcome.user() == null) {
                        Note taken = Note.bad("fault.nameTaken", name);
                        return refused(
                                call,
                                new NewPerson(name, email, groups, admin, EntryRoutes.faults(Map.of("name", taken))));
                    }
                    people.forgetTotal();
                    Identity.audit(
                            "user-added", "user", name, "by", call.caller().name(), "admin", "" + admin);
                    return Future.succeededFuture(
                            Reply.seeOther("/people").noting(call, Note.good("note.added", name)));
                });
    }

    private Future<Reply> refused(Call call, NewPerson form) {
        return list(call, form).map(reply -> reply.status(422));
    }

    private static Map<String, Note> faults(String name, String email, String password, String groups) {
        var fields = new HashMap<String, Note>();
        if (!People.isName(name)) {
            fields.put("name", Note.bad(name.isEmpty() ? "fault.required" : "fault.name"));
        }
        if (!email.isEmpty() && !People.EMAIL.matcher(email).matches()) {
            fields.put("email", Note.bad("fault.email"));
        }
        fields.putAll(EntryRoutes.passwordFaults(name, password));
        fields.putAll(groupFaults(groups));
        return fields;
    }

    private static Map<String, Note> groupFaults(String groups) {
        List<String> wanted = split(groups);
        if (wanted.size() > MOST_GROUPS) {
            return Map.of("groups", Note.bad("fault.tooLong", MOST_GROUPS));
        }
        return wanted.stream()
                .filter(group -> !People.GROUP.matcher(group).matches())
                .findFirst()
                .map(group -> Map.of("groups", Note.bad("fault.groups", group)))
                .orElse(Map.of());
    }

    private static List<String> split(String groups) {
        return Stream.of(groups.split("[,，\\s]+"))
                .filter(group -> !group.isEmpty())
                .distinct()
                .toList();
    }

    /** A group that is named here for the first time comes into being. */
    private Future<Void> ensured(List<String> groups) {
        return Future.join(groups.stream()
                        .map(group ->
                                people.addGroup(new People.Group(group, "", "", new io.vertx.core.json.JsonObject())))
                        .toList())
                .mapEmpty();
    }

    private Future<User> somebody(Call call) {
        return people.named(call.path("name"))
                .map(found -> found.orElseThrow(() -> Problem.of(
                        Problem.Kind.NOT_FOUND, "NoUserError", "User " + call.path("name") + " is not found.")));
    }

    private Future<Reply> show(Call call, User user, Faults faults) {
        return sessions.open(user.id())
                .compose(open -> people.isLastAdministrator(user)
                        .map(last -> Reply.page(
                                call,
                                PERSON,
                                new IdentityPages.Person(
                                        EntryRoutes.row(user),
                                        call.field("groups").orElse(String.join(", ", user.groups())),
                                        open.size(),
                                        last,
                                        faults,
                                        call.note()))));
    }

    private Future<Reply> regroup(Call call) {
        String groups = EntryRoutes.line(call, "groups");
        Map<String, Note> faults = groupFaults(groups);
        return faults.isEmpty()
                ? ensured(split(groups))
                        .compose(ready -> change(call, Change.NONE.groups(split(groups)), "note.groups"))
                : somebody(call)
                        .compose(user -> show(call, user, EntryRoutes.faults(faults)))
                        .map(reply -> reply.status(422));
    }

    private Future<Reply> reset(Call call) {
        String password = call.field("password").orElse("");
        Map<String, Note> faults = EntryRoutes.passwordFaults(call.path("name"), password);
        return faults.isEmpty()
                ? passwords
                        .hash(password)
                        .compose(hash -> change(
                                call,
                                Change.NONE.password(
                                        hash,
                                        Sessions.sessionOf(call.caller().credential())
                                                .orElse(null)),
                                "note.reset"))
                : somebody(call)
                        .compose(user -> show(call, user, EntryRoutes.faults(faults)))
                        .map(reply -> reply.status(422));
    }

    private Future<Reply> promote(Call call) {
        boolean admin = call.field("admin").map("true"::equals).orElse(false);
        return change(call, Change.NONE.admin(admin), admin ? "note.adminGiven" : "note.adminTaken");
    }

    private Future<Reply> change(Call call, Change change, String note) {
        return somebody(call).compose(user -> {
            boolean self = user.id() == call.caller().id();
            if (self && (change.delete() || Objects.equals(change.disabled(), true))) {
                return refused(call, user, Note.bad("fault.self"));
            }
            return people.change(user.id(), change).compose(outcome -> answer(call, user, outcome, note, change));
        });
    }

    private Future<Reply> answer(Call call, User user, Outcome outcome, String note, Change change) {
        if (outcome.refusal() == Refusal.LAST_ADMINISTRATOR) {
            return refused(call, user, Note.bad("fault.lastAdmin"));
        }
        if (outcome.refusal() != null) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoUserError", "User " + user.name() + " is not found.");
        }
        sessions.forget();
        people.forgetTotal();
        Identity.audit(
                note.replace("note.", "user-"),
                "user",
                user.name(),
                "by",
                call.caller().name());
        Reply next = Reply.seeOther(change.delete() ? "/people" : "/people/" + user.name());
        return Future.succeededFuture(next.noting(call, Note.good(note, user.name())));
    }

    private Future<Reply> refused(Call call, User user, Note note) {
        return show(call, user, new Faults(Map.of(), note)).map(reply -> reply.status(422));
    }
}
