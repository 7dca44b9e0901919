package io.sluice;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.DataFolder;
import io.sluice.database.Database;
import io.sluice.database.Migrations;
import io.sluice.endpoints.Endpoints;
import io.sluice.engines.Engine;
import io.sluice.files.Files;
import io.sluice.files.centre.FileCentre;
import io.sluice.files.datasets.Datasets;
import io.sluice.files.links.Links;
import io.sluice.files.quota.Quotas;
import io.sluice.files.shares.Shares;
import io.sluice.identity.Identity;
import io.sluice.identity.numbers.Numbers;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.api.JobsApi;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.drafts.Catalogues;
import io.sluice.jobs.images.Images;
import io.sluice.jobs.life.EngineLine;
import io.sluice.jobs.life.Failpoint;
import io.sluice.jobs.output.Outputs;
import io.sluice.jobs.pages.JobPages;
import io.sluice.jobs.pages.Panel;
import io.sluice.jobs.saving.Savings;
import io.sluice.logs.Logs;
import io.sluice.logs.files.Instants;
import io.sluice.telemetry.Telemetry;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.telemetry.door.Viewer;
import io.sluice.telemetry.notices.Outside;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.sluice.web.View;
import io.sluice.web.Web;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The roof: the only class that knows every room. It builds them in order, and closes them in the other order. */
public final class Server {
    private static final Duration START = Duration.ofMinutes(2);
    private static final String UNCHANGED =
            "The database does not answer at the moment. Nothing was changed; try again in a few seconds.";
    private static final String IN_DOUBT =
            "The database does not answer at the moment, and it is not known whether this was done. Look in a few"
                    + " seconds, before you try again; what is sent again with the same Idempotency-Key is done once.";

