package io.sluice.telemetry.door;

import io.sluice.jobs.Jobs;
import io.sluice.telemetry.history.Upstream;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers as Prometheus does, to Grafana alone, and tells each of its users what is theirs. */
final class DoorRoutes {
    static final String PATH = "/prometheus/api/v1/";
    /** Shows that it is Grafana who asks. */
    static final String SECRET = "X-Sluice-Grafana";
    /** For whom; Grafana sets it, whatever a browser sends ({@code send_user_header}). */
    static final String USER = "X-Grafana-User";

    private static final System.Logger LOG = System.getLogger(DoorRoutes.class.getName());
    private static final Duration LATER = Duration.ofSeconds(15);
    private static final int MOST_OF_ONE = 32;
    private static final int BODY_LIMIT = 64 << 10;

    private final @Nullable String secret;
    private final Function<String, Future<Optional<Viewer>>> viewers;
    private final Questions questions;
    private final Asking upstream;
    private final DoorMetrics metrics;
    private final Map<Long, Integer> asking = new ConcurrentHashMap<>();

    /** @param secret null: there is no Grafana, and the door is closed */
    DoorRoutes(
            @Nullable String secret,
            Function<String, Future<Optional<Viewer>>> viewers,
            Jobs jobs,
            Asking upstream,
            DoorMetrics metrics) {
        this.secret = secret;
        this.viewers = viewers;
        this.questions = new Questions(jobs);
        this.upstream = upstream;
        this.metrics = metrics;
    }

    List<Route> routes() {
        return Stream.of(
                        both("query", this::query),
                        both("query_range", this::range),
                        both("series", (viewer, call) -> list(viewer, call, HttpMethod.POST, "series")),
                        both("labels", (viewer, call) -> list(viewer, call, HttpMethod.POST, "labels")),
                        Stream.of(Route.get(PATH + "label/:label/values", call -> answer(call, this::values))
                                .forAnyone()))
                .flatMap(rows -> rows)
                .toList();
    }

    private interface Asked {
        Future<Upstream.Answer> answer(Viewer viewer, Call call);
    }

    private Stream<Route> both(String name, Asked asked) {
        return Stream.of(
                Route.get(PATH + name, call -> answer(call, asked)).forAnyone(),
                Route.post(PATH + name, call -> answer(call, asked)).forAnyone().bodyLimit(BODY_LIMIT));
    }

    private Future<Reply> answer(Call call, Asked asked) {
        return Future.succeededFuture()
                .compose(begun -> viewer(call))
                .compose(viewer ->
                        within(viewer, () -> asked.answer(viewer, call).map(answer -> told(viewer, answer))))
                .recover(failure -> Future.succeededFuture(refused(failure)))
                .onSuccess(reply -> metrics.answered(reply.status()));
    }

    private Future<Viewer> viewer(Call call) {
        if (secret == null || !upstream.isThere()) {
            throw Problem.notFound(
                    "There is no Prometheus behind this address, or no Grafana that may ask it (--grafana, --prometheus).");
        }
        List<String> shown = call.headers(SECRET);
        List<String> users = call.headers(USER);
        if (shown.size() != 1 || !same(shown.getFirst(), secret)) {
            throw Problem.of(
                    Problem.Kind.UNAUTHENTICATED,
                    "Only Grafana may ask here, and it shows its token in " + SECRET + ".");
        }
        if (users.size() != 1) {
            throw Problem.of(
                    Problem.Kind.UNAUTHENTICATED,
                    "Grafana does not say for whom it asks. Set send_user_header = true in its section [dataproxy].");
        }
        return viewers.apply(users.getFirst())
                .map(found -> found.orElseThrow(() -> Problem.of(
                        Problem.Kind.FORBIDDEN, "Whoever Grafana asks for has no account here that is open.")));
    }

