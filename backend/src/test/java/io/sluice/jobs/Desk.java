package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.engines.Engine;
import io.sluice.engines.Run;
import io.sluice.files.stores.Stores;
import io.sluice.identity.Identity;
import io.sluice.identity.grants.Grants;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.web.WebLine;
import io.sluice.jobs.life.EngineLine;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.life.Failpoint;
import io.sluice.web.Caller;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The room on a database and an engine of a test's own; it can be closed and opened again as by another gateway. Registered with a test, it is
 * open while that runs.
 */
public final class Desk implements AutoCloseable, BeforeEachCallback, AfterEachCallback {
    private static final System.Logger log = System.getLogger(Desk.class.getName());
    private static final Pace HASTY =
            new Pace(6, Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofMillis(100));
    private static final Duration LIMIT = Duration.ofSeconds(60);

    public final Vertx vertx = Vertx.vertx();
    public final TestDatabase database = TestDatabase.with(vertx, List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS));
    private final Engine engine;
    final Grants grants;
    CollectorRegistry registry = new CollectorRegistry();
    private @Nullable Jobs jobs;
    private @Nullable Path data;

    public Desk(Engine engine) {
        this.engine = engine;
        this.grants = new Grants(database.database(), "people");
    }

    @Override
    public void beforeEach(ExtensionContext test) throws IOException {
        data = Files.createTempDirectory("sluice-desk");
        open(data);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        close();
        // a step that was under way may write its last file yet
        eventually(this::isCleared);
    }

    private boolean isCleared() {
        try (var files = Files.walk(data())) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
            return true;
        } catch (DirectoryNotEmptyException | NoSuchFileException | UncheckedIOException changedMeanwhile) {
            return Files.notExists(data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the test that it is registered with. */
    public Path data() {
        return Objects.requireNonNull(data);
    }

    void open(Path data) {
        open(data, EngineLine.Patience.USUAL);
    }

    void open(Path data, EngineLine.Patience patience) {
        jobs = Jobs.open(
                        vertx,
                        database.database(),
                        engine,
                        registry,
                        grants,
                        io.sluice.files.Files.together(data),
                        new Jobs.Settings(data, 1000, false, Failpoint.NONE, patience))
                .await();
    }

    void open(Path data, Stores stores) {
        open(data, stores, WebLine.Settings.USUAL);
    }

    void open(Path data, Stores stores, WebLine.Settings web) {
        jobs = Jobs.open(
                        vertx,
                        database.database(),
                        engine,
                        registry,
                        grants,
                        io.sluice.files.Files.together(data),
                        new Jobs.Settings(
                                data, 1000, false, Failpoint.NONE, EngineLine.Patience.USUAL, stores, web, HASTY))
                .await();
    }

    /** A second gateway on the same database and engine. */
    Jobs another(Path data) {
        return Jobs.open(
                        vertx,
                        database.database(),
                        engine,
                        new CollectorRegistry(),
                        grants,
                        io.sluice.files.Files.together(data),
                        new Jobs.Settings(data, 1000, false, Failpoint.NONE))
                .await();
    }

    /** As when the leader stood still for longer than its term: it does not know, and somebody else may lead. */
    void expireTerm() {
        query("UPDATE job_leader SET until = '-infinity', owner = 'nobody', epoch = epoch + 1 RETURNING epoch");
    }

    long epoch() {
        return query("SELECT epoch FROM job_leader WHERE owner <> 'nobody'");
    }

    public long query(String sql) {
        var rows = database.database().pool().query(sql).execute().await();
        return rows.size() == 0 ? 0 : rows.iterator().next().getLong(0);
    }

    public Jobs jobs() {
        return Objects.requireNonNull(jobs);
    }

    public static Caller caller(String user) {
        return new Caller(user.hashCode(), user, user.equals("root"), Caller.Kind.SESSION, user, Caller.EVERYTHING);
    }

    public Submitted.Stored submit(String user, String text) {
        return (Submitted.Stored) submit(user, text, null);
    }

    Submitted submit(String user, String text, @Nullable String key) {
        return jobs().submit(caller(user), text, key).await();
    }

    public Job job(String user, String name) {
        return jobs().job(caller(user), user, name).await();
    }

    void stop(String user, String name) {
        assertThat(jobs().stop(caller(user), job(user, name)).await()).isTrue();
    }

    JobDetail detail(String user, String name) {
        return jobs().detail(job(user, name), null).await();
    }

    public List<String> reasons(Job job) {
        return jobs().events(job, null, 100).await().stream()
                .map(JobDetail.Event::reason)
                .toList();
    }

    public Job finished(String user, String name) {
        eventually(() -> job(user, name).isFinal());
        return job(user, name);
    }

    /** Why the data of ada's job could not be fetched. */
    String notFetched(String name) {
        var job = finished("ada", name);
        assertThat(job.state()).isEqualTo(Job.State.FAILED);
        var exit = Objects.requireNonNull(
                jobs().detail(job, null).await().attempt().exit());
        assertThat(exit.code()).isEqualTo(Exit.NOT_FETCHED);
        return String.valueOf(exit.message());
    }

    /** Where an input of ada's job lies. */
    Path input(String name, String input) {
        return data().resolve(
                        "inputs/" + "ada".hashCode() + "/" + job("ada", name).id() + "/" + input);
    }

    /** The runs that the engine has going, once there are so many. */
    public List<String> running(int count) {
        eventually(() -> going().size() == count);
        return going();
    }

    private List<String> going() {
        return engine.list().await().stream()
                .filter(run -> run.state() == Run.State.RUNNING)
                .map(Run::name)
                .sorted()
                .toList();
    }

    public void eventually(BooleanSupplier condition) {
        for (var end = Instant.now().plus(LIMIT); !condition.getAsBoolean(); LockSupport.parkNanos(5_000_000)) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("did not come about within " + LIMIT + movers());
            }
        }
    }

    /** What those who move data are about, of all gateways in this JVM. */
    private static String movers() {
        var text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().startsWith("sluice-data") && stack.length > 0) {
                text.append("\n").append(thread.getName());
                Arrays.stream(stack).forEach(at -> text.append("\n  ").append(at));
            }
        });
        return text.toString();
    }

    /** As when the process ends in good order. */
    void leave() {
        if (jobs != null) {
            jobs.close().await();
            jobs = null;
            registry = new CollectorRegistry();
        }
    }

    @Override
    public void close() {
        leave();
        database.close();
        // as the server does: a pool whose server was slow to say goodbye must not keep all other tests from running
        vertx.close()
                .timeout(20, TimeUnit.SECONDS)
                .onFailure(e -> log.log(System.Logger.Level.WARNING, "event=not-closed test=desk", e))
                .otherwiseEmpty()
                .await();
    }
}
