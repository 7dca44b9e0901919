package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.database.Peek;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody sets the clocks by hours, the gateway's and the database's. libfaketime does it to one process only. */
class ClockIT {
    private static final List<String> HOURS = List.of("+7h", "-9h", "+0");

    @TempDir
    private Path folder;

    // left out: the gateway is so slow under libfaketime that on a loaded machine it does not start in time
    @Tag("soak")
    @Test
    void a_clock_that_jumps_by_hours_ends_nothing() throws Exception {
        var library = library();
        assumeTrue(library.isPresent(), "needs libfaketime");
        try (var house = new Household(folder)) {
            set("+0");
            house.start(
                    "",
                    Map.of(
                            "LD_PRELOAD", library.get().toString(),
                            "FAKETIME_TIMESTAMP_FILE", clock().toString(),
                            "FAKETIME_CACHE_DURATION", "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                            "DONT_FAKE_MONOTONIC", "1"));
            assertThat(house.submitText(LIMITED, "limited").statusCode()).isEqualTo(202);
            Household.eventually(() -> house.state("limited").equals("RUNNING"));
            for (var hours : HOURS) {
                set(hours);
                setDatabase(house, hours);
                assertThat(house.submit("job" + hours.substring(1), "exit 3").statusCode())
                        .isEqualTo(202);
                house.ends(Duration.ofSeconds(60), "job" + hours.substring(1));
                if (hours.startsWith("+7")) {
                    assertThat(launched(house, "job7h"))
                            .as("both clocks were set")
                            .isAfter(anHourFromNow());
                }
                assertThat(house.state("limited")).as("at %s", hours).isEqualTo("RUNNING");
                house.signInAgain();
                assertThat(house.state("limited")).as("signed in at %s", hours).isEqualTo("RUNNING");
            }
            Files.createFile(house.home().resolve("enough"));
            house.ends(Duration.ofSeconds(60), "limited");
            assertThat(house.state("limited")).isEqualTo("SUCCEEDED");
            assertThat(Files.readAllLines(house.home().resolve("starts"))).hasSize(1);
        }
    }

    private static final String LIMITED = """
            protocolVersion: 2
            name: limited
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: none}]
            taskRoles:
              worker:
                instances: 1
                dockerImage: image
                resourcePerInstance: {cpu: 1, memoryMB: 20, gpu: 0}
                commands: ["echo started >> ~/starts", "until [ -e ~/enough ]; do sleep 0.2; done"]
            extras: {sluice: {maxRunSeconds: 1200}}
            """;

    private static Instant launched(Household house, String job) throws IOException {
        return Instant.ofEpochMilli(house.get("/api/v2/jobs/admin~" + job)
                .path("jobStatus")
                .path("appLaunchedTime")
                .asLong());
    }

    private static Instant anHourFromNow() {
        return Instant.now().plus(Duration.ofHours(1));
    }

    private static Duration hoursOf(String text) {
        return Duration.ofHours(Long.parseLong(text.replace("h", "")));
    }

    private Path clock() {
        return folder.resolve("clock");
    }

    private void set(String offset) throws IOException {
        Path draft = Files.writeString(folder.resolve("clock.new"), offset + "\n");
        Files.move(draft, clock(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Its environment is its own, so it is the word now() that is another; connections that are open read it anew. */
    private static void setDatabase(Household house, String hours) throws IOException {
        Peek.rows(
                house.data(),
                "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS clock;"
                        + "CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS"
                        + " $$ SELECT pg_catalog.now() + interval '"
                        + hoursOf(hours).toHours() + " hours' $$;"
                        + "ALTER DATABASE postgres SET search_path = clock, public, pg_catalog;"
                        + "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity"
                        + " WHERE application_name LIKE 'sluice%' AND pid <> pg_backend_pid()");
    }

    private static Optional<Path> library() throws IOException {
        try (var found = Files.find(
                Path.of("/usr/lib"),
                4,
                (file, kind) -> file.getFileName().toString().equals("libfaketime.so.1"))) {
            return found.findFirst();
        }
    }
}
