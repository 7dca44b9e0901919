package io.sluice.jobs.gang;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts that tasks read, with real shells. */
class LaunchTest {
    @TempDir
    Path folder;

    private record Said(int code, String text) {}

    private Path script(String name) throws IOException {
        try (var in = GangFolders.class.getResourceAsStream(name)) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            return Files.writeString(folder.resolve(name), text.replace("/pod/", folder + "/"));
        }
    }

    private ProcessBuilder launch(String shell, String launcher, int processes, String command) throws IOException {
        script("launch");
        var builder = new ProcessBuilder(shell, "-c", shell + " launch 9<<'END'\n" + command + "\nEND")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "SLUICE_LAUNCHER",
                        launcher,
                        "SLUICE_PROCESSES",
                        Integer.toString(processes),
                        "SLUICE_NODES",
                        "2",
                        "SLUICE_NODE",
                        "1",
                        "SLUICE_FIRST_RANK",
                        Integer.toString(processes),
                        "MASTER_ADDR",
                        "10.0.0.1",
                        "MASTER_PORT",
                        "15001",
                        "SLUICE_LOG_DIR",
                        folder.resolve("logs of it").toString()));
        return builder;
    }

    private static Said run(ProcessBuilder builder) throws Exception {
        var process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Said(process.exitValue(), text);
    }

    private String log(int rank, int device) throws IOException {
        return Files.readString(folder.resolve("logs of it/proc-rank-" + rank + "-device-" + device + ".txt"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    void a_process_for_each_device_has_its_own_numbers_and_its_own_log(String shell) throws Exception {
        var said = run(launch(
                shell,
                "card",
                3,
                "echo \"it's $RANK $LOCAL_RANK $DEVICE_ID $ASCEND_DEVICE_ID $RANK_ID\" 'a  b' && echo \"$0\" >&2"));
        assertThat(said.code()).as(said.text()).isZero();
        assertThat(log(3, 0)).contains("it's 3 0 0 0 3 a  b\n");
        assertThat(log(4, 1)).contains("it's 4 1 1 1 4 a  b\n");
        assertThat(log(5, 2)).contains("it's 5 2 2 2 5 a  b\n");
        assertThat(said.text()).contains("it's 3 0 0").doesNotContain("it's 4").contains("logs of it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    void the_first_of_them_that_fails_ends_the_others_and_is_told_with_its_last_lines(String shell) throws Exception {
        var said = run(launch(
                shell,
                "card",
                3,
                "if [ $LOCAL_RANK = 2 ]; then until [ -e ready-1 ]; do sleep 0.05; done; echo bad luck; exit 42; fi;"
                        + " trap 'echo saved; exit 0' TERM; touch ready-$LOCAL_RANK; while :; do sleep 0.1; done"));
        assertThat(said.code()).as(said.text()).isEqualTo(42);
        assertThat(said.text()).contains("the process of rank 5 ended with 42").contains("bad luck");
        assertThat(log(4, 1)).contains("saved");
    }

    @Test
    void torchrun_is_told_how_many_there_are_and_where_they_meet() throws Exception {
        var builder = launch("bash", "torchrun", 4, "python train.py --note \"it's\"");
        said(builder, "torchrun");
        assertThat(run(builder).text())
                .isEqualTo(
                        "<--nnodes=2><--nproc-per-node=4><--node-rank=1><--master-addr=10.0.0.1><--master-port=15001><--no-python><"
                                + shell() + "><-c><python train.py --note \"it's\">");
    }

    @Test
    void msrun_is_given_the_words_of_the_command() throws Exception {
        var builder = launch("bash", "msrun", 4, "python train.py --note \"it's one\"");
        said(builder, "msrun");
        assertThat(run(builder).text())
                .isEqualTo(
                        "<--worker_num=8><--local_worker_num=4><--node_rank=1><--master_addr=10.0.0.1><--master_port=15001><--log_dir="
                                + folder.resolve("logs of it") + "><--join=True><python><train.py><--note><it's one>");
    }

    @Test
    void a_launcher_that_the_image_has_not_is_named_with_what_to_do() throws Exception {
        var builder = launch("bash", "msrun", 1, "python x.py");
        var said = run(builder);
        assertThat(said.code()).isEqualTo(127);
        assertThat(said.text()).contains("asks for msrun").contains("Install it");
    }

    private static String shell() throws Exception {
        return run(new ProcessBuilder("bash", "-c", "printf %s $BASH")).text();
    }

    /** A program of that name that says its words. */
    private void said(ProcessBuilder builder, String name) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path program = Files.writeString(bin.resolve(name), "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> environment = new HashMap<>(builder.environment());
        builder.environment().put("PATH", bin + ":" + environment.get("PATH"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    void the_barrier_lets_a_task_on_when_all_are_there(String shell) throws Exception {
        script("barrier");
        var process = new ProcessBuilder(shell, "-c", ". ./barrier\nset -o errexit\necho on")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(process.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        Files.createFile(folder.resolve("released"));
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("on\n");
        assertThat(process.waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    void the_barrier_does_not_hold_a_task_for_ever_and_says_who_is_missing(String shell) throws Exception {
        script("barrier");
        Files.writeString(folder.resolve("missing"), "worker 7\n");
        var builder = new ProcessBuilder(shell, "-c", ". ./barrier\necho on")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("SLUICE_START_WITHIN", "1");
        var said = run(builder);
        assertThat(said.code()).isEqualTo(1);
        assertThat(said.text())
                .contains("have not begun within 1 s")
                .contains("worker 7")
                .doesNotContain("on\non");
    }
}
