package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.EngineContract;
import io.sluice.engines.EngineTasks;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import io.sluice.engines.TaskEnds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine promises, kept by containers of a real Docker engine. */
class DockerEngineIT extends EngineContract {

    /** The kernel may kill another one before the first one's memory is free: there are some that it takes before the script. */
    private static final String GREED =
            "(echo 1000 > /proc/self/oom_score_adj; for i in 1 2 3 4 5; do sleep 60 & done; exec tail /dev/zero)";

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static TestDocker tasks;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        daemon.makePlain();
        tasks = new TestDocker(folder, daemon.host());
    }

    @Override
    protected EngineTasks contract() {
        return tasks;
    }

    @Nested
    @SuppressWarnings("ClassCanBeStatic") // JUnit wants it so
    class Ends extends TaskEnds {
        @Override
        protected EngineTasks contract() {
            return tasks;
        }

        @Override
        protected IntStream codes() {
            return IntStream.of(0, 1, 2, 99, 124, 125, 126, 127, 128, 129, 143, 250, 255);
        }

        @Override
        protected int many() {
            return 10;
        }

        @Override
        protected IntStream moments() {
            return IntStream.of(0, 10, 30, 90, 270);
        }
    }

    @AfterAll
    static void close() throws Exception {
        try (var last = daemon) {
            if (tasks != null) {
                tasks.close();
                // what is ready is taken away for ten seconds, and what is late is the next gateway's
                assertThat(last.left(2)).isEmpty();
            }
        }
    }

    @Test
    void the_same_name_again_is_the_same_run() throws Exception {
        var task = tasks.task("once", "echo ran >> /userhome/once; sleep 60");
        tasks.start(task);
        tasks.untilLogged("once", "");
        assertThat(((Started.Running) tasks.engine.start(task).await()).again()).isTrue();

        tasks.engine.stop("once", Duration.ZERO).await();
        tasks.over("once");
        var after = (Started.Running) tasks.engine.start(task).await();
        assertThat(after.run().state()).isEqualTo(State.ENDED);
        assertThat(after.run().signal()).isIn(9, 15);
        // a start that was on its way for long, and arrives when the run is over
        var mark = tasks.home.resolve("once");
        daemon.docker("start", "once");
        TestDocker.until("it to be over again", () -> state("once").startsWith("exited"));
        assertThat(Files.exists(mark) ? Files.readAllLines(mark).size() : 0).isLessThanOrEqualTo(1);
    }

    private static String state(String name) {
        try {
            return daemon.docker("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", name);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_task_has_its_own_environment_on_top_of_its_images() {
        var given = Map.of(
                "PLAIN",
                "a b",
                "QUOTED",
                "it's \"$HOME\"\n`x` \\",
                "PAI_PORT_LIST_my-role_0_http",
                "1,2",
                "EMPTY",
                "",
                "NVIDIA_VISIBLE_DEVICES",
                "all",
                "LD_PRELOAD",
                "/x'y.so");
        tasks.start(tasks.task(
                "environment", "env -0 | sort -z | tr '\\n\\0' '~\\n'", TestDaemon.IMAGE, Map.of(), given, 0));
        tasks.over("environment");

        assertThat(tasks.log("environment")
                        .lines()
                        .filter(line -> !line.contains("ld.so")
                                && !line.matches("(SHLVL|PWD|_|HOSTNAME|.*_VISIBLE_DEVICES)=.*")))
                .containsExactlyInAnyOrder(
                        "PLAIN=a b",
                        "QUOTED=it's \"$HOME\"~`x` \\",
                        "PAI_PORT_LIST_my-role_0_http=1,2",
                        "EMPTY=",
                        "OF_IMAGE=yes",
                        "LANG=C",
                        "HOME=/userhome",
                        "PATH=/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin",
                        "SHELL=/bin/bash",
                        "USER=root",
                        "LOGNAME=root",
                        "APT_CONFIG=/.sluice/apt",
                        "LD_PRELOAD=/x'y.so");
        assertThat(tasks.log("environment")).contains("NVIDIA_VISIBLE_DEVICES=void\n");
    }

    @Test
    void a_shell_without_the_environment_reads_it_from_a_file() {
        var given =
                Map.of("QUOTED", "it's \"$HOME\"\n$(touch /userhome/RAN) \\", "LD_PRELOAD", "/x.so", "HOME", "/mine");
        tasks.start(tasks.task(
                "sourced",
                "exec env -i /bin/bash -c '. /pod.env; printf %s \"$QUOTED,$OF_IMAGE,$HOME,$LD_PRELOAD\"; [ ! -w /pod.env ]'",
                TestDaemon.IMAGE,
                Map.of(),
                given,
                0));
        assertThat(tasks.over("sourced").exitCode()).isZero();
        // the first shells have what the job file says, and their loader complains of it
        assertThat(tasks.log("sourced").replaceAll("ERROR: ld\\.so: .*\n", ""))
                .isEqualTo(given.get("QUOTED") + ",yes,,");
        assertThat(tasks.home.resolve("RAN")).doesNotExist();
    }

    @Test
    void a_program_that_has_no_handler_hears_a_stop() {
        tasks.start(tasks.task("asleep", "echo here; sleep 60; echo after"));
        tasks.untilLogged("asleep", "here");
        tasks.engine.stop("asleep", Duration.ofSeconds(20)).await();

        assertThat(tasks.over("asleep").signal()).isEqualTo(15);
    }

    @Test
    void too_much_memory_is_told_from_other_ends() {
        var greedy =
                tasks.task("greedy", "echo begin; " + GREED + "; echo after", TestDaemon.IMAGE, Map.of(), Map.of(), 32);
        tasks.start(greedy);
        var run = tasks.over("greedy");
        // tail is the one that is killed, and the script goes on
        assertThat(tasks.log("greedy")).contains("begin").contains("after");
        assertThat(run.exitCode()).isEqualTo(0);
        assertThat(run.outOfMemory()).isFalse();

        tasks.start(tasks.task("greedier", "exec tail /dev/zero", TestDaemon.IMAGE, Map.of(), Map.of(), 32));
        var second = tasks.over("greedier");
        assertThat(second.exitCode()).isEqualTo(137);
        assertThat(second.outOfMemory()).isTrue();
        assertThat(tasks.run("self", "kill -KILL $$").outOfMemory()).isFalse();
    }

    @Test
    void an_image_with_no_more_than_a_plain_shell_runs_its_script_all_the_same() {
        tasks.start(tasks.task("plain", "echo \"$0 $SHELL\"; exit 4", TestDaemon.PLAIN, Map.of(), Map.of(), 0));
        assertThat(tasks.over("plain").exitCode()).isEqualTo(4);
        assertThat(tasks.log("plain")).isEqualTo("/.sluice/task /bin/sh\n");
    }

    @Test
    void what_can_not_be_started_is_refused_with_what_to_do() throws Exception {
        var task = tasks.task("missing", "exit 0");
        assertThat(refusal(with(task, "elsewhere", List.of(), TestDaemon.IMAGE)).reason())
                .isEqualTo(Started.Reason.MISSING);
        assertThat(refusal(with(task, task.node(), List.of("nvidia-77"), TestDaemon.IMAGE))
                        .reason())
                .isEqualTo(Started.Reason.MISSING);
        var empty = refusal(with(task, task.node(), List.of(), TestDaemon.EMPTY));
        assertThat(empty.reason()).isEqualTo(Started.Reason.SHELL);
        assertThat(empty.message()).contains("has no shell");
        assertThat(refusal(with(task, task.node(), List.of(), "--privileged ubuntu"))
                        .reason())
                .isEqualTo(Started.Reason.UNSAFE);
        assertThat(daemon.docker("ps", "-a", "--filter", "name=missing", "-q")).isEmpty();
    }

    @Test
    void its_first_process_is_known_while_it_runs_so_that_what_it_uses_can_be_measured() throws Exception {
        tasks.start(tasks.task("measured", "echo up; sleep 600"));
        tasks.untilLogged("measured", "up");
        long pid = java.util.Objects.requireNonNull(
                tasks.engine.processes().await().get("measured"));
        assertThat(pid).isEqualTo(Long.parseLong(daemon.docker("inspect", "-f", "{{.State.Pid}}", "measured")));
        assertThat(Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")))
                .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
        tasks.engine.stop("measured", Duration.ZERO).await();
        tasks.over("measured");
        TestDocker.until(
                "it to be forgotten", () -> !tasks.engine.processes().await().containsKey("measured"));
    }

    @Test
    void a_network_that_an_administrator_tidied_up_is_made_again() throws Exception {
        assertThat(tasks.run("before-prune", "exit 3").exitCode()).isEqualTo(3);
        tasks.engine.remove("before-prune").await();
        TestDocker.until("one to be ready", () -> tasks.registry.getSampleValue("sluice_docker_networks_ready") > 0);
        daemon.docker("network", "prune", "-f");
        assertThat(tasks.run("pruned-1", "exit 4").exitCode()).isEqualTo(4);
        assertThat(tasks.run("pruned-2", "exit 5").exitCode()).isEqualTo(5);
        assertThat(tasks.run("pruned-3", "exit 6").exitCode()).isEqualTo(6);
    }

    @Test
    void a_task_that_is_alone_begins_in_a_namespace_made_ahead_and_has_its_name_and_address() throws Exception {
        tasks.untilHeld();
        double before = tasks.held();
        var script = """
                hostname; echo $HOSTNAME
                perl -e 'print join(".", unpack("C4", scalar gethostbyname($_))), "\n" for "worker-0", `hostname` =~ /(.*)/'
                exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5, LocalPort => 20001) or die;
                  $| = 1; print "up\n"; sleep 600'
                """;
        tasks.start(tasks.task("ahead", script, TestDaemon.IMAGE, Map.of(Task.HOST, "worker-0"), Map.of(), 0));
        tasks.untilLogged("ahead", "up\n");
        assertThat(tasks.held()).isEqualTo(before + 1);
        var holder = daemon.docker("inspect", "-f", "{{.HostConfig.NetworkMode}}", "ahead")
                .replace("container:", "");
        assertThat(daemon.holders()).contains(holder);
        var address =
                daemon.docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", holder);
        assertThat(tasks.log("ahead")).isEqualTo("task\nworker-0\n" + address + "\n" + address + "\nup\n");
        assertThat(tasks.engine.reach("ahead", 20001).await())
                .hasValueSatisfying(place -> assertThat(place.host()).isEqualTo(address));
        try (var socket = new java.net.Socket(address, 20001)) {
            assertThat(socket.isConnected()).isTrue();
        }
        tasks.engine.stop("ahead", Duration.ZERO).await();
        tasks.over("ahead");
        tasks.engine.remove("ahead").await();
        TestDocker.until("its namespace to be nobody else's", () -> !holders().contains(holder));
    }

    private static java.util.Set<String> holders() {
        try {
            return daemon.holders();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_network_that_somebody_cut_off_is_told_and_the_next_task_begins_all_the_same() throws Exception {
        tasks.untilHeld();
        tasks.start(tasks.task("cut-off", "echo up; while [ ! -e /userhome/go ]; do sleep 0.1; done; echo on; exit 7"));
        tasks.untilLogged("cut-off", "up\n");
        for (var holder : daemon.holders()) {
            daemon.docker("kill", holder);
        }
        assertThat(tasks.run("after-that", "exit 4").exitCode()).isEqualTo(4);
        TestDocker.until("it to be said", () -> said("cut-off").contains("held the task's network"));
        Files.createFile(tasks.home.resolve("go"));
        var run = tasks.over("cut-off");
        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.detail()).contains("held the task's network");
        assertThat(tasks.log("cut-off")).isEqualTo("up\non\n");
    }

    private static String said(String task) {
        try {
            return "" + tasks.engine.reach(task, 80).await();
        } catch (io.sluice.engines.Engine.Unavailable e) {
            return "" + e.getMessage();
        }
    }

    @Test
    void a_container_of_somebody_else_is_never_touched() throws Exception {
        daemon.docker("run", "-d", "--network", "none", "--name", "foreign", TestDaemon.IMAGE, "sleep", "600");
        try {
            var refused = refusal(tasks.task("foreign", "exit 0"));
            assertThat(refused.message()).contains("did not make");
            tasks.engine.stop("foreign", Duration.ZERO).await();
            tasks.engine.remove("foreign").await();
            assertThat(tasks.engine.list().await()).noneMatch(run -> run.name().equals("foreign"));
            assertThat(state("foreign")).startsWith("running");
        } finally {
            daemon.docker("rm", "-f", "foreign");
        }
    }

    @Test
    void where_the_storage_can_not_limit_the_disk_a_task_begins_without_and_the_machine_says_so() throws Exception {
        boolean able = Files.getFileStore(daemon.folder).type().matches("xfs|btrfs|zfs");
        try (var limited = new TestDocker(Files.createDirectory(folder.resolve("limited")), daemon.host(), 1L << 30)) {
            assertThat(limited.run("roomy", "echo in > /file; exit 4").exitCode())
                    .isEqualTo(4);
            var note = limited.engine.inventory().await().nodes().getFirst().limitsNote();
            assertThat(note).contains(able ? "disk" : "disk is not limited");
        }
    }

    private static Started.Refused refusal(Task task) {
        return (Started.Refused) tasks.engine.start(task).await();
    }

    private static Task with(Task task, String node, List<String> devices, String image) {
        return new Task(
                task.name(),
                task.labels(),
                node,
                task.script(),
                Map.of(),
                new Task.Image(image, null, null),
                0,
                0,
                0,
                devices,
                Map.of(),
                List.of(),
                task.output());
    }
}
