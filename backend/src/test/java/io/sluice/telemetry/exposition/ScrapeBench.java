package io.sluice.telemetry.exposition;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import io.sluice.telemetry.observe.Observation;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * For {@code ./sluice bench scrape}: the same series of 10,000 devices, at {@code /ours} as the gateway answers them and at {@code /simpleclient}
 * by that library's own writer, compressed as its own server does it. Prints its port; at {@code /loop} how long the event loop was held up at most.
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
        var longest = new AtomicLong();
        var last = new AtomicLong(System.nanoTime());
        var server = vertx.createHttpServer().requestHandler(request -> {
            var response = request.response().putHeader("Content-Type", TextFormat.CONTENT_TYPE_004);
            var unused = switch (request.path()) {
                case "/ours" ->
                    exposition
                            .scrape()
                            .compose(scrape -> response.putHeader("Content-Encoding", "gzip")
                                    .end(scrape.compressed()));
                case "/simpleclient" ->
                    vertx.executeBlocking(() -> written(theirs))
                            .compose(body -> response.putHeader("Content-Encoding", "gzip")
                                    .end(body));
                default -> response.end(Double.toString((double) longest.getAndSet(0) / 1e6));
            };
        });
        vertx.runOnContext(now -> vertx.setPeriodic(TICK_MILLIS, tick -> {
            long time = System.nanoTime();
            longest.accumulateAndGet(time - last.getAndSet(time) - TICK_MILLIS * 1_000_000, Math::max);
        }));
        System.out.println(server.listen(0, "127.0.0.1").await().actualPort());
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
