package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.SshDesk.Ended;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are processes, by SSH, as OpenSSH's client comes to them. {@code -Dsluice.ssh.megabytes=200 -Dsluice.ssh.connects=1000} for all of it. */
class SshIT {
    private static final int MEGABYTES = Integer.getInteger("sluice.ssh.megabytes", 24);
    private static final int CONNECTS = Integer.getInteger("sluice.ssh.connects", 24);
    private static final String AT = "@127.0.0.1";
    private static final Duration CUT_OFF = Duration.ofSeconds(10);
    private static final int ARRIVING = 10;

    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static DoorDesk.Somebody bob;
    private static SshDesk ssh;
    private static Path annsKey;
    private static Path bobsKey;

    @BeforeAll
    static void open() throws IOException {
        desk = new DoorDesk(Files.createDirectory(folder.resolve("data")), "--ssh-port", "0");
        ann = desk.somebody("ann");
        bob = desk.somebody("bob");
        started(ann, "train", "sleep 600", Map.of());
        ssh = new SshDesk(Files.createDirectory(folder.resolve("client")), port(ann, "train"));
        annsKey = ssh.key("ann");
        bobsKey = ssh.key("bob", "-t", "rsa", "-b", "2048");
        ssh.give(ann, annsKey);
        ssh.give(bob, bobsKey);
    }

    @AfterAll
    static void close() {
        desk.close();
    }

    private static void started(DoorDesk.Somebody who, String job, String command, Map<String, Object> extras) {
        who.submit(job, command, extras);
        DoorDesk.until(
                job + " runs",
                () -> who.call("GET", "/api/v2/jobs/" + who.name() + "~" + job + "/ssh", null)
                                .statusCode()
                        == 200);
    }

    /** As an old client finds it out. */
    private static int port(DoorDesk.Somebody who, String job) throws IOException {
        var told = DoorDesk.JSON.readTree(who.call("GET", "/api/v2/jobs/" + who.name() + "~" + job + "/ssh", null)
                .body());
        var container = told.path("containers").path(0);
        assertThat(container.path("sshIp").asText()).isEqualTo("127.0.0.1");
        assertThat(container.path("command").asText())
                .isEqualTo("ssh -p " + container.path("sshPort").asText() + " ann~train+main+0@127.0.0.1");
        return Integer.parseInt(container.path("sshPort").asText());
    }

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
    void a_strangers_job_is_like_none_and_a_strangers_key_opens_nothing() {
        Ended strangers = ssh.ssh(bobsKey, "ann~train" + AT, "id");
        Ended none = ssh.ssh(bobsKey, "ann~nothing" + AT, "id");
        assertThat(strangers.code()).isEqualTo(255);
        assertThat(strangers.errors().replace("train", "nothing")).isEqualTo(none.errors());
        assertThat(ssh.ssh(bobsKey, "train" + AT, "id").errors()).contains("Job train is not found");
        Path unknown = ssh.key("unknown");
        assertThat(ssh.ssh(unknown, "ann~train" + AT, "id").errors()).contains("Permission denied (publickey)");
        assertThat(ssh.ssh(annsKey, "train+main+7" + AT, "id").errors()).contains("train+main+0");
        assertThat(ssh.ssh(annsKey, "-o", "PubkeyAuthentication=no", "train" + AT, "id")
                        .errors())
                .contains("Permission denied (publickey)");
    }

    @Test
    void a_key_of_several_users_does_not_lead_into_anothers_job() throws IOException {
        var mallory = desk.somebody("mallory");
        Path shared = ssh.key("shared");
        ssh.give(bob, bobsKey, shared);
        ssh.give(mallory, shared);
        started(mallory, "trap", "sleep 600", Map.of());
        assertThat(ssh.ssh(shared, "trap" + AT, "id").errors()).contains("Several users have this key");
        assertThat(ssh.ssh(shared, "mallory~trap" + AT, "true").code()).isZero();
        mallory.stop("trap");
        ssh.give(bob, bobsKey);
    }

    @Test
    void a_job_brings_keys_of_its_own_that_open_it_alone() throws IOException {
        Path guest = ssh.key("guest");
        started(
                ann,
                "open",
                "sleep 600",
                Map.of(
                        "com.microsoft.pai.runtimeplugin",
                        List.of(Map.of(
                                "plugin",
                                "ssh",
                                "parameters",
                                Map.of("userssh", Map.of("type", "custom", "value", SshDesk.line(guest)))))));
        assertThat(ssh.ssh(guest, "ann~open" + AT, "echo in").text()).isEqualTo("in\n");
        assertThat(ssh.ssh(guest, "ann~train" + AT, "echo in").errors()).contains("Permission denied");
        ssh.give(bob, bobsKey, guest);
        assertThat(ssh.ssh(guest, "ann~open" + AT, "echo in").text())
                .as("it is in a profile, too")
                .isEqualTo("in\n");
        assertThat(ssh.ssh(guest, "open" + AT, "echo in").errors())
                .as("who has a profile means their own job, unless they say whose")
                .contains("Job open is not found");
        ssh.give(bob, bobsKey);
        ann.stop("open");
    }

