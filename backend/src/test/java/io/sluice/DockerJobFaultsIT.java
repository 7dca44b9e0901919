package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What jobs survive, with their tasks as containers: the same tests. */
class DockerJobFaultsIT extends JobFaultsIT {

    private static @Nullable TestDaemon daemon;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
    }

    @AfterAll
    static void close() throws Exception {
        if (daemon != null) {
            daemon.close();
        }
    }

    @Override
    Household house(Path folder) {
        return new Household(folder, TestDaemon.IMAGE, settings());
    }

    private static Map<String, String> settings() {
        return daemon == null ? Map.of() : Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host());
    }

    /** Of the database, and not of what runs tasks. */
    @Override
    void while_the_database_is_away_jobs_go_on_and_submissions_are_refused(Outage outage) {}
}
