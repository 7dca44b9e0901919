package io.sluice.endpoints;

import io.sluice.endpoints.EndpointPanel.Asked;
import io.sluice.endpoints.checks.Checks;
import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.setup.SetUpPage;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The panel on a job's page, its switches, and the way from the portal to an endpoint. */
final class PanelRoutes {
    private static final String PANEL = "endpoints/panel.jte";

    private final Endpoints endpoints;
    private final Jobs jobs;
    private final Live live;

    PanelRoutes(Endpoints endpoints, Jobs jobs, Live live) {
        this.endpoints = endpoints;
        this.jobs = jobs;
        this.live = live;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/jobs/:job/panels/endpoints", this::panel).withoutApplications(),
                Route.get("/live/jobs/:job/endpoints", this::follow).withoutApplications(),
                Route.post("/jobs/:job/endpoints", this::on).withoutApplications(),
                Route.post("/jobs/:job/endpoints/:endpoint/on", this::again).withoutApplications(),
                Route.post("/jobs/:job/endpoints/:endpoint/off", this::off).withoutApplications(),
                Route.post("/jobs/:job/endpoints/:endpoint/share", this::share).withoutApplications(),
                Route.post("/jobs/:job/endpoints/:endpoint/unshare", this::unshare)
                        .withoutApplications(),
                Route.post("/jobs/:job/endpoints/:endpoint/check", this::check).withoutApplications(),
                Route.get("/endpoints", this::setUp).forAdmins().withoutApplications(),
                Route.get("/endpoints/:endpoint", this::open).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        return endpoints
                .job(call.caller(), call.path("job"))
                .compose(job -> page(call, job, null, null))
                .map(page -> Reply.page(PANEL, page));
    }

    private Future<EndpointPanel> page(Call call, Job job, @Nullable String fault, @Nullable Asked asked) {
        return way(call)
                .compose(way -> jobs.detail(job, null)
                        .compose(detail -> endpoints
                                .of(job)
                                .compose(all -> endpoints
                                        .checks()
                                        .ofJob(job.id())
                                        .map(checks -> EndpointPanel.of(
                                                detail,
                                                all,
                                                checks,
                                                endpoints.recipes(),
                                                endpoints.tickets()::isOpenable,
                                                way,
                                                call.query("sharing").orElse(""),
                                                fault,
                                                asked)))));
    }

    /** A job's key may be enough for a guest, but who reads this page has a profile to put one into. */
    private Future<EndpointPanel.Way> way(Call call) {
        Integer port = endpoints.sshPort();
        Caller reader = call.caller();
        return (port == null ? Future.succeededFuture(true) : endpoints.hasKey(reader))
                .compose(has -> endpoints
                        .colleagues(reader)
                        .map(colleagues -> new EndpointPanel.Way(
                                reader.name(),
                                !has,
                                call.authority().host(),
                                Names.origin(call.secure(), call.authority()),
                                port,
                                endpoints.isInside() ? null : colleagues)));
    }

    private Future<Reply> follow(Call call) {
        String key = call.path("job");
        return endpoints
                .job(call.caller(), key)
                .map(job -> live.follow(call, Endpoints.PANELS, (caller, cursor) -> since(call, caller, key, cursor)));
    }

    /** Rung for every change of any job, so it is found out first whether there is one of this. */
    private Future<Live.Changes> since(Call call, Caller caller, String key, @Nullable String cursor) {
        return endpoints
                .job(caller, key)
                .compose(job -> endpoints
                        .of(job)
                        .compose(all -> endpoints
                                .checks()
                                .ofJob(job.id())
                                .map(checks -> EndpointPanel.cursor(job, all, checks)))
                        .compose(now -> now.equals(cursor)
                                ? Future.succeededFuture(new Live.Changes(List.of(), now))
                                : page(call, job, null, null).map(PanelRoutes::changes)));
    }

    private static Live.Changes changes(EndpointPanel page) {
        return new Live.Changes(List.of(new Live.Fragment("endpoints/panel-live.jte", page)), page.cursor());
    }

    private Future<Reply> on(Call call) {
        Asked asked = Asked.of(call, "");
        return granted(
                call, endpoints.on(call.caller(), call.path("job"), asked.wanted(), asked.wish(List.of())), asked);
    }

