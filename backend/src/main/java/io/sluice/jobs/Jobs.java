package io.sluice.jobs;

import com.fasterxml.jackson.core.type.TypeReference;
import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.database.Migrations;
import io.sluice.engines.Engine;
import io.sluice.engines.Inventory;
import io.sluice.files.Files;
import io.sluice.files.stores.Stores;
import io.sluice.identity.grants.Grants;
import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.data.Transfer;
import io.sluice.jobs.data.Transfers;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.web.WebLine;
import io.sluice.jobs.drafts.Templates;
import io.sluice.jobs.gang.GangFolders;
import io.sluice.jobs.idle.Idling;
import io.sluice.jobs.life.EngineLine;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.life.Failpoint;
import io.sluice.jobs.life.Scheduler;
import io.sluice.jobs.lists.Lists;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.mounts.Mounts;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.release.Releases;
import io.sluice.jobs.stores.StoreKeys;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The door to jobs. Another user's job does not exist for whoever is no administrator: every question for it fails with {@code NoJobError}.
 */
public final class Jobs {
    public static final Migrations MIGRATIONS = new Migrations(
            "jobs",
            Jobs.class,
            List.of(
                    "001-jobs",
                    "002-doubt",
                    "003-rest",
                    "004-orders",
                    "005-released",
                    "006-released-at",
                    "007-idle",
                    "008-place",
                    "009-images",
                    "010-data",
                    "011-places",
                    "012-uploads"));

    /** Of the doorbell and of live pages: a job has changed. */
    public static final String TOPIC = "jobs";

    private static final String QUEUE = "jobs.queue";

    /** Words that can be seen: nothing that steers a terminal or turns the direction of a line. */
    public static final Pattern TAG = Pattern.compile("(?U)(?=\\S)[^,\\p{Cntrl}\\p{Cf}]{1,255}(?<=\\S)");

    public static final int MOST_TAGS = 50;
    private static final int CHANGES_AT_ONCE = 500;

    /**
     * @param data the data folder
     * @param submissionsPerHour of one user
     * @param shared whether everybody may use an engine that does not keep tasks apart; otherwise only administrators may
     * @param patience with the engine
     * @param stores of objects that jobs may have data from
     * @param web where else they may have it from
     * @param pace of moving it
     * @param apps that they may ask for
     */
    public record Settings(
            Path data,
            int submissionsPerHour,
            boolean shared,
            Failpoint failpoint,
            EngineLine.Patience patience,
            Stores stores,
            WebLine.Settings web,
            Pace pace,
            Apps apps) {

        public Settings(
                Path data,
                int submissionsPerHour,
                boolean shared,
                Failpoint failpoint,
                EngineLine.Patience patience,
                Stores stores,
                WebLine.Settings web,
                Pace pace) {
            this(data, submissionsPerHour, shared, failpoint, patience, stores, web, pace, Apps.ANY);
        }

        public Settings(
                Path data, int submissionsPerHour, boolean shared, Failpoint failpoint, EngineLine.Patience patience) {
            this(
                    data,
                    submissionsPerHour,
                    shared,
                    failpoint,
                    patience,
                    Stores.NONE,
                    WebLine.Settings.USUAL,
                    Pace.USUAL);
        }

        public Settings(Path data, int submissionsPerHour, boolean shared, Failpoint failpoint) {
            this(data, submissionsPerHour, shared, failpoint, EngineLine.Patience.USUAL);
        }
    }

    private final Engine engine;
    private final Apps apps;
    private final JobStore store;
    private final ListStore lists;
    private final DetailStore details;
    private final Lists browse;
    private final Places places;
    private final Templates templates;
    private final Clusters clusters;
    private final Idling idling;
    private final Vault vault;
    private final Mounts mounts;
    private final StoreKeys stores;
    private final Transfers transfers;
    private final Folders folders;
    private final Releases releases;
    private final Scheduler scheduler;
    private final boolean shared;
    private final Submissions submissions;
    /** Something is to be scheduled. */
    private final Bell queued;
    /** Something looks different. */
    private final Bell seen;

    private final Doorbell.Subscription subscription;

