package io.sluice.jobs.pages;

import io.sluice.database.Database;
import io.sluice.jobs.Allowance;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.Submitted;
import io.sluice.jobs.drafts.Catalogues;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.drafts.Examples;
import io.sluice.jobs.drafts.Templates;
import io.sluice.jobs.drafts.Templates.Content;
import io.sluice.jobs.pages.NewJob.Keeping;
import io.sluice.jobs.pages.NewJob.Page;
import io.sluice.jobs.pages.NewJob.Shelf;
import io.sluice.jobs.pages.NewJob.TemplateRow;
import io.sluice.jobs.pages.NewJob.Verdict;
import io.sluice.jobs.pages.NewJob.Word;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page on which a job is written and sent, and the templates to begin with. */
final class NewJobRoutes {
    private static final String PAGE = "jobs/new.jte";
    private static final String SHELF = "jobs/templates.jte";
    private static final int CHECKS_PER_MINUTE = 240;
    /** A form spells many characters as three. */
    private static final int BODY = 4 << 20;

    private final Jobs jobs;
    private final Catalogues catalogues;
    private final List<App> apps;
    private final Allowance checks = new Allowance(CHECKS_PER_MINUTE, Duration.ofMinutes(1));

    NewJobRoutes(Jobs jobs, Catalogues catalogues, List<App> apps) {
        this.jobs = jobs;
        this.catalogues = catalogues;
        this.apps = apps;
    }

    /** To stand before the routes of a job, whose paths would fit too. */
    List<Route> routes() {
        return Stream.of(
                        Route.get("/jobs/new", this::fresh),
                        Route.post("/jobs/new", this::submit).bodyLimit(BODY),
                        Route.post("/jobs/new/check", this::check).bodyLimit(BODY),
                        Route.get("/jobs/templates", call -> shelf(call, null)),
                        Route.post("/jobs/templates", this::keep).bodyLimit(BODY),
                        Route.post("/jobs/templates/:id", this::change),
                        Route.post("/jobs/templates/:id/delete", this::remove))
                .map(Route::withoutApplications)
                .toList();
    }

    /** What the page starts from: a text, and what is to be said of it. */
    private record Begun(String text, @Nullable Word word) {}

    private Future<Reply> fresh(Call call) {
        var clone = call.query("clone");
        var template = call.query("template");
        boolean chosen = List.of("dataset", "image", "saved").stream()
                .anyMatch(one -> call.query(one).isPresent());
        var notebook = call.query("notebook");
        Future<Begun> begun = clone.isPresent()
                ? clone(call, clone.get())
                : notebook.isPresent()
                        ? notebook(call, notebook.get())
                        : chosen ? chosen(call) : template(call, template.orElse("hello"), template.isPresent());
        return begun.compose(text -> page(call, text.text(), false, null, text.word(), Keeping.EMPTY))
                .map(page -> Reply.page(PAGE, page));
    }

    /** A text that another form has written, to be looked at and changed. */
    Future<Reply> open(Call call, String text, String tone, String key) {
        return named(call, text, "job")
                .compose(named -> Draft.of(jobs, call.caller(), named)
                        .compose(draft ->
                                page(call, named, true, new Verdict(draft), Word.of(tone, key), Keeping.EMPTY)))
                // Turbo shows the answer to a form that is none of 200
                .map(page -> Reply.page(PAGE, page).status(201));
    }

    /** A small job with what was chosen from the catalogues. */
    private Future<Begun> chosen(Call call) {
        var dataset = call.query("dataset").orElse(null);
        var image = call.query("image").orElse(null);
        return call.query("saved")
                .map(saved -> Future.succeededFuture(catalogues.text(saved)))
                .orElseGet(() -> catalogues.text(
                        call.caller(), dataset, image, call.query("tag").orElse(null)))
                .compose(text -> named(call, text, "job"))
                .map(text -> new Begun(
                        text, Word.of("info", dataset == null ? "submit.image.used" : "submit.dataset.used")));
    }

    /** The example of a session, in a folder as tasks have it. */
    private Future<Begun> notebook(Call call, String folder) {
        if (!folder.startsWith("/") || folder.length() > 4_000) {
            throw Problem.invalid("Say which folder, as tasks have it: ?notebook=/userhome/runs.");
        }
        String file = call.query("file").orElse("");
        var example = Examples.named("notebook").orElseThrow();
        String text = Examples.notebook(folder, file, call.query("storage").orElse(""));
        String shown = file.isEmpty() ? folder : folder + "/" + file;
        return named(call, text, example.name())
                .map(named -> new Begun(named, Word.of("info", "submit.notebook.used", shown)));
    }

