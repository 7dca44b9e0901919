package io.sluice.jobs;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.identity.grants.Grants;
import io.sluice.jobs.life.EngineLine;
import io.sluice.jobs.life.Failpoint;
import io.sluice.web.Caller;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How long a large job takes to begin together, on nodes that do not exist, for {@code ./sluice bench gang}, which starts it with the URL of a
 * database that has the tables. It answers each line with the milliseconds from the first instant at which all tasks of a job have their
 * places to the one at which all of them may go on.
 */
public final class TogetherBench {
    private static final int NODES = 64;
    private static final int DEVICES = 8;
    private final PrintStream out;
    private final Path data;
    private final Database database;
    private final ScriptedEngine engine = new ScriptedEngine(NODES, 64, DEVICES);
    private final Jobs jobs;

    private TogetherBench(PrintStream out, Path data, Vertx vertx, Database database) {
        this.out = out;
        this.data = data;
        this.database = database;
        this.jobs = Jobs.open(
                        vertx,
                        database,
                        engine,
                        new CollectorRegistry(),
                        new Grants(database, "people"),
                        io.sluice.files.Files.together(data),
                        new Jobs.Settings(data, 1000, false, Failpoint.NONE, EngineLine.Patience.USUAL))
                .await();
    }

    public static void main(String[] arguments) throws IOException {
        var vertx = Vertx.vertx();
        var settings = new Database.Settings(Path.of("."), arguments[0], 16, 1000, Duration.ofMillis(1800));
        var bench = new TogetherBench(
                System.out,
                Files.createTempDirectory("sluice-together"),
                vertx,
                Database.open(vertx, settings).await());
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int number = 0;
        while (in.readLine() != null) {
            bench.out.printf(Locale.ROOT, "%.0f%n", bench.together(number++));
            bench.out.flush();
        }
        System.exit(0);
    }

    private double together(int number) {
        var caller = new Caller(1, "admin", true, Caller.Kind.SESSION, "admin", Caller.EVERYTHING);
        var stored = (Submitted.Stored) jobs.submit(caller, text(number), null).await();
        long job = stored.id();
        await(() -> placed(job));
        long from = System.nanoTime();
        await(() -> Files.exists(data.resolve("gangs/" + job + "/0/released")));
        double millis = (System.nanoTime() - from) / 1e6;
        engine.runs.keySet().forEach(run -> engine.end(run, 0));
        await(() -> jobs.job(caller, "admin", "gang" + number).await().isFinal());
        return millis;
    }

    private static String text(int number) {
        return """
            protocolVersion: 2
            name: gang%d
            type: job
            prerequisites: [{type: dockerimage, name: image, uri: none}]
            taskRoles:
              worker: {instances: 512, dockerImage: image, resourcePerInstance: {cpu: 1, memoryMB: 100, gpu: 1}, commands: ["true"]}
            """.formatted(number);
    }

    private boolean placed(long job) {
        var rows = database.pool()
                .query("SELECT count(*) FROM tasks WHERE job_id = " + job)
                .execute()
                .await();
        return rows.iterator().next().getLong(0) == NODES * DEVICES;
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(2_000_000);
        }
    }
}
