package io.sluice.jobs.pages;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.JobDetail.Attempt;
import io.sluice.jobs.JobDetail.Event;
import io.sluice.jobs.JobDetail.Task;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.pages.JobPage.Devices;
import io.sluice.jobs.pages.JobPage.Frame;
import io.sluice.jobs.pages.JobPage.Role;
import io.sluice.jobs.pages.JobPage.Row;
import io.sluice.jobs.pages.Look.Tab;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.TaskScript;
import io.sluice.web.Problem;
import io.sluice.web.View;
import io.vertx.core.Future;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what a look at a job shows, and no more than that. */
final class JobReading {
    private static final System.Logger LOG = System.getLogger(JobReading.class.getName());
    /** Attempts of a job that are listed; older ones are reached by their address. */
    private static final int ATTEMPTS = 100;

    private final Jobs jobs;
    private final List<Panel> panels;
    private final Remark.Source remarks;

    JobReading(Jobs jobs, List<Panel> panels, Remark.Source remarks) {
        this.jobs = jobs;
        this.panels = List.copyOf(panels);
        this.remarks = remarks;
    }

    /** What the routes add: what was typed, what was wrong with it, and a word about what was done. */
    record Saying(String tag, View.@Nullable Note fault, View.@Nullable Note note) {
        static final Saying NOTHING = new Saying("", null, null);
    }

    Future<JobPage> page(Job job, Look look, String cursor, Saying saying) {
        Integer wanted = look.attempt();
        if (wanted != null && wanted > job.attempt()) {
            return Future.failedFuture(Problem.notFound("Job " + job.key() + " has no attempt with the number " + wanted
                    + "; the newest is " + job.attempt() + "."));
        }
        var detail = jobs.detail(job, wanted);
        var attempts = jobs.attempts(job);
        var events = events(job, look);
        var inventory = job.devices() == 0 && job.isFinal()
                ? Future.succeededFuture(new Inventory(List.of()))
                : jobs.inventory().otherwise(new Inventory(List.of()));
        Future<Optional<Remark>> remark = wanted != null && wanted != job.attempt()
                ? Future.succeededFuture(Optional.empty())
                : remarks.of(new Remark.Named(job.id(), job.key()), job.attempt())
                        .otherwise(failure -> unread(job, failure));
        return Future.all(detail, attempts, events, inventory, remark)
                .compose(all -> runs(job, detail.result(), look)
                        .map(runs -> page(
                                detail.result(),
                                attempts.result().reversed(),
                                events.result(),
                                inventory.result(),
                                remark.result().orElse(null),
                                runs,
                                look,
                                cursor,
                                saying)));
    }

