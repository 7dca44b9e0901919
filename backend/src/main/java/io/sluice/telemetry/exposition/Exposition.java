package io.sluice.telemetry.exposition;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;
import io.prometheus.client.exporter.common.TextFormat;
import io.sluice.telemetry.observe.Observation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /metrics} answers: every room's own numbers, and devices and tasks as they were seen last. Made on one thread beside the event
 * loops, once for all who ask within a second, and compressed once.
 */
public final class Exposition {
    private static final long FRESH_NANOS = 1_000_000_000L;
    private static final long LIMIT_SECONDS = 10;
    private static final int FIRST_CAPACITY = 64 << 10;

    /** A whole answer, as it is sent to those who take gzip and to those who do not. */
    public record Scrape(Buffer plain, Buffer compressed) {}

    private final CollectorRegistry registry;
    private final Supplier<Observation> seen;
    private final WorkerExecutor worker;
    private final Gauge size;
    private final Text text = new Text(FIRST_CAPACITY);
    private final Round round = new Round(text);
    private @Nullable Future<Scrape> kept;
    private long made;

    public Exposition(Vertx vertx, CollectorRegistry registry, Supplier<Observation> seen) {
        this.registry = registry;
        this.seen = seen;
        this.worker = vertx.createSharedWorkerExecutor("sluice-metrics", 1, LIMIT_SECONDS, TimeUnit.SECONDS);
        this.size = Gauge.build("sluice_telemetry_exposition_bytes", "Size of the last answer to Prometheus")
                .register(registry);
    }

    /** Whoever comes while it is made waits for the same. */
    public synchronized Future<Scrape> scrape() {
        Future<Scrape> last = kept;
        boolean usable = last != null && !last.failed() && System.nanoTime() - made < FRESH_NANOS;
        if (usable && last != null) {
            return last;
        }
        Future<Scrape> next = worker.executeBlocking(this::make);
        made = System.nanoTime();
        kept = next;
        return next;
    }

    private Scrape make() throws IOException {
        text.clear();
        round.of(seen.get());
        Families.write(round);
        Legacy.write(round);
        Processes.write(round);
        var own = new ByteArrayOutputStream(FIRST_CAPACITY);
        try (Writer writer = new OutputStreamWriter(own, StandardCharsets.UTF_8)) {
            TextFormat.write004(writer, registry.metricFamilySamples());
        }
        text.add(own.toByteArray());
        size.set(text.size());
        return new Scrape(
                Buffer.buffer(text.size()).appendBytes(text.bytes(), 0, text.size()),
                Gzip.of(text.bytes(), text.size()));
    }

    public Future<Void> close() {
        return worker.close();
    }
}
