package io.sluice;

import io.sluice.engines.docker.TestDaemon;
import java.nio.file.Path;

/** What users have of one another's files, with tasks as containers: the same tests. */
class DockerUsersApartIT extends UsersApartIT {

    @Override
    DoorDesk desk(Path data) throws Exception {
        return DoorDesk.onDocker(data, TestDaemon.BARE);
    }
}
