package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.logs.Logs;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of finished logs. */
@Timeout(180)
class LogKeepIT {
    private static final long LARGE = 1L << 40;

    @TempDir
    private Path folder;

    @Test
    void a_finished_log_is_compressed_and_answers_as_before() throws Exception {
        byte[] bytes = "a line that stands here many times\n".repeat(40_000).getBytes(StandardCharsets.UTF_8);
        try (var desk =
                new LogDesk(folder, new Logs.Settings(folder, LARGE, LARGE, Duration.ofDays(1), Duration.ZERO))) {
            var alice = desk.client("alice", false);
            String log = alice.printed("packed", bytes);
            LogDesk.eventually(() -> find("main-0-0.log.gz") != null && find("main-0-0.log") == null);
            assertThat(alice.get(log).body()).isEqualTo(bytes);
            assertThat(alice.get(log, "Range", "bytes=300000-300099").body())
                    .isEqualTo(Arrays.copyOfRange(bytes, 300_000, 300_100));
            // whatever a reader takes: a coding of many gzip members is cut off after the first by browsers
            var whole = alice.get(log, "Accept-Encoding", "gzip, deflate, br");
            assertThat(whole.headers().firstValue("Content-Encoding").orElse("identity"))
                    .isEqualTo("identity");
            assertThat(whole.headers().firstValue("Content-Length")).contains("" + bytes.length);
            assertThat(whole.body()).isEqualTo(bytes);
            assertThat(alice.get(log + "?download=1", "Accept-Encoding", "gzip").body())
                    .isEqualTo(bytes);
            assertThat(alice.get(log + ".gz").body())
                    .isEqualTo(Files.readAllBytes(Objects.requireNonNull(find("main-0-0.log.gz"))));
            assertThat(alice.get(log + "?grep=times&limit=2").body()).isNotEmpty();
            var viewer = alice.follow(log + "?offset=100");
            assertThat(viewer.code()).isEqualTo(1000);
            assertThat(viewer.received()).isEqualTo(Arrays.copyOfRange(bytes, 100, bytes.length));
            assertThat(alice.json(log + "/times").path("points").size()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void the_oldest_finished_log_goes_first_and_one_that_runs_stays() throws Exception {
        var settings = new Logs.Settings(folder, LARGE, 1_500_000, Duration.ofDays(1), Duration.ofDays(1));
        try (var desk = new LogDesk(folder, settings)) {
            var alice = desk.client("alice", false);
            String running = alice.submit("running", "head -c 2000000 /dev/zero; sleep 600");
            alice.running("running");
            String old = alice.printed("old", new byte[1_000_000]);
            String young = alice.printed("young", new byte[1_000_000]);
            LogDesk.eventually(() -> {
                var answer = alice.get(old);
                assertThat(answer.body().length)
                        .as("all of it, or the word that it is gone")
                        .isEqualTo(answer.statusCode() == 200 ? 1_000_000 : said(answer));
                return answer.statusCode() == 410;
            });
            assertThat(new String(alice.get(old).body(), StandardCharsets.UTF_8))
                    .contains("GoneError", "This log was deleted on", "to make room", "1000000 bytes");
            assertThat(alice.get(young).statusCode()).isEqualTo(200);
            assertThat(alice.get(running).body()).hasSize(2_000_000);
            alice.stop("running");
        }
    }

    @Test
    void a_full_disk_is_told_to_those_who_follow_and_those_who_read_later_and_printing_goes_on() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        try (var desk = new LogDesk(disk)) {
            var alice = desk.client("alice", false);
            String going = alice.submit(
                    "going",
                    "i=0; while [ ! -e /userhome/over ]; do i=$((i+1)); echo \"line $i\"; sleep 0.01; done; echo after");
            String ending = alice.submit("ending", "echo begun; while [ ! -e /userhome/end ]; do sleep 0.05; done");
            alice.running("going");
            alice.running("ending");
            Files.writeString(alice.home().resolve("room for a name"), "");
            var viewer = alice.follow(going);
            LogDesk.eventually(() -> viewer.received().length > 0);
            run("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=4k");
            Path since = disk.resolve("jobs/disk-full-since");
            LogDesk.eventually(() -> !Files.readString(since).startsWith("0"));
            Files.move(alice.home().resolve("room for a name"), alice.home().resolve("end"));
            // its end can not be written down as long as the disk is full
            Files.delete(disk.resolve("filler"));
            alice.ended("ending");
            LogDesk.eventually(() -> !viewer.told("gap").isEmpty());
            var gap = viewer.told("gap").getFirst();
            assertThat(gap.path("reason").asText()).isEqualTo("disk_full");
            assertThat(gap.path("until").asLong()).isGreaterThan(gap.path("at").asLong());
            Files.writeString(alice.home().resolve("over"), "");
            assertThat(viewer.code()).isEqualTo(1000);
            assertThat(viewer.fault).isNull();
            var answer = alice.get(going);
            assertThat(viewer.received()).isEqualTo(answer.body());
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).endsWith("after\n");
            assertThat(answer.headers().firstValue("X-Log-Gaps")).contains("1");
            assertThat(answer.headers().firstValue("X-Log-Gone")).contains("0");
            assertThat(alice.json(going + "/times").path("gaps").size()).isEqualTo(1);
            assertThat(alice.get(ending).headers().firstValue("X-Log-Gaps"))
                    .as("it ended meanwhile")
                    .contains("1");
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    private static int said(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).isEqualTo(410);
        return Integer.parseInt(answer.headers().firstValue("Content-Length").orElseThrow());
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Nullable
    Path find(String name) throws Exception {
        try (var all = Files.walk(folder.resolve("jobs"))) {
            return all.filter(path -> path.getFileName().toString().equals(name))
                    .findFirst()
                    .orElse(null);
        }
    }
}
