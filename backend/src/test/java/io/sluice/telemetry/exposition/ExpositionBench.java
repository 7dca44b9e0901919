package io.sluice.telemetry.exposition;

import com.sun.management.ThreadMXBean;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.exporter.common.TextFormat;
import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Values;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Pictures;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Formatting of 10,000 devices with ten families each, for {@code ./sluice bench}: it answers each line of its input, {@code ours},
 * {@code builder}, {@code simpleclient}, {@code whole} or {@code gzip}, with milliseconds and megabytes allocated.
 */
public final class ExpositionBench {
    private static final int DEVICES = 10_000;
    private static final List<Metric> METRICS = List.of(Metric.values());
    private static final List<String> OTHERS = List.of("accelerator_out_of_service", "accelerator_processes");

    /** Every other device is held, eight by a task. */
    private static final List<Holder> HOLDERS = IntStream.range(0, DEVICES / 8)
            .mapToObj(task -> Pictures.holder(task, "user-" + task % 50, "train-" + task, List.of()))
            .toList();

    private static final List<Doing> DOINGS =
            HOLDERS.stream().map(holder -> Pictures.doing(holder, 1)).toList();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Random random = new Random(1);
    private final Text text = new Text(1 << 16);
    private final Round lines = new Round(text);
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(20 << 20);
    private final StringBuilder builder = new StringBuilder(20 << 20);
    private final CollectorRegistry registry = new CollectorRegistry();
    private Observation seen = Observation.NOTHING;

    ExpositionBench() {
        registry.register(new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                return samples();
            }
        });
    }

    public static void main(String[] arguments) throws IOException {
        var bench = new ExpositionBench();
        PrintStream answers = System.out;
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answers.println(bench.answer(line));
            answers.flush();
        }
    }

    private String answer(String question) throws IOException {
        double millis = 0;
        double megabytes = 0;
        for (int round = 0; round < 5; round++) {
            seen = picture();
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
            long from = System.nanoTime();
            switch (question) {
                case "ours" -> ours();
                case "builder" -> byBuilder();
                case "simpleclient" -> bySimpleclient();
                case "gzip" -> compress();
                case "whole" -> whole();
                case "series" -> ours();
                default -> throw new IllegalArgumentException(question);
            }
            millis = (System.nanoTime() - from) / 1e6;
            megabytes = (threads.getThreadAllocatedBytes(Thread.currentThread().threadId()) - allocated) / 1e6;
        }
        if (question.equals("series")) {
            return Long.toString(new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .count());
        }
        return String.format(Locale.ROOT, "%.2f %.2f", millis, megabytes);
    }

    private void ours() {
        text.clear();
        Families.devices(lines.of(seen));
    }

    /** All that an answer tells of devices and tasks, OpenPAI's names among it. */
    private void whole() {
        text.clear();
        Families.write(lines.of(seen));
        Legacy.write(lines);
        Processes.write(lines);
    }

    private void compress() throws IOException {
        ours();
        Gzip.of(text.bytes(), text.size());
    }

    private double value(Seen device, int family) {
        return family < METRICS.size() ? device.value(METRICS.get(family)) : family == METRICS.size() ? 0 : 1;
    }

    private static String name(int family) {
        return family < METRICS.size() ? METRICS.get(family).family() : OTHERS.get(family - METRICS.size());
    }

    private static int all() {
        return METRICS.size() + OTHERS.size();
    }

    private void byBuilder() {
        builder.setLength(0);
        for (int family = 0; family < all(); family++) {
            String name = name(family);
            builder.append("# HELP ")
                    .append(name)
                    .append(" help\n# TYPE ")
                    .append(name)
                    .append(" gauge\n");
            for (Seen device : seen.devices()) {
                double value = value(device, family);
                builder.append(name)
                        .append("{node=\"")
                        .append(device.node())
                        .append("\",device=\"")
                        .append(device.device().id())
                        .append("\"} ");
                if (value == (long) value) {
                    builder.append((long) value);
                } else {
                    builder.append(value);
                }
                builder.append('\n');
            }
        }
        out.reset();
        out.writeBytes(builder.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void bySimpleclient() throws IOException {
        out.reset();
        try (Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 65_536)) {
            TextFormat.write004(writer, registry.metricFamilySamples());
        }
    }

    private List<Collector.MetricFamilySamples> samples() {
        List<Collector.MetricFamilySamples> all = new ArrayList<>();
        for (int family = 0; family < all(); family++) {
            var samples = new GaugeMetricFamily(name(family), "help", List.of("node", "device"));
            for (Seen device : seen.devices()) {
                samples.addMetric(List.of(device.node(), device.device().id()), value(device, family));
            }
            all.add(samples);
        }
        return all;
    }

    Observation picture() {
        var devices = new ArrayList<Seen>();
        for (int at = 0; at < DEVICES; at++) {
            String id = "GPU-3f0a9c1e-5b7d-4e21-9a44-" + (100_000_000_000L + at);
            var device = new Device(id, "H100", "nvidia", at % 8, null, null, false, null);
            Values values = Values.NONE
                    .with(Metric.UTILISATION, random.nextInt(101) / 100.0)
                    .with(Metric.MEMORY_USED, Math.floor(random.nextDouble() * 8e10))
                    .with(Metric.MEMORY_TOTAL, 85_520_809_984.0)
                    .with(Metric.MEMORY_BANDWIDTH, random.nextInt(101) / 100.0)
                    .with(Metric.POWER, Math.round(random.nextDouble() * 7000) / 10.0)
                    .with(Metric.POWER_LIMIT, 700)
                    .with(Metric.TEMPERATURE, random.nextInt(90))
                    .with(Metric.MEMORY_TEMPERATURE, random.nextInt(90));
            var identity = new Reading.Identity("nvidia", id, at % 8, "H100", "570.1", null, null, false);
            Reading reading = Reading.of(identity, values).occupants(List.of(new Reading.Occupant(1, "x", 1)));
            devices.add(new Seen("node-" + at / 8, device, reading, true, at % 2 == 0 ? null : HOLDERS.get(at / 8)));
        }
        return new Observation(Instant.now(), List.of(), devices, DOINGS, List.of());
    }
}
