package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import java.nio.file.Path;

/** Terminals, with tasks as containers: the same tests. */
class DockerTerminalIT extends TerminalIT {

    @Override
    DoorDesk desk(Path data) throws Exception {
        return DoorDesk.onDocker(data, TestDaemon.BARE);
    }
}
