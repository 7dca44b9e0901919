package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.SshDesk.Ended;
import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are containers, whose image has no SSH server, as OpenSSH's client comes to them, and goes from one to another. */
class DockerSshIT {
    private static final String AT = "train@127.0.0.1";

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static DoorDesk desk;
    private static SshDesk ssh;
    private static Path key;
    private static Path home;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        desk = new DoorDesk(
                Files.createDirectory(folder.toRealPath().resolve("data")),
                "--ssh-port",
                "0",
                "--engine",
                "docker",
                "--docker-host",
                daemon.host());
        var ann = desk.somebody("ann");
        home = ann.home();
        var answer = ann.call("POST", "/api/v2/jobs", """
            {"jobName": "train", "image": "%s", "taskRoles": [{"name": "main", "cpuNumber": 0, "memoryMB": 256, "command": "sleep 600"}]}
            """.formatted(TestDaemon.IMAGE));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        ssh = new SshDesk(Files.createDirectory(folder.resolve("client")), ann.sshPort("train"));
        key = ssh.key("ann");
        ssh.give(ann, key);
    }

    @AfterAll
    static void close() throws Exception {
        if (desk != null) {
            desk.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    @Test
    void commands_end_as_they_end_and_a_shell_has_a_terminal() throws IOException {
        Ended ended = ssh.ssh(key, AT, "echo $PAI_JOB_NAME; cat /proc/1/comm >/dev/null; echo bad >&2; exit 7");
        assertThat(ended.text()).isEqualTo("ann~train\n");
        assertThat(ended.errors()).isEqualTo("bad\n");
        assertThat(ended.code()).isEqualTo(7);
        Path keys = Files.writeString(folder.resolve("keys"), "stty size; echo $TERM; exit 3\n");
        Ended shell = ssh.ssh(key, keys, "-tt", "-o", "SetEnv=TERM=vt220", AT);
        assertThat(shell.text()).contains("24 80").contains("vt220");
        assertThat(shell.code()).isEqualTo(3);
    }

    @Test
    void tasks_of_a_job_reach_one_another_by_name() throws Exception {
        var bea = desk.somebody("bea");
        Path done = bea.home().resolve("done");
        String first =
                "ssh worker-1 'echo in $(hostname) $PAI_TASK_INDEX; cat; exit 7' <<< sent; echo $?; touch /userhome/done";
        String role = """
            {"name": "%s", "taskNumber": %d, "cpuNumber": 0, "memoryMB": 128, "command": %s}""";
        var answer = bea.call("POST", "/api/v2/jobs", """
            {"jobName": "pair", "image": "%s", "taskRoles": [%s, %s]}
            """.formatted(
                        TestDaemon.IMAGE,
                        role.formatted("head", 1, DoorDesk.JSON.writeValueAsString(first)),
                        role.formatted("worker", 2, "\"while [ ! -e /userhome/done ]; do sleep 0.1; done\"")));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        String log = "/api/v2/jobs/bea~pair/attempts/0/taskRoles/head/taskIndex/0/attempts/0/log";
        DoorDesk.until("the first task ends", () -> Files.exists(done));
        assertThat(bea.call("GET", log, null).body()).isEqualTo("in worker-1 1\nsent\n7\n");
    }

    @Test
    void files_go_both_ways_by_sftp_and_by_scp_of_both_ages() throws IOException {
        Path sent = folder.resolve("sent");
        byte[] bytes = new byte[(8 << 20) + 12_345];
        new Random(1).nextBytes(bytes);
        Files.write(sent, bytes);
        Path back = folder.resolve("back");
        Ended ended = ssh.sftp(key, "train", "put " + sent + " x\nget x " + back + "\nls -l\n");
        assertThat(ended.code()).as(ended.errors()).isZero();
        assertThat(back).hasBinaryContent(bytes);
        assertThat(home.resolve("x")).hasBinaryContent(bytes);
        for (String mode : new String[] {"-s", "-O"}) {
            Files.delete(back);
            assertThat(ssh.scp(key, mode, sent.toString(), AT + ":y").code()).isZero();
            assertThat(ssh.scp(key, mode, AT + ":y", back.toString()).code()).isZero();
            assertThat(back).hasBinaryContent(bytes);
        }
        assertThat(ssh.scp(key, AT + ":/proc/1/../../" + folder, back.toString())
                        .code())
                .isNotZero();
    }

    @Test
    void ports_that_listen_for_the_task_alone_are_reached_too() throws Exception {
        // a socket takes python3, node or socat, which this image has not
        Ended begun = ssh.ssh(key, AT, """
            cat > /tmp/listen.pl <<'E'
            use IO::Socket::INET;
            my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]", Listen => 5, ReuseAddr => 1) or die;
            while (my $c = $s->accept) { my $l = <$c>; print $c "got $l"; close $c }
            E
            nohup perl /tmp/listen.pl 9321 >/dev/null 2>&1 &
            """);
        assertThat(begun.code()).as(begun.errors()).isZero();
        int port = free();
        Process forward = ssh.start(key, "-N", "-L", port + ":localhost:9321", AT);
        try {
            DoorDesk.until("the port answers", () -> said(port).equals("got hello\n"));
        } finally {
            forward.destroy();
        }
    }

    private static int free() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String said(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("hello\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }
}
