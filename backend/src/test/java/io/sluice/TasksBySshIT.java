package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks of a job that reach one another with OpenSSH's client and Open MPI, on a gateway on which SSH is off for everybody else. */
class TasksBySshIT {
    @RegisterExtension
    private static final GangDesk DESK = new GangDesk("8xAscend910B");

    private static String job(String name, int tasks, String extras, String... commands) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: base, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: %d
                    dockerImage: base
                    completion: {minFailedInstances: 1}
                    resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}
                    commands: %s
                extras: %s
                """.formatted(name, tasks, Json.encode(commands), extras);
    }

    /** What the first task does while the other is there; that one ends when a file says so. */
    private static String job(String name, String first) {
        String done = "/userhome/" + name + "-done";
        return job(
                name,
                2,
                "{}",
                "if [ $RANK = 1 ]; then while [ ! -e " + done + " ]; do sleep 0.1; done; exit 0; fi\ntrap 'touch "
                        + done + "' EXIT\n" + first);
    }

    @Test
    void a_task_runs_commands_in_another_one_and_copies_files_from_it() {
        DESK.submit(job("reach", """
                ssh worker-1 'echo "in $PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX"; cat > /tmp/there' <<< 'what is sent'
                scp -q worker-1:/tmp/there /tmp/here && cat /tmp/here
                ssh worker-1 'exit 7' || echo "code $?"
                ssh worker-1 ssh worker-0 'echo "back in \\$RANK"'
                ssh worker-9 true 2>&1 || echo "code $?"
                """));
        DESK.ends("reach", "SUCCEEDED", "worker");
        assertThat(DESK.log("reach", "worker", 0))
                .contains("in 1\nwhat is sent\ncode 7\n")
                .contains("back in 0\n")
                .contains("sluice: the job has no task that is called worker-9.\n")
                .endsWith("code 255\n");
    }

    @Test
    void the_key_of_a_job_opens_no_other_job_and_dies_with_its_own() throws Exception {
        DESK.submit(job("mine", "while [ ! -e /userhome/mine-end ]; do sleep 0.1; done"));
        DESK.submit(job("others", "while [ ! -e /userhome/others-end ]; do sleep 0.1; done"));
        Path mine = folder("mine");
        Path others = folder("others");
        Path key = Files.copy(mine.resolve("ssh/key"), DESK.folder().resolve("stolen"));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Reception.eventually(() -> Files.exists(mine.resolve("ssh/door")) && Files.exists(others.resolve("ssh/door")));
        assertThat(through(mine, key)).startsWith("0 in 1\n");
        assertThat(through(others, key)).startsWith("255 ").contains("Permission denied (publickey)");
        Files.createFile(home().resolve("mine-end"));
        DESK.ends("mine", "SUCCEEDED", "worker");
        Reception.eventually(() -> !Files.exists(mine));
        assertThat(through(others, key)).startsWith("255 ");
        Files.createFile(home().resolve("others-end"));
        DESK.ends("others", "SUCCEEDED", "worker");
    }

    /** As a task would come that has found the socket of another job. */
    private static String through(Path attempt, Path key) throws IOException, InterruptedException {
        String dial = Files.readString(attempt.resolve("ssh/dial"))
                .replace("/pod/ssh/door", attempt.resolve("ssh/door").toString());
        Path script = Files.writeString(DESK.folder().resolve("dial"), dial);
        var process = new ProcessBuilder(List.of(
                        "ssh",
                        "-F",
                        "none",
                        "-i",
                        key.toString(),
                        "-o",
                        "IdentitiesOnly=yes",
                        "-o",
                        "BatchMode=yes",
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=/dev/null",
                        "-o",
                        "ProxyCommand=sh " + script + " worker-1",
                        "root@worker-1",
                        "echo in $PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX"))
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .replaceFirst("(?s)^Warning: Permanently added.*?\n", "");
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + text;
    }

    private static Path home() throws IOException {
        try (var homes =
                Files.find(DESK.folder(), 4, (path, type) -> path.endsWith("homes/boss") && type.isDirectory())) {
            return homes.findFirst().orElseThrow();
        }
    }

    private static Path folder(String name) {
        Reception.eventually(() -> DESK.status(name).getString("state").equals("RUNNING"));
        Path gangs = DESK.folder().resolve("gangs");
        try (var found =
                Files.find(gangs, 2, (path, type) -> says(path.resolve("ssh/tasks.json"), "\"" + name + "\""))) {
            return found.findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean says(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void mpirun_starts_processes_in_all_tasks_from_the_first_one() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mpirun")), "Open MPI is not installed");
        DESK.submit(
                job(
                        "mpi",
                        2,
                        "{sluice: {distributed: {launcher: mpirun, processes: 2}}}",
                        "echo \"rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE in task $PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX\""));
        DESK.ends("mpi", "SUCCEEDED", "worker");
        assertThat(DESK.log("mpi", "worker", 0))
                .contains(
                        "rank 0 of 4 in task 0\n",
                        "rank 1 of 4 in task 0\n",
                        "rank 2 of 4 in task 1\n",
                        "rank 3 of 4 in task 1\n");
        assertThat(DESK.log("mpi", "worker", 1)).contains("mpirun runs in the first task");
    }
}
