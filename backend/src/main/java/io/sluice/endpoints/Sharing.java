package io.sluice.endpoints;

import io.sluice.endpoints.road.Road;
import io.sluice.identity.Identity;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;

/** Whom an endpoint's owner lets go there too. What is taken back cuts who is there. */
final class Sharing {
    static final int MOST = 100;
    /** Of what others share with one user: the newest. */
    static final int MOST_SHOWN = 100;

    static final String ALONE =
            "Inside of the address of the portal endpoints are for their owner alone. An administrator can give"
                    + " them addresses of their own with --apps-domain or --endpoint-ports.";

    private final EndpointStore store;
    private final Road road;
    private final Runnable ring;

    /** @param ring has endpoints looked at again */
    Sharing(EndpointStore store, Road road, Runnable ring) {
        this.store = store;
        this.road = road;
        this.ring = ring;
    }

    static boolean isName(String name) {
        return name.matches("[A-Za-z0-9_.-]{1,64}");
    }

    /** Whether the name is somebody's is not told: it counts as soon as it is. */
    Future<Boolean> with(Caller caller, Endpoint endpoint, String name) {
        if (road.names().isInside()) {
            throw Problem.of(Problem.Kind.CONFLICT, ALONE);
        }
        if (!isName(name)) {
            throw Problem.invalid("Give the name with which the other one signs in.");
        }
        if (name.equals(endpoint.user())) {
            throw Problem.invalid("It belongs to " + name + " already.");
        }
        if (endpoint.shared().size() >= MOST) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "An endpoint is shared with at most " + MOST + " users. Take it back from somebody first.");
        }
        return store.share(endpoint.id(), name, MOST).onSuccess(changed -> {
            ring.run();
            audit("endpoint-shared", caller, endpoint, name);
        });
    }

    /** What others let this caller go to. */
    Future<List<Endpoint>> to(Caller caller) {
        return road.names().isInside()
                ? Future.succeededFuture(List.of())
                : store.sharedWith(caller.name(), MOST_SHOWN);
    }

    /** @param name empty: from everybody */
    Future<Boolean> back(Caller caller, Endpoint endpoint, String name) {
        return store.unshare(endpoint.id(), name.isEmpty() ? null : name).onSuccess(changed -> {
            ring.run();
            road.recheck(endpoint.id());
            audit("endpoint-taken-back", caller, endpoint, name.isEmpty() ? "*" : name);
        });
    }

    private static void audit(String event, Caller caller, Endpoint endpoint, String name) {
        Identity.audit(
                event, "user", caller.name(), "job", endpoint.jobKey(), "endpoint", endpoint.name(), "with", name);
    }
}
