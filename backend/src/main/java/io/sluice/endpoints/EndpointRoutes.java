package io.sluice.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.endpoints.checks.Check;
import io.sluice.endpoints.checks.Checks;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Endpoints for programs. */
final class EndpointRoutes {
    private static final String JOB = "/api/v2/jobs/:job/endpoints";
    private static final String ONE = JOB + "/:endpoint";
    private static final Set<String> FIELDS = Set.of("recipe", "role", "index", "port", "options", "shared");

    private final Endpoints endpoints;

    EndpointRoutes(Endpoints endpoints) {
        this.endpoints = endpoints;
    }

    List<Route> routes() {
        return List.of(
                Route.get(JOB, this::list).scope("jobs:read"),
                Route.put(ONE, this::on).scope("jobs:write"),
                Route.delete(ONE, this::off).scope("jobs:write"),
                Route.post(ONE + "/ticket", this::ticket).withoutApplications(),
                Route.post(ONE + "/check", this::check).withoutApplications(),
                Route.get(ONE + "/check", this::checked).scope("jobs:read"));
    }

    private Future<Reply> list(Call call) {
        return endpoints
                .job(call.caller(), call.path("job"))
                .compose(endpoints::of)
                .map(all -> Reply.json(all.stream().map(EndpointRoutes::json).toList()));
    }

    private Future<Reply> on(Call call) {
        return endpoints
                .on(call.caller(), call.path("job"), call.path("endpoint"), wish(call.input()))
                .map(endpoint -> Reply.json(json(endpoint)));
    }

    private Future<Reply> off(Call call) {
        return endpoints
                .off(call.caller(), call.path("job"), call.path("endpoint"))
                .map(changed -> Reply.nothing());
    }

    private Future<Reply> ticket(Call call) {
        return endpoints
                .find(call.caller(), call.path("job"), call.path("endpoint"))
                .compose(endpoint ->
                        endpoints.ticket(call, endpoint, call.field("path").orElse(null)))
                .map(url -> Reply.json(Map.of("url", url)));
    }

    private Future<Reply> check(Call call) {
        int silence = silence(call.input().path("silence"));
        return endpoints
                .find(call.caller(), call.path("job"), call.path("endpoint"))
                .compose(endpoint -> endpoints.check(call, endpoint, silence))
                .map(check -> Reply.json(json(check)));
    }

    private static int silence(JsonNode wanted) {
        if (wanted.isMissingNode()) {
            return Checks.SILENCE_SECONDS;
        }
        if (!wanted.isInt() || wanted.asInt() < 0 || wanted.asInt() > Checks.SILENCE_SECONDS) {
            throw Problem.invalid("silence is a number of seconds, from 0 to " + Checks.SILENCE_SECONDS + ".");
        }
        return wanted.asInt();
    }

    private Future<Reply> checked(Call call) {
        return endpoints
                .find(call.caller(), call.path("job"), call.path("endpoint"))
                .compose(endpoint -> endpoints.checks().find(endpoint.id()))
                .map(found -> Reply.json(json(found.orElseThrow(() -> Problem.of(
                        Problem.Kind.NOT_FOUND, "NoCheckError", "This endpoint has not been checked yet.")))));
    }

    private static Map<String, @Nullable Object> json(Check check) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("began", check.began().toString());
        json.put("over", check.over());
        json.put("steps", check.steps().stream().map(EndpointRoutes::json).toList());
        json.put("failed", check.failed().map(step -> step.hop().key()).orElse(null));
        return json;
    }

    private static Map<String, @Nullable Object> json(Check.Step step) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("step", step.hop().key());
        json.put("ok", step.ok());
        json.put("detail", step.sentence());
        return json;
    }

    static Endpoints.Wish wish(ObjectNode body) {
        body.fieldNames().forEachRemaining(name -> {
            if (!FIELDS.contains(name)) {
                throw Problem.invalid(
                        "An endpoint has no " + name + ". It has recipe, role, index, port, options, shared.");
            }
        });
        if (body.hasNonNull("index") && !body.get("index").isInt()) {
            throw Problem.invalid("index is the number of a task, from 0.");
        }
        String recipe = text(body, "recipe");
        return new Endpoints.Wish(
                recipe == null ? "" : recipe,
                text(body, "role"),
                body.path("index").asInt(0),
                text(body, "port"),
                options(body),
                shared(body));
    }

    /** One that is null is as one that is not there: the recipe's own holds. */
    private static Map<String, String> options(ObjectNode body) {
        Map<String, String> options = new HashMap<>();
        if (body.hasNonNull("options") && !body.get("options").isObject()) {
            throw Problem.invalid("options is an object: each option of the recipe by its name.");
        }
        body.path("options").propertyStream().forEach(option -> {
            if (option.getValue().isContainerNode()) {
                throw Problem.invalid("Option " + option.getKey() + " is a text, a number, true or false.");
            }
            if (!option.getValue().isNull()) {
                options.put(option.getKey(), option.getValue().asText());
            }
        });
        return options;
    }

    private static List<String> shared(ObjectNode body) {
        JsonNode names = body.path("shared");
        if (body.hasNonNull("shared")
                && !(names.isArray() && names.valueStream().allMatch(JsonNode::isTextual))) {
            throw Problem.invalid("shared is a list of names of users: [\"ann\", \"bob\"].");
        }
        return names.valueStream().map(JsonNode::asText).toList();
    }

    private static @Nullable String text(ObjectNode body, String name) {
        if (body.path(name).isContainerNode()) {
            throw Problem.invalid(name + " is one text.");
        }
        return body.hasNonNull(name) ? body.get(name).asText() : null;
    }

    static Map<String, @Nullable Object> json(Endpoint endpoint) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        Endpoint.Life life = endpoint.life();
        json.put("name", endpoint.name());
        json.put("recipe", endpoint.recipe());
        json.put("role", endpoint.role());
        json.put("index", endpoint.index());
        json.put("port", life == null ? null : life.port());
        json.put(
                "state",
                endpoint.wanted() || endpoint.state() == Endpoint.State.ENDED
                        ? endpoint.state().key()
                        : "off");
        json.put("reason", endpoint.sentence());
        json.put("lines", endpoint.output());
        json.put("options", endpoint.options());
        json.put("shared", endpoint.shared());
        json.put("since", endpoint.since().toString());
        return json;
    }
}
