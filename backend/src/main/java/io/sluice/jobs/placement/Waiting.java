package io.sluice.jobs.placement;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a job waits, as of one pass.
 *
 * @param position in the queue of its virtual cluster, from 1; 0: it is not in the queue, it can not run as things are
 * @param shortages the worst first; empty when nothing is short but its turn
 * @param holders who has what is short in {@code shortages.get(0)}, the largest first, at most {@value #MOST_HOLDERS}
 * @param behind the job that goes first, null: none
 * @param start expected, if no job of higher priority comes and no machine is lost; at the latest, for the first of the
 *     queue; null: nobody knows
 * @param outages machines and devices that would do, but are out of service; the port, as the device of its node, that another job has; how many ports are asked for, as the device of a node that has too few, or of the port that is
 *     asked for too often; the image or the input that is fetched, and in
 *     place of the device how much of it is here; the node that has not started a task, and as its device that task
 */
public record Waiting(
        String job,
        String cluster,
        int position,
        Why why,
        List<Shortage> shortages,
        List<Holder> holders,
        @Nullable String behind,
        @Nullable Instant start,
        List<Outage> outages) {
    public static final int MOST_HOLDERS = 5;

    public enum Why {
        /** The virtual cluster does not exist. */
        CLUSTER_UNKNOWN,
        /** The virtual cluster is stopped. */
        CLUSTER_STOPPED,
        /** No machine here is large enough, or all of them together are not. */
        NEVER,
        /** A count that the board of these devices does not allow; Ascend: 1, 2, 4 or 8 on one node. */
        NEVER_ON_BOARD,
        /** More than the whole quota of its virtual cluster. */
        NEVER_IN_QUOTA,
        /** More ports than its machines have, or one port for more tasks than there are machines. */
        NEVER_PORTS,
        /** Machines that could run it are out of service. */
        OUT_OF_SERVICE,
        /** Its virtual cluster has used its quota. */
        QUOTA,
        /** Others have the machines. */
        MACHINES,
        /** There is enough, but not on one node, or not on so many nodes at once. */
        SCATTERED,
        /** What is free is kept for the job it waits behind. */
        RESERVED,
        /** A port that it asks for by its number is another job's. */
        PORT,
        /** Others have the ports. */
        PORTS,
        /** It has its machines, and its image is being fetched. */
        IMAGE,
        /** It has its machines, and its data is being fetched. */
        DATA,
        /** It has its machines, and the engine could not start it yet. */
        START,
        /** Room is being made for it: it starts as soon as others have ended. */
        MAKING_ROOM;

        /** Waiting does not help: the job, the quota or the machines have to change. */
        public boolean isNever() {
            return switch (this) {
                case CLUSTER_UNKNOWN, NEVER, NEVER_ON_BOARD, NEVER_IN_QUOTA, NEVER_PORTS -> true;
                case CLUSTER_STOPPED,
                        OUT_OF_SERVICE,
                        QUOTA,
                        MACHINES,
                        SCATTERED,
                        RESERVED,
                        PORT,
                        PORTS,
                        IMAGE,
                        DATA,
                        START,
                        MAKING_ROOM -> false;
            };
        }
    }

    public enum Resource {
        CPU,
        MEMORY_MB,
        DEVICE
    }

    /**
     * What there is too little of; of the quota when {@link #why} says so, else of the machines.
     *
     * @param type of the device as the job names it, {@code any}, or empty
     * @param needed by all tasks that wait
     * @param perTask by the largest of them
     * @param freeOnOne the most that one node has free
     * @param totalOnOne the most that one node has
     */
    public record Shortage(
            Resource resource,
            String type,
            long needed,
            long free,
            long total,
            long perTask,
            long freeOnOne,
            long totalOnOne) {}

    /** {@code expectedEnd} null: nobody knows. */
    public record Holder(
            String job, String user, long amount, @Nullable Instant expectedEnd) {

        /** Of a job that started in parts. */
        Holder and(Holder other) {
            Instant end = expectedEnd;
            Instant otherEnd = other.expectedEnd;
            Instant last = end == null || otherEnd == null ? null : end.isAfter(otherEnd) ? end : otherEnd;
            return new Holder(job, user, amount + other.amount, last);
        }
    }

    /** {@code device} null: the whole node. */
    public record Outage(String node, @Nullable String device, String reason) {}
}
