package io.sluice.engines.docker.networks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.Info;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Task;
import io.sluice.engines.docker.TestDaemon;
import io.sluice.engines.docker.wire.Address;
import io.sluice.engines.docker.wire.Daemon;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    private static final Map<String, CollectorRegistry> REGISTRIES = new ConcurrentHashMap<>();
    private static final Map<String, Integer> FAULTS = new ConcurrentHashMap<>();

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
        return networks(
                engine,
                () -> LINES.getLast()
                        .ask("info", Daemon.SHORT, client -> client.infoCmd().exec()));
    }

    private static Networks networks(String engine, Supplier<Info> info) {
        var line = new Daemon(VERTX, Address.of(daemon.host(), null), folder.resolve(engine), new CollectorRegistry());
        LINES.add(line);
        return new Networks(
                line,
                new Networks.Settings(engine, "198.19.0.0/16", made(engine)),
                info,
                () -> FAULTS.merge(engine, 1, Integer::sum),
                REGISTRIES.compute(engine, (name, before) -> new CollectorRegistry()));
    }

    private static Path made(String engine) {
        try {
            return Files.createDirectories(folder.resolve(engine));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void untilOpen(String engine) {
        until(
                "networks that are held open",
                () -> Objects.requireNonNull(REGISTRIES.get(engine)).getSampleValue("sluice_docker_networks_open")
                        == Ready.MOST);
    }

    private static Task task(String name, Map<String, String> labels) {
        return new Task(
                name,
                labels,
                "node",
                "",
                Map.of(),
                null,
                0,
                0,
                0,
                List.of(),
                Map.of(),
                List.of(),
                folder.resolve(name));
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

    private static Held made(Networks networks, String group) {
        var held = networks.hold(task(group + "-0", Map.of(Task.NETWORK, group)));
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

    private static Task alone(String name) {
        return task(name, Map.of());
    }

    private static Set<String> holders(String engine) {
        try {
            return daemon.docker("ps", "-aq", "--no-trunc", "--filter", "label=sluice.holder=" + engine)
                    .lines()
                    .collect(Collectors.toSet());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void until(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30); !condition.getAsBoolean(); ) {
            assertThat(System.nanoTime()).as("waited in vain: " + what).isLessThan(end);
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void a_namespace_goes_on_with_its_task_over_gateways_and_to_no_other_task() throws Exception {
        var killed = networks("killed");
        killed.look();
        untilOpen("killed");
        var ready = holders("killed");
        var held = killed.hold(alone("job"));
        var holder = Objects.requireNonNull(held.holder());
        var words = new ArrayList<>(List.of("run", "-d", "--name", "job", "--network", "container:" + holder.id()));
        Networks.labels("job", held).forEach((name, value) -> words.addAll(List.of("--label", name + "=" + value)));
        words.addAll(List.of(TestDaemon.IMAGE, "sleep", "600"));
        daemon.docker(words.toArray(String[]::new));

        var next = networks("killed");
        assertThat(next.hold(alone("job")).holder()).isEqualTo(holder);
        ready.remove(holder.id());
        until("what nobody had to be gone", () -> holders("killed").stream().noneMatch(ready::contains));
        next.sweep();
        assertThat(holders("killed")).contains(holder.id());
        next.release("job");
        daemon.docker("rm", "-f", "job");
        next.tidy("job");
        until("it to be gone", () -> !holders("killed").contains(holder.id()));
        assertThat(next.hold(alone("other")).holder()).isNotEqualTo(holder);
        next.release("other");
        next.tidy("other");
        next.close();
        assertThat(holders("killed")).isEmpty();
        assertThat(daemon.docker("network", "ls", "-q", "--filter", "label=sluice.engine=killed"))
                .isEmpty();
    }

    @Test
    void the_image_of_those_that_hold_is_made_again_and_on_other_processors_there_is_none() throws Exception {
        var before = networks("tidied");
        before.look();
        untilOpen("tidied");
        before.close();
        daemon.docker("rmi", "sluice-holder:tidied");
        var after = networks("tidied");
        after.look();
        untilOpen("tidied");
        after.close();
        assertThat(FAULTS).doesNotContainKey("tidied");

        var foreign = new ObjectMapper().readValue("{\"Architecture\":\"riscv64\"}", Info.class);
        var other = networks("other", () -> foreign);
        other.look();
        assertThat(other.hold(alone("job")).holder()).isNull();
        other.release("job");
        other.tidy("job");
        other.close();
        assertThat(holders("other")).isEmpty();
        assertThat(FAULTS).doesNotContainKey("other");
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