    private Jobs(
            Vertx vertx,
            Database database,
            Engine engine,
            CollectorRegistry registry,
            Grants grants,
            Files files,
            Settings settings,
            Vault vault,
            Idling.Key key,
            String gateway) {
        this.engine = engine;
        this.store = new JobStore(database);
        this.lists = new ListStore(database);
        this.details = new DetailStore(database);
        this.browse = new Lists(database, ids -> lists.numbered(ids).map(this::informed));
        this.places = new Places(database);
        this.templates = new Templates(database);
        this.clusters = new Clusters(database, grants, this::changed);
        this.idling = new Idling(
                database,
                key,
                this::changed,
                (job, attempt, message) -> store.stop(job, attempt, message, Exit.IDLE_STOPPED));
        this.vault = vault;
        this.mounts = new Mounts(files);
        this.stores = new StoreKeys(settings.stores(), database, vault);
        this.folders = new Folders(settings.data());
        this.transfers =
                new Transfers(database, stores, new WebLine(settings.web()), files, folders, registry, settings.pace());
        this.releases = new Releases(database, registry);
        this.shared = settings.shared();
        this.apps = settings.apps();
        this.queued = new Bell(vertx, database.doorbell(), QUEUE);
        this.seen = new Bell(vertx, database.doorbell(), TOPIC);
        this.scheduler = new Scheduler(
                gateway,
                database,
                engine,
                releases,
                folders,
                files,
                transfers,
                this::secrets,
                seen::ring,
                settings.failpoint(),
                settings.patience(),
                registry);
        this.submissions = new Submissions(
                store,
                clusters,
                mounts,
                stores,
                vault,
                new JobMetrics(registry),
                settings.failpoint(),
                new Allowance(settings.submissionsPerHour(), Duration.ofHours(1)),
                apps,
                this::changed);
        this.subscription = database.doorbell().listen(QUEUE, scheduler::ring);
    }

    /** With the tables of {@link #MIGRATIONS} in place. Jobs that an earlier gateway left are taken over at once. */
    public static Future<Jobs> open(
            Vertx vertx,
            Database database,
            Engine engine,
            CollectorRegistry registry,
            Grants grants,
            Files files,
            Settings settings) {
        return vertx.executeBlocking(() -> {
                    var vault = Vault.open(settings.data().resolve("secrets.key"));
                    var key = Idling.Key.open(settings.data().resolve("webhook.key"));
                    String gateway = new Folders(settings.data()).gateway();
                    return new Jobs(vertx, database, engine, registry, grants, files, settings, vault, key, gateway);
                })
                .onSuccess(jobs -> jobs.scheduler.start());
    }

    /**
     * Takes a job in, where the caller may submit. What is wrong with its text is told, all of it; what can not start for another reason becomes a job that has failed.
     *
     * @param idempotencyKey chosen by the client; null: none
     */
    public Future<Submitted> submit(Caller caller, String text, @Nullable String idempotencyKey) {
        return submissions.take(caller, text, idempotencyKey, refusal(caller));
    }

    /** Why a job of this caller can not start here, whatever it is. */
    public @Nullable Exit refusal(Caller caller) {
        return shared || caller.admin() || !engine.kind().equals("process")
                ? null
                : Exit.of(
                        Exit.NOT_SHARED,
                        "Jobs here are processes of the gateway's own user, which do not protect users from one another. Start the gateway"
                                + " with --allow-shared-process-engine if they trust each other, or with another engine.");
    }

    /** A storage that a job wants and that the caller has not. */
    public Future<Optional<Submitted.NoStorage>> noStorage(Caller caller, JobSpec spec) {
        return mounts.missing(caller.id(), spec).map(missing -> missing.map(Submitted.NoStorage::new));
    }

    /** Why a job's data can not be had, or brought to where it is to go. */
    public Future<Optional<Problem>> unsupplied(Caller caller, JobSpec spec) {
        return stores.barred(caller.id(), spec.data());
    }

    /** Those of the names that the caller's jobs have. */
    public Future<Set<String>> taken(Caller caller, List<String> names) {
        return store.taken(caller.name(), names);
    }

    /** Ends a job, or takes it out of the queue. Whatever happens next, it will be stopped. The answer is whether that is news. */
    public Future<Boolean> stop(Caller caller, Job job) {
        return store.stop(job.id(), null, "Stopped by " + caller.name() + ".", null)
                .onSuccess(this::changed);
    }

    /** Puts a stopped job into the queue again. */
    public Future<Boolean> start(Caller caller, Job job) {
        return submissions.again(caller, job, refusal(caller));
    }

