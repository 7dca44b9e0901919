package io.sluice.jobs.life;

import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import io.sluice.files.Files;
import io.sluice.jobs.Folders;
import io.sluice.jobs.data.Asked;
import io.sluice.jobs.data.Transfers;
import io.sluice.jobs.exits.Cause;
import io.sluice.jobs.gang.Contract;
import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.gang.GangFolders;
import io.sluice.jobs.gang.PaiVariables;
import io.sluice.jobs.gang.RankTable;
import io.sluice.jobs.images.TaskImages;
import io.sluice.jobs.mounts.Mounts;
import io.sluice.jobs.placement.Decisions;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.ports.Ports;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Secrets;
import io.sluice.jobs.protocol.TaskScript;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** From a job and its places to what an engine is asked, and from an engine's answer to how a task ended. */
final class Launch {
    static final String INSTALL_LABEL = "install";
    static final String JOB_LABEL = "job";
    private static final String HOME = PaiVariables.HOME;
    /** Who asks for none gets so much, and no more: nothing runs that no quota and no machine counts. */
    private static final int LEAST_MEMORY_MB = 64;

    private static final int LONGEST_REASON = 300;
    private static final int NAMED = 10;
    private static final int TAIL = 16 * 1024;
    private static final int SPECS_KEPT = 500;
    private static final Pattern PLAIN_ROLE = Pattern.compile("[A-Za-z0-9._]{1,60}");

    private final TaskStore store;
    private final Folders folders;
    private final Mounts mounts;
    private final GangFolders gangs;
    private final TaskImages images;
    private final BiFunction<Buffer, String, Map<String, String>> secrets;
    /** Of the job that was started last. */
    private volatile @Nullable Shared shared;

    private record Shared(Gang gang, Contract contract) {}

