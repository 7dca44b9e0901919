package io.sluice.telemetry.exposition;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import io.sluice.telemetry.observe.Observation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * For {@code ./sluice bench scrape}: the same series of 10,000 devices, at {@code /ours} as the gateway answers them and at {@code /simpleclient}
 * by that library's own writer, compressed as its own server does it. Prints its port; at {@code /loop} how long the event loop worked at one go at most, and how
 * late it was.
 */
public final class ScrapeBench {
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final long TICK_MILLIS = 5;

    private ScrapeBench() {}

    public static void main(String[] arguments) {
        Vertx vertx = Vertx.vertx();
        Observation seen = new ExpositionBench().picture();
        var exposition = new Exposition(vertx, new CollectorRegistry(), () -> seen);
        var theirs = new CollectorRegistry();
        List<MetricFamilySamples> families = families(seen);
        theirs.register(new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                return families;
            }
        });
        var loop = new Loop();
        vertx.runOnContext(now -> {
            vertx.setPeriodic(TICK_MILLIS, tick -> loop.turned());
            var unusedServer = vertx.createHttpServer()
                    .requestHandler(request -> {
                        var response = request.response().putHeader("Content-Type", TextFormat.CONTENT_TYPE_004);
                        var unused = switch (request.path()) {
                            case "/ours" ->
                                exposition.scrape().compose(scrape -> packed(response, scrape.compressed()));
                            case "/simpleclient" ->
                                vertx.executeBlocking(() -> written(theirs)).compose(body -> packed(response, body));
                            default -> response.end(loop.told());
                        };
                    })
                    .listen(0, "127.0.0.1")
                    .onSuccess(server -> System.out.println(server.actualPort()));
        });
    }

    private static Future<Void> packed(HttpServerResponse response, Buffer body) {
        return response.putHeader("Content-Encoding", "gzip").end(body);
    }

    /** The event loop that serves: the longest piece of its own work, and how late it was at most, whoever had the processor. */
    private static final class Loop {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private long turned = System.nanoTime();
        private long worked;
        private long mostWorked;
        private long latest;

        void turned() {
            long now = System.nanoTime();
            long cpu = threads.getCurrentThreadCpuTime();
            latest = Math.max(latest, now - turned - TICK_MILLIS * 1_000_000);
            mostWorked = Math.max(mostWorked, cpu - worked);
            turned = now;
            worked = cpu;
        }

        String told() {
            String told = mostWorked / 1e6 + " " + latest / 1e6;
            mostWorked = 0;
            latest = 0;
            return told;
        }
    }

    private static Buffer written(CollectorRegistry registry) throws IOException {
        var bytes = new ByteArrayOutputStream(1 << 20);
        try (Writer writer = new BufferedWriter(
                new OutputStreamWriter(new GZIPOutputStream(bytes), StandardCharsets.UTF_8), 65_536)) {
            TextFormat.write004(writer, registry.metricFamilySamples());
        }
        return Buffer.buffer(bytes.toByteArray());
    }

    /** What we write, as that library would have it: made beforehand, so that only writing it counts. */
    private static List<MetricFamilySamples> families(Observation seen) {
        var text = new Text(1 << 20);
        Round round = new Round(text).of(seen);
        Families.write(round);
        Legacy.write(round);
        Processes.write(round);
        var all = new ArrayList<MetricFamilySamples>();
        var samples = new ArrayList<MetricFamilySamples.Sample>();
        String name = "";
        for (String line : new String(text.bytes(), 0, text.size(), StandardCharsets.UTF_8)
                .lines()
                .toList()) {
            if (line.startsWith("# HELP")) {
                name = line.split(" ", -1)[2];
                samples = new ArrayList<>();
                all.add(new MetricFamilySamples(name, Collector.Type.GAUGE, "help", samples));
            } else if (!line.startsWith("#")) {
                var names = new ArrayList<String>();
                var values = new ArrayList<String>();
                LABEL.matcher(line).results().forEach(label -> {
                    names.add(label.group(1));
                    values.add(label.group(2));
                });
                samples.add(new MetricFamilySamples.Sample(
                        name, names, values, Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))));
            }
        }
        return all;
    }
}
