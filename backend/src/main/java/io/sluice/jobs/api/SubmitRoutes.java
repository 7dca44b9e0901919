package io.sluice.jobs.api;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.Submitted;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Submissions, in the forms of both versions. */
final class SubmitRoutes {
    static final String WRITE = "jobs:write";
    private static final int LONGEST_KEY = 255;

    private final Jobs jobs;

    SubmitRoutes(Jobs jobs) {
        this.jobs = jobs;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.post("/api/v2/jobs", call -> submit(call, SubmitRoutes::accepted)),
                        Route.post("/api/v1/jobs", call -> submit(call, SubmitRoutes::updated)),
                        Route.post("/api/v1/user/:user/jobs", this::submitAsUser),
                        Route.put("/api/v1/user/:user/jobs/:name", this::submitAsUser))
                .map(route -> route.scope(WRITE))
                .toList();
    }

    private Future<Reply> submitAsUser(Call call) {
        if (!call.path("user").equals(call.caller().name())) {
            throw Problem.of(
                    Problem.Kind.FORBIDDEN,
                    "Jobs are submitted under one's own name: " + call.caller().name() + ".");
        }
        return submit(call, SubmitRoutes::updated);
    }

    private Future<Reply> submit(Call call, Function<Submitted.Stored, Reply> answer) {
        return jobs.submit(call.caller(), call.body().toString(StandardCharsets.UTF_8), key(call))
                .map(submitted -> switch (submitted) {
                    case Submitted.Stored stored -> warned(answer.apply(stored), stored);
                    case Submitted.Refused refused ->
                        throw Problem.of(Problem.Kind.INVALID, refused.code(), refused.message());
                    case Submitted.Barred barred -> throw barred.why().problem(call.caller());
                    case Submitted.NoStorage missing ->
                        throw Problem.of(Problem.Kind.NOT_FOUND, "NoStorageError", missing.message());
                    case Submitted.NameTaken taken ->
                        throw Problem.of(
                                Problem.Kind.CONFLICT,
                                "ConflictJobError",
                                "Job " + taken.user() + "~" + taken.name() + " already exists.");
                    case Submitted.KeyReused reused ->
                        throw Problem.of(
                                Problem.Kind.UNPROCESSABLE,
                                "The idempotency key " + reused.key()
                                        + " stands for another job of yours. Choose a new one.");
                });
    }

    private static @org.jspecify.annotations.Nullable String key(Call call) {
        String key = call.header("Idempotency-Key").orElse("").strip();
        if (key.length() > LONGEST_KEY) {
            throw Problem.invalid("The Idempotency-Key is longer than " + LONGEST_KEY + " characters.");
        }
        return key.isEmpty() ? null : key;
    }

    private static Reply accepted(Submitted.Stored stored) {
        return Reply.json(Map.of(
                        "status",
                        202,
                        "message",
                        "Update job " + stored.name() + " for user " + stored.user() + " successfully."))
                .status(202);
    }

    private static Reply updated(Submitted.Stored stored) {
        return Reply.message(202, "update job " + stored.name() + " successfully");
    }

    private static Reply warned(Reply reply, Submitted.Stored stored) {
        return stored.warnings().isEmpty() ? reply : reply.header("X-Warning", String.join(" ", stored.warnings()));
    }
}
