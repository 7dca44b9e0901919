package io.sluice.endpoints;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.database.Migrations;
import io.sluice.endpoints.Endpoint.State;
import io.sluice.endpoints.checks.Check;
import io.sluice.endpoints.checks.Checks;
import io.sluice.endpoints.checks.Probes;
import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.endpoints.road.Excuse;
import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.road.Road;
import io.sluice.endpoints.setup.SetUp;
import io.sluice.endpoints.ssh.Ssh;
import io.sluice.endpoints.ssh.gates.Gates;
import io.sluice.endpoints.terminal.Terminals;
import io.sluice.engines.Engine;
import io.sluice.identity.Identity;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.pages.App;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.sluice.web.Web;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to endpoints. Whoever may not go to one is told that it does not exist. */
public final class Endpoints {
    public static final Migrations MIGRATIONS = new Migrations(
            "endpoints",
            Endpoints.class,
            List.of("001-endpoints", "002-ports", "003-portals", "004-uses", "005-checks", "006-shared"));

    /** Of live pages: an endpoint has changed. */
    static final String TOPIC = EndpointStore.TOPIC;
    /** Of live panels: an endpoint or a job has changed. */
    static final String PANELS = "endpoint-panels";

    /**
     * @param recipes the folder with an administrator's recipes; need not be there
     * @param names by which endpoints are told apart
     * @param ssh null: there is no way in by SSH
     */
    public record Settings(Path recipes, Names names, Ssh.@Nullable Settings ssh) {}

    /** What is wanted of an endpoint. */
    record Wish(
            String recipe,
            @Nullable String role,
            int index,
            @Nullable String port,
            Map<String, String> options,
            List<String> shared) {}

    private final Vertx vertx;
    private final Engine engine;
    private final Jobs jobs;
    private final EndpointStore store;
    private final Recipes recipes;
    private final Road road;
    private final Probes probes;
    private final Steps steps;
    private final Keeper keeper;
    private final Checks checks;
    private final Sharing sharing;
    private final Tickets tickets;
    private final Terminals terminals;
    private final Uses uses;
    private final Doorbell doorbell;
    private final Identity identity;
    private final Gates gates;
    private final List<Doorbell.Subscription> subscriptions = new ArrayList<>();

    private Endpoints(
            Vertx vertx,
            Database database,
            Identity identity,
            Jobs jobs,
            Engine engine,
            CollectorRegistry registry,
            Settings settings,
            Recipes recipes) {
        this.vertx = vertx;
        this.engine = engine;
        this.identity = identity;
        this.jobs = jobs;
        this.recipes = recipes;
        this.doorbell = database.doorbell();
        this.store = new EndpointStore(database);
        this.tickets = new Tickets(store, recipes, settings.names());
        this.road = new Road(
                vertx,
                database,
                identity.authenticator(),
                registry,
                settings.names(),
                this::excuse,
                this::isAllowed,
                tickets::atPort);
        this.probes = new Probes(vertx);
        this.checks = new Checks(vertx, database, TOPIC, probes, registry, road::checks, road::leave);
        var metrics = new EndpointMetrics(registry);
        this.steps = new Steps(store, engine, recipes, road, probes, metrics);
        this.keeper = new Keeper(vertx, jobs.places(), store, steps, road, metrics);
        this.sharing = new Sharing(store, road, keeper::ring);
        this.terminals = new Terminals(vertx, engine, this::run, Terminals.Limits.USUAL, registry);
        this.uses = new Uses(vertx, store, this::visited);
        this.gates = new Gates(vertx, identity, jobs, engine, settings.ssh(), registry);
    }

    /** With the tables of {@link #MIGRATIONS} in place. What an earlier gateway had open is open again as soon as it is found. */
    public static Future<Endpoints> open(
            Vertx vertx,
            Database database,
            Identity identity,
            Jobs jobs,
            Engine engine,
            CollectorRegistry registry,
            Settings settings) {
        return vertx.executeBlocking(() -> Recipes.read(settings.recipes()))
                .map(recipes -> new Endpoints(vertx, database, identity, jobs, engine, registry, settings, recipes))
                .onSuccess(Endpoints::begin);
    }

    /** What jobs may ask for as they are submitted. */
    public static Future<Apps> known(Vertx vertx, Settings settings) {
        return vertx.executeBlocking(() -> Recipes.read(settings.recipes()).apps());
    }

