package io.sluice.jobs;

import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.protocol.Fault;
import java.util.List;

/** What became of a submission. */
public sealed interface Submitted {
    /**
     * It is stored, and will not be lost.
     *
     * @param again whether it was stored before, under the same idempotency key
     * @param warnings sentences for the header {@code X-Warning}
     */
    record Stored(long id, String user, String name, boolean again, List<String> warnings) implements Submitted {
        public Stored {
            warnings = List.copyOf(warnings);
        }
    }

    /** Nothing is stored: its text has these faults. */
    record Refused(String code, String message, List<Fault> faults) implements Submitted {
        public Refused {
            faults = List.copyOf(faults);
        }
    }

    /** Nothing is stored: the user may not submit there. */
    record Barred(Clusters.Barred why) implements Submitted {}

    /** Nothing is stored: the user has a job of this name. */
    record NameTaken(String user, String name) implements Submitted {}

    /** Nothing is stored: the idempotency key stands for another text. */
    record KeyReused(String key) implements Submitted {}
}
