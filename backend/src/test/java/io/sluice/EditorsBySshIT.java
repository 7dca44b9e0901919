package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.SshDesk.Ended;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By OpenSSH's client what VS Code Remote-SSH and PyCharm do, beside what {@link SshIT} has of that; neither can be had where this runs. */
class EditorsBySshIT {
    private static final String AT = "train@127.0.0.1";

    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static SshDesk ssh;
    private static Path key;

    @BeforeAll
    static void open() throws IOException {
        desk = new DoorDesk(Files.createDirectory(folder.resolve("data")), "--ssh-port", "0");
        var ann = desk.somebody("ann");
        ann.submit("train", "sleep 600", Map.of());
        ssh = new SshDesk(Files.createDirectory(folder.resolve("client")), ann.sshPort("train"));
        key = ssh.key("ann");
        ssh.give(ann, key);
    }

    @AfterAll
    static void close() {
        desk.close();
    }

    private static int free() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Its installer is a script on the shell's input, which leaves a server behind, on a port that it chose, and says which. */
    @Test
    void a_server_that_a_script_leaves_behind_is_still_there_for_who_connects_again() throws Exception {
        Path script = Files.writeString(folder.resolve("bootstrap"), """
                cd; mkdir -p .editor; cd .editor; echo hello > page
                if [ ! -e pid ] || ! kill -0 "$(cat pid)"; then
                  cat > server.py <<'END'
                import http.server
                server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
                open("port.new", "w").write(str(server.server_port))
                import os; os.rename("port.new", "port")
                server.serve_forever()
                END
                  nohup python3 server.py > log 2>&1 < /dev/null &
                  echo $! > pid
                fi
                while [ ! -e port ]; do sleep 0.05; done
                echo "begun==$(cat pid)==$(cat port)"
                """);
        Ended first = ssh.ssh(key, script, "-T", AT, "bash");
        assertThat(first.code()).as(first.errors()).isZero();
        Ended again = ssh.ssh(key, script, "-T", AT, "bash");
        assertThat(again.text())
                .as("it is the same one")
                .isEqualTo(first.text())
                .startsWith("begun==");
        int local = free();
        String inside = first.text().strip().replaceFirst(".*==", "");
        Process forward = ssh.start(
                key,
                "-o",
                "ServerAliveInterval=1",
                "-o",
                "ServerAliveCountMax=2",
                "-N",
                "-L",
                local + ":127.0.0.1:" + inside,
                AT);
        try {
            DoorDesk.until("its page comes", () -> page(local).endsWith("hello\n"));
            assertThat(forward.isAlive()).isTrue();
        } finally {
            forward.destroy();
        }
    }

    private static String page(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write("GET /page HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException notYet) {
            return "";
        }
    }

    /** An interpreter elsewhere: the project goes over by sftp, is run with a terminal for the console and without for tests. */
    @Test
    void a_project_is_uploaded_and_run_with_a_terminal_and_without() throws Exception {
        Path main = Files.writeString(folder.resolve("main.py"), """
                import sys
                print(sys.stdout.isatty(), sys.argv[1:])
                sys.exit(5)
                """);
        Ended sent = ssh.sftp(key, "train", "mkdir pycharm\nput " + main + " pycharm/main.py\n");
        assertThat(sent.code()).as(sent.errors()).isZero();
        String run = "cd /userhome/pycharm && python3 -u main.py 'a b'";
        Ended plain = ssh.ssh(key, AT, run);
        assertThat(plain.text()).isEqualTo("False ['a b']\n");
        assertThat(plain.code()).isEqualTo(5);
        Ended console = ssh.ssh(key, "-tt", AT, run);
        assertThat(console.text()).isEqualTo("True ['a b']\r\n");
        assertThat(console.code()).isEqualTo(5);
    }
}
