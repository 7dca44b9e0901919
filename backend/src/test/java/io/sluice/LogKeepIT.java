package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.logs.Logs;
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
            var gzip = alice.get(log, "Accept-Encoding", "gzip");
            assertThat(gzip.headers().firstValue("Content-Encoding")).contains("gzip");
            assertThat(gzip.body()).isEqualTo(Files.readAllBytes(Objects.requireNonNull(find("main-0-0.log.gz"))));
            assertThat(alice.get(log + ".gz").body()).isEqualTo(gzip.body());
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
            LogDesk.eventually(() -> alice.get(old).statusCode() == 410);
            assertThat(new String(alice.get(old).body(), StandardCharsets.UTF_8))
                    .contains("GoneError", "This log was deleted on", "to make room", "1000000 bytes");
            assertThat(alice.get(young).statusCode()).isEqualTo(200);
            assertThat(alice.get(running).body()).hasSize(2_000_000);
            alice.stop("running");
        }
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
