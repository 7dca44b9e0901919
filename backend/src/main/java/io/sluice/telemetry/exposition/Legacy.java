package io.sluice.telemetry.exposition;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names and labels of OpenPAI's job-exporter, for dashboards and alerts that were made for it. In per cent, as they are. */
final class Legacy {
    /** Less than that every driver keeps. */
    private static final double LEAK_BYTES = 20L << 20;

    private final Labels labels;

    Legacy(Labels labels) {
        this.labels = labels;
    }

    void write(Observation seen, Text out) {
        devices(
                out,
                seen,
                "gpu_utilization",
                "Utilisation of a device, per cent",
                true,
                one -> true,
                one -> 100 * one.value(Metric.UTILISATION));
        devices(
                out,
                seen,
                "gpu_mem_utilization",
                "Memory of a device that is in use, per cent",
                true,
                one -> true,
                Legacy::memory);
        Predicate<Seen> nvidia = one -> one.device().vendor().equals("nvidia");
        devices(
                out,
                seen,
                "nvidiasmi_utilization_gpu",
                "Utilisation, per cent",
                false,
                nvidia,
                one -> 100 * one.value(Metric.UTILISATION));
        devices(out, seen, "nvidiasmi_utilization_memory", "Memory in use, per cent", false, nvidia, Legacy::memory);
        devices(
                out,
                seen,
                "nvidiasmi_temperature",
                "Temperature in Celsius",
                false,
                nvidia,
                one -> one.value(Metric.TEMPERATURE));
        devices(
                out,
                seen,
                "nvidiasmi_memory_leak_count",
                "1 for memory in use on a device with no process",
                false,
                nvidia,
                Legacy::leak);
        errors(out, seen, nvidia);
        Predicate<Seen> amd = one -> one.device().vendor().equals("amd");
        devices(
                out,
                seen,
                "rocmsmi_utilization_gpu",
                "Utilisation, per cent",
                false,
                amd,
                one -> 100 * one.value(Metric.UTILISATION));
        devices(out, seen, "rocmsmi_utilization_memory", "Memory in use, per cent", false, amd, Legacy::memory);
        held(
                out,
                seen,
                "task_gpu_percent",
                "Utilisation of a task's device, per cent",
                one -> 100 * one.value(Metric.UTILISATION));
        held(out, seen, "task_gpu_mem_percent", "Memory of a task's device that is in use, per cent", Legacy::memory);
        task(
                out,
                seen,
                "task_cpu_percent",
                "Processors that a task uses, per cent of one",
                rates -> 100 * rates.cpuCores());
        task(out, seen, "task_mem_usage_byte", "Memory that a task has", Rates::memoryBytes);
        task(out, seen, "task_net_in_byte", "Bytes a second that a task receives", Rates::received);
        task(out, seen, "task_net_out_byte", "Bytes a second that a task sends", Rates::sent);
        task(out, seen, "task_block_in_byte", "Bytes a second that a task reads", Rates::read);
        task(out, seen, "task_block_out_byte", "Bytes a second that a task writes", Rates::written);
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

    private record Errors(Seen seen, String type, @Nullable Long count) {}

    private void errors(Text out, Observation seen, Predicate<Seen> which) {
        List<Errors> all =
                seen.devices().stream().filter(which).flatMap(Legacy::errors).toList();
        Families.family(
                out,
                "nvidiasmi_ecc_error_count",
                "gauge",
                "Memory errors since the driver was loaded",
                all,
                one -> labels.of(
                        "old ecc " + one.type() + one.seen().key()
                                + one.seen().device().index(),
                        () -> new String[] {
                            "node", one.seen().node(), "minor_number", minor(one.seen()), "type", one.type()
                        }),
                one -> one.count() == null ? Double.NaN : (double) one.count());
    }

    private static Stream<Errors> errors(Seen seen) {
        Reading reading = seen.reading();
        return reading == null || !seen.current()
                ? Stream.of()
                : Stream.of(
                        new Errors(seen, "single", reading.corrected()),
                        new Errors(seen, "double", reading.uncorrected()));
    }

    /** The parts of a device have its number, and would be one series. */
    private static String minor(Seen seen) {
        return seen.device().whole() == null
                ? Integer.toString(seen.device().index())
                : seen.device().id();
    }

    private void devices(
            Text out,
            Observation seen,
            String name,
            String help,
            boolean vendor,
            Predicate<Seen> which,
            ToDoubleFunction<Seen> value) {
        List<Seen> some = seen.devices().stream().filter(which).toList();
        Families.family(
                out,
                name,
                "gauge",
                help,
                some,
                one -> labels.of(
                        "old " + vendor + one.key() + one.device().index(),
                        () -> vendor
                                ? new String[] {
                                    "node",
                                    one.node(),
                                    "minor_number",
                                    minor(one),
                                    "vender",
                                    one.device().vendor()
                                }
                                : new String[] {"node", one.node(), "minor_number", minor(one)}),
                value);
    }

    private void held(Text out, Observation seen, String name, String help, ToDoubleFunction<Seen> value) {
        List<Seen> held =
                seen.devices().stream().filter(one -> one.holder() != null).toList();
        Families.family(
                out,
                name,
                "gauge",
                help,
                held,
                one -> {
                    Holder holder = java.util.Objects.requireNonNull(one.holder());
                    return labels.of("old held " + one.key() + holder.task(), () -> of(holder, minor(one)));
                },
                value);
    }

    private void task(Text out, Observation seen, String name, String help, ToDoubleFunction<Rates> value) {
        Families.family(
                out,
                name,
                "gauge",
                help,
                seen.tasks(),
                (Doing doing) -> labels.of("old task " + doing.holder().task(), () -> of(doing.holder(), "")),
                doing -> value.applyAsDouble(doing.rates()));
    }

    private static String[] of(Holder holder, String minor) {
        return new String[] {
            "node", holder.node(),
            "username", holder.user(),
            "job_name", holder.key(),
            "role_name", holder.role(),
            "task_index", Integer.toString(holder.index()),
            "job_instance_id", holder.run(),
            "virtual_cluster", holder.cluster(),
            "minor_number", minor
        };
    }
}
