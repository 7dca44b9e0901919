package io.sluice.endpoints.ssh.between;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who is on the way from a job's door to SSH: known by the port that the connection comes from. */
public final class Visits {
    private final Map<Integer, Visit> open = new ConcurrentHashMap<>();

    void put(int port, Visit visit) {
        open.put(port, visit);
    }

    void remove(int port) {
        open.remove(port);
    }

    int count() {
        return open.size();
    }

    /** Empty: it has come through no door. */
    public Optional<Visit> at(@Nullable SocketAddress from) {
        return from instanceof InetSocketAddress known
                ? Optional.ofNullable(open.get(known.getPort()))
                : Optional.empty();
    }
}
