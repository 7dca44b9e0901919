package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import io.sluice.logs.Logs;
import io.sluice.web.Web;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

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
    class Gateways extends TwoGateways {
        @Override
        DoorDesk desk(Path data) throws Exception {
            return DoorDesk.onDocker(data, daemon, TestDaemon.PYTHON, "--ssh-port", "0");
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

    /** Jupyter is where it is on this machine: an image would be as large. */
    @Nested
    @Tag("notebooks")
    class Notebook extends NotebookIT {
        @Override
        DoorDesk desk(Path data) throws Exception {
            var shared = Files.createDirectories(data.resolve("gdata"));
            // by links, where it is one file system
            var copy = "cp -rl /opt/sluice-test/apps \"$0\" 2>/dev/null || cp -r /opt/sluice-test/apps \"$0\"";
            TestDaemon.sh(List.of("sh", "-c", copy, shared.toString()), null);
            return DockerAlikeIT.desk(data);
        }

        /** Nobody on the machine finds it at all: it listens inside of its container. */
        @Override
        void refused(int port) throws IOException {
            try (var free = new ServerSocket(port)) {
                free.setSoTimeout(1);
            }
        }
    }

    @Nested
    class GoodJobs extends GoodJobsIT {
        @Override
        Household house(Path data) throws Exception {
            for (String theirs : List.of("ubuntu:16.04", "ubuntu:24.04")) {
                daemon.tag(TestDaemon.IMAGE, theirs);
            }
            return new Household(
                    data.toRealPath(),
                    TestDaemon.IMAGE,
                    Map.of("SLUICE_ENGINE", "docker", "SLUICE_DOCKER_HOST", daemon.host()));
        }
    }

    @Nested
    class LogEdges extends LogEdgesIT {
        @Override
        LogDesk desk(Path data, UnaryOperator<Web.Settings> web) throws Exception {
            var real = data.toRealPath();
            return new LogDesk(
                            real,
                            Logs.Settings.of(real),
                            web,
                            HttpClient.newBuilder(),
                            "--engine",
                            "docker",
                            "--docker-host",
                            daemon.host())
                    .in(TestDaemon.IMAGE);
        }
    }
}
