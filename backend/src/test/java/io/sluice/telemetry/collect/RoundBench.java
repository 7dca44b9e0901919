package io.sluice.telemetry.collect;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.telemetry.devices.NvidiaCsv;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * For {@code ./sluice bench scrape}: a round of asking for 8 devices, with a program in the tool's place that prints a list and the processes.
 * Prints the processor time of this process for one round, in milliseconds, and how many devices it told of; what the program itself takes is not
 * this process's.
 */
public final class RoundBench {
    private static final int WARM = 300;
    private static final int ROUNDS = 200;

    private RoundBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-rounds");
        Path tool = folder.resolve("nvidia-smi");
        var list = new StringBuilder(String.join(", ", NvidiaCsv.FIELDS)).append('\n');
        var processes = new StringBuilder("gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n");
        for (int at = 0; at < 8; at++) {
            list.append(String.format(
                            Locale.ROOT,
                            "%d, GPU-%08d-aaaa, 00000000:%02d:00.0, NVIDIA H100 80GB HBM3, 590.48.01, Disabled, 97, 41, 81559, 40000, 61, 70",
                            at,
                            at,
                            at))
                    .append(", 612.50".repeat(NvidiaCsv.FIELDS.size() - 12))
                    .append('\n');
            processes.append("GPU-%08d-aaaa, %d, python, 39000 MiB%n".formatted(at, 1000 + at));
        }
        Files.writeString(folder.resolve("list"), list);
        Files.writeString(folder.resolve("processes"), processes);
        Files.writeString(folder.resolve("help"), String.join("\n", NvidiaCsv.FIELDS));
        Files.writeString(tool, """
                #!/bin/sh
                case "$1" in --help*) exec cat '%1$s/help';; --query-gpu*) exec cat '%1$s/list';; *) exec cat '%1$s/processes';; esac
                """.formatted(folder));
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
        var source = new NvidiaSource(new Source.Ground(List.of(folder), Duration.ofSeconds(10)));
        for (int round = 0; round < WARM; round++) {
            source.read();
        }
        var process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long from = process.getProcessCpuTime();
        int devices = 0;
        for (int round = 0; round < ROUNDS; round++) {
            devices = source.read().readings().size();
        }
        long took = process.getProcessCpuTime() - from;
        System.out.println(String.format(Locale.ROOT, "%.2f %d", took / 1e6 / ROUNDS, devices));
        for (String name : List.of("list", "processes", "help", "nvidia-smi")) {
            Files.delete(folder.resolve(name));
        }
        Files.delete(folder);
    }
}