    /** With a form, as it says; without one, as before. */
    private Future<Reply> again(Call call) {
        String name = call.path("endpoint");
        boolean changed = call.field(Asked.RECIPE).isPresent();
        Asked asked = Asked.of(call, name);
        return granted(
                call,
                endpoints
                        .find(call.caller(), call.path("job"), name)
                        .compose(before -> endpoints.on(
                                call.caller(),
                                before.jobKey(),
                                name,
                                (changed ? asked : Asked.of(before)).wish(before.shared()))),
                changed ? asked : null);
    }

    /** How it goes on is told as it does. */
    private Future<Reply> check(Call call) {
        return granted(
                call,
                endpoints
                        .find(call.caller(), call.path("job"), call.path("endpoint"))
                        .compose(endpoint -> endpoints.check(call, endpoint, Checks.SILENCE_SECONDS)));
    }

    private Future<Reply> share(Call call) {
        return granted(
                call,
                endpoints
                        .find(call.caller(), call.path("job"), call.path("endpoint"))
                        .compose(endpoint -> endpoints
                                .sharing()
                                .with(
                                        call.caller(),
                                        endpoint,
                                        call.field("with").orElse("").strip())));
    }

    private Future<Reply> unshare(Call call) {
        return granted(
                call,
                endpoints
                        .find(call.caller(), call.path("job"), call.path("endpoint"))
                        .compose(endpoint -> endpoints
                                .sharing()
                                .back(
                                        call.caller(),
                                        endpoint,
                                        call.field("with").orElse("").strip())));
    }

    private Future<Reply> off(Call call) {
        return granted(call, endpoints.off(call.caller(), call.path("job"), call.path("endpoint")));
    }

    private Future<Reply> granted(Call call, Future<?> wish) {
        return granted(call, wish, null);
    }

    /**
     * Within the panel's frame the panel comes back; without one, the page of the job.
     *
     * @param asked what is given back where it can not be granted; null: there was no form
     */
    private Future<Reply> granted(Call call, Future<?> wish, @Nullable Asked asked) {
        boolean framed = call.header("Turbo-Frame").isPresent();
        String key = call.path("job");
        String query = call.query("sharing").isPresent() ? "?sharing=" + call.path("endpoint") : "";
        return wish.map(done -> Reply.seeOther("/jobs/" + key + (framed ? "/panels/endpoints" + query : "")))
                .recover(failure -> failure instanceof Problem problem && isAnswer(problem)
                        ? endpoints.job(call.caller(), key).compose(job -> refused(call, job, framed, problem, asked))
                        : Future.failedFuture(failure));
    }

    private static boolean isAnswer(Problem problem) {
        return problem.kind() == Problem.Kind.INVALID || problem.kind() == Problem.Kind.CONFLICT;
    }

    private Future<Reply> refused(Call call, Job job, boolean framed, Problem problem, @Nullable Asked asked) {
        return framed
                ? page(call, job, problem.message(), asked)
                        .map(page -> Reply.page(PANEL, page).status(422))
                : Future.succeededFuture(Reply.seeOther("/jobs/" + job.key())
                        .noting(call, View.Note.bad("note.endpointRefused", problem.message())));
    }

    /** Looked at anew each time; what only this browser can find out it finds out itself. */
    private Future<Reply> setUp(Call call) {
        return endpoints.setUp().map(found -> {
            var page = SetUpPage.of(call, found);
            return Reply.page(call, "endpoints/setup.jte", page).connecting(page.probes());
        });
    }

    /** Off to the endpoint, with a ticket; to where it is listed if its job is over, or if somebody was just told why it is not there. */
    private Future<Reply> open(Call call) {
        return endpoints.find(call.caller(), call.path("endpoint")).compose(endpoint -> {
            boolean mine = call.caller().admin()
                    || endpoint.user().equals(call.caller().name());
            boolean there = endpoint.state() != Endpoint.State.ENDED && endpoint.wanted();
            boolean told = call.query("job").isPresent();
            if (told || (mine && !there)) {
                return Future.succeededFuture(Reply.seeOther(mine ? "/jobs/" + endpoint.jobKey() : "/"));
            }
            return endpoints
                    .ticket(call, endpoint, call.query("to").orElse(null))
                    .map(url -> Reply.nothing()
                            .status(303)
                            .header("Location", url)
                            .header("Referrer-Policy", "no-referrer"));
        });
    }
}