    /** A copy of a job that the caller may see, under a name that is free. */
    private Future<Begun> clone(Call call, String key) {
        String[] names = key.split("~", 2);
        if (names.length < 2) {
            return Future.failedFuture(Jobs.noJob(call.caller().name(), key));
        }
        return jobs.job(call.caller(), names[0], names[1])
                .compose(job -> jobs.config(job)
                        .compose(config ->
                                named(call, config, job.name()).map(text -> new Begun(text, cloned(job, text)))));
    }

    private static Word cloned(Job job, String text) {
        return text.contains("\"******\"")
                ? Word.of("warning", "submit.cloned.secrets", job.key())
                : Word.of("info", "submit.cloned", job.key());
    }

    private Future<Begun> template(Call call, String id, boolean asked) {
        var example = Examples.named(id);
        if (example.isPresent()) {
            String title = example.get().title(call.language());
            return named(call, example.get().config(), example.get().name())
                    .map(text -> new Begun(text, asked ? Word.of("info", "submit.template.used", title) : null));
        }
        return jobs.templates()
                .find(call.caller(), number(id))
                .compose(found -> named(call, found.config(), found.name())
                        .map(text -> new Begun(text, Word.of("info", "submit.template.used", found.name()))));
    }

    private Future<String> named(Call call, String config, String otherwise) {
        String wish = Protocols.name(config).orElse(otherwise);
        return Draft.freeName(jobs, call.caller(), wish).map(name -> Protocols.renamed(config, name));
    }

    private static long number(String id) {
        if (!id.matches("\\d{1,18}")) {
            throw Templates.none(id);
        }
        return Long.parseLong(id);
    }

    private Future<Page> page(
            Call call, String text, boolean posted, @Nullable Verdict verdict, @Nullable Word word, Keeping keeping) {
        var kept = rows(call);
        var machines = jobs.machines();
        var clusters = jobs.clusters().openTo(call.caller());
        return Future.all(kept, machines, clusters)
                .map(read -> new Page(
                        text,
                        posted,
                        UUID.randomUUID().toString(),
                        clusters.result(),
                        types(machines.result()),
                        apps,
                        kept.result(),
                        verdict,
                        word,
                        keeping));
    }

    private static Map<String, String> types(Snapshot machines) {
        return machines.nodes().stream()
                .flatMap(node -> node.devices().stream())
                .collect(Collectors.toMap(Snapshot.Device::type, Snapshot.Device::vendor, (one, same) -> one));
    }

    private Future<List<TemplateRow>> rows(Call call) {
        return jobs.templates()
                .seenBy(call.caller())
                .map(all -> Stream.concat(
                                all.stream()
                                        .map(one -> TemplateRow.of(
                                                one,
                                                one.userId() == call.caller().id(),
                                                one.isChangedBy(call.caller()))),
                                Examples.ALL.stream().map(TemplateRow::of))
                        .toList());
    }

    /** As it was sent: browsers end the lines of a form's text in another way. */
    private static String text(Call call) {
        return call.field("text").orElse("").replace("\r\n", "\n");
    }

    private Future<Reply> check(Call call) {
        checks.take(call.caller().id()).ifPresent(wait -> {
            throw Problem.tooMany("You have had as many texts checked as one user may in a minute.", wait);
        });
        return Draft.of(jobs, call.caller(), text(call))
                .map(draft -> Reply.page("jobs/verdict.jte", new Verdict(draft)));
    }

    private Future<Reply> submit(Call call) {
        String sent = text(call);
        String text =
                call.field("rename").map(name -> Protocols.renamed(sent, name)).orElse(sent);
        String key = call.field("key").filter(one -> one.length() <= 255).orElse(null);
        return jobs.submit(call.caller(), text, key)
                .compose(submitted -> switch (submitted) {
                    case Submitted.Stored stored ->
                        Future.succeededFuture(Reply.seeOther("/jobs/" + stored.user() + "~" + stored.name()));
                    case Submitted.Refused refused -> refused(call, text, null);
                    case Submitted.Barred barred -> refused(call, text, null);
                    case Submitted.NoStorage missing -> refused(call, text, null);
                    case Submitted.NameTaken taken -> refused(call, text, null);
                    case Submitted.KeyReused reused -> refused(call, text, Word.of("warning", "submit.again"));
                })
                .recover(failure -> failure instanceof Problem || Database.isUnavailable(failure)
                        ? kept(call, text, failure)
                        : Future.failedFuture(failure));
    }

    private Future<Reply> refused(Call call, String text, @Nullable Word word) {
        return Draft.of(jobs, call.caller(), text)
                .compose(draft -> page(call, text, true, new Verdict(draft), word, Keeping.EMPTY))
                .map(page -> Reply.page(PAGE, page).status(422));
    }

