package io.sluice.endpoints.setup;

import io.sluice.endpoints.road.Names;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How apps are reached here, as far as the gateway itself can find out.
 *
 * @param probe a name that no endpoint has; null: there are none
 * @param leads where that name leads; null: nowhere, or browsers know it themselves
 */
public record SetUp(
        Mode mode,
        Names names,
        @Nullable String probe,
        @Nullable String leads,
        Leading leading) {
    private static final System.Logger LOG = System.getLogger(SetUp.class.getName());
    private static final String PROBE = "probe";

    /** The design's A, B and C. */
    public enum Mode {
        NAMES,
        PORTS,
        INSIDE;

        /** In the texts. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a name comes to. */
    public enum Leading {
        /** There is none, or each browser leads it to its own machine. */
        ITSELF,
        HERE,
        /** To another machine: good only where that one passes on to this one. */
        ELSEWHERE,
        NOWHERE;

        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isFaulty() {
        return leading == Leading.NOWHERE;
    }

    public static Future<SetUp> look(Vertx vertx, Names names) {
        if (names.hasPorts() || names.isInside()) {
            return Future.succeededFuture(
                    new SetUp(names.hasPorts() ? Mode.PORTS : Mode.INSIDE, names, null, null, Leading.ITSELF));
        }
        String probe = PROBE + "." + names.suffix();
        return names.suffix().equals(Names.LOCAL)
                ? Future.succeededFuture(new SetUp(Mode.NAMES, names, probe, null, Leading.ITSELF))
                : vertx.executeBlocking(() -> asked(names, probe), false);
    }

    private static SetUp asked(Names names, String probe) {
        try {
            InetAddress led = InetAddress.getAllByName(probe)[0];
            return new SetUp(
                    Mode.NAMES, names, probe, led.getHostAddress(), isOurs(led) ? Leading.HERE : Leading.ELSEWHERE);
        } catch (UnknownHostException e) {
            return new SetUp(Mode.NAMES, names, probe, null, Leading.NOWHERE);
        }
    }

    private static boolean isOurs(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** What an administrator finds in the log, without asking. */
    public void note() {
        LOG.log(
                isFaulty() ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
                "endpoints={0} {1}",
                mode.key(),
                switch (mode) {
                    case NAMES ->
                        "name=*." + names.suffix() + " leads=" + (leads == null ? leading.key() : leads)
                                + (isFaulty()
                                        ? " advice=\"add a DNS record for *." + names.suffix()
                                                + " that leads to this gateway, or give --endpoint-ports\""
                                        : "");
                    case PORTS -> "ports=" + names.first() + "-" + names.last();
                    case INSIDE -> "advice=\"most apps need --apps-domain or --endpoint-ports\"";
                });
    }
}