    /** The answer is whether the job did not have it. */
    public Future<Boolean> tag(Job job, String tag) {
        if (!TAG.matcher(tag).matches()) {
            return Future.failedFuture(
                    Problem.invalid("A tag has 1 to 255 characters, no comma, and nothing that can not be seen."));
        }
        if (job.tags().size() >= MOST_TAGS && !job.tags().contains(tag)) {
            return Future.failedFuture(Problem.of(
                    Problem.Kind.CONFLICT,
                    "TooManyTagsError",
                    "Job " + job.key() + " has " + MOST_TAGS + " tags, which is the limit. Take one away first."));
        }
        return store.tag(job.id(), tag, true).onSuccess(this::changed);
    }

    /** The answer is whether the job had it. */
    public Future<Boolean> untag(Job job, String tag) {
        return store.tag(job.id(), tag, false).onSuccess(this::changed);
    }

    /** A job that this caller may see. */
    public Future<Job> job(Caller caller, String user, String name) {
        if (!caller.admin() && !caller.name().equals(user)) {
            return Future.failedFuture(noJob(user, name));
        }
        return lists.job(user, name).map(found -> found.map(this::informed).orElseThrow(() -> noJob(user, name)));
    }

    /** The job, if it changed since a cursor, and a cursor to go on with; with none of ours it is taken to have changed. */
    public Future<JobFilter.Changes> since(Caller caller, String user, String name, @Nullable String cursor) {
        if (!caller.admin() && !caller.name().equals(user)) {
            return Future.failedFuture(noJob(user, name));
        }
        String since = cursor != null && cursor.matches("\\d{1,18}") ? cursor : null;
        return lists.since(user, name, since)
                .map(changes -> new JobFilter.Changes(informed(changes.jobs()), changes.cursor(), false));
    }

