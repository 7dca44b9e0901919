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

    /** Nothing is stored: it wants a storage that there is not. */
    record NoStorage(String name) implements Submitted {
        public String message() {
            return "Storage " + name + " is not found. Tasks find your folder at /userhome and shared data at /gdata.";
        }
    }

    /** Nothing is stored: the user has a job of this name. */
    record NameTaken(String user, String name) implements Submitted {}

    /** Nothing is stored: the idempotency key stands for another text, of the job of this name. */
    record KeyReused(String key, String name) implements Submitted {}
}
