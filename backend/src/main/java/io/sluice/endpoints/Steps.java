package io.sluice.endpoints;

import io.sluice.endpoints.Endpoint.Life;
import io.sluice.endpoints.Endpoint.Reason;
import io.sluice.endpoints.Endpoint.State;
import io.sluice.endpoints.checks.Probes;
import io.sluice.endpoints.recipes.Kitchen;
import io.sluice.endpoints.recipes.Kitchen.Progress;
import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.endpoints.road.Road;
import io.sluice.engines.Engine;
import io.sluice.jobs.lists.Places;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is to be done next for one endpoint. Each step can be done again, by this gateway or by the one after it. */
final class Steps {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int SECRET_LETTERS = 40;
    private static final int HIGHEST = 65_535;

    private final EndpointStore store;
    private final Engine engine;
    private final Recipes recipes;
    private final Kitchen kitchen;
    private final Road road;
    private final Probes probes;
    private final EndpointMetrics metrics;
    private final Map<String, Long> checked = new ConcurrentHashMap<>();
    /** Those with which somebody did not get on; whether something listens there says too little of them. */
    private final Set<String> doubted = ConcurrentHashMap.newKeySet();

    Steps(EndpointStore store, Engine engine, Recipes recipes, Road road, Probes probes, EndpointMetrics metrics) {
        this.store = store;
        this.engine = engine;
        this.recipes = recipes;
        this.kitchen = new Kitchen(engine);
        this.road = road;
        this.probes = probes;
        this.metrics = metrics;
    }

    /** @return whether something changed, so that there may be more to do at once */
    Future<Boolean> step(Endpoint endpoint, Optional<Places.Task> task) {
        Life life = endpoint.life();
        if (!endpoint.wanted()) {
            return endpoint.state() == State.OFF ? Future.succeededFuture(false) : end(endpoint);
        }
        if (task.isEmpty()) {
            return gone(endpoint);
        }
        if (life == null || life.task() != task.get().id()) {
            return endpoint.state() == State.FAILED && life == null
                    ? Future.succeededFuture(false)
                    : begin(endpoint, task.get());
        }
        return switch (endpoint.state()) {
            case STARTING ->
                recipe(endpoint).map(recipe -> goOn(endpoint, life, recipe)).orElseGet(() -> noRecipe(endpoint));
            case READY ->
                recipe(endpoint).map(recipe -> check(endpoint, life, recipe)).orElseGet(() -> noRecipe(endpoint));
            case WAITING, FAILED, OFF, ENDED -> Future.succeededFuture(false);
        };
    }

    /** Somebody did not get through: look at once. */
    void doubt(String id) {
        doubted.add(id);
        checked.remove(id);
    }

    /** What is known of those that are over. */
    void forgetAllBut(Set<String> live) {
        checked.keySet().retainAll(live);
        doubted.retainAll(live);
    }

    /** Those of which something is remembered. */
    Set<String> remembered() {
        return Set.copyOf(checked.keySet());
    }

    private Optional<Recipe> recipe(Endpoint endpoint) {
        return recipes.find(endpoint.recipe());
    }

    private Future<Boolean> noRecipe(Endpoint endpoint) {
        return became(endpoint, State.FAILED, Reason.NO_RECIPE, endpoint.recipe());
    }

    private Future<Boolean> end(Endpoint endpoint) {
        road.close(endpoint.id());
        Life life = endpoint.life();
        boolean runs = life != null && recipe(endpoint).map(Recipe::runsProgram).orElse(false);
        // a task that does not run has no program of ours in it either
        Future<Void> ended = life != null && runs
                ? kitchen.end(life.run(), endpoint.id()).otherwiseEmpty()
                : Future.succeededFuture();
        return ended.compose(over -> store.off(endpoint.id())).onSuccess(off -> metrics.became("off"));
    }

    private Future<Boolean> gone(Endpoint endpoint) {
        road.close(endpoint.id());
        return endpoint.state() == State.WAITING ? Future.succeededFuture(false) : store.waits(endpoint.id());
    }

    private Future<Boolean> begin(Endpoint endpoint, Places.Task task) {
        road.close(endpoint.id());
        Optional<Recipe> recipe = recipe(endpoint);
        if (recipe.isEmpty()) {
            return noRecipe(endpoint);
        }
        if (!recipe.get().runsProgram()) {
            Integer port = port(endpoint, task);
            return port == null
                    ? became(endpoint, State.FAILED, Reason.NO_PORT, String.valueOf(endpoint.asked()))
                    : store.begin(endpoint.id(), new Life(task.id(), task.run(), null, port, null));
        }
        // what is left of an earlier life has another port
        return kitchen.end(task.run(), endpoint.id())
                .compose(ended -> engine.port(task.run()))
                .compose(address -> store.begin(
                        endpoint.id(),
                        new Life(task.id(), task.run(), address.host(), address.port(), Wishes.random(SECRET_LETTERS))))
                .recover(failure -> unable(endpoint, failure));
    }

    /** What an engine can not do at all is said; that the task is another gateway's, or over, is not ours to say. */
    private Future<Boolean> unable(Endpoint endpoint, Throwable failure) {
        return failure instanceof Engine.Unavailable || failure instanceof Kitchen.NotBegun
                ? became(endpoint, State.FAILED, Reason.ENGINE, String.valueOf(failure.getMessage()))
                : Future.failedFuture(failure);
    }

