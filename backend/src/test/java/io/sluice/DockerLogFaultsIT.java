package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What logs survive, of tasks in containers whose engine keeps 10 kB of a log: the same tests. */
class DockerLogFaultsIT extends LogFaultsIT {

    private static @Nullable TestDaemon daemon;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon("--log-opt=max-size=10k", "--log-opt=max-file=2");
    }

    @AfterAll
    static void close() throws Exception {
        if (daemon != null) {
            daemon.close();
        }
    }

    @Override
    Household house(Path folder) {
        return new Household(
                folder,
                TestDaemon.IMAGE,
                daemon == null ? Map.of() : Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host()));
    }
}
