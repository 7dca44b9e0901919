package io.sluice.endpoints;

import io.sluice.endpoints.Endpoint.State;
import io.sluice.endpoints.checks.Subject;
import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.road.Road;
import io.sluice.identity.Identity;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where browsers are sent to, with what lets them in; and where endpoints have ports, whose each is. */
final class Tickets {
    private final EndpointStore store;
    private final Recipes recipes;
    private final Names names;
    private final Map<Integer, String> ports = new ConcurrentHashMap<>();

    Tickets(EndpointStore store, Recipes recipes, Names names) {
        this.store = store;
        this.recipes = recipes;
        this.names = names;
    }

    @Nullable
    String atPort(int port) {
        return ports.get(port);
    }

    Future<Void> readPorts() {
        return store.withPorts().map(all -> {
            Map<Integer, String> now = new HashMap<>();
            all.forEach(one -> {
                Integer port = one.roadPort();
                if (port != null) {
                    now.put(port, one.id());
                }
            });
            ports.keySet().retainAll(now.keySet());
            ports.putAll(now);
            return null;
        });
    }

    /** Whether it can be gone to by the addresses that there are here. */
    boolean isOpenable(Endpoint endpoint) {
        return !names.isInside()
                || recipes.find(endpoint.recipe()).map(Recipe::sandboxed).orElse(false);
    }

    /** The address that lets the caller's browser in, once. */
    Future<String> ticket(Road road, Call call, Endpoint endpoint, @Nullable String path) {
        Caller caller = call.caller();
        if (endpoint.state() == State.ENDED) {
            throw Problem.of(Problem.Kind.GONE, "The job of endpoint " + endpoint.name() + " has ended.");
        }
        if (!endpoint.wanted()) {
            throw Problem.of(Problem.Kind.CONFLICT, "Endpoint " + endpoint.name() + " is switched off.");
        }
        if (!isOpenable(endpoint)) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "This app does not run inside of the address of the portal. An administrator can give endpoints"
                            + " addresses of their own with --apps-domain or --endpoint-ports.");
        }
        if (names.isInside() && !caller.name().equals(endpoint.user())) {
            throw Problem.of(Problem.Kind.CONFLICT, Sharing.ALONE);
        }
        String open = recipes.find(endpoint.recipe())
                .map(recipe -> recipe.open(endpoint.options()))
                .orElse("/");
        Identity.audit("endpoint-opened", "user", caller.name(), "job", endpoint.jobKey(), "endpoint", endpoint.name());
        return port(endpoint)
                .compose(port -> road.ticket(
                        caller,
                        endpoint.id(),
                        Names.origin(call.secure(), call.authority()),
                        names.origin(endpoint.id(), port, call.secure(), call.authority()),
                        path == null ? open : path));
    }

    /** What a check is told, which goes as browsers do. */
    Subject subject(
            Call call,
            Endpoint endpoint,
            Recipe recipe,
            Supplier<Future<Optional<SocketAddress>>> place,
            Supplier<Future<String>> ticket) {
        Endpoint.Life life = Objects.requireNonNull(endpoint.life());
        boolean known = names.suffix().isEmpty() || names.suffix().equals(Names.LOCAL);
        return new Subject(
                endpoint.id(),
                life.run(),
                life.port(),
                place,
                Steps.headers(recipe, life),
                recipe.open(endpoint.options()),
                recipe.socket(),
                known ? null : endpoint.id() + "." + names.suffix(),
                ticket,
                call.door().address(),
                call.door().tls(),
                names.hasPorts());
    }

    /** Where endpoints have ports, one gets its own when somebody first goes there. */
    private Future<@Nullable Integer> port(Endpoint endpoint) {
        if (!names.hasPorts() || endpoint.roadPort() != null) {
            return Future.succeededFuture(endpoint.roadPort());
        }
        return store.givePort(endpoint.id(), names.first(), names.last())
                .compose(given -> readPorts())
                .compose(read -> store.find(endpoint.id()))
                .map(found -> found.map(Endpoint::roadPort)
                        .orElseThrow(() -> Problem.of(
                                Problem.Kind.CONFLICT,
                                "All ports for endpoints are taken. One is free again when the job that has it ends: stop"
                                        + " one that is not needed, or ask an administrator for more ports"
                                        + " (--endpoint-ports).")));
    }
}