    private static @Nullable Integer port(Endpoint endpoint, Places.Task task) {
        String asked = endpoint.asked() == null ? "http" : endpoint.asked();
        if (asked.matches("\\d{1,5}")) {
            int port = Integer.parseInt(asked);
            return port >= Wanted.LOWEST_PORT && port <= HIGHEST ? port : null;
        }
        var ports = task.ports().get(asked);
        return ports == null || ports.isEmpty() ? null : ports.getFirst();
    }

    private Future<Boolean> goOn(Endpoint endpoint, Life life, Recipe recipe) {
        if (!recipe.runsProgram()) {
            return probe(endpoint, life, recipe, "");
        }
        return kitchen.look(life.run(), endpoint.id())
                .compose(progress -> progressed(endpoint, life, recipe, progress));
    }

    private Future<Boolean> progressed(Endpoint endpoint, Life life, Recipe recipe, Progress progress) {
        return switch (progress.stage()) {
            case NOTHING ->
                kitchen.begin(order(endpoint, life, recipe)).map(true).recover(failure -> unable(endpoint, failure));
            case MISSING -> became(endpoint, State.FAILED, Reason.MISSING, progress.lines());
            case INSTALLING ->
                progress.exit() == null
                        ? became(endpoint, State.STARTING, Reason.INSTALLING, progress.lines())
                                .map(false)
                        : became(endpoint, State.FAILED, Reason.MISSING, progress.lines());
            case STARTED ->
                progress.exit() == null
                        ? probe(endpoint, life, recipe, progress.lines())
                        : became(endpoint, State.FAILED, Reason.EXITED, progress.exit() + "\n" + progress.lines());
        };
    }

    private static Kitchen.Order order(Endpoint endpoint, Life life, Recipe recipe) {
        String host = life.host();
        String secret = life.secret();
        return new Kitchen.Order(
                life.run(),
                endpoint.id(),
                recipe,
                host == null ? "127.0.0.1" : host,
                life.port(),
                secret == null ? "" : secret,
                endpoint.options());
    }

    private Future<Boolean> probe(Endpoint endpoint, Life life, Recipe recipe, String lines) {
        return engine.reach(life.run(), life.port())
                .compose(address -> address.isEmpty()
                        ? notYet(endpoint, recipe, Reason.SILENT, lines)
                        : probes.isWell(address.get(), recipe.probe(), headers(recipe, life))
                                .compose(well -> well
                                        ? ready(endpoint, life, recipe, address.get())
                                        : notYet(endpoint, recipe, Reason.UNWELL, lines)));
    }

    /** What is started here has to be there in time; the job's own programs may come when they like. */
    private Future<Boolean> notYet(Endpoint endpoint, Recipe recipe, Reason reason, String lines) {
        if (reason == Reason.SILENT) {
            road.close(endpoint.id());
        }
        boolean begun = endpoint.reason() == Reason.SILENT || endpoint.reason() == Reason.UNWELL;
        // one that has been ready and hangs may come to itself, and what people have there is theirs to give up
        boolean late = begun
                && !road.isOpen(endpoint.id())
                && endpoint.since().plus(PATIENCE).isBefore(Instant.now());
        return late && recipe.runsProgram()
                ? became(endpoint, State.FAILED, reason, lines)
                : became(endpoint, State.STARTING, reason, lines).map(false);
    }

    private Future<Boolean> ready(Endpoint endpoint, Life life, Recipe recipe, SocketAddress address) {
        open(endpoint, life, recipe, address);
        return endpoint.state() == State.READY
                ? Future.succeededFuture(false)
                : became(endpoint, State.READY, null, "");
    }

    private void open(Endpoint endpoint, Life life, Recipe recipe, SocketAddress address) {
        checked.put(endpoint.id(), System.nanoTime());
        if (!road.isOpen(endpoint.id())) {
            road.open(endpoint.id(), address, headers(recipe, life), recipe.rewriteHost());
        }
    }

    static Map<String, String> headers(Recipe recipe, Life life) {
        String secret = life.secret();
        var headers = new HashMap<String, String>();
        recipe.headers()
                .forEach(
                        (name, value) -> headers.put(name, value.replace(Recipe.SECRET, secret == null ? "" : secret)));
        return headers;
    }

    private Future<Boolean> check(Endpoint endpoint, Life life, Recipe recipe) {
        Long last = checked.get(endpoint.id());
        if (last != null && road.isOpen(endpoint.id()) && System.nanoTime() - last < CHECK_NANOS) {
            return Future.succeededFuture(false);
        }
        boolean doubts = doubted.remove(endpoint.id());
        return engine.reach(life.run(), life.port()).compose(address -> {
            if (address.isEmpty()) {
                // it may come back at the same port, and is the same then
                road.close(endpoint.id());
                return became(endpoint, State.STARTING, Reason.SILENT, "");
            }
            open(endpoint, life, recipe, address.get());
            return doubts
                    ? probes.isWell(address.get(), recipe.probe(), headers(recipe, life))
                            .compose(well -> well
                                    ? Future.succeededFuture(false)
                                    : became(endpoint, State.STARTING, Reason.UNWELL, ""))
                    : Future.succeededFuture(false);
        });
    }

    private Future<Boolean> became(Endpoint endpoint, State state, @Nullable Reason reason, String lines) {
        if (state == State.FAILED) {
            road.close(endpoint.id());
        }
        if (endpoint.state() == state
                && endpoint.reason() == reason
                && endpoint.lines().equals(lines)) {
            return Future.succeededFuture(false);
        }
        return store.became(endpoint, state, reason, lines).onSuccess(changed -> {
            if (changed && endpoint.state() != state) {
                metrics.became(state.key());
            }
        });
    }
}
