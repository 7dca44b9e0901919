package io.sluice.jobs.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that waits.
 *
 * @param job its id
 * @param cluster the virtual cluster it was submitted to
 * @param priority larger first
 * @param submitted its place among those of equal priority; kept when it is queued again
 * @param since when it was queued, most recently
 * @param maxRun null: no limit
 * @param gang all tasks start together; otherwise as many as fit, at least one
 */
public record Demand(
        String job,
        String user,
        String cluster,
        int priority,
        Instant submitted,
        Instant since,
        @Nullable Duration maxRun,
        boolean preemptible,
        boolean gang,
        List<Role> roles) {

    public Demand {
        roles = List.copyOf(roles);
    }

    /**
     * Equal tasks that wait for a place.
     *
     * @param instances how many of them
     * @param devices of each
     * @param deviceType in any of its names, null: any, but the same for all tasks that say so
     * @param shmMB shared memory, which comes out of the memory
     * @param alone of a job that is no gang: each may start without the others
     */
    public record Role(
            String name,
            int instances,
            int cpus,
            int memoryMB,
            int devices,
            @Nullable String deviceType,
            int shmMB,
            boolean alone) {

        public Role(
                String name,
                int instances,
                int cpus,
                int memoryMB,
                int devices,
                @Nullable String deviceType,
                int shmMB) {
            this(name, instances, cpus, memoryMB, devices, deviceType, shmMB, false);
        }

        /** The same for another number of tasks. */
        public Role times(int instances) {
            return new Role(name, instances, cpus, memoryMB, devices, deviceType, shmMB, alone);
        }
    }
}
