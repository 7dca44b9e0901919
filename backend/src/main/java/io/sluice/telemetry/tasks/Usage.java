package io.sluice.telemetry.tasks;

import java.util.Set;

/**
 * What a task has taken of its machine since it began; memory is what it has now. NaN is not known.
 *
 * @param processes of the task
 */
public record Usage(
        double cpuSeconds,
        double memoryBytes,
        double receivedBytes,
        double sentBytes,
        double readBytes,
        double writtenBytes,
        Set<Long> processes) {

    public Usage {
        processes = Set.copyOf(processes);
    }
}