    public static Problem noJob(String user, String name) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + user + "~" + name + " is not found.");
    }

    /** @param number of the attempt, null: the present one */
    public Future<JobDetail> detail(Job job, @Nullable Integer number) {
        int wanted = number == null ? job.attempt() : number;
        var spec = details.spec(job.id());
        var attempts = details.attempts(job.id());
        var tasks = details.tasks(job.id(), wanted);
        return Future.all(spec, attempts, tasks).map(all -> {
            if (wanted < 0 || wanted > job.attempt()) {
                throw noJob(job.user(), job.name());
            }
            var attempt = attempts.result().stream()
                    .filter(one -> one.number() == wanted)
                    .findFirst()
                    .orElse(new JobDetail.Attempt(wanted, null, null, null, null));
            return new JobDetail(
                    job,
                    spec.result().spec(),
                    spec.result().config(),
                    spec.result().ran(),
                    attempt,
                    tasks.result());
        });
    }

    /** Those that have begun, oldest first. */
    public Future<List<JobDetail.Attempt>> attempts(Job job) {
        return details.attempts(job.id());
    }

    /** Newest first; empty where there is no such task. */
    public Future<List<JobDetail.Task>> taskAttempts(Job job, int attempt, String role, int index) {
        return details.attemptsOfTask(job.id(), attempt, role, index);
    }

    /** As it was sent, secrets masked. */
    public Future<String> config(Job job) {
        return details.spec(job.id()).map(DetailStore.Spec::config);
    }

    /** The newest first; of both kinds when {@code warning} is null. */
    public Future<List<JobDetail.Event>> events(Job job, @Nullable Boolean warning, int most) {
        return events(job, warning, Long.MAX_VALUE, most);
    }

    /** Those before the one of this number, the newest first. */
    public Future<List<JobDetail.Event>> events(Job job, @Nullable Boolean warning, long before, int most) {
        return details.events(job.id(), warning, before, most);
    }

    public Future<Long> countEvents(Job job, @Nullable Boolean warning) {
        return details.countEvents(job.id(), warning);
    }

    /** One page of the jobs that the caller may see, newest first, {@code after} what {@link JobFilter.Page#next} gave. */
    public Future<JobFilter.Page> page(Caller caller, JobFilter filter, @Nullable String after, int size) {
        if (after != null && !after.matches("\\d{1,17}\\.\\d{1,18}")) {
            return Future.failedFuture(
                    Problem.invalid("after is what the Link of the page before had, not " + after + "."));
        }
        return lists.page(filter.seenBy(caller), after, size);
    }

    /** For programs that count their way through. */
    public Future<List<Job.Summary>> slice(Caller caller, JobFilter filter, JobFilter.Slice slice) {
        return lists.slice(filter.seenBy(caller), slice);
    }

    public Future<Long> count(Caller caller, JobFilter filter) {
        return lists.count(filter.seenBy(caller));
    }

    /** How many there are in each state that is not final; of all users when {@code user} is null. */
    public Future<Map<Job.State, Long>> unfinished(Caller caller, @Nullable String user) {
        return lists.unfinished(caller.admin() ? user : caller.name());
    }

    /** The same by user, of all of them: for whoever tells each caller no more than is theirs. */
    public Future<Map<String, Map<Job.State, Long>>> unfinishedOfAll() {
        return lists.unfinishedOfAll();
    }

    /** Of the jobs that the caller may see, those that changed since a cursor; without one, none and a cursor to begin with. */
    public Future<JobFilter.Changes> changes(Caller caller, JobFilter filter, @Nullable String cursor) {
        return changes(caller, filter, null, cursor);
    }

    /** @param from the last that is of interest, the newest first, as {@link JobFilter.Page#next} has it; null: all are */
    public Future<JobFilter.Changes> changes(
            Caller caller, JobFilter filter, @Nullable String from, @Nullable String cursor) {
        String since = cursor != null && cursor.matches("\\d{1,19}") ? cursor : null;
        return lists.changes(filter.seenBy(caller), from, since, CHANGES_AT_ONCE)
                .map(changes -> new JobFilter.Changes(informed(changes.jobs()), changes.cursor(), changes.cut()));
    }

    /** What would become of this job if it were submitted now. */
    public Future<Placement.Fit> fit(Caller caller, JobSpec spec) {
        return scheduler.fit(caller.name(), spec);
    }

    /** What there is to run on, and who has it, as of now. */
    public Future<Snapshot> machines() {
        return scheduler.snapshot();
    }

    public Future<Inventory> inventory() {
        return engine.inventory().compose(releases::of);
    }

    /** Page by page, for people. */
    public Lists lists() {
        return browse;
    }

    /** That a job may ask for. */
    public Apps apps() {
        return apps;
    }

    public Clusters clusters() {
        return clusters;
    }

    /** What is done about those whose devices do nothing. */
    public Idling idling() {
        return idling;
    }

    /** Where they run. */
    public Places places() {
        return places;
    }

    /** What a job is brought and what is taken from it, and how far that is. */
    public Future<List<Transfer>> data(Job job) {
        return details.spec(job.id()).compose(spec -> transfers.of(job, spec.spec()));
    }

    /** The stores of objects, and who has a key for which. */
    public StoreKeys stores() {
        return stores;
    }

    public Templates templates() {
        return templates;
    }

    /** Where the output of a task's attempt is. */
    public Path output(Job job, JobDetail.Task task) {
        return folders.output(job.id(), task.log());
    }

    /** Where tasks print at the moment, of all jobs. */
    public Future<List<JobDetail.Output>> printing() {
        return details.printing(folders);
    }

    /** Outputs that nothing will be added to, of tasks that ended later than that, or then and with a higher number, in that order. */
    public Future<List<JobDetail.Output>> printed(Instant since, long after, int most) {
        return details.printed(folders, since, after, most);
    }

    /** Which of these have ended and do not run again, and when. */
    public Future<Map<Long, Instant>> ends(Collection<Long> jobs) {
        return details.ends(jobs);
    }

    /** How these stand now. */
    public Future<List<JobDetail.Output>> outputs(Collection<Long> tasks) {
        return details.outputs(folders, tasks);
    }

    /** What tasks of one attempt have in common. */
    public GangFolders gangs() {
        return folders.gangs();
    }

    /** Stops acting; what runs goes on running. */
    public Future<Void> close() {
        subscription.cancel();
        return scheduler.close().onComplete(over -> transfers.close());
    }

    private List<Job> informed(List<Job> jobs) {
        return jobs.stream().map(this::informed).toList();
    }

    /** The reason for waiting as of the last pass, which is newer than the stored one. */
    private Job informed(Job job) {
        return job.phase() == Job.Phase.QUEUED || job.waiting() != null
                ? scheduler.waiting(job.id()).map(job::waitingFor).orElse(job)
                : job;
    }

    private void changed(boolean news) {
        if (news) {
            changed();
        }
    }

    /** Wakes the scheduler, here at once, and all pages. */
    private void changed() {
        scheduler.ring();
        queued.ring();
        seen.ring();
    }

    private Map<String, String> secrets(Buffer sealed, String holder) {
        return Json.read(vault.open(sealed.getBytes(), holder), new TypeReference<Map<String, String>>() {});
    }
}