    /** Why it does not run, in one line with what to do. */
    public static final class NotStarted extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotStarted(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The doors of the rooms that answer programs. */
    static final List<Class<?>> ROOMS =
            List.of(Web.class, Identity.class, Files.class, Jobs.class, Logs.class, Endpoints.class, Telemetry.class);

    /** The tables of all rooms, in the order in which they lean on one another. */
    static final List<Migrations> MIGRATIONS = List.of(
            Identity.MIGRATIONS,
            Files.MIGRATIONS,
            Jobs.MIGRATIONS,
            Logs.MIGRATIONS,
            Endpoints.MIGRATIONS,
            Telemetry.MIGRATIONS);

    /** What the rooms above the jobs put on the page of one, in this order. */
    private static final List<Panel> PANELS = List.of(
            new Panel("log", "log.panel", "code", "log-view.js"),
            new Panel("metrics", "telemetry.panel", "pulse", "device-chart.js"),
            new Panel("ranks", "ranks.panel", "cluster", null, true),
            new Panel("endpoints", "endpoint.panel", "open", null),
            new Panel("output", "output.panel", "folder", null),
            new Panel("gang", "gang.panel", "cluster", null));

    private final Settings settings;
    private final Identity.Hashing hashing;
    private final PrintStream out;
    private final Opened opened = new Opened();
    private final CollectorRegistry registry = new CollectorRegistry();
    private List<Route> routes = List.of();
    private String address = "";
    /** Somebody can sign in, or has been told how to. */
    private volatile boolean welcomed;

    Server(Settings settings, Identity.Hashing hashing, PrintStream out) {
        this.settings = settings;
        this.hashing = hashing;
        this.out = out;
    }

    /** Serves when it returns. */
    void start() {
        DataFolder folder = folder();
        opened.closing("data folder", () -> {
            folder.close();
            return Future.succeededFuture();
        });
        // PostgreSQL starts while Vert.x is loaded
        Database.Beginning beginning = Database.begin(Database.Settings.of(settings.data(), settings.database()));
        opened.closing("postgres", beginning::abandon);
        // nothing is read through the class path, and the folder made for that would outlive a gateway that is killed
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        opened.closing("vertx", vertx::close);
        // tries what this machine allows while the database starts
        DeviceWatch devices = devices();
        Future<? extends Engine> beginningEngine = engine(vertx, devices);
        Database database = database(vertx, beginning);
        Identity identity = identity(vertx, database);
        Engine engine = await(beginningEngine);
        Files files = files(database, identity);
        Jobs jobs = jobs(vertx, database, identity, engine, files);
        FileCentre centre = centre(vertx, database, files);
        Datasets datasets = datasets(vertx, database, identity, files);
        var images = new Images(database);
        JobPages pages = pages(vertx, database, jobs, new Catalogues(datasets, images));
        Web web = web(vertx, identity, pages);
        Logs logs = logs(vertx, database, jobs);
        Endpoints endpoints = endpoints(vertx, database, identity, engine, jobs);
        Telemetry telemetry = telemetry(vertx, database, web, identity, jobs, engine, endpoints, devices);
        var savings = new Savings(jobs, engine, images, web.live());
        routes = routes(
                web, database, identity, centre, datasets, images, jobs, savings, pages, logs, endpoints, telemetry);
        address = await(web.serve(
                routes, endpoints.neighbour(), settings.endpoints().names().ports()));
        telemetry.serving(address);
        await(endpoints.openSsh());
        await(identity.welcome(address, out::println));
        database.started();
        welcomed = true;
        out.println("ready " + address);
    }

    /** The route table. */
    List<Route> routes() {
        return routes;
    }

    /** The address that the ready line names. */
    public String address() {
        return address;
    }

    /** Closes what was opened, last first. */
    void stop() {
        opened.close();
    }

    private DataFolder folder() {
        try {
            return DataFolder.open(settings.data());
        } catch (DataFolder.Unusable e) {
            throw new NotStarted(String.valueOf(e.getMessage()), e);
        }
    }

    private Database database(Vertx vertx, Database.Beginning beginning) {
        Database database = await(beginning.open(vertx));
        opened.closing("database", database::close);
        database.expose(registry);
        await(database.migrate(MIGRATIONS));
        return database;
    }

    private Identity identity(Vertx vertx, Database database) {
        var open = Identity.open(
                vertx,
                database,
                registry,
                new Identity.Settings(
                        settings.data(), settings.administratorPassword(), settings.database() != null, hashing));
        Identity identity = await(open);
        opened.closing("identity", identity::close);
        return identity;
    }

    private Future<? extends Engine> engine(Vertx vertx, DeviceWatch devices) {
        Future<? extends Engine> opening = new Engines(settings, vertx, registry).open(devices::devices);
        opened.closing(
                "engine",
                () -> opening.transform(
                        (opened, failure) -> failure == null ? opened.close() : Future.succeededFuture()));
        return opening;
    }

    private DeviceWatch devices() {
        DeviceWatch devices = DeviceWatch.open(settings.devices(), registry);
        opened.closing("devices", devices::close);
        return devices;
    }

    private Files files(Database database, Identity identity) {
        return Files.open(
                settings.data(),
                new Numbers(database, settings.userIds()),
                new Shares(database, identity.grants()),
                new Quotas(database, settings.quota()));
    }

    private FileCentre centre(Vertx vertx, Database database, Files files) {
        FileCentre centre = FileCentre.open(vertx, files, new Links(database), registry);
        opened.closing("file centre", centre::close);
        return centre;
    }

    private Datasets datasets(Vertx vertx, Database database, Identity identity, Files files) {
        Datasets datasets = Datasets.open(vertx, database, files, identity.grants(), registry);
        opened.closing("datasets", datasets::close);
        return datasets;
    }

    private Jobs jobs(Vertx vertx, Database database, Identity identity, Engine engine, Files files) {
        var failpoint = Failpoint.of(settings.failpoint());
        var jobs = await(Jobs.open(
                vertx,
                database,
                engine,
                registry,
                identity.grants(),
                files,
                new Jobs.Settings(
                        settings.data(),
                        settings.submissionsPerHour(),
                        settings.sharedProcesses(),
                        failpoint,
                        EngineLine.Patience.USUAL,
                        settings.stores(),
                        settings.dataWeb(),
                        Pace.USUAL,
                        await(Endpoints.known(vertx, settings.endpoints())))));
        opened.closing("jobs", jobs::close);
        return jobs;
    }

    private JobPages pages(Vertx vertx, Database database, Jobs jobs, Catalogues catalogues) {
        var pages = JobPages.open(vertx, database.doorbell(), jobs, catalogues);
        opened.closing("job pages", pages::close);
        return pages;
    }

    private Logs logs(Vertx vertx, Database database, Jobs jobs) {
        Instants instants = Failpoint.of(settings.failpoint())::pass;
        Logs logs =
                await(Logs.open(vertx, database, jobs, registry, settings.logs().with(instants)));
        opened.closing("logs", logs::close);
        return logs;
    }

    private Endpoints endpoints(Vertx vertx, Database database, Identity identity, Engine engine, Jobs jobs) {
        Endpoints endpoints =
                await(Endpoints.open(vertx, database, identity, jobs, engine, registry, settings.endpoints()));
        opened.closing("endpoints", endpoints::close);
        return endpoints;
    }

    private Telemetry telemetry(
            Vertx vertx,
            Database database,
            Web web,
            Identity identity,
            Jobs jobs,
            Engine engine,
            Endpoints endpoints,
            DeviceWatch devices) {
        var outside = new Outside(
                settings.telemetry().notices(), name -> reader(identity, name), web::text, this::addressForBrowsers);
        Telemetry telemetry = Telemetry.open(
                vertx,
                database,
                jobs,
                engine,
                devices,
                registry,
                settings.telemetry(),
                outside,
                endpoints::used,
                name -> identity.named(name).map(found -> found.map(one -> new Viewer(one.caller(), one.created()))));
        opened.closing("telemetry", telemetry::close);
        return telemetry;
    }

    /** Who has chosen no language is written to in both. */
    private static Future<Optional<Outside.Reader>> reader(Identity identity, String name) {
        return identity.mailbox(name)
                .map(found -> found.map(box -> {
                    String language = box.language();
                    return new Outside.Reader(box.address(), language == null ? View.LANGUAGES : List.of(language));
                }));
    }

    private String addressForBrowsers() {
        URI url = settings.url();
        return url == null ? address : url.toString().replaceAll("/+$", "");
    }

    private Web web(Vertx vertx, Identity identity, JobPages pages) {
        Web web =
                new Web(vertx, settings.web(), identity.authenticator(), Server::problem, registry, pages::unfinished);
        opened.closing("web", web::close);
        return web;
    }

    private List<Route> routes(
            Web web,
            Database database,
            Identity identity,
            FileCentre centre,
            Datasets datasets,
            Images images,
            Jobs jobs,
            Savings savings,
            JobPages pages,
            Logs logs,
            Endpoints endpoints,
            Telemetry telemetry) {
        List<Route> table = new ArrayList<>();
        table.addAll(new ApiDocument(ROOMS).routes());
        table.addAll(web.routes(() -> able(database), telemetry::numbers, telemetry::isReader));
        table.addAll(identity.routes(web.live()));
        table.addAll(centre.routes());
        table.addAll(datasets.routes());
        // its page lies before the pages of single images
        table.addAll(savings.routes());
        table.addAll(images.routes());
        table.addAll(new Outputs(jobs, centre, savings, web.live()).routes());
        table.addAll(pages.routes(identity, web.live(), PANELS, endpoints.apps(), telemetry::remark));
        table.addAll(JobsApi.routes(jobs, new JobsApi.Settings(settings.listsPerMinute(), endpoints::sshPort)));
        table.addAll(jobs.stores().routes());
        table.addAll(logs.routes());
        table.addAll(endpoints.routes(web.live()));
        table.addAll(telemetry.routes(web.live()));
        return List.copyOf(table);
    }

    private static @Nullable Problem problem(Throwable failure, boolean reading) {
        return Database.isUnavailable(failure)
                ? Problem.unavailable(
                        reading || !Database.isInDoubt(failure) ? UNCHANGED : IN_DOUBT, failure, Duration.ofSeconds(2))
                : null;
    }

    private Future<Void> able(Database database) {
        return welcomed
                ? database.check()
                : Future.failedFuture(Problem.unavailable(
                        "The gateway is still starting. Ask again in a second.",
                        new IllegalStateException("nobody can sign in yet"),
                        Duration.ofSeconds(1)));
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new NotStarted(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new NotStarted(
                    "The start took longer than " + START.toSeconds() + " s. Look at the lines above, and try again.",
                    e);
        } catch (InterruptedException e) {
            throw new NotStarted("Interrupted while starting.", e);
        }
    }
}
