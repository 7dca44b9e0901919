package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.Allowance;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The list of jobs, with all of OpenPAI's filters, orders and pages. */
final class ListRoutes {
    private static final int USUAL = 5_000;
    private static final int MOST = 50_000;
    /** What the page that follows has in common with this one. */
    private static final List<String> KEPT = List.of(
            "username",
            "vc",
            "state",
            "keyword",
            "tagsContain",
            "tagsNotContain",
            "jobPriority",
            "limit",
            "order",
            "withTotalCount");

    private final Jobs jobs;
    private final Allowance lists;

    ListRoutes(Jobs jobs, JobsApi.Settings settings) {
        this.jobs = jobs;
        this.lists = new Allowance(settings.listsPerMinute(), Duration.ofMinutes(1));
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get("/api/v2/jobs", this::list),
                        Route.get("/api/v1/jobs", this::oldList),
                        Route.get("/api/v1/user/:user/jobs", this::oldListOfUser))
                .map(route -> route.scope(JobRoutes.READ))
                .toList();
    }

    private Future<Reply> list(Call call) {
        count(call);
        JobFilter filter = filter(call);
        var page = page(call, filter, slice(call));
        if (!call.query("withTotalCount").orElse("").equals("true")) {
            return page.map(found -> reply(call, found, summaries(found)));
        }
        var total = jobs.count(call.caller(), filter);
        return Future.all(page, total)
                .map(both -> reply(
                        call, page.result(), Map.of("totalCount", total.result(), "data", summaries(page.result()))));
    }

    /** By key wherever the order has one: the last page of a million jobs is as quick as the first. */
    private Future<JobFilter.Page> page(Call call, JobFilter filter, JobFilter.Slice slice) {
        String after = call.query("after").orElse("");
        boolean byKey = slice.isNewest() && slice.offset() == 0 && slice.limit() > 0;
        if (!after.isEmpty() && !byKey) {
            throw Problem.invalid("after goes on in a list that is newest first, with a limit and without an offset.");
        }
        return byKey
                ? jobs.page(call.caller(), filter, after.isEmpty() ? null : after, slice.limit())
                : jobs.slice(call.caller(), filter, slice).map(found -> new JobFilter.Page(found, null));
    }

    private static List<ObjectNode> summaries(JobFilter.Page page) {
        return page.jobs().stream().map(JobJson::summary).toList();
    }

    /** With the address of the page that follows, as RFC 8288 has it: relative to this one. */
    private static Reply reply(Call call, JobFilter.Page page, Object json) {
        String next = page.next();
        if (next == null) {
            return Reply.json(json);
        }
        String kept = KEPT.stream()
                .filter(name -> call.query(name).isPresent())
                .map(name ->
                        "&" + name + "=" + URLEncoder.encode(call.query(name).orElseThrow(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
        return Reply.json(json).header("Link", "<?after=" + next + kept + ">; rel=\"next\"");
    }

    private Future<Reply> oldList(Call call) {
        return old(call, filter(call));
    }

    private Future<Reply> oldListOfUser(Call call) {
        return old(call, JobFilter.ALL.of(call.path("user")));
    }

    private Future<Reply> old(Call call, JobFilter filter) {
        count(call);
        var newest = new JobFilter.Slice(JobFilter.Order.submissionTime, true, 0, USUAL);
        return jobs.slice(call.caller(), filter, newest)
                .map(found -> Reply.json(found.stream().map(JobJson::oldSummary).toList()));
    }

    private void count(Call call) {
        Optional<Duration> wait = lists.take(call.caller().id());
        if (wait.isPresent()) {
            throw Problem.tooMany("You have listed jobs too often within a minute. Wait a little.", wait.get());
        }
    }

    private static JobFilter filter(Call call) {
        Set<String> states = all(call, "state");
        Set<Job.State> known = Arrays.stream(Job.State.values())
                .filter(state -> states.contains(state.name()))
                .collect(Collectors.toUnmodifiableSet());
        if (known.size() < states.size()) {
            throw Problem.invalid("A state is one of " + Arrays.toString(Job.State.values()) + ", not "
                    + String.join(",", states) + ".");
        }
        return new JobFilter(
                all(call, "username"),
                all(call, "vc"),
                known,
                call.query("keyword").orElse(null),
                all(call, "tagsContain"),
                all(call, "tagsNotContain"),
                all(call, "jobPriority"));
    }

    private static Set<String> all(Call call, String name) {
        return call.query(name).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static JobFilter.Slice slice(Call call) {
        int offset = number(call, "offset", 0);
        int limit = number(call, "limit", USUAL);
        if (limit > MOST) {
            throw Problem.invalid("Limit exceeds max number " + MOST + ".");
        }
        String[] order = call.query("order").orElse("").split(",");
        return Arrays.stream(JobFilter.Order.values())
                .filter(field -> order.length == 2 && field.name().equals(order[0]) && order[1].matches("ASC|DESC"))
                .findFirst()
                .map(field -> new JobFilter.Slice(field, order[1].equals("DESC"), offset, limit))
                .orElse(new JobFilter.Slice(JobFilter.Order.submissionTime, true, offset, limit));
    }

    private static int number(Call call, String name, int usual) {
        String text = call.query(name).orElse("");
        if (text.isEmpty()) {
            return usual;
        }
        if (!text.matches("\\d{1,9}")) {
            throw Problem.invalid(name + " must be a number from 0, not " + text + ".");
        }
        return Integer.parseInt(text);
    }
}
