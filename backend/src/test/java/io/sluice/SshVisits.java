package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.SshDesk.Ended;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in to tasks by SSH, and who is not any more. */
abstract class SshVisits {
    static final int MEGABYTES = Integer.getInteger("sluice.ssh.megabytes", 24);
    static final int CONNECTS = Integer.getInteger("sluice.ssh.connects", 24);
    static final String AT = "@127.0.0.1";
    static final Duration CUT_OFF = Duration.ofSeconds(10);
    static final int ARRIVING = 10;
    /** Files that the gateway opens and shuts besides. */
    private static final int FEW = 12;

    @TempDir
    static Path folder;

    static DoorDesk desk;
    static DoorDesk.Somebody ann;
    static DoorDesk.Somebody bob;
    static SshDesk ssh;
    static Path annsKey;
    static Path bobsKey;

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

    static void started(DoorDesk.Somebody who, String job, String command, Map<String, Object> extras) {
        who.submit(job, command, extras);
        DoorDesk.until(
                job + " runs",
                () -> who.call("GET", "/api/v2/jobs/" + who.name() + "~" + job + "/ssh", null)
                                .statusCode()
                        == 200);
    }

    /** As an old client finds it out. */
    static int port(DoorDesk.Somebody who, String job) throws IOException {
        var told = DoorDesk.JSON.readTree(who.call("GET", "/api/v2/jobs/" + who.name() + "~" + job + "/ssh", null)
                .body());
        var container = told.path("containers").path(0);
        assertThat(container.path("sshIp").asText()).isEqualTo("127.0.0.1");
        assertThat(container.path("command").asText())
                .isEqualTo("ssh -p " + container.path("sshPort").asText() + " ann~train+main+0@127.0.0.1");
        return Integer.parseInt(container.path("sshPort").asText());
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

    /** Leinao's debug jobs are to be gone into: nothing has to be asked for. */
    @Test
    void a_debug_job_of_Leinaos_is_open_by_ssh_by_default() throws IOException {
        var job = DoorDesk.JSON.createObjectNode();
        job.put("jobName", "debug").put("image", desk.image).put("gpuType", "debug");
        job.putArray("taskRoles")
                .addObject()
                .put("name", "main")
                .put("taskNumber", 1)
                .put("cpuNumber", 1)
                .put("memoryMB", 256)
                .put("command", "sleep 600");
        assertThat(ann.call("POST", "/api/v1/jobs", job.toString()).statusCode())
                .isIn(201, 202);
        DoorDesk.until(
                "it runs",
                () -> ann.call("GET", "/api/v1/user/ann/jobs/debug/ssh", null).statusCode() == 200);
        JsonNode there = DoorDesk.JSON
                .readTree(
                        ann.call("GET", "/api/v1/user/ann/jobs/debug/ssh", null).body())
                .path("containers")
                .path(0);
        assertThat(there.path("command").asText()).isEqualTo("ssh -p " + ssh.port() + " ann~debug+main+0@127.0.0.1");
        assertThat(ssh.ssh(annsKey, there.path("sshUser").asText() + "@127.0.0.1", "echo in; exit 3"))
                .satisfies(ended -> assertThat(ended.text()).isEqualTo("in\n"))
                .satisfies(ended -> assertThat(ended.code()).isEqualTo(3));
        ann.stop("debug");
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

    static Ended soon(Process process, long since) {
        Ended ended = SshDesk.ended(process);
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(CUT_OFF);
        return ended;
    }

    static Process waiting(Path key, String job) throws IOException {
        Process process = ssh.start(key, job + AT, "echo here; sleep 300");
        assertThat(process.getInputStream().readNBytes(5))
                .isEqualTo("here\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        return process;
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
    void many_come_at_once_each_gets_its_own_answer_and_nothing_is_left_of_them() throws Exception {
        String processes = "ls /proc | grep -c '^[0-9]'";
        String before = ssh.ssh(annsKey, "train" + AT, processes).text();
        DoorDesk.until("the one who counted has left", () -> there().equals(List.of("0.0")));
        long files = openFiles();
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
        DoorDesk.until("all have left", () -> there().equals(List.of("0.0")));
        DoorDesk.until("their files are shut", () -> openFiles() <= files + FEW);
        assertThat(ssh.ssh(annsKey, "train" + AT, processes).text()).isEqualTo(before);
    }

    /** What is open of connections and channels, by all its kinds. */
    private static List<String> there() {
        return desk.raw("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                .body()
                .lines()
                .filter(line -> line.matches("sluice_ssh_(connections|channels)\\{.*"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1).strip())
                .distinct()
                .toList();
    }

    private static long openFiles() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }
}
