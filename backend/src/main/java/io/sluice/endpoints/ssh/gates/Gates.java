package io.sluice.endpoints.ssh.gates;

import io.prometheus.client.CollectorRegistry;
import io.sluice.endpoints.ssh.Ssh;
import io.sluice.endpoints.ssh.between.Doors;
import io.sluice.endpoints.ssh.between.Visits;
import io.sluice.engines.Engine;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Both ways in by SSH: from people's machines, and from task to task of one job. */
public final class Gates {
    private static final System.Logger LOG = System.getLogger(Gates.class.getName());

    private final Supplier<Future<@Nullable Ssh>> outer;
    private final boolean isAsked;
    private final Doors doors;
    private volatile Future<@Nullable Ssh> ssh = Future.succeededFuture();
    /** What tasks of a job reach one another by; not before one of them may. */
    private volatile Future<@Nullable Ssh> between = Future.succeededFuture();

    /** @param wanted null: there is none for people */
    public Gates(
            Vertx vertx,
            Identity identity,
            Jobs jobs,
            Engine engine,
            Ssh.@Nullable Settings wanted,
            CollectorRegistry registry) {
        this.outer = () -> wanted == null
                ? Future.succeededFuture()
                : Ssh.open(vertx, identity.keys(), jobs.places(), engine, wanted, registry);
        this.isAsked = wanted != null && wanted.port() != null;
        var visits = new Visits();
        var inner = Ssh.between(vertx, identity.keys(), jobs.places(), engine, visits, registry);
        this.doors = new Doors(vertx, jobs.gangs(), visits, registry, () -> {
            between = inner.get();
            return between.map(Ssh::port);
        });
    }

    /** Nobody has to wait for the outer one, unless a port was asked for, which may not be to be had. */
    public Future<Void> open() {
        doors.begin();
        ssh = outer.get()
                .onFailure(fault -> LOG.log(System.Logger.Level.WARNING, "ssh=off cause=\"{0}\"", fault.getMessage()));
        return isAsked ? ssh.mapEmpty() : Future.succeededFuture();
    }

    /** The outer one's; null: there is none, or not yet. */
    public @Nullable Integer port() {
        Ssh open = opened();
        return open == null ? null : Integer.valueOf(open.port());
    }

    /** In which somebody from outside is. */
    public Collection<Long> jobs() {
        Ssh open = opened();
        return open == null ? Set.of() : open.jobs();
    }

    private @Nullable Ssh opened() {
        return ssh.succeeded() ? ssh.result() : null;
    }

    public Future<Void> close() {
        return doors.close().eventually(() -> closed(between)).eventually(() -> closed(ssh));
    }

    private static Future<Void> closed(Future<@Nullable Ssh> ssh) {
        return ssh.otherwiseEmpty().compose(open -> open == null ? Future.succeededFuture() : open.close());
    }
}
