package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** What works with tasks as processes works with tasks as containers: the same tests, one after another on one engine. */
@SuppressWarnings({"NullAway.Init", "ClassCanBeStatic"}) // JUnit wants @Nested ones as they are
class DockerAlikeIT {

    private static TestDaemon daemon;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        daemon.makePython();
    }

    @AfterAll
    static void close() throws Exception {
        if (daemon != null) {
            daemon.close();
        }
    }

    private static DoorDesk desk(Path data) throws IOException {
        return DoorDesk.onDocker(data, daemon, TestDaemon.PYTHON);
    }

    @Nested
    class Road extends RoadIT {
        @Override
        DoorDesk desk(Path data) throws Exception {
            return DockerAlikeIT.desk(data);
        }
    }

    @Nested
    class Terminals extends TerminalIT {
        @Override
        DoorDesk desk(Path data) throws Exception {
            return DockerAlikeIT.desk(data);
        }
    }

    @Nested
    class UsersApart extends UsersApartIT {
        @Override
        DoorDesk desk(Path data) throws Exception {
            return DockerAlikeIT.desk(data);
        }
    }
}
