package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.SshDesk.Ended;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tasks that are processes, by SSH, as OpenSSH's client comes to them. {@code -Dsluice.ssh.megabytes=200 -Dsluice.ssh.connects=1000} for all of it. */
class SshIT extends SshVisits {
    private static Path bytes(String name, int megabytes) throws IOException {
        Path file = folder.resolve(name);
        var random = new Random(megabytes);
        try (var out = Files.newOutputStream(file)) {
            byte[] piece = new byte[1 << 20];
            for (int i = 0; i < megabytes; i++) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        return file;
    }

    @Test
    void a_command_runs_in_the_task_and_ends_as_it_ends() {
        Ended ended = ssh.ssh(annsKey, "train" + AT, "echo $PAI_JOB_NAME ünï; pwd; echo bad >&2; exit 7");
        assertThat(ended.text()).isEqualTo("ann~train ünï\n/userhome\n");
        assertThat(ended.errors()).isEqualTo("bad\n");
        assertThat(ended.code()).isEqualTo(7);
        assertThat(ssh.ssh(annsKey, "ann~train+main+0" + AT, "true").code()).isZero();
        assertThat(ssh.ssh(annsKey, "train+main" + AT, "kill -TERM $$").code()).isEqualTo(143);
        assertThat(ssh.ssh(annsKey, "train" + AT, "sleep 300 & echo left").text())
                .isEqualTo("left\n");
        // as VS Code comes: a script for the shell, on its input
        Path script = folder.resolve("script");
        assertThat(write(script, "echo $((6*7))\nexit 4\n")).isTrue();
        Ended scripted = ssh.ssh(annsKey, script, "-T", "train" + AT, "bash");
        assertThat(scripted.text()).isEqualTo("42\n");
        assertThat(scripted.code()).isEqualTo(4);
    }

    private static boolean write(Path file, String text) {
        try {
            Files.writeString(file, text);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void a_shell_has_a_terminal_and_of_the_clients_variables_what_is_allowed() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "stty size; echo \"$TERM,$LC_TIME,$SECRET.\"; exit 3\n");
        Ended ended =
                ssh.ssh(annsKey, keys, "-tt", "-o", "SetEnv=LC_TIME=de_DE.UTF-8 SECRET=x TERM=vt220", "train" + AT);
        assertThat(ended.text()).contains("24 80").contains(",de_DE.UTF-8,.");
        assertThat(ended.code()).isEqualTo(3);
    }

    @Test
    void what_goes_in_comes_out_byte_by_byte() throws IOException {
        Path sent = bytes("sent", MEGABYTES);
        Ended ended = ssh.ssh(annsKey, sent, "train" + AT, "cat");
        assertThat(ended.code()).isZero();
        assertThat(ended.output()).isEqualTo(Files.readAllBytes(sent));
    }

    @Test
    void files_go_both_ways_by_sftp_and_are_what_the_task_sees() throws IOException {
        Path sent = bytes("up", MEGABYTES);
        Path back = folder.resolve("down");
        Ended ended = ssh.sftp(annsKey, "train", """
            pwd
            mkdir "a 'folder"
            cd "a 'folder"
            put %s $(id)
            rename $(id) b
            get b %s
            chmod 640 b
            symlink b c
            ls -l
            rm c
            -rm c
            -get /nothing
            -put %s /proc/nothing
            """.formatted(sent, back, annsKey + ".pub"));
        assertThat(ended.code()).as(ended.errors()).isZero();
        assertThat(ended.text()).contains("working directory: /userhome").containsPattern("-rw-r----- .* b\n");
        assertThat(ended.errors()).contains("No such file");
        assertThat(back).hasSameBinaryContentAs(sent);
        assertThat(ann.home().resolve("a 'folder/b")).hasSameBinaryContentAs(sent);
    }

    /** As the job has them mounted, and its user may. */
    @Test
    void what_is_shared_is_reached_as_the_task_reaches_it() throws IOException {
        Path datasets = Files.createDirectories(desk.data.resolve("gdata/set"));
        Files.writeString(datasets.resolve("labels.csv"), "cat,dog");
        Path sent = bytes("shared", 1);
        Path labels = folder.resolve("labels");
        Ended sftp = ssh.sftp(annsKey, "train", """
            get /gdata/set/labels.csv %s
            -put %s /gdata/set/mine
            mkdir /data/from-ann
            put %s /data/from-ann/one
            """.formatted(labels, sent, sent));
        assertThat(sftp.code()).as(sftp.errors()).isZero();
        assertThat(labels).hasContent("cat,dog");
        assertThat(sftp.errors()).contains("/gdata/set/mine");
        assertThat(datasets.resolve("mine")).doesNotExist();
        Path one = desk.data.resolve("data/from-ann/one");
        assertThat(one).hasSameBinaryContentAs(sent);
        assertThat(Files.getAttribute(one, "unix:uid")).isEqualTo(Files.getAttribute(ann.home(), "unix:uid"));
        for (String mode : List.of("-s", "-O")) {
            Path back = folder.resolve("shared" + mode);
            assertThat(ssh.scp(annsKey, mode, "train" + AT + ":/data/from-ann/one", back.toString())
                            .code())
                    .isZero();
            assertThat(back).hasSameBinaryContentAs(sent);
            assertThat(ssh.scp(annsKey, mode, sent.toString(), "train" + AT + ":/gdata/set/mine")
                            .code())
                    .isNotZero();
        }
        assertThat(datasets.resolve("mine")).doesNotExist();
    }

    /** Whoever only reads has no way to write, neither into what others wrote nor beside it. */
    @Test
    void a_share_is_written_by_its_writers_and_read_by_its_readers() throws IOException {
        var admin = desk.administrator("keeper");
        manage(admin, "POST", "/api/v2/groups", Map.of("groupname", "lookers"));
        manage(admin, "POST", "/api/v2/groups", Map.of("groupname", "makers"));
        manage(admin, "PUT", "/api/v2/users/" + bob.name() + "/group", Map.of("groupname", "lookers"));
        manage(admin, "PUT", "/api/v2/users/" + ann.name() + "/group", Map.of("groupname", "makers"));
        manage(admin, "PUT", "/api/v2/shares/lab", Map.of("readers", List.of("lookers"), "writers", List.of("makers")));
        var extras = Map.<String, Object>of("storages", List.of(Map.of("name", "lab")));
        started(ann, "makes", "sleep 600", extras);
        started(bob, "looks", "sleep 600", extras);
        Path sent = bytes("made", 1);
        Path had = folder.resolve("had");
        Ended written = ssh.sftp(annsKey, "makes", """
                mkdir /mnt/lab/set
                put %s /mnt/lab/set/made
                """.formatted(sent));
        assertThat(written.code()).as(written.errors()).isZero();
        Ended read = ssh.sftp(bobsKey, "looks", """
                get /mnt/lab/set/made %s
                -put %s /mnt/lab/set/made
                -put %s /mnt/lab/beside
                -rm /mnt/lab/set/made
                -rename /mnt/lab/set /mnt/lab/other
                """.formatted(had, annsKey + ".pub", annsKey + ".pub"));
        assertThat(read.code()).as(read.errors()).isZero();
        assertThat(had).hasSameBinaryContentAs(sent);
        assertThat(read.errors()).contains("/mnt/lab/beside");
        assertThat(ssh.sftp(annsKey, "makes", "ls -1 /mnt/lab\nls -1 /mnt/lab/set\nget /mnt/lab/set/made " + had + "\n")
                        .text())
                .contains("/mnt/lab/set/made")
                .doesNotContain("beside", "other");
        assertThat(had).hasSameBinaryContentAs(sent);
        assertThat(ssh.sftp(bobsKey, "looks", "-ls /mnt/none\n").errors()).contains("/mnt/none");
        ann.stop("makes");
        bob.stop("looks");
    }

    private static void manage(DoorDesk.Somebody admin, String method, String path, Map<String, Object> body)
            throws IOException {
        var answer = admin.call(method, path, DoorDesk.JSON.writeValueAsString(body));
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    }

    @Test
    void files_go_both_ways_by_new_scp_and_by_old() throws IOException {
        Path tree = Files.createDirectories(folder.resolve("tree/sub"));
        Files.writeString(tree.resolve("b c"), "b");
        Path big = bytes("tree/big", 2);
        for (String mode : List.of("-s", "-O")) {
            Path back = folder.resolve("back" + mode);
            assertThat(ssh.scp(
                                    annsKey,
                                    mode,
                                    "-rp",
                                    Objects.requireNonNull(tree.getParent()).toString(),
                                    "train" + AT + ":")
                            .code())
                    .isZero();
            Ended got = ssh.scp(annsKey, mode, "-rp", "train" + AT + ":tree", back.toString());
            assertThat(got.code()).as(got.errors()).isZero();
            assertThat(back.resolve("big")).hasSameBinaryContentAs(big);
            assertThat(back.resolve("sub/b c")).hasContent("b");
            assertThat(Files.getLastModifiedTime(back.resolve("big")).to(TimeUnit.SECONDS))
                    .isEqualTo(Files.getLastModifiedTime(big).to(TimeUnit.SECONDS));
            Ended none = ssh.scp(annsKey, mode, "train" + AT + ":/nothing", back.toString());
            assertThat(none.code()).isNotZero();
            assertThat(none.errors()).contains("No such file");
            assertThat(ssh.ssh(annsKey, "train" + AT, "rm -r tree").code()).isZero();
        }
    }

    @Test
    void nobody_gets_by_files_to_what_the_task_can_not_see() throws IOException {
        Path secret = desk.data.resolve("secrets.key");
        assertThat(secret).exists();
        Ended ended = ssh.ssh(annsKey, "train" + AT, "ln -s " + secret + " out; ln -s / root; ls " + secret);
        assertThat(ended.code()).as("the task does not see it").isNotZero();
        for (String way : List.of(secret.toString(), "out", "root" + secret, "../../../../" + secret)) {
            Path taken = folder.resolve("taken");
            assertThat(ssh.sftp(annsKey, "train", "get " + way + " " + taken + "\n")
                            .code())
                    .as(way)
                    .isNotZero();
            assertThat(ssh.scp(annsKey, "-O", "train" + AT + ":" + way, taken.toString())
                            .code())
                    .as(way)
                    .isNotZero();
            assertThat(taken).doesNotExist();
        }
        byte[] before = Files.readAllBytes(secret);
        ssh.sftp(annsKey, "train", "put " + annsKey + ".pub out\n");
        assertThat(Files.readAllBytes(secret)).isEqualTo(before);
    }

    @Test
    void a_port_of_the_task_is_there_and_no_other() throws Exception {
        started(
                ann,
                "server",
                "cd /userhome; echo hello > page; exec python3 -m http.server --bind 127.0.0.1"
                        + " $PAI_CURRENT_CONTAINER_PORT",
                Map.of());
        int inside = Integer.parseInt(ssh.ssh(annsKey, "server" + AT, "echo $PAI_CURRENT_CONTAINER_PORT")
                .text()
                .strip());
        int local = free();
        int portal = free();
        int elsewhere = free();
        Process forward = ssh.start(
                annsKey,
                "-N",
                "-L",
                local + ":localhost:" + inside,
                "-L",
                portal + ":127.0.0.1:" + desk.port(),
                "-L",
                elsewhere + ":127.0.0.2:" + inside,
                "server" + AT);
        try {
            DoorDesk.until("the page comes", () -> page(local).equals("hello\n"));
            assertThat(page(portal)).as("the gateway's own port").isEmpty();
            assertThat(page(elsewhere)).as("another address").isEmpty();
        } finally {
            forward.destroy();
        }
        Ended remote = ssh.ssh(
                annsKey, "-o", "ExitOnForwardFailure=yes", "-R", free() + ":localhost:1", "server" + AT, "true");
        assertThat(remote.code())
                .as("nothing is forwarded to the client's machine")
                .isEqualTo(255);
        assertThat(ssh.ssh(annsKey, "-A", "server" + AT, "echo \"$SSH_AUTH_SOCK$DISPLAY\"")
                        .text())
                .isEqualTo("\n");
        ann.stop("server");
    }

    /** VS Code sends its installer to a shell, talks to its server through SOCKS or a socket, all by one connection; PyCharm beside it by sftp. */
    @Test
    void editors_do_on_one_connection_all_that_they_do() throws Exception {
        String socket = "/userhome/.editor.sock";
        Files.writeString(ann.home().resolve("editor.py"), """
                import http.server, socketserver
                class OnSocket(socketserver.ThreadingUnixStreamServer):
                    server_name, server_port = "", 0
                class Handler(http.server.SimpleHTTPRequestHandler):
                    def address_string(self): return ""
                OnSocket("%s", Handler).serve_forever()
                """.formatted(socket));
        started(
                ann,
                "edited",
                "cd /userhome; echo hello > page; python3 editor.py & exec python3 -m http.server --bind 127.0.0.1"
                        + " $PAI_CURRENT_CONTAINER_PORT",
                Map.of());
        Path control = Path.of("/tmp/sluice-" + ProcessHandle.current().pid());
        int socks = free();
        int local = free();
        Process master = ssh.start(
                annsKey,
                "-M",
                "-S",
                control.toString(),
                "-N",
                "-D",
                "127.0.0.1:" + socks,
                "-L",
                local + ":" + socket,
                "edited" + AT);
        try {
            DoorDesk.until("the connection is there", () -> Files.exists(control));
            String[] same = {
                "-S", control.toString(), "-o", "SetEnv=LANG=C.UTF-8 VSCODE_AGENT_FOLDER=/tmp/x", "-T", "edited" + AT
            };
            Path script = Files.writeString(
                    folder.resolve("installer"),
                    "echo \"$0 $LANG\"; read -r line <<< given; echo $line; cd /userhome; echo $PAI_CURRENT_CONTAINER_PORT\n");
            for (String shell : List.of("bash -s", "bash", "sh -c 'exec bash'")) {
                Ended ended = ssh.ssh(
                        annsKey,
                        script,
                        Stream.concat(Stream.of(same), Stream.of(shell)).toArray(String[]::new));
                assertThat(ended.text()).as(shell + ended.errors()).contains("bash C.UTF-8\ngiven\n");
            }
            int inside = Integer.parseInt(ssh.ssh(
                            annsKey,
                            script,
                            Stream.concat(Stream.of(same), Stream.of("bash")).toArray(String[]::new))
                    .text()
                    .lines()
                    .toList()
                    .getLast());
            var proxy = new Proxy(Proxy.Type.SOCKS, new InetSocketAddress(InetAddress.getLoopbackAddress(), socks));
            for (String host : List.of("127.0.0.1", "localhost")) {
                DoorDesk.until(
                        "the page comes through SOCKS",
                        () -> page(proxy, host, inside).equals("hello\n"));
            }
            assertThat(page(proxy, "127.0.0.1", desk.port()))
                    .as("the gateway's own port")
                    .isEmpty();
            DoorDesk.until("the page comes from the socket", () -> page(local).equals("hello\n"));
            Ended files = ssh.sftp(annsKey, "edited", "put " + script + " .editor-script\nls -l .editor-script\n");
            assertThat(files.code()).as(files.errors()).isZero();
        } finally {
            master.destroy();
        }
        ann.stop("edited");
    }

    /** By a name that the client does not look up. */
    private static String page(Proxy proxy, String host, int port) {
        try (var connection = new Socket(proxy)) {
            connection.setSoTimeout(5_000);
            connection.connect(InetSocketAddress.createUnresolved(host, port), 5_000);
            connection.getOutputStream().write("GET /page HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String text = new String(connection.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return text.substring(text.indexOf("\r\n\r\n") + 4);
        } catch (IOException refused) {
            return "";
        }
    }

    private static int free() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String page(int port) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/page"))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_client_that_does_not_read_holds_its_own_program_and_nobody_else() throws Exception {
        Process stuck = ssh.start(annsKey, "train" + AT, "yes 0123456789 & echo $! > /userhome/yes; wait");
        try {
            Path id = ann.home().resolve("yes");
            DoorDesk.until(
                    "it says its number", () -> Files.exists(id) && id.toFile().length() > 1);
            String process = Files.readString(id).strip();
            long[] before = {-1};
            DoorDesk.until("it waits", () -> {
                Ended stat =
                        ssh.ssh(annsKey, "train" + AT, "sleep 0.3; cut -d ' ' -f 14,15 /proc/" + process + "/stat");
                assertThat(stat.code()).as(stat.errors()).isZero();
                assertThat(stat.text()).isNotBlank();
                long now = stat.text().hashCode();
                boolean rests = now == before[0];
                before[0] = now;
                return rests;
            });
        } finally {
            stuck.destroy();
        }
    }

    @Test
    void signals_and_new_sizes_reach_the_program() throws Exception {
        try (var guest = new SshGuest(ssh.port(), "train", annsKey)) {
            var trapped = guest.run("trap 'echo caught; exit 9' USR1; echo on; while :; do sleep 0.1; done", null);
            trapped.says("on");
            trapped.request("signal", "USR1");
            trapped.says("caught");
            assertThat(trapped.exit()).isEqualTo(9);
            var sized = guest.run(
                    "trap 'stty size; exit 6' WINCH; stty size; while :; do sleep 0.1; done", new int[] {99, 33});
            sized.says("33 99");
            sized.resize(120, 50);
            sized.says("50 120");
            assertThat(sized.exit()).isEqualTo(6);
        }
    }

    @Test
    void a_folder_of_too_many_files_is_told_of_and_the_session_goes_on() throws IOException {
        assertThat(ssh.ssh(annsKey, "train" + AT, "mkdir many few && cd many && seq 100001 | xargs touch")
                        .code())
                .isZero();
        Ended ended = ssh.sftp(annsKey, "train", "-ls many\nls -a few\n");
        assertThat(ended.code()).as(ended.errors()).isZero();
        assertThat(ended.errors()).contains("many");
        assertThat(ended.text()).contains("few/..");
        Ended old = ssh.scp(annsKey, "-O", "-r", "train" + AT + ":many", folder.toString());
        assertThat(old.code()).isNotZero();
        assertThat(old.errors()).contains("Too many files to list at once");
        assertThat(ssh.ssh(annsKey, "train" + AT, "rm -r many few").code()).isZero();
    }
}
