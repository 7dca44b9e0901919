package io.sluice.jobs;

import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.database.Database;
import io.sluice.jobs.JobDetail.Attempt;
import io.sluice.jobs.JobDetail.Event;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.jobs.JobDetail.Task;
import io.sluice.jobs.gang.Place;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is read of one job beyond what lists show: what it was to be, its attempts, tasks, outputs and events. */
final class DetailStore {
    private static final String TASKS = """
            SELECT DISTINCT ON (role_number, task_index) *,
                min(created) OVER task AS first, min(launched) OVER task AS begun
            FROM tasks WHERE job_id = $1 AND attempt = $2
            WINDOW task AS (PARTITION BY role_number, task_index)
            ORDER BY role_number, task_index, task_attempt DESC
            """;

    private static final String OUTPUTS =
            "SELECT id, job_id, role, task_index, attempt, task_attempt, state, launched, completed, exit_code, cause FROM tasks WHERE ";

    private static final String TASK_ATTEMPTS = """
            SELECT *, min(created) OVER () AS first, min(launched) OVER () AS begun
            FROM tasks WHERE job_id = $1 AND attempt = $2 AND role = $3 AND task_index = $4 ORDER BY task_attempt DESC
            """;

    private final Database database;

    DetailStore(Database database) {
        this.database = database;
    }

    /** @param ran how long the present attempt has run, where that is limited */
    record Spec(JobSpec spec, String config, Duration ran) {}

    Future<Spec> spec(long job) {
        return database.read(
                        "SELECT spec::text AS spec, config, ran_ms FROM job_specs JOIN jobs ON jobs.id = job_id WHERE job_id = $1",
                        Tuple.of(job),
                        row -> new Spec(
                                Json.read(row.getString("spec"), JobSpec.class),
                                row.getString("config"),
                                Duration.ofMillis(row.getLong("ran_ms"))))
                .map(List::getFirst);
    }

    Future<List<Attempt>> attempts(long job) {
        return database.read(
                "SELECT * FROM job_attempts WHERE job_id = $1 ORDER BY attempt",
                Tuple.of(job),
                row -> new Attempt(
                        row.getInteger("attempt"),
                        instant(row, "created"),
                        instant(row, "launched"),
                        instant(row, "completed"),
                        Json.readIfAny(text(row, "cause"), Exit.class)));
    }

    Future<List<Task>> tasks(long job, int attempt) {
        return database.read(TASKS, Tuple.of(job, attempt), DetailStore::task);
    }

    Future<List<Task>> attemptsOfTask(long job, int attempt, String role, int index) {
        return database.read(TASK_ATTEMPTS, Tuple.of(job, attempt, role, index), DetailStore::task);
    }

    Future<List<Output>> printing(Folders folders) {
        return database.read(OUTPUTS + "state <> 'exited'", Tuple.tuple(), row -> output(folders, row));
    }

    /** Also of tasks that never launched as far as is stored: one that was over at once may have printed all the same. */
    Future<List<Output>> printed(Folders folders, Instant since, long after, int most) {
        return database.read(
                OUTPUTS + "state = 'exited' AND (completed, id) > ($1, $2) ORDER BY completed, id LIMIT $3",
                Tuple.of(since.atOffset(ZoneOffset.UTC), after, most),
                row -> output(folders, row));
    }

    Future<List<Output>> outputs(Folders folders, Collection<Long> tasks) {
        return database.read(
                OUTPUTS + "id = ANY ($1)", Tuple.of(tasks.toArray(Long[]::new)), row -> output(folders, row));
    }

    Future<Map<Long, Instant>> ends(Collection<Long> jobs) {
        return database.read(
                        "SELECT id, completed FROM jobs WHERE id = ANY ($1) AND state = 'finalised'",
                        Tuple.of(jobs.toArray(Long[]::new)),
                        row -> Map.entry(
                                row.getLong("id"),
                                row.getOffsetDateTime("completed").toInstant()))
                .map(ends -> ends.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    private static Output output(Folders folders, Row row) {
        long job = row.getLong("job_id");
        String log = Folders.log(
                row.getString("role"),
                row.getInteger("task_index"),
                row.getInteger("attempt"),
                row.getInteger("task_attempt"));
        boolean ended = row.getString("state").equals("exited");
        return new Output(
                row.getLong("id"),
                job,
                folders.output(job, log),
                instant(row, "launched"),
                ended ? instant(row, "completed") : null,
                exitCode(row));
    }

    /** What the program itself ended with, where that is known. */
    private static @Nullable Integer exitCode(Row row) {
        Exit exit = Json.readIfAny(text(row, "cause"), Exit.class);
        return exit != null && exit.original() != null ? exit.original() : row.getInteger("exit_code");
    }

    /** Newest first. */
    Future<List<Event>> events(long job, @Nullable Boolean warning, long before, int most) {
        return database.read(
                "SELECT * FROM job_events WHERE job_id = $1 AND id < $4 AND coalesce(warning = $2, true)"
                        + " ORDER BY id DESC LIMIT $3",
                Tuple.of(job, warning, most, before),
                row -> new Event(
                        row.getLong("id"),
                        row.getOffsetDateTime("at").toInstant(),
                        row.getInteger("attempt"),
                        row.getString("role"),
                        row.getInteger("task_index"),
                        row.getBoolean("warning"),
                        row.getString("reason"),
                        row.getString("message")));
    }

    Future<Long> countEvents(long job, @Nullable Boolean warning) {
        return database.read(
                        "SELECT count(*) FROM job_events WHERE job_id = $1 AND coalesce(warning = $2, true)",
                        Tuple.of(job, warning),
                        row -> row.getLong(0))
                .map(List::getFirst);
    }

    private static Task task(Row row) {
        String role = row.getString("role");
        int index = row.getInteger("task_index");
        int attempt = row.getInteger("task_attempt");
        return new Task(
                row.getLong("id"),
                role,
                index,
                attempt,
                Job.Phase.ofColumn(row.getString("state")),
                row.getString("node"),
                row.getString("address"),
                List.of(row.getArrayOfStrings("devices")),
                Json.read(String.valueOf(row.getValue("ports")), new TypeReference<Map<String, List<Integer>>>() {}),
                Json.readIfAny(text(row, "place"), Place.class),
                row.getInteger("retries"),
                row.getInteger("user_retries"),
                row.getOffsetDateTime("first").toInstant(),
                instant(row, "begun"),
                row.getOffsetDateTime("created").toInstant(),
                instant(row, "launched"),
                instant(row, "completed"),
                Json.readIfAny(text(row, "cause"), Exit.class),
                Folders.log(role, index, row.getInteger("attempt"), attempt));
    }

    private static @Nullable String text(Row row, String column) {
        Object value = row.getValue(column);
        return value == null ? null : value.toString();
    }

    private static @Nullable Instant instant(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
