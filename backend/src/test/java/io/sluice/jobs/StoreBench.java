package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store of jobs without the rest of the gateway, for {@code ./sluice bench}, which starts it with the URL of a database that has the
 * tables. It answers each line of its input with one: {@code statement} with the submission for {@code pgbench}, {@code submit} with
 * submissions per second, {@code list} with the median microseconds of a page and of {@code SELECT 1}.
 */
public final class StoreBench {
    private static final int CONNECTIONS = 16;
    private static final int PAGE = 50;
    private static final int LISTS = 400;
    private static final String JOB = """
            protocolVersion: 2
            name: store
            type: job
            prerequisites:
              - { type: dockerimage, name: image, uri: none }
            taskRoles:
              worker:
                dockerImage: image
                resourcePerInstance: { cpu: 4, memoryMB: 8192, gpu: 1 }
                commands: [ python train.py --epochs 10 ]
            """;

    private final PrintStream out;
    private final JobStore store;
    private final ListStore lists;
    private final Database database;
    private final AtomicInteger number = new AtomicInteger();

    private StoreBench(PrintStream out, Database database) {
        this.out = out;
        this.database = database;
        this.store = new JobStore(database);
        this.lists = new ListStore(database);
    }

    public static void main(String[] arguments) throws IOException {
        // one loop, as pgbench has one thread
        var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        var settings = new Database.Settings(Path.of("."), arguments[0], CONNECTIONS, 1000, Duration.ofMillis(1800));
        var bench = new StoreBench(System.out, Database.open(vertx, settings).await());
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            bench.answer(line);
        }
        System.exit(0);
    }

    private void answer(String question) {
        switch (question.split(" ")[0]) {
            case "statement" -> out.println(statement(submission()).replace("'NAME'", "'pgbench' || :number"));
            case "submit" -> out.printf(Locale.ROOT, "%.0f%n", submissions(Duration.ofSeconds(3)));
            case "list" -> list(question.substring(4).strip());
            default -> throw new IllegalArgumentException(question);
        }
        out.flush();
    }

    private static JobStore.Submission submission() {
        if (!(Protocols.read(JOB) instanceof Read.Accepted job)) {
            throw new IllegalStateException("the benchmark's own job is refused");
        }
        return named(JobStore.Submission.of(1, "admin", job, null, null, null, null), "NAME");
    }

    /** The values that {@link JobStore#submit} binds, written out; the name is another each time. */
    private static String statement(JobStore.Submission job) {
        var values = new ArrayList<String>();
        JobStore.row(job).forEach(value -> values.add(literal(value)));
        String sql = JobStore.SUBMIT;
        for (int place = values.size(); place > 0; place--) {
            sql = sql.replace("$" + place, values.get(place - 1));
        }
        return sql.replaceAll("\\s*\\n\\s*", " ");
    }

    /** A colon before a letter or digit is a variable to pgbench. */
    private static String literal(@Nullable Object value) {
        return switch (value) {
            case null -> "NULL";
            case Number some -> some.toString();
            case Boolean some -> some.toString();
            case String[] none when none.length == 0 -> "'{}'";
            default ->
                "'" + value.toString().replace("'", "''").replace("\n", " ").replace("\":", "\": ") + "'";
        };
    }

    private double submissions(Duration time) {
        run(time.dividedBy(3));
        long from = System.nanoTime();
        int done = run(time);
        return done / ((System.nanoTime() - from) / 1e9);
    }

    private int run(Duration time) {
        var submission = submission();
        long end = System.nanoTime() + time.toNanos();
        var done = new AtomicInteger();
        List<Future<Void>> lanes = new ArrayList<>();
        for (int lane = 0; lane < CONNECTIONS; lane++) {
            lanes.add(lane(submission, end, done));
        }
        Future.all(lanes).await();
        return done.get();
    }

    private Future<Void> lane(JobStore.Submission job, long end, AtomicInteger done) {
        if (System.nanoTime() > end) {
            return Future.succeededFuture();
        }
        return store.submit(named(job, "store" + ProcessHandle.current().pid() + "." + number.incrementAndGet()))
                .compose(id -> {
                    done.incrementAndGet();
                    return lane(job, end, done);
                });
    }

    private static JobStore.Submission named(JobStore.Submission job, String name) {
        return new JobStore.Submission(
                job.userId(),
                job.user(),
                name,
                job.virtualCluster(),
                job.priority(),
                job.priorityClass(),
                job.preemptible(),
                job.demand(),
                job.tasks(),
                job.roles(),
                job.devices(),
                job.retryCount(),
                job.maxRunSeconds(),
                job.exit(),
                job.idempotencyKey(),
                job.bodyHash(),
                job.tags(),
                job.spec(),
                job.config(),
                job.secrets());
    }

    /** Turn about, one in flight. */
    private void list(String user) {
        var filter = user.isEmpty() ? JobFilter.ALL : JobFilter.ALL.of(user).in(Set.of(Job.State.SUCCEEDED));
        @Nullable String cursor = null;
        List<Long> ones = new ArrayList<>();
        List<Long> pages = new ArrayList<>();
        for (int turn = 0; turn < LISTS; turn++) {
            String after = cursor;
            timed(ones, () -> database.pool().query("SELECT 1").execute());
            cursor = timed(pages, () -> lists.page(filter, after, PAGE)).next();
        }
        ones.sort(null);
        pages.sort(null);
        out.printf(Locale.ROOT, "{\"page\":%d,\"one\":%d}%n", pages.get(LISTS / 2), ones.get(LISTS / 2));
    }

    private static <T> T timed(List<Long> times, Supplier<Future<T>> work) {
        long from = System.nanoTime();
        T answer = work.get().await();
        times.add((System.nanoTime() - from) / 1000);
        return answer;
    }
}
