package io.sluice.endpoints.ssh.between;

import io.sluice.jobs.gang.Peers;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A task that has come to reach another one of its job.
 *
 * @param attempt the folder that they share
 */
public record Visit(Path attempt, Peers peers, Peers.Peer to) {
    /** Whether this is the key of the job that it comes from; once the attempt is over no key is. */
    public boolean isOpenedBy(String fingerprint) throws IOException {
        return Peers.fingerprint(attempt).filter(fingerprint::equals).isPresent();
    }
}
