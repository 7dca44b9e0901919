package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Task;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tasks reach, and what they do not. */
class FenceIT {

    private static final String HERE = "169.254.77.77";
    private static final String CLOUDS = TestCloud.METADATA.getFirst();
    private static final String SERVES = """
            exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 9, LocalPort => 20001); print STDERR "up\n";
              while ($c = $s->accept) { close $c }'
            """;

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static TestCloud cloud;
    private static TestDocker tasks;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        cloud = new TestCloud();
        tasks = new TestDocker(
                folder,
                daemon.host(),
                new DockerSettings.Fence(
                        List.of(
                                InetSocketAddress.createUnresolved(TestCloud.NEIGHBOUR, TestCloud.SERVICE),
                                InetSocketAddress.createUnresolved("localhost", TestCloud.SERVICE)),
                        List.of(),
                        false));
    }

    @AfterAll
    static void close() throws Exception {
        if (tasks != null) {
            tasks.close();
        }
        if (cloud != null) {
            cloud.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    private static void start(String name, String network, String host, String script) {
        var labels = Map.of(Task.NETWORK, network, Task.HOST, host);
        tasks.start(tasks.task(name, script, TestDaemon.IMAGE, labels, Map.of(), 0));
    }

    /** The address of one that is reached by others of its network at port 20001. */
    private static String serving(String name, String network) throws Exception {
        start(name, network, "worker-0", SERVES);
        tasks.untilLogged(name, "up");
        return inspect(name, "IPAddress");
    }

    private static String inspect(String name, String field) throws Exception {
        return daemon.docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{." + field + "}}{{end}}", name);
    }

    /** A script that says whom it reaches; it waits longer for those whom it should. */
    private static String attempts(String open, String... kept) {
        return """
                try() { timeout $1 bash -c ": < /dev/tcp/$2" && echo "reached $2"; }
                for at in %s; do try 2 $at & done
                for at in %s; do try 50 $at; done
                wait; ls /var/run/docker.sock /run/docker.sock 2>/dev/null; echo done
                """.formatted(String.join(" ", kept), open);
    }

    private static List<String> reached(String name) {
        return tasks.log(name)
                .lines()
                .filter(line -> line.matches("reached.*|done|.*docker.sock"))
                .sorted()
                .toList();
    }

    @Test
    void tasks_of_one_job_know_one_another_by_name_and_nobody_else() throws Exception {
        var neighbour = serving("serves", "i-1");
        start(
                "asks",
                "i-1",
                "worker-1",
                "for i in {1..100}; do : < /dev/tcp/worker-0/20001 && exit 0; sleep 0.1; done; exit 9");
        assertThat(tasks.over("asks").exitCode()).isZero();

        // what a cloud tells its machines is at such an address; here it is this machine's own
        TestDaemon.sh(List.of("ip", "addr", "replace", HERE + "/32", "dev", "lo"), null);
        try (var host = new ServerSocket(0);
                var here = new Socket(HERE, host.getLocalPort())) {
            assertThat(here.isConnected()).isTrue();
            start(
                    "stranger",
                    "i-2",
                    "worker-0",
                    attempts(
                            "",
                            neighbour + "/20001",
                            inspect("serves", "Gateway") + "/" + host.getLocalPort(),
                            HERE + "/" + host.getLocalPort()));
            assertThat(tasks.over("stranger").exitCode()).isZero();
        } finally {
            TestDaemon.sh(List.of("ip", "addr", "del", HERE + "/32", "dev", "lo"), null);
        }
        assertThat(reached("stranger")).containsExactly("done");
        tasks.engine.stop("serves", Duration.ZERO).await();
    }

    @Test
    void a_task_reaches_the_world_and_not_what_a_cloud_tells_its_machines() {
        tasks.run(
                "cloudy",
                attempts(
                        TestCloud.NEIGHBOUR + "/80 " + CLOUDS + "/53",
                        CLOUDS + "/80",
                        TestCloud.METADATA.getLast() + "/80"));
        assertThat(reached("cloudy"))
                .containsExactly("done", "reached " + TestCloud.NEIGHBOUR + "/80", "reached " + CLOUDS + "/53");
    }

    @Test
    void what_the_gateway_uses_on_another_machine_is_not_for_tasks() {
        assertThat(tasks.engine.inventory().await().nodes().getFirst().isolationNote())
                .contains("nor the gateway's own services");
        tasks.run("curious", attempts(TestCloud.NEIGHBOUR + "/53", TestCloud.NEIGHBOUR + "/5432"));
        assertThat(reached("curious")).containsExactly("done", "reached " + TestCloud.NEIGHBOUR + "/53");
    }

    /** Docker takes its own rules out of the packets' way, and puts them back, with every network that it makes. */
    @Test
    void what_is_kept_from_tasks_is_kept_also_while_networks_are_made() throws Exception {
        var neighbour = serving("neighbour", "n-1");
        tasks.start(tasks.task("knocks", """
                exec perl -MIO::Socket::INET -e '
                  $| = 1; print "begin\n";
                  until (-e "/userhome/enough") { $rounds++; for my $to (@ARGV) {
                    my $s = IO::Socket::INET->new(PeerAddr => $to, Proto => "tcp", Blocking => 0) or next;
                    my $ready = ""; vec($ready, fileno($s), 1) = 1; select(undef, $ready, undef, 0.001);
                    $reached{$to}++ if $s->connected } }
                  print "$rounds rounds, reached: ", join(" ", sort keys %%reached), "\n"' %1$s:80 %1$s:5432 %2$s:80 %3$s:20001
                """.formatted(TestCloud.NEIGHBOUR, CLOUDS, neighbour)));
        tasks.untilLogged("knocks", "begin");
        for (int i = 0; i < 8; i++) {
            daemon.docker("network", "create", "--subnet", "10.216.1.0/24", "made");
            daemon.docker("network", "rm", "made");
        }
        Files.createFile(tasks.home.resolve("enough"));
        assertThat(tasks.over("knocks").exitCode()).isZero();
        assertThat(tasks.log("knocks")).endsWith("reached: " + TestCloud.NEIGHBOUR + ":80\n");
        tasks.engine.stop("neighbour", Duration.ZERO).await();
    }
}
