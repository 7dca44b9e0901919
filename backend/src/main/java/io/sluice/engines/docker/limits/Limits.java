package io.sluice.engines.docker.limits;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Mount;
import io.sluice.engines.Task;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A task's share of processors, memory, processes and disk. */
public final class Limits {
    public static final long MOST_PROCESSES = 8192;
    public static final int LEAST_MEMORY_MB = 6;
    private static final long MEBIBYTE = 1L << 20;
    private static final long CPU = 1_000_000_000L;
    private static final int SHARES = 1024;

    private final Disk disk;

    public Limits(Disk disk) {
        this.disk = disk;
    }

    public void give(Task task, Info info, HostConfig host) {
        host.withPidsLimit(MOST_PROCESSES).withOomKillDisable(false);
        if (task.memoryMB() > 0) {
            long bytes = task.memoryMB() * MEBIBYTE;
            host.withMemory(bytes).withMemorySwap(bytes);
        }
        if (info.getNCPU() != null && !Boolean.FALSE.equals(info.getCpuCfsQuota())) {
            host.withNanoCPUs(Math.clamp(task.cpus(), 1, info.getNCPU()) * CPU);
        }
        // who asked for no processor gets what the others leave of one
        host.withCpuShares(task.cpus() == 0 ? SHARES / 10 : SHARES * task.cpus());
        if (task.shmMB() > 0) {
            host.withShmSize(task.shmMB() * MEBIBYTE);
        }
        disk.give(info, host);
    }

    /**
     * What an image declares as its volumes begins empty and in memory, within the task's own: else the engine would make
     * a volume for each, which no limit of disk holds for.
     */
    public static void volumes(Task task, InspectImageResponse image, List<Mount> mounts, HostConfig host) {
        var config = image.getConfig();
        if (config == null || config.getVolumes() == null) {
            return;
        }
        Set<String> taken = mounts.stream().map(Mount::getTarget).collect(Collectors.toSet());
        Map<String, String> empty = new TreeMap<>();
        for (var volume : config.getVolumes().keySet()) {
            var place = Path.of(volume.replace("\0", "")).normalize();
            if (place.isAbsolute() && !taken.contains(place.toString())) {
                var size = task.memoryMB() == 0 ? "" : ",size=" + task.memoryMB() + "m";
                empty.put(place.toString(), "rw,exec,nosuid,nodev,mode=1777" + size);
            }
        }
        host.withTmpFs(empty);
    }
}
