package io.sluice.jobs.overview;

import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Lists;
import io.sluice.jobs.lists.Lists.Leaf;
import io.sluice.jobs.lists.Lists.Sort;
import io.sluice.jobs.overview.ListPage.Counts;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The list of jobs, and stopping several of them. */
final class JobListRoutes {
    private static final int SIZE = 50;
    /** As many as a page can have; as many changes as are worth telling one by one. */
    private static final int MOST_TOLD = 200;

    private static final int MOST_NAMED = 8;

    private final Jobs jobs;
    private final Tally tally;
    private final Live live;

    JobListRoutes(Jobs jobs, Tally tally, Live live) {
        this.jobs = jobs;
        this.tally = tally;
        this.live = live;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get("/jobs", this::list),
                        Route.get("/live/jobs", this::follow),
                        Route.post("/jobs/stop", this::stop))
                .map(Route::withoutApplications)
                .toList();
    }

    private Future<Reply> list(Call call) {
        Caller caller = call.caller();
        var query = ListQuery.of(call);
        var leaf = jobs.lists().leaf(caller, query.filter(), query.place(), SIZE);
        var cursor = jobs.changes(caller, query.lasting(), null);
        var counts = counts(caller, query);
        var clusters = jobs.lists().clusters();
        var total = jobs.lists().total(caller, query.filter(), ListPage.MOST_COUNTED);
        // the cursor is older than the list, so that nothing is between them
        return cursor.compose(begun -> Future.all(leaf, counts, clusters, total)
                .map(read -> Reply.page(
                        call,
                        "jobs/list.jte",
                        page(
                                query,
                                leaf.result(),
                                counts.result(),
                                total.result(),
                                clusters.result(),
                                begun.cursor(),
                                call.note()))));
    }

    private static ListPage page(
            ListQuery query,
            Leaf leaf,
            Counts counts,
            Optional<Long> total,
            List<String> clusters,
            String cursor,
            @Nullable Note note) {
        String before = leaf.before();
        String after = leaf.after();
        return new ListPage(
                query,
                leaf.entries(),
                before == null ? null : query.withPage("before=" + before).link(),
                after == null ? null : query.withPage("after=" + after).link(),
                leaf.cut(),
                counts,
                total.orElse(null),
                clusters,
                live(query, leaf, cursor),
                note);
    }

    /** With what is on the page, so that no more is told than it shows. */
    private static String live(ListQuery query, Leaf leaf, String cursor) {
        String address = "/live/jobs" + query.query();
        String from = query.order() != Sort.NEWEST || leaf.entries().isEmpty() || leaf.after() == null
                ? ""
                : "&from=" + Lists.key(Sort.NEWEST, leaf.entries().getLast().job());
        return address + (query.query().isEmpty() ? "?" : "&") + "since=" + cursor + from;
    }

    private Future<Counts> counts(Caller caller, ListQuery query) {
        Map<Job.State, Long> unfinished = query.user().isEmpty() ? tally.of(caller) : seen(caller, query.user());
        long doors =
                tally.of(caller).values().stream().mapToLong(Long::longValue).sum();
        return jobs.lists()
                .count(caller, query.ofUser(), Job.State.FAILED, ListPage.MOST_FAILED)
                .map(failed -> new Counts(unfinished, failed, doors));
    }

    private Map<Job.State, Long> seen(Caller caller, String user) {
        return caller.admin() || caller.name().equals(user) ? tally.of(user) : Map.of();
    }

    private Future<Reply> follow(Call call) {
        var query = ListQuery.of(call);
        String from = call.query("from").orElse("");
        if (!from.isEmpty() && !from.matches("\\d{1,17}\\.\\d{1,18}")) {
            throw Problem.invalid("from is no place in this list. Open /jobs to begin at its start.");
        }
        return Future.succeededFuture(
                live.follow(call, Jobs.TOPIC, (caller, cursor) -> since(caller, query, from, cursor)));
    }

    private Future<Live.Changes> since(Caller caller, ListQuery query, String from, @Nullable String cursor) {
        return jobs.changes(caller, query.lasting(), from.isEmpty() ? null : from, cursor)
                .compose(changes -> {
                    List<Job> near = changes.jobs();
                    if (changes.cut() || near.stream().filter(query::shows).count() > MOST_TOLD) {
                        return Future.succeededFuture(new Live.Changes(
                                List.of(new Live.Fragment("jobs/list-reload.jte", query)), changes.cursor()));
                    }
                    var shown = jobs.lists().entries(near.stream().filter(query::shows));
                    List<Long> removed = near.stream()
                            .filter(job -> !query.shows(job))
                            .map(Job::id)
                            .toList();
                    var counts = counts(caller, query);
                    return Future.all(shown, counts)
                            .map(read -> new Live.Changes(
                                    List.of(new Live.Fragment(
                                            "jobs/list-live.jte",
                                            new ListPage.Changes(query, shown.result(), removed, counts.result()))),
                                    changes.cursor()));
                });
    }

    /** What became of each that was ticked is told on the page that follows. */
    private Future<Reply> stop(Call call) {
        var query = ListQuery.of(call);
        List<String> ticked =
                call.fields("job").stream().distinct().limit(MOST_TOLD).toList();
        Reply next = Reply.seeOther(query.link());
        if (ticked.isEmpty()) {
            return Future.succeededFuture(next.noting(call, Note.bad("note.stop.nobody")));
        }
        List<Future<Outcome>> outcomes =
                ticked.stream().map(key -> stop(call.caller(), key)).toList();
        return Future.join(outcomes)
                .map(all -> next.noting(
                        call, told(outcomes.stream().map(Future::result).toList())));
    }

    private record Outcome(String key, Became became) {}

    private enum Became {
        STOPS,
        WAS_OVER,
        IS_NOT_THERE
    }

    private Future<Outcome> stop(Caller caller, String key) {
        int tilde = key.indexOf('~');
        if (tilde < 1) {
            return Future.succeededFuture(new Outcome(key, Became.IS_NOT_THERE));
        }
        return jobs.job(caller, key.substring(0, tilde), key.substring(tilde + 1))
                .compose(job -> jobs.stop(caller, job))
                .map(news -> new Outcome(key, news ? Became.STOPS : Became.WAS_OVER))
                .recover(failure -> failure instanceof Problem problem && problem.kind() == Problem.Kind.NOT_FOUND
                        ? Future.succeededFuture(new Outcome(key, Became.IS_NOT_THERE))
                        : Future.failedFuture(failure));
    }

    private static Note told(List<Outcome> outcomes) {
        String stops = names(outcomes, Became.STOPS);
        String over = names(outcomes, Became.WAS_OVER);
        String missing = names(outcomes, Became.IS_NOT_THERE);
        long stopping =
                outcomes.stream().filter(one -> one.became() == Became.STOPS).count();
        String key = stopping == outcomes.size()
                ? "note.stop.all"
                : stopping == 0 ? missing.isEmpty() ? "note.stop.over" : "note.stop.none" : "note.stop.some";
        String others =
                Stream.of(over, missing).filter(names -> !names.isEmpty()).collect(Collectors.joining(", "));
        return stopping == 0 ? Note.bad(key, stopping, stops, others) : Note.good(key, stopping, stops, others);
    }

    private static String names(List<Outcome> outcomes, Became became) {
        List<String> names = outcomes.stream()
                .filter(one -> one.became() == became)
                .map(Outcome::key)
                .map(key -> key.length() > 60 ? key.substring(0, 60) + "…" : key)
                .toList();
        Optional<String> rest =
                names.size() > MOST_NAMED ? Optional.of("+" + (names.size() - MOST_NAMED)) : Optional.empty();
        return Stream.concat(names.stream().limit(MOST_NAMED), rest.stream()).collect(Collectors.joining(", "));
    }
}