    @Test
    void whoever_loses_the_right_is_cut_off_within_seconds() throws Exception {
        var carl = desk.somebody("carl");
        Path key = ssh.key("carl");
        ssh.give(carl, key);
        started(carl, "work", "sleep 600", Map.of());
        Process disabled = waiting(key, "work");
        long since = System.nanoTime();
        desk.crowd.disable(carl.person);
        assertThat(soon(disabled, since).errors()).contains("not let in any more");
        assertThat(ssh.ssh(key, "work" + AT, "true").errors()).contains("Permission denied");
        Path second = ssh.key("second");
        ssh.give(ann, annsKey, second);
        Process removed = waiting(second, "train");
        since = System.nanoTime();
        ssh.give(ann, annsKey);
        assertThat(soon(removed, since).errors()).contains("not let in any more");
        started(ann, "short", "sleep 600", Map.of());
        Process ended = waiting(annsKey, "short");
        since = System.nanoTime();
        ann.stop("short");
        assertThat(soon(ended, since).code()).isNotZero();
    }

    private static Ended soon(Process process, long since) {
        Ended ended = SshDesk.ended(process);
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(CUT_OFF);
        return ended;
    }

    private static Process waiting(Path key, String job) throws IOException {
        Process process = ssh.start(key, job + AT, "echo here; sleep 300");
        assertThat(process.getInputStream().readNBytes(5))
                .isEqualTo("here\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        return process;
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
            var sized = guest.run("stty size; read -r line; stty size; exit 6", new int[] {99, 33});
            sized.says("33 99");
            sized.resize(120, 50);
            sized.types("\n");
            sized.says("50 120");
            assertThat(sized.exit()).isEqualTo(6);
        }
    }

    @Test
    void who_leaves_an_exchange_of_keys_unfinished_is_cut_off() throws Exception {
        try (var guest = new SshGuest(ssh.port(), "train", annsKey)) {
            guest.run("echo $$ > /userhome/stalled; echo on; exec yes", null).says("on");
            long since = System.nanoTime();
            guest.stall();
            String runs = "kill -0 $(cat /userhome/stalled)";
            assertThat(ssh.ssh(annsKey, "train" + AT, runs).code())
                    .as("nobody else is held by it")
                    .isZero();
            DoorDesk.until(
                    "its program ends",
                    () -> ssh.ssh(annsKey, "train" + AT, runs).code() == 1);
            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .isBetween(Duration.ofSeconds(25), Duration.ofSeconds(45));
        }
    }

    @Test
    void names_that_are_none_are_not_let_in_and_hurt_nobody() throws Exception {
        var names = List.of(
                "",
                "~",
                "+",
                "..",
                "../..",
                "train'; id #",
                "ann~",
                "a\u0000b",
                "\u202etrain",
                "train+main+99999999999",
                "$(id)",
                "x".repeat(20_000));
        for (String name : names) {
            assertThat(SshGuest.isLetIn(ssh.port(), name, bobsKey)).as(name).isFalse();
        }
        assertThat(ssh.ssh(annsKey, "train" + AT, "echo well").text()).isEqualTo("well\n");
    }

    @Test
    void one_machine_does_not_take_the_place_of_all_who_arrive() throws Exception {
        List<Socket> arriving = new ArrayList<>();
        try {
            for (int i = 0; i < ARRIVING; i++) {
                Socket one = new Socket(InetAddress.getLoopbackAddress(), ssh.port());
                arriving.add(one);
                assertThat(one.getInputStream().read())
                        .as("the server's greeting")
                        .isEqualTo('S');
            }
            try (var more = new Socket(InetAddress.getLoopbackAddress(), ssh.port())) {
                more.setSoTimeout(10_000);
                assertThat(more.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            for (Socket one : arriving) {
                one.close();
            }
        }
        DoorDesk.until(
                "there is room again",
                () -> ssh.ssh(annsKey, "train" + AT, "true").code() == 0);
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

    @Test
    void many_come_at_once_and_each_gets_its_own_answer() throws Exception {
        try (var pool = Executors.newFixedThreadPool(8)) {
            List<Future<Ended>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTS; i++) {
                int number = i;
                all.add(pool.submit(() -> ssh.ssh(annsKey, "train" + AT, "echo " + number)));
            }
            for (int i = 0; i < CONNECTS; i++) {
                assertThat(all.get(i).get().text())
                        .as(all.get(i).get().errors())
                        .isEqualTo(i + "\n");
            }
        }
    }
}