    private static boolean same(String shown, String secret) {
        return MessageDigest.isEqual(shown.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8));
    }

    private Future<Reply> within(Viewer viewer, Supplier<Future<Reply>> answer) {
        long who = viewer.caller().id();
        if (asking.merge(who, 1, Integer::sum) > MOST_OF_ONE) {
            leave(who);
            throw Problem.of(
                    Problem.Kind.TOO_MANY, "You ask " + MOST_OF_ONE + " things at a time already. Wait a moment.");
        }
        metrics.open(1);
        return Future.succeededFuture().compose(begun -> answer.get()).eventually(() -> {
            metrics.open(-1);
            leave(who);
            return Future.succeededFuture();
        });
    }

    private void leave(long who) {
        asking.computeIfPresent(who, (id, count) -> count > 1 ? count - 1 : null);
    }

    private Future<Upstream.Answer> query(Viewer viewer, Call call) {
        Form form = new Form(call);
        Instant at = form.time("time").orElseGet(Instant::now);
        return questions
                .of(viewer, form.expression(), at)
                .compose(question -> at.isBefore(question.since())
                        ? Future.succeededFuture(nothing("vector"))
                        : upstream.ask(
                                HttpMethod.POST,
                                "query",
                                List.of(Map.entry("query", question.expression()), Form.time("time", at))));
    }

    private Future<Upstream.Answer> range(Viewer viewer, Call call) {
        Form form = new Form(call);
        Instant start = form.required("start");
        Instant end = form.required("end");
        long step = form.stepMillis(start, end);
        return questions.of(viewer, form.expression(), end).compose(question -> {
            long early = Math.max(0, question.since().toEpochMilli() - start.toEpochMilli());
            Instant first = start.plusMillis(Math.ceilDiv(early, step) * step);
            return first.isAfter(end)
                    ? Future.succeededFuture(nothing("matrix"))
                    : upstream.ask(
                            HttpMethod.POST,
                            "query_range",
                            List.of(
                                    Map.entry("query", question.expression()),
                                    Form.time("start", first),
                                    Form.time("end", end),
                                    Form.time("step", Instant.ofEpochMilli(step))));
        });
    }

    private Future<Upstream.Answer> values(Viewer viewer, Call call) {
        String label = call.path("label");
        if (!label.matches("[A-Za-z_]\\w{0,127}")) {
            throw Problem.invalid("This is no name of a label.");
        }
        return list(viewer, call, HttpMethod.GET, "label/" + label + "/values");
    }

    /** Of everything for administrators; for everybody else of what says which jobs are theirs. */
    private Future<Upstream.Answer> list(Viewer viewer, Call call, HttpMethod method, String path) {
        Form asked = new Form(call);
        List<Map.Entry<String, String>> form = new ArrayList<>();
        List<String> selectors = asked.selectors();
        if (viewer.caller().admin()) {
            selectors.forEach(selector -> form.add(Map.entry("match[]", selector)));
        } else {
            String own = Questions.own(viewer.caller());
            if (!Set.of("job_info", own).containsAll(selectors)) {
                throw Problem.of(
                        Problem.Kind.FORBIDDEN,
                        "Lists are of job_info, and of your own jobs. Administrators have all.");
            }
            form.add(Map.entry("match[]", own));
        }
        Instant end = asked.time("end").orElseGet(Instant::now);
        Instant start = asked.time("start").orElse(Instant.EPOCH);
        Instant since = viewer.caller().admin() ? Instant.EPOCH : viewer.since();
        form.add(Form.time("start", start.isBefore(since) ? since : start));
        form.add(Form.time("end", end.isBefore(since) ? since : end));
        return upstream.ask(method, path, form);
    }

    private static Upstream.Answer nothing(String type) {
        return new Upstream.Answer(
                200,
                "application/json",
                Buffer.buffer("{\"status\":\"success\",\"data\":{\"resultType\":\"" + type + "\",\"result\":[]}}"));
    }

    /** What Prometheus says of a question that it can not answer may name the series of others. */
    private static Reply told(Viewer viewer, Upstream.Answer answer) {
        boolean answered = answer.status() == 200;
        if (!answer.type().startsWith("application/json")
                || !(answered || Set.of(400, 422, 503).contains(answer.status()))) {
            throw Problem.unavailable(
                    "Prometheus answers what is no answer (status " + answer.status() + ").",
                    new IllegalStateException(answer.type()),
                    LATER);
        }
        if (!answered && !viewer.caller().admin()) {
            throw Problem.of(Problem.Kind.UNPROCESSABLE, "Prometheus can not answer this.");
        }
        return Reply.bytes("application/json", answer.body()).status(answer.status());
    }

    private static Problem unanswered(Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, "event=prometheus-unanswered cause={0}", failure.toString());
        return Problem.unavailable("Prometheus, or the database of the gateway, does not answer.", failure, LATER);
    }

    /** As Prometheus says it, so that Grafana shows it. */
    private static Reply refused(Throwable failure) {
        Problem problem = failure instanceof Problem known ? known : unanswered(failure);
        String type = switch (problem.kind()) {
            case INVALID -> "bad_data";
            case NOT_FOUND -> "not_found";
            case UNPROCESSABLE, LOCKED -> "execution";
            case UNAUTHENTICATED, FORBIDDEN -> "forbidden";
            case NOT_ALLOWED, CONFLICT, GONE, CHANGED, TOO_LARGE, TOO_MANY, BROKEN, UNAVAILABLE, TOO_SLOW, FULL ->
                "unavailable";
        };
        return Reply.json(Map.of("status", "error", "errorType", type, "error", problem.message()))
                .status(problem.status());
    }
}
