package io.sluice.telemetry.exposition;

import io.sluice.jobs.lists.Holder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All label sets of a task that holds a place. What they tell of it never changes. */
final class OfTask {
    /** When it was used last. */
    long round;

    private @Nullable Holder holder;
    private byte @Nullable [] plain;
    private byte @Nullable [] job;
    private byte @Nullable [] old;
    private byte @Nullable [] owner;

    void know(Holder now) {
        holder = now;
    }

    private Holder holder() {
        return Objects.requireNonNull(holder);
    }

    byte[] plain() {
        byte[] known = plain;
        if (known == null) {
            known = Labels.encoded("node", holder().node(), "job_id", holder().key(), "task_id", holder().taskKey());
            plain = known;
        }
        return known;
    }

    byte[] job() {
        byte[] known = job;
        if (known == null) {
            known = Labels.encoded(
                    "job_id", holder().key(),
                    "job_name", holder().name(),
                    "user", holder().user(),
                    "virtual_cluster", holder().cluster());
            job = known;
        }
        return known;
    }

    /** The end of a set: whose something is. */
    byte[] owner() {
        byte[] known = owner;
        if (known == null) {
            known = Labels.ended("job_id", holder().key(), "task_id", holder().taskKey());
            owner = known;
        }
        return known;
    }

    byte[] old() {
        byte[] known = old;
        if (known == null) {
            known = old(holder(), "");
            old = known;
        }
        return known;
    }

    static byte[] old(Holder holder, String minor) {
        return Labels.encoded(
                "node", holder.node(),
                "username", holder.user(),
                "job_name", holder.key(),
                "role_name", holder.role(),
                "task_index", Integer.toString(holder.index()),
                "job_instance_id", holder.run(),
                "virtual_cluster", holder.cluster(),
                "minor_number", minor);
    }
}