    private final Map<Long, TaskStore.Spec> specs = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, TaskStore.Spec> eldest) {
            return size() > SPECS_KEPT;
        }
    };

    Launch(
            TaskStore store,
            Folders folders,
            Files files,
            TaskImages images,
            BiFunction<Buffer, String, Map<String, String>> secrets) {
        this.store = store;
        this.folders = folders;
        this.mounts = new Mounts(files);
        this.gangs = folders.gangs();
        this.images = images;
        this.secrets = secrets;
    }

    /** Never changes once a job is stored. */
    Future<TaskStore.Spec> spec(long job) {
        synchronized (specs) {
            var known = specs.get(job);
            if (known != null) {
                return Future.succeededFuture(known);
            }
        }
        return store.spec(job).onSuccess(read -> {
            synchronized (specs) {
                specs.put(job, read);
            }
        });
    }

    static List<Demand.Role> demand(JobSpec spec) {
        return spec.roles().stream()
                .map(role -> new Demand.Role(
                        role.name(),
                        role.instances(),
                        role.resources().cpu(),
                        memory(role),
                        role.resources().gpu(),
                        spec.deviceType(role),
                        0,
                        !spec.gang()))
                .toList();
    }

    private static int memory(JobSpec.Role role) {
        return Math.max(LEAST_MEMORY_MB, role.resources().memoryMB());
    }

    /** What of a job that is no gang still waits when these have their places; null: nothing. */
    static @Nullable List<Demand.Role> rest(Demand demand, List<Decisions.Place> places) {
        Map<String, Long> placed =
                places.stream().collect(Collectors.groupingBy(Decisions.Place::role, Collectors.counting()));
        List<Demand.Role> rest = demand.roles().stream()
                .map(role -> role.times(
                        role.instances() - placed.getOrDefault(role.name(), 0L).intValue()))
                .toList();
        return demand.gang() || rest.stream().allMatch(role -> role.instances() == 0) ? null : rest;
    }

    /** What a job is told while an image of its tasks is on its way. */
    static Waiting waiting(Attempt attempt, Started.Preparing preparing) {
        var outage = new Waiting.Outage(preparing.what(), preparing.far(), preparing.message());
        return waiting(attempt, Waiting.Why.IMAGE, outage);
    }

    /** What a job is told while its data is on its way. */
    static Waiting waiting(Attempt attempt, Transfers.Fetch.Going going) {
        return waiting(
                attempt,
                Waiting.Why.DATA,
                new Waiting.Outage(
                        going.what(),
                        going.far(),
                        going.what().isEmpty()
                                ? "Its data waits for its turn."
                                : "Its input " + going.what() + " is being fetched"
                                        + (going.far() == null ? "." : ": " + going.far() + ".")));
    }

    /** What the data of an attempt is moved for. */
    static Asked asked(Attempt attempt, long epoch, JobSpec spec) {
        return new Asked(
                attempt.job(), attempt.number(), epoch, attempt.userId(), attempt.user(), attempt.name(), spec);
    }

    /** What a job is told whose start the engine has not answered, or has answered with a fault of its own. */
    static Waiting unanswered(Attempt attempt, Attempt.Task task, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        String line = why.lines().findFirst().orElse("").strip();
        String brief = line.length() > LONGEST_REASON ? line.substring(0, LONGEST_REASON) + "…" : line;
        return waiting(
                attempt, Waiting.Why.START, new Waiting.Outage(task.node(), task.role() + " " + task.index(), brief));
    }

    private static Waiting waiting(Attempt attempt, Waiting.Why why, Waiting.Outage outage) {
        return new Waiting(
                Long.toString(attempt.job()),
                attempt.virtualCluster(),
                0,
                why,
                List.of(),
                List.of(),
                null,
                null,
                List.of(outage));
    }

    /** What a job gets, by role and index. Those that it has already come before those that it demands. */
    Future<List<TaskStore.Placed>> placed(long job, Demand demand, Decisions.Start start, Ports ports) {
        Map<String, Integer> demanded =
                demand.roles().stream().collect(Collectors.toMap(Demand.Role::name, Demand.Role::instances));
        return spec(job).map(found -> {
            var roles = found.spec().roles();
            return start.places().stream()
                    .map(place -> {
                        JobSpec.Role role = found.spec().role(place.role());
                        Map<String, List<Integer>> given = new LinkedHashMap<>();
                        role.ports()
                                .forEach(port -> given.put(port.label(), ports.take(found.spec(), place.node(), port)));
                        int number = roles.indexOf(role);
                        return new TaskStore.Placed(
                                number,
                                role.name(),
                                role.instances() - demanded.getOrDefault(role.name(), 0) + place.task(),
                                rolePart(number, role.name()),
                                place.node(),
                                address(ports.address(place.node()), found.spec(), number, place.task()),
                                place.devices(),
                                given,
                                role.resources().cpu(),
                                memory(role),
                                ports.place(place.node(), place.devices()));
                    })
                    .toList();
        });
    }

    /** What the engine is asked for these tasks of an attempt. */
    List<Task> tasks(Attempt attempt, List<Attempt.Task> starting, TaskStore.Spec found, long epoch) {
        JobSpec spec = found.spec();
        var gang = attempt.gang(spec);
        var contract = contract(gang);
        contract.rankTable()
                .filter(table -> spec.distribution().asksForTable())
                .map(RankTable::fault)
                .ifPresent(fault -> {
                    throw new IllegalStateException("The rank table that it asks for can not be made. " + fault);
                });
        List<Task.Mount> folders;
        try {
            folders = mounts.of(
                    attempt.userId(), attempt.user(), attempt.job(), attempt.name(), spec, gangs.write(gang, contract));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Buffer sealed = found.secrets();
        Map<String, String> values =
                sealed == null ? Map.of() : secrets.apply(sealed, attempt.user() + "~" + attempt.name());
        return starting.stream()
                .map(task -> task(attempt, task, spec, contract, folders, values, epoch))
                .toList();
    }

    /** What all tasks of an attempt are told is the same in every lot of them, and long in a large job. */
    private Contract contract(Gang gang) {
        var known = shared;
        if (known != null && known.gang().equals(gang)) {
            return known.contract();
        }
        var made = new Contract(gang, HOME);
        shared = new Shared(gang, made);
        return made;
    }

    private Task task(
            Attempt attempt,
            Attempt.Task task,
            JobSpec spec,
            Contract contract,
            List<Task.Mount> seen,
            Map<String, String> values,
            long epoch) {
        JobSpec.Role role = spec.role(task.role());
        Integer shm = role.resources().shmMB();
        var self = new PaiVariables.Self(
                task.role(), task.index(), attempt.number(), task.attempt(), Long.toString(task.id()), HOME);
        Map<String, String> variables = contract.environment(self);
        if (!values.isEmpty()) {
            variables.replaceAll((name, value) -> Secrets.render(value, values));
        }
        try {
            return new Task(
                    task.run(),
                    labels(attempt, task, spec, epoch),
                    task.node(),
                    contract.prologue() + Secrets.render(TaskScript.of(spec, role), values),
                    variables,
                    images.of(spec, role, values),
                    role.resources().cpu(),
                    memory(role),
                    shm == null ? 0 : shm,
                    task.devices(),
                    task.ports(),
                    seen,
                    output(attempt, task));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What an attempt that is over leaves of itself: what its tasks were told goes, and an output with nothing in it. */
    void forget(Attempt attempt) throws IOException {
        gangs.forget(attempt.job(), attempt.number());
        mounts.tidy(attempt.userId(), attempt.name());
    }

    /** Lets tasks go on that have all begun and waited for one another. */
    void release(Attempt attempt, JobSpec spec) {
        try {
            if (spec.startsTogether()) {
                gangs.release(attempt.job(), attempt.number());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How an attempt ends of whose tasks some have waited too long for the others. */
    Optional<Exit> late(Attempt attempt, JobSpec spec) {
        List<String> missing = attempt.missing();
        Instant first = attempt.tasks().stream()
                .map(Attempt.Task::launched)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        if (missing.isEmpty() || first == null || !spec.startsTogether()) {
            return Optional.empty();
        }
        try {
            gangs.missing(attempt.job(), attempt.number(), missing);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int limit = spec.distribution().startWithin();
        if (Duration.between(first, Instant.now()).toSeconds() < limit) {
            return Optional.empty();
        }
        String few = missing.stream().limit(NAMED).collect(Collectors.joining(", "));
        String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
        return Optional.of(Exit.of(
                Exit.NOT_TOGETHER,
                "Not all tasks had begun " + limit + " s after the first. Missing: " + few + more + "."));
    }

    /** The node's, or the task's own name where each has an address of its own. */
    private static String address(String node, JobSpec spec, int role, int index) {
        return node.isEmpty() ? Gang.hostName(spec, role, index) : node;
    }

    private static Map<String, String> labels(Attempt attempt, Attempt.Task task, JobSpec spec, long epoch) {
        String install = task.run().split("-", 3)[1];
        Map<String, String> labels = new HashMap<>(Map.of(
                Task.HOST,
                Gang.hostName(spec, task.roleNumber(), task.index()),
                INSTALL_LABEL,
                install,
                JOB_LABEL,
                Long.toString(attempt.job()),
                "attempt",
                Integer.toString(attempt.number()),
                "epoch",
                Long.toString(epoch),
                "role",
                task.role(),
                "index",
                Integer.toString(task.index()),
                "taskAttempt",
                Integer.toString(task.attempt()),
                Task.OWNER,
                install + "-" + attempt.userId()));
        if (spec.roles().stream().mapToInt(JobSpec.Role::instances).sum() > 1) {
            labels.put(Task.NETWORK, install + "-" + attempt.job() + "-" + attempt.number());
        }
        return labels;
    }

    private Path output(Attempt attempt, Attempt.Task task) throws IOException {
        Path output = file(attempt, task);
        Folders.made(Objects.requireNonNull(output.getParent()));
        return output;
    }

    private Path file(Attempt attempt, Attempt.Task task) {
        return folders.output(attempt.job(), Folders.log(task.role(), task.index(), attempt.number(), task.attempt()));
    }

    /** How a task ended, as its engine and the end of its output tell. */
    Exit exit(Attempt attempt, Attempt.Task task, Run run) {
        if (run.state() == Run.State.LOST) {
            return Exit.of(Exit.NODE_LOST, run.detail());
        }
        try {
            return exit(run, file(attempt, task));
        } catch (IOException e) {
            return exit(run, new byte[0], 0); // the output is gone, not the exit code
        }
    }

    private static Exit exit(Run run, Path output) throws IOException {
        try (var channel = FileChannel.open(output)) {
            long from = Math.max(0, channel.size() - TAIL);
            var tail = ByteBuffer.allocate((int) (channel.size() - from));
            while (tail.hasRemaining() && channel.read(tail, from + tail.position()) >= 0) {}
            return exit(run, Arrays.copyOf(tail.array(), tail.position()), from);
        }
    }

    private static Exit exit(Run run, byte[] tail, long from) {
        var cause = Cause.of(run.exitCode(), run.signal(), run.outOfMemory(), tail);
        Cause.Match match = cause.match();
        Integer own = run.exitCode();
        String detail = run.detail();
        return new Exit(
                cause.code(),
                own != null && own != cause.code() ? own : null,
                cause.code() == 0 ? null : detail == null ? cause.reason() : detail,
                cause.name(),
                match == null
                        ? null
                        : new String(tail, match.start(), match.end() - match.start(), StandardCharsets.UTF_8),
                match == null ? null : from + match.start(),
                null,
                null,
                null);
    }

    static Exit exit(Started.Refused refused, JobSpec.Role role) {
        boolean fixed = role.ports().stream().anyMatch(port -> port.beginAt() > 0);
        int code = switch (refused.reason()) {
            case PORT_TAKEN -> Exit.PORT_TAKEN;
            // of any ports, others are tried
            case PORT_OWN -> fixed ? Exit.CREATION_REFUSED : Exit.PORT_TAKEN;
            case MISSING -> Exit.CREATION_FAILED;
            case IMAGE -> Exit.NO_IMAGE;
            case SHELL -> Exit.NO_SHELL;
            case UNSAFE -> Exit.CREATION_REFUSED;
            case FULL, AWAY -> Exit.CREATION_AGAIN;
        };
        var cause = Cause.refused(code, refused.message());
        boolean known = cause.name() != null;
        return new Exit(
                code, null, refused.message(), cause.name(), known ? refused.message() : null, null, null, null, null);
    }

    private static String rolePart(int number, String role) {
        return PLAIN_ROLE.matcher(role).matches() ? role : "-" + number;
    }

    /** The name of a task's next attempt: all but the last number stays. */
    static String nextRun(Attempt.Task task) {
        return task.run().substring(0, task.run().lastIndexOf('.') + 1) + (task.attempt() + 1);
    }
}
