package io.sluice.jobs.overview;

import io.sluice.jobs.Job;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The addresses of OpenPAI's portal, which its clients open and people have kept: each leads to the page that is here in its place. */
final class OldPageRoutes {
    /** As the portal's filter writes them, and as its protocol does. */
    private static final Map<String, String> PRIORITIES =
            Map.of("product", "prod", "opportunistic", "oppo", "critical", "crit");

    List<Route> routes() {
        return Stream.of(
                        at("/index.html", call -> "/"),
                        at("/home.html", call -> "/"),
                        at("/job-list.html", OldPageRoutes::list),
                        at("/job-detail.html", OldPageRoutes::job),
                        at("/job-event.html", OldPageRoutes::job),
                        at("/task-attempt.html", OldPageRoutes::job),
                        at("/submit.html", OldPageRoutes::submit),
                        at("/virtual-clusters.html", call -> "/virtual-clusters"))
                .map(Route::withoutApplications)
                .toList();
    }

    private static Route at(String path, Function<Call, String> leads) {
        return Route.get(path, call -> Future.succeededFuture(Reply.seeOther(leads.apply(call))));
    }

    private static String job(Call call) {
        return key(call).map(key -> "/jobs/" + key).orElse("/jobs");
    }

    private static String submit(Call call) {
        return key(call).map(key -> "/jobs/new?clone=" + key).orElse("/jobs/new");
    }

    private static Optional<String> key(Call call) {
        String user = Stream.of("username", "userName", "user")
                .flatMap(name -> call.query(name).stream())
                .findFirst()
                .orElse(call.caller().name());
        return call.query("jobName").map(job -> encoded(user) + "~" + encoded(job));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** A filter of several values, or of one that is not known here, shows all. */
    private static String list(Call call) {
        String priority = text(call, "jobPriority").toLowerCase(Locale.ROOT);
        String known = PRIORITIES.getOrDefault(priority, priority);
        return new ListQuery(
                        text(call, "user"),
                        state(text(call, "status")),
                        text(call, "vcName"),
                        ListQuery.PRIORITIES.contains(known) ? known : "",
                        "",
                        text(call, "keyword"),
                        "",
                        "")
                .link();
    }

    private static String text(Call call, String name) {
        return call.query(name).filter(text -> !text.contains(",")).orElse("");
    }

    private static String state(String status) {
        return ListQuery.STATES.entrySet().stream()
                .filter(chip ->
                        chip.getValue().stream().map(Job.State::name).anyMatch(status.toUpperCase(Locale.ROOT)::equals))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }
}