    /** How apps are reached here. */
    Future<SetUp> setUp() {
        return SetUp.look(vertx, road.names());
    }

    private void begin() {
        keeper.note(setUp().onSuccess(SetUp::note).mapEmpty());
        if (road.names().hasPorts()) {
            subscriptions.add(doorbell.listen(TOPIC, () -> keeper.note(tickets.readPorts())));
            keeper.note(tickets.readPorts());
        }
        subscriptions.add(doorbell.listen(Jobs.TOPIC, keeper::ring));
        subscriptions.add(doorbell.listen(TOPIC, keeper::ring));
        keeper.ring();
    }

    /** All of its rows. From now on what changes is told to open pages. */
    public List<Route> routes(Live live) {
        subscriptions.add(doorbell.listen(TOPIC, () -> {
            live.ring(TOPIC);
            live.ring(PANELS);
        }));
        subscriptions.add(doorbell.listen(EndpointStore.LINES, () -> live.ring(PANELS)));
        subscriptions.add(doorbell.listen(Jobs.TOPIC, () -> live.ring(PANELS)));
        return Stream.of(
                        new SharedRoutes(sharing, recipes, live).routes(), // before what takes any name
                        new EndpointRoutes(this).routes(),
                        new PanelRoutes(this, jobs, live).routes(),
                        terminals.routes(jobs, this::job))
                .flatMap(List::stream)
                .toList();
    }

    /** Who answers for endpoints' names. */
    public Web.Neighbour neighbour() {
        return road;
    }

    /** Begins to answer SSH, and tasks of a job that want to reach one another. Nobody has to wait for that, unless a port was asked for, which may not be to be had. */
    public Future<Void> openSsh() {
        return gates.open();
    }

    /** On which SSH is answered; null: nowhere, or not yet. */
    public @Nullable Integer sshPort() {
        return gates.port();
    }

    /** Whether this caller could come by SSH. */
    Future<Boolean> hasKey(Caller caller) {
        return identity.keys().hasAny(caller.id());
    }

    /** Those that begin a program, so that a new job can ask for them. */
    public List<App> apps() {
        return recipes.all().stream()
                .filter(Recipe::runsProgram)
                .map(recipe -> new App(recipe.name(), recipe.titles()))
                .toList();
    }

    /** The address that lets the caller's browser in, once. */
    Future<String> ticket(Call call, Endpoint endpoint, @Nullable String path) {
        return tickets.ticket(road, call, endpoint, path);
    }

    Tickets tickets() {
        return tickets;
    }

    Sharing sharing() {
        return sharing;
    }

    /** Who is offered when this caller shares. */
    Future<List<String>> colleagues(Caller caller) {
        return road.names().isInside()
                ? Future.succeededFuture(List.of())
                : identity.colleagues().of(caller);
    }

    boolean isInside() {
        return road.names().isInside();
    }

    Recipes recipes() {
        return recipes;
    }

    /** What this job has, also what has been switched off. */
    Future<List<Endpoint>> of(Job job) {
        return store.ofJob(job.id());
    }

    Future<Job> job(Caller caller, String key) {
        int tilde = key.indexOf('~');
        return tilde <= 0
                ? Future.failedFuture(Jobs.noJob(key, ""))
                : jobs.job(caller, key.substring(0, tilde), key.substring(tilde + 1));
    }

