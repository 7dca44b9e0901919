package io.sluice.engines.docker.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What names of machines mean, within a time: the resolver waits for as long as it likes. */
public final class Hosts {

    private static final int PATIENCE_SECONDS = 5;

    private final Lookup lookup;

    /** What a name means. */
    public interface Lookup {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    public Hosts(Lookup lookup) {
        this.lookup = lookup;
    }

    public static Hosts ofThisMachine() {
        return new Hosts(InetAddress::getAllByName);
    }

    /** Empty where the name means nothing, or nobody says in time what. */
    public List<InetAddress> of(String host) {
        var asked = new FutureTask<>(() -> List.of(lookup.of(host)));
        Thread.ofVirtual().name("sluice-docker-hosts").start(asked);
        try {
            return asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException unknown) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    /** Whether it is this machine itself. */
    public static boolean isOwn(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return true; // who can not look does not know that it is another
        }
    }
}
