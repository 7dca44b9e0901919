package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What logs survive. {@code -Dsluice.log.kills=100 -Dsluice.log.jobs=20 -Dsluice.log.followers=50} is the soak.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class LogFaultsIT {
    private static final int KILLS = Integer.getInteger("sluice.log.kills", 4);
    private static final int JOBS = Integer.getInteger("sluice.log.jobs", 4);
    private static final int STARTING = 2_500;
    private static final int FOLLOWERS = Integer.getInteger("sluice.log.followers", 10);

    @TempDir
    private Path folder;

    /** Somebody who comes back with the offset that came last, until the end. The bytes of fifty of them would not fit into memory. */
    private static final class Steadfast implements Runnable {
        private final Household house;
        private final String log;
        private final SSLContext tls;
        private final MessageDigest sum;
        private long received;
        private volatile @Nullable Long end;
        private volatile @Nullable String fault;

        Steadfast(Household house, String log, SSLContext tls, MessageDigest sum) {
            this.house = house;
            this.sum = sum;
            this.log = log;
            this.tls = tls;
        }

        @Override
        public void run() {
            while (end == null && fault == null) {
                var viewer = new LogDesk.Viewer(Long.MAX_VALUE);
                try {
                    viewer.socket = LogSocket.open(
                            tls,
                            URI.create(house.address().replace("http", "ws") + log + "?offset=" + received),
                            house.token(),
                            viewer);
                    viewer.closed.handle((code, failure) -> code).join();
                } catch (UncheckedIOException away) {
                    LockSupport.parkNanos(50_000_000);
                }
                byte[] bytes = viewer.received();
                sum.update(bytes);
                received += bytes.length;
                fault = viewer.fault;
                viewer.told("end").forEach(told -> end = told.path("size").asLong());
            }
        }
    }

    Household house(Path folder) {
        return new Household(folder);
    }

    @Test
    void kills_of_the_gateway_cost_neither_the_log_nor_any_follower_a_byte() throws Exception {
        try (var house = house(folder)) {
            SSLContext tls = SSLContext.getDefault();
            house.start("");
            for (int job = 0; job < JOBS; job++) {
                String name = "job" + job;
                var answer = house.submitText(printing(name, house.image()), name);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            }
            for (int job = 0; job < JOBS; job++) {
                Path produced = house.home().resolve("job" + job);
                Household.eventually(() -> Files.exists(produced) && Files.size(produced) > 0);
            }
            List<Steadfast> followers = new ArrayList<>();
            for (int number = 0; number < FOLLOWERS; number++) {
                followers.add(new Steadfast(house, log(number % JOBS), tls, MessageDigest.getInstance("SHA-256")));
            }
            List<Thread> threads = new ArrayList<>();
            followers.forEach(follower -> threads.add(Thread.ofVirtual().start(follower)));
            for (int kill = 0; kill < KILLS; kill++) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000_000L) + 300_000_000L);
                house.kill();
                if (kill % 4 == 3) { // and once more, somewhere on its way up
                    house.startAndKill(
                            Duration.ofMillis(ThreadLocalRandom.current().nextLong(STARTING)));
                }
                house.start("");
            }
            Files.writeString(house.home().resolve("over"), "");
            for (Thread thread : threads) {
                assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
            }
            List<String> produced = new ArrayList<>();
            for (int job = 0; job < JOBS; job++) {
                produced.add(sum(Files.readAllBytes(house.home().resolve("job" + job))));
                assertThat(sum(stored(house, job))).isEqualTo(produced.getLast());
            }
            for (int number = 0; number < FOLLOWERS; number++) {
                Steadfast follower = followers.get(number);
                assertThat(follower.fault).isNull();
                assertThat(HexFormat.of().formatHex(follower.sum.digest())).isEqualTo(produced.get(number % JOBS));
                assertThat(Objects.requireNonNull(follower.end)).isEqualTo(follower.received);
            }
        }
    }

    /** Takes no processor, so that many run at once on a small machine. */
    private static String printing(String name, String image) throws IOException {
        var job = LogDesk.JSON.createObjectNode().put("jobName", name).put("image", image);
        job.putArray("taskRoles")
                .addObject()
                .put("name", "main")
                .put("cpuNumber", 0)
                .put("memoryMB", 20)
                .put(
                        "command",
                        "i=0; while [ ! -e /userhome/over ]; do i=$((i+1)); echo \"" + name
                                + " line $i of what is printed\"; [ $((i % 200)) -ne 0 ] || sleep 0.1; done | tee /userhome/"
                                + name + "; exit 0");
        return LogDesk.JSON.writeValueAsString(job);
    }

    private static String log(int job) {
        return "/api/v2/jobs/admin~job" + job + "/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log";
    }

    private static byte[] stored(Household house, int job) throws IOException {
        return house.bytes(log(job));
    }

    private static String sum(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
