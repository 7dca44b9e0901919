package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway is killed, the engine is stopped, hangs or is killed: one container for each run, and every byte of its output. */
class DockerFaultsIT {

    private static final int STRANGER = 4242;
    private static final String SCRIPT = "echo ran >> mark; exit 37";
    private static final String COUNTING =
            "echo up; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line-$i; [ $((i % 30)) -ne 0 ] || sleep 0.05; done";
    private static final String COUNTED = "up\n"
            + IntStream.rangeClosed(1, 3000).mapToObj(i -> "line-" + i + "\n").collect(Collectors.joining());

    private static final String POLITE = "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.1; done";

    @TempDir
    private Path folder;

    private @Nullable TestDaemon daemon;

    private void open(String... options) throws Exception {
        daemon = new TestDaemon(options);
    }

    @AfterEach
    void close() throws Exception {
        if (daemon != null) {
            daemon.close();
        }
    }

    private TestDaemon daemon() {
        return Objects.requireNonNull(daemon);
    }

    private Set<String> holders() {
        try {
            return daemon().holders();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private TestDocker gateway() throws IOException {
        return new TestDocker(folder, daemon().host());
    }

    @Test
    void whatever_a_killed_gateway_had_begun_happens_once() throws Exception {
        open("--log-opt=max-size=10k");
        for (var failpoint : List.of("engine.afterCreate", "engine.afterStart")) {
            var name = failpoint.substring(7);
            Files.deleteIfExists(folder.resolve("homes/ann/mark"));
            DockerChild.dieAt(failpoint, folder.toString(), daemon().host(), "held", name, SCRIPT);
            var namespace = daemon().docker("inspect", "-f", "{{.HostConfig.NetworkMode}}", name);
            assertThat(namespace).startsWith("container:");
            try (var tasks = gateway()) {
                assertThat(tasks.engine.list().await()).hasSize(1);
                tasks.start(tasks.task(name, SCRIPT));
                assertThat(daemon().docker("inspect", "-f", "{{.HostConfig.NetworkMode}}", name))
                        .as("what holds its network open is kept")
                        .isEqualTo(namespace);
                TestDocker.until("its end", () -> tasks.seen(name).isOver());
                assertThat(tasks.seen(name).exitCode()).isEqualTo(37);
                assertThat(folder.resolve("homes/ann/mark")).hasContent("ran");
            }
        }
        DockerChild.dieAt(
                "engine.afterStopIntent", folder.toString(), daemon().host(), "stop", "stopped", "echo up; sleep 600");
        try (var tasks = gateway()) {
            TestDocker.until("its end", () -> tasks.seen("stopped").isOver());
            assertThat(tasks.seen("stopped").signal()).isEqualTo(15);
        }
        goesOnWithoutGateway();
        assertThat(daemon().docker("ps", "-aq")).isEmpty();
        assertThat(daemon().docker("network", "ls", "-q", "--filter", "label=sluice.network"))
                .isEmpty();
    }

    /** It runs, and its gateway is dead. */
    private void leftAlone(String name, String script) throws Exception {
        var gateway = DockerChild.begin("", folder.toString(), daemon().host(), "hold", name, script);
        try (var said = gateway.inputReader()) {
            assertThat(said.readLine()).isEqualTo("started");
        }
        gateway.destroyForcibly().waitFor();
    }

    /** Rotation of the engine's own logs is no matter: it has none. */
    private void goesOnWithoutGateway() throws Exception {
        leftAlone("alone", COUNTING);
        try (var tasks = gateway()) {
            assertThat(tasks.seen("alone").state()).isEqualTo(State.RUNNING);
            assertThat(tasks.seen("alone").labels()).containsEntry("job", "j1");
            var again = (Started.Running)
                    tasks.engine.start(tasks.task("alone", "exit 1")).await();
            assertThat(again.again()).isTrue();
            assertThat(tasks.over("alone").exitCode()).isZero();
            assertThat(tasks.log("alone")).isEqualTo(COUNTED);
        }
    }

    @Test
    void with_live_restore_nothing_is_lost_when_the_engine_is_killed() throws Exception {
        open("--live-restore");
        try (var tasks = gateway()) {
            tasks.untilHeld();
            tasks.start(tasks.task("lives", COUNTING));
            assertThat(tasks.held()).isEqualTo(1);
            tasks.untilLogged("lives", "line-100\n");
            daemon().stop(true);
            assertThatThrownBy(() ->
                            tasks.engine.start(tasks.task("later", "exit 0")).await())
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("can not be reached");
            TestDocker.until("the node to say so", () -> unready(tasks) != null);
            var during = tasks.log("lives");
            TestDocker.until("output meanwhile", () -> tasks.log("lives").length() > during.length());
            daemon().start();
            assertThat(tasks.over("lives").exitCode()).isZero();
            assertThat(tasks.log("lives")).isEqualTo(COUNTED);
            TestDocker.until("the node to be back", () -> unready(tasks) == null);
            assertThat(tasks.run("after", "exit 6").exitCode()).isEqualTo(6);
        }
    }

    private static @Nullable String unready(TestDocker tasks) {
        return tasks.engine.inventory().await().nodes().getFirst().unready();
    }

    @Test
    void without_live_restore_a_stopped_engine_takes_its_tasks_along_and_they_are_lost() throws Exception {
        open("--shutdown-timeout=2");
        try (var tasks = gateway()) {
            tasks.untilHeld();
            tasks.start(tasks.task(
                    "goes",
                    COUNTING.replace("echo up;", "trap '' TERM; echo up;").replace("3000", "300000")));
            tasks.untilLogged("goes", "line-100\n");
            daemon().stop(false);
            var whole = tasks.log("goes");
            daemon().start();
            var run = tasks.over("goes");
            assertThat(run.state()).isEqualTo(State.LOST);
            assertThat(run.detail()).contains("was stopped while it ran");
            assertThat(tasks.log("goes")).isEqualTo(whole).startsWith("up\nline-1\n");
            assertThat(tasks.run("after", "exit 6").exitCode()).isEqualTo(6);
        }
    }

    @Test
    void what_ends_with_its_engine_is_lost_also_when_it_says_that_all_is_well() throws Exception {
        open("--shutdown-timeout=5");
        try (var tasks = gateway()) {
            tasks.start(tasks.task("polite", POLITE));
            tasks.untilLogged("polite", "up");
            daemon().stop(false);
            daemon().start();
            assertThat(tasks.over("polite").state()).isEqualTo(State.LOST);
            assertThat(tasks.log("polite")).contains("saved");
        }
        leftAlone("unseen", POLITE);
        // while no gateway is there
        daemon().stop(false);
        daemon().start();
        try (var tasks = gateway()) {
            var run = tasks.seen("unseen");
            assertThat(run.state()).isEqualTo(State.LOST);
            assertThat(run.detail()).contains("was stopped while it ran");
            tasks.start(tasks.task("orphan", POLITE));
            tasks.untilLogged("orphan", "up");
            daemon().stop(true);
            daemon().start();
            assertThat(tasks.over("orphan").state()).isEqualTo(State.LOST);
            // what ends by itself, with the same code, is no loss: neither then nor when only the gateway was away
            assertThat(tasks.run("well", "exit 0").exitCode()).isZero();
        }
        leftAlone("alone", "echo up; sleep 1; exit 0");
        daemon().docker("wait", "alone");
        try (var tasks = gateway()) {
            assertThat(tasks.seen("alone").state()).isEqualTo(State.ENDED);
            assertThat(tasks.seen("alone").exitCode()).isZero();
        }
    }

    @Test
    void an_engine_that_hangs_is_given_up_in_time_and_found_again() throws Exception {
        open();
        try (var tasks = gateway()) {
            tasks.start(tasks.task("through", "echo up; sleep 600"));
            tasks.untilLogged("through", "up");
            signal("STOP");
            try {
                TestDocker.until("all of it to stand still", this::standsStill);
                long from = System.nanoTime();
                assertThatThrownBy(() -> tasks.engine.list().await())
                        .isInstanceOf(Unavailable.class)
                        .hasMessageContaining("did not answer within");
                assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - from))
                        .isLessThan(25);
                TestDocker.until("the node to say so", () -> unready(tasks) != null);
            } finally {
                signal("CONT");
            }
            TestDocker.until("the node to be back", () -> unready(tasks) == null);
            assertThat(tasks.seen("through").state()).isEqualTo(State.RUNNING);
            tasks.engine.stop("through", Duration.ofSeconds(10)).await();
            assertThat(tasks.over("through").exitCode()).isEqualTo(143);
        }
    }

