package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.Allowance;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.drafts.Examples;
import io.sluice.jobs.drafts.Examples.Example;
import io.sluice.jobs.drafts.Templates;
import io.sluice.jobs.drafts.Templates.Content;
import io.sluice.jobs.drafts.Templates.Template;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.protocol.Fault;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Before a job: what would become of a text, the texts to begin with, and the schemas of both protocols. */
final class DraftRoutes {
    private static final String TEMPLATES = "/api/v2/templates";
    private static final int CHECKS_PER_MINUTE = 240;

    private final Jobs jobs;
    private final Allowance checks = new Allowance(CHECKS_PER_MINUTE, Duration.ofMinutes(1));

    DraftRoutes(Jobs jobs) {
        this.jobs = jobs;
    }

    List<Route> routes() {
        var schemas = Stream.of("job-v1", "job-v2").map(DraftRoutes::schema);
        var reading = Stream.of(Route.get(TEMPLATES, this::list), Route.get(TEMPLATES + "/:id", this::one))
                .map(route -> route.scope(JobRoutes.READ));
        var writing = Stream.of(
                        Route.post("/api/v2/jobs/validate", this::validate),
                        Route.post(TEMPLATES, this::add),
                        Route.put(TEMPLATES + "/:id", this::change),
                        Route.delete(TEMPLATES + "/:id", this::remove))
                .map(route -> route.scope(SubmitRoutes.WRITE));
        return Stream.of(schemas, reading, writing).flatMap(all -> all).toList();
    }

    private static Route schema(String name) {
        try (InputStream stream =
                Objects.requireNonNull(DraftRoutes.class.getResourceAsStream("/schemas/" + name + ".json"))) {
            Buffer schema = Buffer.buffer(stream.readAllBytes());
            return Route.get(
                            "/schemas/" + name + ".json",
                            call -> Future.succeededFuture(Reply.bytes("application/schema+json", schema)
                                    .header("Cache-Control", "public, max-age=300")))
                    .forAnyone();
        } catch (IOException e) {
            throw new IllegalStateException("the schema " + name + " can not be read", e);
        }
    }

    private Future<Reply> validate(Call call) {
        checks.take(call.caller().id()).ifPresent(wait -> {
            throw Problem.tooMany("You have had as many texts checked as one user may in a minute.", wait);
        });
        return Draft.of(jobs, call.caller(), call.body().toString(StandardCharsets.UTF_8))
                .map(draft -> Reply.json(
                        switch (draft) {
                            case Draft.Faulty faulty -> faulty(faulty);
                            case Draft.Sound sound -> sound(sound, call.caller());
                        }));
    }

    private static ObjectNode faulty(Draft.Faulty draft) {
        var json = JobJson.object().put("valid", false).put("protocol", draft.protocol());
        ArrayNode faults = json.putArray("faults");
        for (Fault fault : draft.faults()) {
            faults.addObject()
                    .put("line", fault.line())
                    .put("column", fault.column())
                    .put("path", fault.path())
                    .put("code", fault.key())
                    .put("message", fault.message())
                    .put("allowed", fault.allowed());
        }
        json.putArray("warnings");
        return json;
    }

    private static ObjectNode sound(Draft.Sound draft, Caller caller) {
        JobSpec spec = draft.spec();
        var json = JobJson.object().put("valid", true).put("protocol", spec.protocol());
        json.putArray("faults");
        var warnings = json.putArray("warnings");
        draft.warnings().forEach(warning -> warnings.add(warning.sentence()));
        json.putObject("job")
                .put("name", spec.name())
                .put("virtualCluster", spec.virtualCluster())
                .put("tasks", spec.taskCount())
                .put("devices", spec.deviceCount())
                // what it is as protocol 2, secrets masked
                .put("config", Protocols.export(spec));
        json.put("nameTaken", draft.freeName() != null).put("freeName", draft.freeName());
        json.set("fit", fit(draft, caller));
        return json;
    }

    private static ObjectNode fit(Draft.Sound draft, Caller caller) {
        Placement.Fit fit = draft.fit();
        Exit exit = draft.refusal();
        var barred = draft.barred();
        var storage = draft.noStorage();
        var unsupplied = draft.unsupplied();
        String refusal = barred != null
                ? barred.problem(caller).message()
                : storage != null
                        ? storage.message()
                        : unsupplied != null ? unsupplied.message() : exit == null ? null : exit.message();
        var waiting = fit.waiting();
        var json = JobJson.object()
                .put("now", refusal == null && waiting == null)
                .put("never", draft.never())
                .put("refusal", refusal);
        json.set("waiting", waiting == null ? null : WaitingJson.of(waiting));
        ArrayNode places = json.putArray("places");
        fit.now()
                .forEach(place -> places.addObject()
                        .put("taskRole", place.role())
                        .put("taskIndex", place.task())
                        .put("node", place.node()));
        return json;
    }

    private Future<Reply> list(Call call) {
        return jobs.templates().seenBy(call.caller()).map(kept -> {
            ArrayNode all = JobJson.object().putArray("templates");
            kept.forEach(template -> all.add(json(template, call, false)));
            Examples.ALL.forEach(example -> all.add(json(example, call, false)));
            return Reply.json(Map.of("templates", all));
        });
    }

    private Future<Reply> one(Call call) {
        String id = call.path("id");
        return Examples.named(id)
                .map(example -> Future.succeededFuture(Reply.json(json(example, call, true))))
                .orElseGet(() -> jobs.templates()
                        .find(call.caller(), number(id))
                        .map(template -> Reply.json(json(template, call, true))));
    }

    private Future<Reply> add(Call call) {
        return jobs.templates()
                .add(call.caller(), content(call))
                .map(template -> Reply.json(json(template, call, true)).status(201));
    }

    private Future<Reply> change(Call call) {
        long id = number(call.path("id"));
        return jobs.templates().find(call.caller(), id).compose(old -> {
            var content = new Content(
                    call.field("name").orElse(old.name()).strip(),
                    call.field("description").orElse(old.description()),
                    call.field("shared").map(Boolean::parseBoolean).orElse(old.shared()),
                    call.field("config").orElse(old.config()));
            return jobs.templates()
                    .change(call.caller(), id, content)
                    .map(template -> Reply.json(json(template, call, true)));
        });
    }

    private Future<Reply> remove(Call call) {
        return jobs.templates()
                .remove(call.caller(), number(call.path("id")))
                .map(gone -> Reply.message(200, "Template " + gone.name() + " is deleted."));
    }

    private static Content content(Call call) {
        return new Content(
                call.field("name").orElse("").strip(),
                call.field("description").orElse(""),
                call.field("shared").map(Boolean::parseBoolean).orElse(false),
                call.field("config").orElse(""));
    }

    private static long number(String id) {
        if (!id.matches("\\d{1,18}")) {
            throw Templates.none(id);
        }
        return Long.parseLong(id);
    }

    private static ObjectNode json(Template template, Call call, boolean whole) {
        var json = JobJson.object()
                .put("id", Long.toString(template.id()))
                .put("kind", template.userId() == call.caller().id() ? "own" : "shared")
                .put("username", template.user())
                .put("name", template.name())
                .put("description", template.description())
                .put("shared", template.shared());
        return whole ? json.put("config", template.config()) : json;
    }

    private static ObjectNode json(Example example, Call call, boolean whole) {
        var json = JobJson.object()
                .put("id", example.name())
                .put("kind", "example")
                .putNull("username")
                .put("name", example.title(call.language()))
                .put("description", example.about(call.language()))
                .put("shared", true);
        return whole ? json.put("config", example.config()) : json;
    }
}
