package io.sluice.engines.docker;

import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.inside.Ports;
import io.sluice.engines.docker.wire.Daemon;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/** By which the gateway comes to what listens in tasks. */
final class Doors {

    private final Daemon daemon;
    private final Upkeep upkeep;
    private final Containers containers;
    private final Ports ports = new Ports(Path.of("/proc"));

    Doors(Daemon daemon, Upkeep upkeep, Containers containers) {
        this.daemon = daemon;
        this.upkeep = upkeep;
        this.containers = containers;
    }

    /** Empty where nothing listens there yet. */
    Future<Optional<SocketAddress>> reach(String run, int port) {
        return daemon.run(() -> {
            var place = place(run);
            return ports.isOpen(place, port)
                    ? Optional.of(SocketAddress.inetSocketAddress(port, place.address()))
                    : Optional.empty();
        });
    }

    /** One that nobody listens on. */
    Future<SocketAddress> port(String run) {
        return daemon.run(() -> {
            var port = ports.give(place(run));
            if (port == null) {
                throw new Unavailable("no port of the task " + run + " is free", null);
            }
            return port;
        });
    }

    private Ports.Place place(String run) throws IOException {
        if (Policy.has(upkeep.info(), "name=rootless")) {
            throw new Unavailable("the ports of tasks of a rootless Docker engine can not be reached", null);
        }
        return containers.place(run);
    }

    void keep(Collection<String> runs) {
        ports.keep(runs);
    }
}
