package io.sluice.telemetry.exposition;

import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The names and labels of OpenPAI's job-exporter, for dashboards and alerts that were made for it. In per cent, as they are. */
final class Legacy {
    /** Less than that every driver keeps. */
    private static final double LEAK_BYTES = 20L << 20;

    private Legacy() {}

    static void write(Round round) {
        all(round, "gpu_utilization", "Utilisation of a device, per cent", Legacy::load);
        all(round, "gpu_mem_utilization", "Memory of a device that is in use, per cent", Legacy::memory);
        of(round, "nvidia", "nvidiasmi_utilization_gpu", "Utilisation, per cent", Legacy::load);
        of(round, "nvidia", "nvidiasmi_utilization_memory", "Memory in use, per cent", Legacy::memory);
        of(round, "nvidia", "nvidiasmi_temperature", "Temperature in Celsius", one -> one.value(Metric.TEMPERATURE));
        of(
                round,
                "nvidia",
                "nvidiasmi_memory_leak_count",
                "1 for memory in use on a device with no process",
                Legacy::leak);
        errors(round);
        of(round, "amd", "rocmsmi_utilization_gpu", "Utilisation, per cent", Legacy::load);
        of(round, "amd", "rocmsmi_utilization_memory", "Memory in use, per cent", Legacy::memory);
        round.held("task_gpu_percent", "Utilisation of a task's device, per cent", OfDevice::oldHeld, Legacy::load);
        round.held(
                "task_gpu_mem_percent",
                "Memory of a task's device that is in use, per cent",
                OfDevice::oldHeld,
                Legacy::memory);
        task(
                round,
                "task_cpu_percent",
                "Processors that a task uses, per cent of one",
                rates -> 100 * rates.cpuCores());
        task(round, "task_mem_usage_byte", "Memory that a task has", Rates::memoryBytes);
        task(round, "task_net_in_byte", "Bytes a second that a task receives", Rates::received);
        task(round, "task_net_out_byte", "Bytes a second that a task sends", Rates::sent);
        task(round, "task_block_in_byte", "Bytes a second that a task reads", Rates::read);
        task(round, "task_block_out_byte", "Bytes a second that a task writes", Rates::written);
    }

    private static double load(Seen seen) {
        return 100 * seen.value(Metric.UTILISATION);
    }

    private static double memory(Seen seen) {
        return 100 * seen.value(Metric.MEMORY_USED) / seen.value(Metric.MEMORY_TOTAL);
    }

    private static double leak(Seen seen) {
        Reading reading = seen.reading();
        double used = seen.value(Metric.MEMORY_USED);
        if (reading == null || reading.occupants() == null || Double.isNaN(used)) {
            return Double.NaN;
        }
        return reading.occupants().isEmpty() && used > LEAK_BYTES ? 1 : 0;
    }

    private static void all(Round round, String name, String help, ToDoubleFunction<Seen> value) {
        round.devices(name, "gauge", help, OfDevice::oldWithVendor, value);
    }

    private static void of(Round round, String vendor, String name, String help, ToDoubleFunction<Seen> value) {
        of(round, vendor, name, help, OfDevice::old, value);
    }

    private static void of(
            Round round,
            String vendor,
            String name,
            String help,
            Function<OfDevice, byte[]> labels,
            ToDoubleFunction<Seen> value) {
        round.devices(
                name,
                "gauge",
                help,
                labels,
                one -> one.device().vendor().equals(vendor) ? value.applyAsDouble(one) : Double.NaN);
    }

    /** Both kinds of a device together, for a family is told in one piece. */
    private static void errors(Round round) {
        String name = "nvidiasmi_ecc_error_count";
        boolean begun = false;
        for (int at = 0; at < round.seen().devices().size(); at++) {
            Seen seen = round.seen().devices().get(at);
            Reading reading = seen.reading();
            if (reading == null || !seen.current() || !seen.device().vendor().equals("nvidia")) {
                continue;
            }
            if (reading.corrected() != null || reading.uncorrected() != null) {
                begun = begun || round.head(name, "gauge", "Memory errors since the driver was loaded");
            }
            if (reading.corrected() != null) {
                round.line(round.name(name), round.device(at).oldSingle(), (double) reading.corrected());
            }
            if (reading.uncorrected() != null) {
                round.line(round.name(name), round.device(at).oldDouble(), (double) reading.uncorrected());
            }
        }
    }

    private static void task(Round round, String name, String help, ToDoubleFunction<Rates> value) {
        round.tasks(name, "gauge", help, OfTask::old, doing -> value.applyAsDouble(doing.rates()));
    }
}
