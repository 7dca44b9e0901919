package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.docker.wire.Address;
import io.sluice.engines.docker.wire.Daemon;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two installations with one engine: a network is of one of them, and of one group. */
class NetworksIT {

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static final Vertx VERTX = Vertx.vertx();
    private static final List<Daemon> LINES = new ArrayList<>();

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
    }

    @AfterAll
    static void close() throws Exception {
        LINES.forEach(Daemon::close);
        VERTX.close().await();
        if (daemon != null) {
            daemon.close();
        }
    }

    private static Networks networks(String engine) {
        var line = new Daemon(VERTX, Address.of(daemon.host(), null), folder.resolve(engine), new CollectorRegistry());
        LINES.add(line);
        return new Networks(
                line, engine, new Subnets(line, "198.19.0.0/16"), new DockerMetrics(new CollectorRegistry()));
    }

    /** As the engine has it of a task. */
    private static void container(String name, String group, String network, String state) throws Exception {
        daemon.docker(
                state,
                "--name",
                name,
                "--network",
                network,
                "--label",
                Networks.NETWORK + "=" + group,
                "--label",
                "sluice.network.name=" + network,
                TestDaemon.IMAGE,
                "sleep",
                "600");
    }

    private static Networks.Held made(Networks networks, String group) {
        var held = networks.hold(group);
        held.await();
        return held;
    }

    private static boolean exists(String network) throws Exception {
        return !daemon.docker("network", "ls", "-q", "--filter", "name=" + network)
                .isEmpty();
    }

    @Test
    void another_installations_network_is_neither_used_nor_taken_away() throws Exception {
        var ours = networks("ours");
        var held = made(ours, "their-1-0");
        container("theirs", "their-1-0", held.name(), "create");
        var others = networks("others");
        others.sweep();
        daemon.docker("rm", "-f", "theirs");
        // nobody of the others' uses it any more: it is ours all the same
        others.sweep();
        others.tidy("their-1-0");
        assertThat(made(others, "other-2-0").name()).isNotEqualTo(held.name());
        assertThat(made(others, "their-1-0").name()).isNotEqualTo(held.name());
        assertThat(exists(held.name())).isTrue();

        others.release("other-2-0");
        others.release("their-1-0");
        others.sweep();
        ours.release("their-1-0");
        ours.tidy("their-1-0");
        assertThat(made(ours, "next").name()).as("ready again").isEqualTo(held.name());
        ours.close();
        others.close();
        daemon.docker("network", "prune", "-f");
    }

    @Test
    void a_container_that_comes_late_gets_no_part_of_a_network_that_went_to_others() throws Exception {
        var before = networks("late");
        var held = made(before, "first");
        container("runs", "second", held.name(), "create");
        daemon.docker("start", "runs");
        container("came-late", "first", held.name(), "create");
        var after = networks("late");
        assertThat(made(after, "second").name()).isEqualTo(held.name());
        assertThat(made(after, "first").name()).isNotEqualTo(held.name());
        // and when it is taken away the network stays with who has it
        daemon.docker("rm", "-f", "came-late");
        after.tidy("first");
        assertThat(made(after, "third").name()).isNotEqualTo(held.name());
        assertThat(exists(held.name())).isTrue();
        daemon.docker("rm", "-f", "runs");
        daemon.docker("network", "prune", "-f");
    }

    @Test
    void networks_have_no_addresses_of_version_6() throws Exception {
        var networks = networks("plain");
        var held = made(networks, "six");
        assertThat(daemon.docker("network", "inspect", "-f", "{{.EnableIPv6}}", held.name()))
                .isEqualTo("false");
        networks.release("six");
        networks.tidy("six");
        networks.close();
    }
}