    /** One of its threads may have an answer to give when the signal comes. */
    private boolean standsStill() {
        try (var threads = Files.newDirectoryStream(Path.of("/proc", "" + daemon().pid(), "task"))) {
            for (var thread : threads) {
                // 956 (dockerd) T 29498 …
                if (!Files.readString(thread.resolve("stat")).contains(") T ")) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void signal(String name) throws Exception {
        TestDaemon.sh(List.of("kill", "-" + name, "" + daemon().pid()), null);
    }

    @Test
    void lost_late_repeated_and_cut_answers_make_one_container_for_each_run() throws Exception {
        open();
        var through = folder.resolve("proxy.sock");
        var calls = List.of(
                "/containers/create?name=NAME",
                "/start",
                "/archive",
                "/containers/NAME/kill",
                "/containers/NAME/json",
                "/networks/create");
        try (var proxy = new FaultyProxy(through, daemon().socket, this::holders);
                var tasks = new TestDocker(folder, "unix://" + through);
                var lanes = Executors.newVirtualThreadPerTaskExecutor()) {
            // whom the image does not know, so that there is something to put into it
            Files.setAttribute(tasks.home, "unix:uid", STRANGER);
            var all = IntStream.range(0, calls.size())
                    .mapToObj(lane -> lanes.submit(() -> {
                        spoilt(proxy, tasks, calls.get(lane), lane);
                        return lane;
                    }))
                    .toList();
            for (var lane : all) {
                lane.get();
            }
            var lines = Files.readAllLines(tasks.home.resolve("mark"));
            assertThat(lines).doesNotHaveDuplicates();
            assertThat(daemon().tasks()).hasSize(calls.size() * FaultyProxy.Fault.values().length);
        }
        assertThat(daemon().docker("ps", "-aq")).isEmpty();
    }

    /** Files are read from, and put into, a container of an image that was not seen before: each has one of its own for that. */
    private void spoilt(FaultyProxy proxy, TestDocker tasks, String calls, int lane) throws Exception {
        for (var fault : FaultyProxy.Fault.values()) {
            var name = "lane-" + lane + "-" + fault.name().toLowerCase(Locale.ROOT);
            var image = calls.equals("/archive") ? daemon().another(name) : TestDaemon.IMAGE;
            var call = calls.replace("NAME", name);
            proxy.next(call, fault);
            TestDocker.until(name + " to begin: " + call, () -> begins(tasks, name, image));
            TestDocker.until("its stop", () -> stops(tasks, name));
            TestDocker.until("its end", () -> tasks.seen(name).isOver());
            TestDocker.until("the fault of " + call, () -> proxy.isStruck(call));
        }
    }

    @Test
    void a_gateway_that_is_killed_while_a_call_goes_wrong_has_begun_one_container_at_most() throws Exception {
        open();
        var through = folder.resolve("proxy.sock");
        var plans = List.of(
                List.of("/containers/create", FaultyProxy.Fault.LATE, "hold"),
                List.of("/containers/create", FaultyProxy.Fault.ANSWER_LOST, "hold"),
                List.of("/containers/create", FaultyProxy.Fault.REPEATED, "hold"),
                List.of("/start", FaultyProxy.Fault.LATE, "hold"),
                List.of("/start", FaultyProxy.Fault.ANSWER_CUT, "hold"),
                List.of("/start", FaultyProxy.Fault.REPEATED, "hold"),
                List.of("/kill", FaultyProxy.Fault.LATE, "stop"),
                List.of("/kill", FaultyProxy.Fault.ANSWER_LOST, "stop"));
        try (var proxy = new FaultyProxy(through, daemon().socket, this::holders)) {
            for (int number = 0; number < plans.size(); number++) {
                var plan = plans.get(number);
                var name = "killed-" + number;
                proxy.next("" + plan.getFirst(), (FaultyProxy.Fault) plan.get(1));
                var script = "echo " + name + " >> mark; echo up; sleep 600";
                var gateway =
                        DockerChild.begin("", folder.toString(), "unix://" + through, "" + plan.get(2), name, script);
                proxy.awaitStrike();
                gateway.destroyForcibly().waitFor();
                try (var tasks = gateway()) {
                    TestDocker.until(name + " to begin after " + plan, () -> begins(tasks, name, TestDaemon.IMAGE));
                    TestDocker.until("its stop", () -> stops(tasks, name));
                    TestDocker.until("its end", () -> tasks.seen(name).isOver());
                    assertThat(daemon().tasks()).as("" + plan).hasSize(1);
                }
                assertThat(daemon().docker("ps", "-aq")).as("" + plan).isEmpty();
            }
        }
        assertThat(Files.readAllLines(folder.resolve("homes/ann/mark"))).doesNotHaveDuplicates();
        // a network that one of them had asked for may have come after the next one had looked
        try (var tasks = gateway()) {
            assertThat(tasks.run("last", "exit 3").exitCode()).isEqualTo(3);
        }
        assertThat(daemon().left()).isEmpty();
    }

    @Test
    void what_holds_networks_open_is_no_more_than_an_aid_whatever_becomes_of_its_calls() throws Exception {
        open();
        var through = folder.resolve("proxy.sock");
        try (var proxy = new FaultyProxy(through, daemon().socket, this::holders)) {
            for (var fault : FaultyProxy.Fault.values()) {
                var name = "aid-" + fault.name().toLowerCase(Locale.ROOT);
                proxy.next("/containers/create?name=sluice-holder", fault);
                try (var tasks = new TestDocker(folder, "unix://" + through)) {
                    proxy.awaitStrike();
                    assertThat(tasks.run(name, "exit 5").exitCode()).as(name).isEqualTo(5);
                }
            }
        }
        // what came when nobody waited for it any more
        try (var tasks = gateway()) {
            assertThat(tasks.run("last", "exit 3").exitCode()).isEqualTo(3);
        }
        assertThat(daemon().left()).isEmpty();
    }

    @Test
    void what_a_task_writes_is_limited_where_the_storage_can() throws Exception {
        daemon = TestDaemon.withQuotas();
        try (var tasks = new TestDocker(folder, daemon().host(), 32L << 20)) {
            assertThat(tasks.run("kept", "head -c 100M /dev/zero > /fill; wc -c < /fill; exit 6")
                            .exitCode())
                    .isEqualTo(6);
            assertThat(tasks.log("kept")).contains("quota exceeded");
            var written = tasks.log("kept").lines().toList().getLast();
            assertThat(Long.parseLong(written)).isBetween(1L << 20, 32L << 20);
            assertThat(tasks.engine.inventory().await().nodes().getFirst().limitsNote())
                    .contains("32 MiB of disk each");
        }
    }

    @Test
    void a_full_disk_of_the_engine_is_said_and_over_when_there_is_room() throws Exception {
        daemon = TestDaemon.small();
        try (var tasks = gateway()) {
            tasks.start(tasks.task("fills", "echo begin; head -c 500M /dev/zero > /fill; echo full; sleep 600"));
            tasks.untilLogged("fills", "full");
            assertThat(tasks.log("fills")).contains("No space left on device");
            var refused = (Started.Refused)
                    tasks.engine.start(tasks.task("later", "echo ran")).await();
            assertThat(refused.reason()).isEqualTo(Started.Reason.FULL);
            assertThat(refused.message()).startsWith("The disk of the Docker engine is full");
            tasks.engine.stop("fills", Duration.ZERO).await();
            tasks.over("fills");
            tasks.engine.remove("fills").await();
            var later = tasks.task("later", "echo ran");
            TestDocker.until("room", () -> tasks.engine.start(later).await() instanceof Started.Running);
            assertThat(tasks.over("later").exitCode()).isZero();
        }
        assertThat(daemon().left()).isEmpty();
    }

    private static boolean begins(TestDocker tasks, String name, String image) {
        return tasks.engine
                .start(tasks.task(name, "echo " + name + " >> mark; sleep 600", image, Map.of(), Map.of(), 0))
                .map(started -> started instanceof Started.Running)
                .otherwise(false)
                .await();
    }

    private static boolean stops(TestDocker tasks, String name) {
        return tasks.engine
                .stop(name, Duration.ZERO)
                .map(asked -> true)
                .otherwise(false)
                .await();
    }
}