    /** What another room can not say at the moment keeps nobody from the page. */
    private static Optional<Remark> unread(Job job, Throwable failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "event=remark-not-read job={0} cause=\"{1}\" effect=the page is without it",
                job.key(),
                failure.getMessage());
        return Optional.empty();
    }

    private Future<List<Event>> events(Job job, Look look) {
        Long before = look.before();
        return switch (look.tab()) {
            case NOW -> jobs.events(job, null, JobPage.READ_FOR_LATEST);
            case HISTORY ->
                jobs.events(
                        job,
                        look.warnings() ? Boolean.TRUE : null,
                        before == null ? Long.MAX_VALUE : before,
                        JobPage.EVENTS + 1);
            case TASKS, CONFIG -> Future.succeededFuture(List.of());
        };
    }

    /** The attempts of the task that was chosen; those who did not choose one need none. */
    private Future<List<Task>> runs(Job job, JobDetail detail, Look look) {
        String role = look.role();
        if (role == null || (look.tab() != Tab.TASKS && look.run() == null)) {
            return Future.succeededFuture(List.of());
        }
        return jobs.taskAttempts(job, detail.attempt().number(), role, Objects.requireNonNullElse(look.index(), 0));
    }

    private JobPage page(
            JobDetail detail,
            List<Attempt> attempts,
            List<Event> events,
            Inventory inventory,
            @Nullable Remark remark,
            List<Task> runs,
            Look look,
            String cursor,
            Saying saying) {
        List<Row> all = JobPage.rows(detail);
        List<Row> found = look.state() == null
                ? all
                : all.stream().filter(row -> row.state() == look.state()).toList();
        int shown = look.tab() == Tab.TASKS ? JobPage.TASKS : look.tab() == Tab.NOW ? JobPage.FIRST_TASKS : 0;
        Row chosen = chosen(detail, all, runs, look);
        Ending ending = Ending.of(detail, detail.attempt());
        boolean more = look.tab() == Tab.HISTORY && events.size() > JobPage.EVENTS;
        return new JobPage(
                look,
                detail,
                attempts.stream().limit(ATTEMPTS).toList(),
                devices(detail, inventory),
                roles(detail, all),
                found.stream().skip(look.from()).limit(shown).toList(),
                found.size(),
                chosen,
                runs,
                frames(detail, chosen, look),
                Happening.told(more ? events.subList(0, JobPage.EVENTS) : events).stream()
                        .limit(look.tab() == Tab.NOW ? JobPage.LATEST : JobPage.EVENTS)
                        .toList(),
                more ? events.get(JobPage.EVENTS - 1).id() : null,
                ending,
                ending == null ? former(detail, attempts) : null,
                remark,
                cursor,
                saying.tag(),
                saying.fault(),
                saying.note());
    }

    /** The task of the address; else the one that brought the end, one that runs, or the first. */
    private static @Nullable Row chosen(JobDetail detail, List<Row> all, List<Task> runs, Look look) {
        String role = look.role();
        if (role != null) {
            int index = Objects.requireNonNullElse(look.index(), 0);
            Row row = row(all, role, index)
                    .orElseThrow(() ->
                            Problem.notFound("Job " + detail.job().key() + " has no task " + role + " " + index + "."));
            Integer run = look.run();
            return run == null ? row : run(detail, row, runs, run);
        }
        Exit exit = detail.attempt().exit();
        String culprit = exit == null || exit.code() == 0 ? null : exit.role();
        return Optional.ofNullable(culprit)
                .flatMap(name -> row(all, name, exit == null ? 0 : Objects.requireNonNullElse(exit.index(), 0)))
                .or(() -> all.stream()
                        .filter(row -> row.state() == Job.State.RUNNING)
                        .findFirst())
                .or(() -> all.stream().filter(row -> row.task() != null).findFirst())
                .orElse(null);
    }

    private static Optional<Row> row(List<Row> all, String role, int index) {
        return all.stream()
                .filter(row -> row.role().equals(role) && row.index() == index)
                .findFirst();
    }

    private static Row run(JobDetail detail, Row row, List<Task> runs, int number) {
        Task task = runs.stream()
                .filter(one -> one.attempt() == number)
                .findFirst()
                .orElseThrow(() -> Problem.notFound("Task " + row.name() + " of job "
                        + detail.job().key() + " has no attempt with the number " + number + "."));
        return new Row(row.role(), row.index(), detail.state(task), task);
    }

    private List<Frame> frames(JobDetail detail, @Nullable Row chosen, Look look) {
        Task task = chosen == null ? null : chosen.task();
        if (task == null || look.tab() != Tab.NOW) {
            return List.of();
        }
        return panels.stream()
                .filter(panel -> !panel.several() || detail.spec().taskCount() > 1)
                .map(panel -> new Frame(
                        panel.name(),
                        panel.title(),
                        panel.icon(),
                        panel.script(),
                        look.panel(panel.name(), detail.attempt().number(), task.role(), task.index(), task.attempt())))
                .toList();
    }

    private static List<Role> roles(JobDetail detail, List<Row> all) {
        JobSpec spec = detail.spec();
        return spec.roles().stream()
                .map(role -> {
                    Map<Job.State, Integer> states = new EnumMap<>(Job.State.class);
                    all.stream()
                            .filter(row -> row.role().equals(role.name()))
                            .forEach(row -> states.merge(row.state(), 1, Integer::sum));
                    return new Role(role, TaskScript.image(spec, role), spec.deviceType(role), states);
                })
                .toList();
    }

    private static @Nullable Devices devices(JobDetail detail, Inventory inventory) {
        var tasks = detail.tasks();
        int count = tasks.stream().mapToInt(task -> task.devices().size()).sum();
        if (tasks.isEmpty()) {
            return null;
        }
        List<Device> known =
                tasks.stream().flatMap(task -> known(task, inventory)).toList();
        return new Devices(
                count,
                known.stream().map(Device::type).findFirst().orElse(null),
                known.stream().anyMatch(Device::simulated),
                tasks.stream().map(Task::node).distinct().toList(),
                detail.job().isFinal() ? null : unlimited(tasks, inventory));
    }

    private static @Nullable String unlimited(List<Task> tasks, Inventory inventory) {
        return inventory.nodes().stream()
                .filter(node -> !node.limitsEnforced()
                        && tasks.stream().anyMatch(task -> task.node().equals(node.name())))
                .map(Node::limitsNote)
                .findFirst()
                .orElse(null);
    }

    private static Stream<Device> known(Task task, Inventory inventory) {
        return inventory.nodes().stream()
                .filter(node -> node.name().equals(task.node()))
                .flatMap(node -> node.devices().stream())
                .filter(device -> task.devices().contains(device.id()));
    }

    /** Of the attempt before the present one. */
    private static @Nullable Ending former(JobDetail detail, List<Attempt> attempts) {
        if (!detail.isPresent() || detail.job().state() == Job.State.SUCCEEDED) {
            return null;
        }
        return attempts.stream()
                .filter(attempt -> attempt.number() == detail.attempt().number() - 1)
                .findFirst()
                .map(attempt -> Ending.of(detail, attempt))
                .orElse(null);
    }
}
