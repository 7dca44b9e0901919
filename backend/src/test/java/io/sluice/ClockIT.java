package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.database.Peek;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody sets the clocks by hours, the gateway's and the database's. */
class ClockIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<Integer> HOURS = List.of(7, -9, 0);

    @TempDir
    private Path folder;

    @Test
    void a_clock_that_jumps_by_hours_ends_nothing() throws Exception {
        try (var house = new Household(folder)) {
            set(0);
            house.start("", Map.of("JAVA_TOOL_OPTIONS", "-javaagent:" + ClockAgent.jar(folder) + "=" + clock()));
            assertThat(house.submitText(LIMITED, "limited").statusCode()).isEqualTo(202);
            Household.eventually(() -> house.state("limited").equals("RUNNING"));
            for (int hours : HOURS) {
                set(hours);
                setDatabase(house, hours);
                String job = "at" + Math.abs(hours);
                assertThat(house.submit(job, "exit 3").statusCode()).isEqualTo(202);
                house.ends(PATIENCE, job);
                assertThat(house.state("limited"))
                        .as("at %s h, not signed in anew", hours)
                        .isEqualTo("RUNNING");
                assertThat(Duration.between(Instant.now(), begun(house, job)).toHours())
                        .as("the database's clock was set")
                        .isBetween(hours - 1L, hours + 1L);
                assertThat(Duration.between(Instant.now(), signedIn(house)).toHours())
                        .as("the gateway's clock was set")
                        .isBetween(hours - 1L, hours + 1L);
                assertThat(house.state("limited")).as("at %s h", hours).isEqualTo("RUNNING");
            }
            Files.createFile(house.home().resolve("enough"));
            house.ends(PATIENCE, "limited");
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

    private static Instant begun(Household house, String job) throws IOException {
        return Instant.ofEpochSecond(Long.parseLong(Peek.rows(
                        house.data(),
                        "SELECT extract(epoch FROM created)::bigint::text FROM jobs WHERE name = '" + job + "'")
                .getFirst()));
    }

    /** When the gateway says that it signed somebody in just now. */
    private static Instant signedIn(Household house) throws IOException {
        house.signInAgain();
        byte[] claims = Base64.getUrlDecoder().decode(house.token().split("\\.")[1]);
        return Instant.ofEpochSecond(
                new ObjectMapper().readTree(claims).path("iat").asLong());
    }

    private Path clock() {
        return folder.resolve("clock");
    }

    private void set(int hours) throws IOException {
        Path draft = Files.writeString(
                folder.resolve("clock.new"), Duration.ofHours(hours).toString());
        Files.move(draft, clock(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Its environment is its own, so it is the word now() that is another; connections that are open read it anew. */
    private static void setDatabase(Household house, int hours) throws IOException {
        Peek.rows(
                house.data(),
                "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS clock;"
                        + "CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS"
                        + " $$ SELECT pg_catalog.now() + interval '"
                        + hours + " hours' $$;"
                        + "ALTER DATABASE postgres SET search_path = clock, public, pg_catalog;"
                        + "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity"
                        + " WHERE application_name LIKE 'sluice%' AND pid <> pg_backend_pid()");
    }
}
