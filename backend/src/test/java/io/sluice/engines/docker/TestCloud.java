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
    static final int SERVICE = 5432;

    private static final String BEGIN = """
            set -e
            ip netns add $0
            ip link add test-cloud0 type veth peer name eth0 netns $0
            ip addr add 10.215.77.1/30 dev test-cloud0
            ip link set test-cloud0 up
            ip -n $0 link set lo up
            ip -n $0 addr add 10.215.77.2/30 dev eth0
            ip -n $0 link set eth0 up
            ip -n $0 route add default via 10.215.77.1
            for address in "$@"; do
              ip -n $0 addr add $address/32 dev lo
              ip route replace $address/32 via 10.215.77.2
            done
            """;
    private static final String SERVE = """
            for port in 80 53 5432; do
              perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 9, LocalPort => $ARGV[0], ReuseAddr => 1) or die;
                while ($c = $s->accept) { print $c "cloud"; close $c }' $port &
            done
            wait
            """;
    private static final String END = "ip netns pids $0 | xargs -r kill -9; ip link del test-cloud0; ip netns del $0";

    /** Such names are one machine's, however many networks it has. */
    private final String name = "sluice-cloud-" + ProcessHandle.current().pid();

    private final Process serving;

    TestCloud() throws IOException, InterruptedException {
        var begin = new java.util.ArrayList<>(List.of("bash", "-c", BEGIN, name));
        begin.addAll(METADATA);
        TestDaemon.sh(begin, null);
        serving = new ProcessBuilder("ip", "netns", "exec", name, "bash", "-c", SERVE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        for (var address : List.of(NEIGHBOUR, METADATA.getFirst(), METADATA.getLast())) {
            for (int port : List.of(HTTP, NAMES, SERVICE)) {
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

    @Override
    public void close() throws IOException {
        try {
            TestDaemon.sh(List.of("bash", "-c", END, name), null);
            if (!serving.waitFor(10, TimeUnit.SECONDS)) {
                serving.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
