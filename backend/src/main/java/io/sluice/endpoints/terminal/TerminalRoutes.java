package io.sluice.endpoints.terminal;

import io.sluice.engines.Command;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/** The page of a terminal, and its WebSocket. */
final class TerminalRoutes {
    private final Jobs jobs;
    private final BiFunction<Caller, String, Future<Job>> own;
    private final Terminals terminals;

    /** @param own the job of a key, if it is the caller's to look at */
    TerminalRoutes(Jobs jobs, BiFunction<Caller, String, Future<Job>> own, Terminals terminals) {
        this.jobs = jobs;
        this.own = own;
        this.terminals = terminals;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/jobs/:job/terminal", this::page).withoutApplications(),
                Route.get("/live/jobs/:job/terminal", this::connect)
                        .withoutApplications()
                        .speaks(Terminals.SUBPROTOCOL));
    }

    /** {@code ?task=role/index}, as the panel's form asks; without it, of the first task. */
    private Future<Reply> page(Call call) {
        return own.apply(call.caller(), call.path("job"))
                .compose(job -> jobs.detail(job, null))
                .map(detail -> Reply.page(
                        "endpoints/terminal.jte",
                        page(detail, call.query("task").orElse(""))));
    }

    private static TerminalPage page(JobDetail detail, String task) {
        int slash = task.lastIndexOf('/');
        var role = task.isEmpty()
                ? detail.spec().roles().getFirst()
                : detail.spec().roles().stream()
                        .filter(one -> slash >= 0 && one.name().equals(task.substring(0, slash)))
                        .findFirst()
                        .orElseThrow(() -> noTask(detail.job()));
        int index = slash < 0 ? 0 : number(task.substring(slash + 1), "task");
        if (index >= role.instances()) {
            throw noTask(detail.job());
        }
        return new TerminalPage(detail.job(), role.name(), index);
    }

    private static Problem noTask(Job job) {
        return Problem.of(Problem.Kind.NOT_FOUND, "Job " + job.key() + " has no such task.");
    }

    private Future<Reply> connect(Call call) {
        return own.apply(call.caller(), call.path("job")).map(job -> {
            var visit = new Visit(
                    call.caller().id(),
                    call.caller().name(),
                    job.id(),
                    job.key(),
                    call.query("role").orElseThrow(() -> Problem.invalid("Say which task: role and index.")),
                    number(call.query("index").orElse("0"), "index"),
                    screen(call),
                    call.query("terminal").filter(id -> !id.isEmpty()).orElse(null),
                    offset(call.query("offset").orElse("0")));
            return Reply.socket(socket -> {
                if (job.isFinal() && visit.terminal() == null) {
                    terminals.refuse(socket, "over", "");
                } else {
                    terminals.serve(visit, socket);
                }
            });
        });
    }

    private static Command.Screen screen(Call call) {
        try {
            return new Command.Screen(
                    number(call.query("columns").orElse("80"), "columns"),
                    number(call.query("rows").orElse("24"), "rows"));
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("A terminal has 1 to 1000 columns and rows.");
        }
    }

    private static int number(String text, String what) {
        if (!text.matches("\\d{1,6}")) {
            throw Problem.invalid(what + " is a number from 0.");
        }
        return Integer.parseInt(text);
    }

    private static long offset(String text) {
        if (!text.matches("\\d{1,18}")) {
            throw Problem.invalid("offset is a number from 0.");
        }
        return Long.parseLong(text);
    }
}
