package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What jobs survive; {@link FaultLoad} says how that is known. {@code -Dsluice.faults=20 -Dsluice.kills=200} is the soak.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class JobFaultsIT {
    private static final int TIMES = Integer.getInteger("sluice.faults", 1);
    private static final int KILLS = Integer.getInteger("sluice.kills", 3);
    private static final int AWAY = Integer.getInteger("sluice.away", 10);
    private static final Duration AFTERWARDS = Duration.ofSeconds(Integer.getInteger("sluice.afterwards", 90));
    private static final Duration WITHIN = Duration.ofSeconds(Integer.getInteger("sluice.within", 15));
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String MARK = FaultLoad.MARK;

    /** Of a test that fails all is kept: what it was is seldom seen twice. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    Household house(Path folder) {
        return new Household(folder);
    }

    static Stream<String> failpoints() {
        return Stream.of(
                        "submit.beforeCommit",
                        "submit.afterCommit",
                        "claim.after",
                        "engine.afterCreate",
                        "engine.afterStart",
                        "exit.beforeCommit",
                        "cancel.afterIntent")
                .flatMap(name -> IntStream.range(0, TIMES).mapToObj(time -> name));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failpoints")
    void a_job_lives_through_a_kill_and_starts_once(String failpoint) throws Exception {
        boolean cancel = failpoint.startsWith("cancel");
        try (var house = house(folder)) {
            house.start(failpoint + ":kill");
            boolean acknowledged = submitted(house, cancel);
            if (cancel) {
                Household.eventually(() -> starts(house).size() == 1);
                stopIfItAnswers(house);
            }
            assertThat(house.dies()).as("the failpoint was passed").isTrue();
            house.start("");
            if (acknowledged) {
                assertThat(house.state("one")).as("acknowledged, so never lost").isNotEmpty();
            }
            assertThat(house.submit("one", command(cancel)).statusCode())
                    .as("a repeat is the same job")
                    .isEqualTo(202);
            String end = cancel ? "STOPPED" : "SUCCEEDED";
            Household.eventually(() -> house.state("one").equals(end));
            assertThat(starts(house)).containsExactly("one 0 0 0");
            assertThat(house.get("/api/v2/jobs?withTotalCount=true")
                            .path("totalCount")
                            .asInt())
                    .isEqualTo(1);
        }
    }

    private static boolean submitted(Household house, boolean cancel) {
        try {
            return house.submit("one", command(cancel)).statusCode() == 202;
        } catch (IOException killedBeforeItAnswered) {
            return false;
        }
    }

    private static void stopIfItAnswers(Household house) {
        try {
            assertThat(house.stop("one").statusCode()).isEqualTo(202);
        } catch (IOException killed) {
            assertThat(house.isAlive()).isFalse();
        }
    }

    private static String command(boolean cancel) {
        return MARK + (cancel ? "; sleep 1000" : "; sleep 0.3");
    }

    @Test
    void random_kills_under_load_lose_nothing_and_start_nothing_twice() throws Exception {
        try (var house = house(folder)) {
            house.start("", FaultLoad.DEVICES);
            var load = new FaultLoad(house);
            for (int kill = 0; kill < KILLS; kill++) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_500_000_000L) + 500_000_000L);
                house.kill();
                house.start("", FaultLoad.DEVICES);
            }
            assertThat(load.end())
                    .as("a run with too little load proves nothing")
                    .isGreaterThan(KILLS);
            load.hold();
        }
    }

    /** How a database is away, and comes back. */
    enum Outage {
        /** Its connections stay, and nobody answers. */
        STANDS_STILL {
            @Override
            void begin(Household house) throws Exception {
                // one that is begun while they are listed would go on, and answer
                List<Long> stopped = List.of();
                for (List<Long> all = house.database(); !all.equals(stopped); all = house.database()) {
                    house.signal("STOP", all);
                    stopped = all;
                }
            }

            @Override
            void end(Household house, Path folder) throws Exception {
                house.signal("CONT", house.database());
            }
        },
        /** Connections are refused, and it can not be started again. */
        IS_DEAD {
            @Override
            void begin(Household house) throws Exception {
                Path folder = house.databaseFolder();
                Files.move(folder.resolve(CONTROL), folder.resolve(CONTROL + ".away"));
                house.signal("KILL", house.database());
            }

            @Override
            void end(Household house, Path folder) throws Exception {
                Files.move(folder.resolve(CONTROL + ".away"), folder.resolve(CONTROL));
            }
        };

        /** Without it PostgreSQL does not start. */
        private static final String CONTROL = "global/pg_control";

        abstract void begin(Household house) throws Exception;

        abstract void end(Household house, Path folder) throws Exception;
    }

    /** {@code -Dsluice.away=60 -Dsluice.within=2 -Dsluice.afterwards=10} is what is promised, on a machine that does nothing else. */
    @ParameterizedTest
    @EnumSource
    void while_the_database_is_away_jobs_go_on_and_submissions_are_refused(Outage outage) throws Exception {
        try (var house = house(folder)) {
            house.start("");
            house.submit(
                    "goes-on", MARK + "; until [ -e /userhome/enough ]; do date >> /userhome/beats; sleep 0.5; done");
            house.submit("ends-meanwhile", MARK + "; sleep 2; exit 7");
            Household.eventually(() -> starts(house).size() == 2);
            house.submit("waits", MARK, 1_000_000);
            Path database = house.databaseFolder();
            outage.begin(house);
            List<Duration> refusals;
            int beats = beats(house);
            try {
                refusals = refusals(house, outage);
            } finally {
                outage.end(house, database);
            }
            long back = System.nanoTime();
            assertThat(refusals.getLast()).as("%s", refusals).isLessThan(WITHIN);
            assertThat(beats(house)).as("it went on").isGreaterThan(beats + AWAY);
            house.ends(AFTERWARDS, "ends-meanwhile");
            Household.eventually(
                    AFTERWARDS, () -> house.submit("accepted", MARK).statusCode() == 202, () -> "no 202");
            house.ends(AFTERWARDS, "accepted");
            assertThat(Duration.ofNanos(System.nanoTime() - back))
                    .as("all is right")
                    .isLessThan(AFTERWARDS);
            assertThat(house.state("ends-meanwhile")).isEqualTo("FAILED");
            assertThat(house.state("goes-on")).isEqualTo("RUNNING");
            assertThat(house.state("waits")).isEqualTo("WAITING");
            Files.createFile(house.home().resolve("enough"));
            house.ends(PATIENCE, "goes-on");
            assertThat(house.state("goes-on")).isEqualTo("SUCCEEDED");
            assertThat(starts(house)).doesNotHaveDuplicates();
        }
    }

    /** How long each took, the quickest first. */
    private static List<Duration> refusals(Household house, Outage outage) throws IOException {
        List<Duration> times = new ArrayList<>();
        long end = System.nanoTime() + Duration.ofSeconds(AWAY).toNanos();
        for (int number = 0; System.nanoTime() < end; number++) {
            long asked = System.nanoTime();
            var answer = house.submit("refused" + number, MARK);
            times.add(Duration.ofNanos(System.nanoTime() - asked));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            // the first had been sent, and is done when the database goes on: to say that nothing was changed would be
            // wrong
            if (number > 0 || outage == Outage.STANDS_STILL) {
                assertThat(answer.body())
                        .contains(number == 0 ? "not known whether this was done" : "database does not answer");
            }
        }
        return times.stream().sorted().toList();
    }

    private static int beats(Household house) throws IOException {
        Path file = house.home().resolve("beats");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    private static List<String> starts(Household house) throws IOException {
        Path file = house.home().resolve("starts");
        return Files.exists(file) ? Files.readAllLines(file) : new ArrayList<>();
    }
}