    /** One of a job's, if the caller may go there. */
    Future<Endpoint> find(Caller caller, String key, String name) {
        return job(caller, key)
                .compose(this::of)
                .map(all -> all.stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> none(name)));
    }

    /** The one of this id, if the caller may go there. */
    Future<Endpoint> find(Caller caller, String id) {
        return store.find(id)
                .map(found -> found.filter(one -> one.isFor(caller.name(), caller.admin()))
                        .orElseThrow(() -> none(id)));
    }

    private static Problem none(String name) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoEndpointError", "Endpoint " + name + " is not found.");
    }

    /** Switches on. One that is on already and was asked for in the same words stays as it is. */
    Future<Endpoint> on(Caller caller, String key, String name, Wish wish) {
        return job(caller, key)
                .compose(job -> jobs.detail(job, null)
                        .compose(detail -> of(job).compose(all -> {
                            Endpoint fresh = Wanted.checked(detail, name, wish, recipes, all);
                            Optional<Endpoint> before = all.stream()
                                    .filter(one -> one.name().equals(name))
                                    .findFirst();
                            return before.map(one -> again(one, fresh)).orElseGet(() -> store.on(fresh));
                        })))
                .onSuccess(changed -> audit("endpoint-on", caller, key, name))
                .compose(changed -> find(caller, key, name))
                .onSuccess(changed -> keeper.ring());
    }

    private Future<Boolean> again(Endpoint before, Endpoint fresh) {
        boolean same = Wanted.isSame(before, fresh);
        boolean on = before.wanted() && before.state() != State.FAILED;
        if (on && !same) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "Endpoint " + before.name()
                            + " is on with other settings. Switch it off first, or take another name.");
        }
        return on
                ? store.share(before.id(), fresh.shared()).onSuccess(shared -> road.recheck(before.id()))
                : store.on(fresh);
    }

    /** The answer is whether it was on. */
    Future<Boolean> off(Caller caller, String key, String name) {
        return find(caller, key, name)
                .compose(endpoint -> store.unwant(endpoint.id()).onSuccess(changed -> {
                    // whoever is told that it is off finds it shut
                    road.close(endpoint.id());
                    if (changed) {
                        audit("endpoint-off", caller, key, name);
                    }
                    keeper.ring();
                }));
    }

    Checks checks() {
        return checks;
    }

    /** Goes there as the caller's browser would, and is silent for so many seconds; the answer comes before that silence. */
    Future<Check> check(Call call, Endpoint endpoint, int silence) {
        Optional<Recipe> recipe = recipes.find(endpoint.recipe());
        Endpoint.Life life = endpoint.life();
        if (recipe.isEmpty()) {
            return Future.succeededFuture(Checks.none(Check.Hop.TASK, Check.Finding.NO_RECIPE, endpoint.recipe()));
        }
        if (!endpoint.wanted() || life == null) {
            return Future.succeededFuture(Checks.none(
                    Check.Hop.TASK,
                    Check.Finding.NO_TASK,
                    endpoint.wanted() ? endpoint.state().key() : "off"));
        }
        return checks.check(
                tickets.subject(
                        call,
                        endpoint,
                        recipe.get(),
                        () -> engine.reach(life.run(), life.port()),
                        () -> ticket(call, endpoint, "/")),
                call.caller().name(),
                silence);
    }

    /** When somebody was at these jobs' endpoints, terminals or SSH last; those where nobody ever was are not named. */
    public Future<Map<Long, Instant>> used(Collection<Long> jobs) {
        return uses.of(jobs);
    }

    /** Jobs where somebody is, or was since this was asked last. */
    private Set<Long> visited() {
        Set<Long> visited = new HashSet<>(terminals.jobs());
        road.visited().forEach(id -> {
            Endpoint endpoint = keeper.known(id);
            if (endpoint != null) {
                visited.add(endpoint.job());
            }
        });
        visited.addAll(gates.jobs());
        return visited;
    }

    /** What the engine calls a task; empty: it does not run. */
    private Future<Optional<String>> run(long job, String role, int index) {
        return jobs.places()
                .active()
                .map(active -> active.stream()
                        .filter(one -> one.job() == job)
                        .flatMap(one -> one.tasks().stream())
                        .filter(task -> task.role().equals(role) && task.index() == index)
                        .map(Places.Task::run)
                        .findFirst());
    }

    private Future<Excuse> excuse(String id, boolean guest) {
        return keeper.excuse(id, guest);
    }

    /** What is not known any more has nothing that could be gone to. */
    private boolean isAllowed(Caller caller, String id) {
        Endpoint endpoint = keeper.known(id);
        return endpoint == null || endpoint.isFor(caller.name(), caller.admin());
    }

    private static void audit(String event, Caller caller, String job, String endpoint) {
        Identity.audit(event, "user", caller.name(), "job", job, "endpoint", endpoint);
    }

    /** What goes through is cut; the apps go on running. */
    public Future<Void> close() {
        subscriptions.forEach(Doorbell.Subscription::cancel);
        keeper.close();
        uses.close();
        terminals.close();
        road.close();
        return gates.close().eventually(probes::close);
    }
}