    /** What can not be taken now is not lost: the page comes back with the text. */
    private Future<Reply> kept(Call call, String text, Throwable failure) {
        boolean tooMany = failure instanceof Problem problem && problem.kind() == Problem.Kind.TOO_MANY;
        long wait = failure instanceof Problem problem
                ? Optional.ofNullable(problem.retryAfter())
                        .orElse(Duration.ofSeconds(2))
                        .toSeconds()
                : 2;
        Word word = tooMany
                ? Word.of("warning", "submit.tooMany", "" + (wait + 59) / 60)
                : Word.of("bad", "submit.unavailable");
        if (failure instanceof Problem problem && !tooMany && problem.kind() != Problem.Kind.UNAVAILABLE) {
            return Future.failedFuture(failure);
        }
        var page = new Page(
                text,
                true,
                call.field("key").orElseGet(() -> UUID.randomUUID().toString()),
                List.of("default"),
                Map.of(),
                apps,
                Examples.ALL.stream().map(TemplateRow::of).toList(),
                null,
                word,
                Keeping.EMPTY);
        return Future.succeededFuture(Reply.page(PAGE, page)
                .status(tooMany ? 429 : 503)
                .header("Retry-After", Long.toString(Math.max(1, wait))));
    }

    private Future<Reply> shelf(Call call, @Nullable Word word) {
        return rows(call).map(rows -> Reply.page(SHELF, new Shelf(rows, word)).status(word == null ? 200 : 422));
    }

    /** Keeps the text as a template; the page stays as it was, with what was typed. */
    private Future<Reply> keep(Call call) {
        String text = text(call);
        var typed = new Keeping(line(call, "name"), line(call, "about"), shared(call), null);
        var content = new Content(typed.name(), typed.about(), typed.shared(), text);
        return attempt(() -> jobs.templates().add(call.caller(), content))
                .compose(added -> page(
                        call, text, true, null, Word.of("good", "submit.template.kept", added.name()), Keeping.EMPTY))
                .map(page -> Reply.page(PAGE, page).status(201))
                .recover(failure -> failure instanceof Problem problem && problem.status() < 429
                        ? keepRefused(call, text, typed, problem)
                        : Future.failedFuture(failure));
    }

    private Future<Reply> keepRefused(Call call, String text, Keeping typed, Problem problem) {
        String why = typed.name().isEmpty()
                ? "submit.template.nameless"
                : problem.code().equals("ConflictTemplateError")
                        ? "submit.template.taken"
                        : problem.kind() == Problem.Kind.CONFLICT
                                ? "submit.template.tooMany"
                                : problem.kind() == Problem.Kind.TOO_LARGE
                                        ? "submit.template.tooLarge"
                                        : "submit.template.faulty";
        var keeping = new Keeping(typed.name(), typed.about(), typed.shared(), Word.of("bad", why, typed.name()));
        return Draft.of(jobs, call.caller(), text)
                .compose(draft -> page(call, text, true, new Verdict(draft), null, keeping))
                .map(page -> Reply.page(PAGE, page).status(422));
    }

    private Future<Reply> change(Call call) {
        long id = number(call.path("id"));
        String name = line(call, "name");
        return attempt(() -> jobs.templates().find(call.caller(), id))
                .compose(old -> attempt(() -> jobs.templates()
                                .change(
                                        call.caller(),
                                        id,
                                        new Content(name, line(call, "about"), shared(call), old.config())))
                        .map(changed -> Reply.seeOther("/jobs/templates"))
                        .recover(failure -> failure instanceof Problem problem
                                        && (problem.kind() == Problem.Kind.INVALID
                                                || problem.kind() == Problem.Kind.CONFLICT)
                                ? shelf(
                                        call,
                                        Word.of(
                                                "bad",
                                                problem.kind() == Problem.Kind.CONFLICT
                                                        ? "submit.template.taken"
                                                        : "submit.template.nameless",
                                                name))
                                : Future.failedFuture(failure)));
    }

    private Future<Reply> remove(Call call) {
        return attempt(() -> jobs.templates().remove(call.caller(), number(call.path("id"))))
                .map(gone -> Reply.seeOther("/jobs/templates"));
    }

    private static String line(Call call, String field) {
        return call.field(field).orElse("").replaceAll("\\p{Cntrl}", " ").strip();
    }

    private static boolean shared(Call call) {
        return call.field("shared").map("true"::equals).orElse(false);
    }

    /** A refusal that is thrown and one that fails are the same. */
    private static <T> Future<T> attempt(java.util.function.Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (Problem refusal) {
            return Future.failedFuture(refusal);
        }
    }
}
