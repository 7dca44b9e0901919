package io.sluice.engines.docker;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a cloud has beside its machines: a neighbour, and what tells a machine who it is; in a network namespace of its own. */
final class TestCloud implements AutoCloseable {

    static final String NEIGHBOUR = "10.215.77.2";
    static final List<String> METADATA = List.of("169.254.169.254", "100.100.100.200");
    static final int HTTP = 80;
    static final int NAMES = 53;

    private static final String BEGIN = """
            set -e
            ip netns del sluice-cloud 2>/dev/null || true
            ip netns add sluice-cloud
            ip link add sluice-cloud0 type veth peer name eth0 netns sluice-cloud
            ip addr add 10.215.77.1/30 dev sluice-cloud0
            ip link set sluice-cloud0 up
            ip -n sluice-cloud link set lo up
            ip -n sluice-cloud addr add 10.215.77.2/30 dev eth0
            ip -n sluice-cloud link set eth0 up
            ip -n sluice-cloud route add default via 10.215.77.1
            for address in "$@"; do
              ip -n sluice-cloud addr add $address/32 dev lo
              ip route replace $address/32 via 10.215.77.2
            done
            """;
    private static final String SERVE = """
            for port in 80 53; do
              perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 9, LocalPort => $ARGV[0], ReuseAddr => 1) or die;
                while ($c = $s->accept) { print $c "cloud"; close $c }' $port &
            done
            wait
            """;
    private static final String END =
            "ip netns pids sluice-cloud | xargs -r kill -9; ip link del sluice-cloud0; ip netns del sluice-cloud";

    private final Process serving;

    TestCloud() throws IOException, InterruptedException {
        var begin = new java.util.ArrayList<>(List.of("bash", "-c", BEGIN, "cloud"));
        begin.addAll(METADATA);
        TestDaemon.sh(begin, null);
        serving = new ProcessBuilder("ip", "netns", "exec", "sluice-cloud", "bash", "-c", SERVE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        for (var address : List.of(NEIGHBOUR, METADATA.getFirst(), METADATA.getLast())) {
            for (int port : List.of(HTTP, NAMES)) {
                TestDocker.until("the machine to reach " + address + ":" + port, () -> answers(address, port));
            }
        }
    }

    private static boolean answers(String address, int port) {
        try (var socket = new Socket(address, port)) {
            return socket.getInputStream().readAllBytes().length > 0;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** A task's script that tries to reach what should be reached, and what should not. */
    String attempts() {
        return """
                for at in %1$s/80 %2$s/53; do timeout 60 bash -c ": < /dev/tcp/$at" && echo "reached $at"; done
                for at in %2$s/80 %3$s/80; do timeout 2 bash -c ": < /dev/tcp/$at" && echo "reached $at"; done
                echo done
                """.formatted(NEIGHBOUR, METADATA.getFirst(), METADATA.getLast());
    }

    @Override
    public void close() throws IOException {
        try {
            TestDaemon.sh(List.of("bash", "-c", END), null);
            if (!serving.waitFor(10, TimeUnit.SECONDS)) {
                serving.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
