package io.sluice.telemetry.collect;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Watches this machine's devices by their vendors' tools, one thread for each vendor, so that a tool that hangs holds up nobody. What it knows
 * is there at any time, without waiting.
 */
public final class DeviceWatch {
    private static final System.Logger LOG = System.getLogger(DeviceWatch.class.getName());
    private static final List<String> USUAL = List.of("/usr/bin", "/usr/local/bin", "/usr/local/sbin", "/opt/rocm/bin");
    private static final int BOARD = 8;
    private static final int HALF = 4;
    private static final long LEAST_MILLIS = 2_000;

    /**
     * @param folders where the tools are looked for
     * @param pause between two rounds
     * @param limit of one call
     */
    public record Settings(List<Path> folders, Duration pause, Duration limit) {
        /**
         * Asked more often, some devices of old have hung.
         *
         * @param path of this process
         */
        public static Settings usual(String path) {
            var folders = Stream.concat(Stream.of(path.split(":")), USUAL.stream())
                    .filter(folder -> !folder.isEmpty())
                    .distinct()
                    .map(Path::of)
                    .toList();
            return new Settings(folders, Duration.ofSeconds(15), Duration.ofSeconds(10));
        }

        public Settings withoutTools() {
            return new Settings(List.of(), pause, limit);
        }
    }

    private final Settings settings;
    private final CollectMetrics metrics;
    private final Map<String, Known> parts = new TreeMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Object wishes = new Object();
    private volatile Known known = Known.NOTHING;
    private volatile Map<String, String> occupied = Map.of();
    private volatile boolean closed;
    private volatile long wanted = System.nanoTime() - Duration.ofHours(1).toNanos();

    private DeviceWatch(Settings settings, CollectorRegistry registry) {
        this.settings = settings;
        this.metrics = new CollectMetrics(registry);
    }

    /** Begins to watch; what is there is known after the first round of each tool, which {@link #settled} waits for. */
    public static DeviceWatch open(Settings settings, CollectorRegistry registry) {
        var watch = new DeviceWatch(settings, registry);
        watch.sources()
                .forEach(source -> watch.threads.add(Thread.ofPlatform()
                        .daemon()
                        .name("devices-" + source.vendor())
                        .start(() -> watch.repeat(source))));
        return watch;
    }

    private List<Source> sources() {
        return List.of(
                new NvidiaSource(new Source.Ground(settings.folders(), settings.limit())),
                new AscendSource(new Source.Ground(settings.folders(), settings.limit())),
                new AmdSource(new Source.Ground(settings.folders(), settings.limit())));
    }

    private void repeat(Source source) {
        var rounds = new Rounds(source.vendor());
        boolean seen = false;
        while (!closed) {
            try {
                // a tool that was there and is gone is a failure, one that never was is none
                seen = seen || source.isHere();
                if (seen) {
                    round(source, rounds);
                } else {
                    publish(source.vendor(), Known.NOTHING);
                }
                pause(System.nanoTime());
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                metrics.trouble(source.vendor(), Trouble.of(Reason.FAILED, e.toString()));
                LOG.log(System.Logger.Level.WARNING, "event=devices-not-read vendor=" + source.vendor(), e);
                publish(source.vendor(), new Known(rounds.devices(), List.of()));
                pauseAfterFault();
            }
        }
    }

    /** Until it is time, or somebody wants to know; then still a while, for tools that are asked too often have hung. */
    private void pause(long from) throws InterruptedException {
        long most = settings.pause().toMillis();
        Thread.sleep(Math.min(most, LEAST_MILLIS));
        synchronized (wishes) {
            long left = most - (System.nanoTime() - from) / 1_000_000;
            while (left > 0 && wanted - from < 0) {
                wishes.wait(left);
                left = most - (System.nanoTime() - from) / 1_000_000;
            }
        }
    }

    /** Something has changed on the devices: the tools are asked soon. */
    public void look() {
        synchronized (wishes) {
            wanted = System.nanoTime();
            wishes.notifyAll();
        }
    }

    private void pauseAfterFault() {
        try {
            pause(System.nanoTime());
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private void round(Source source, Rounds rounds) throws InterruptedException {
        long from = System.nanoTime();
        Instant asked = Instant.now();
        Told told = source.read();
        metrics.round(source.vendor(), told);
        Known.Vendor vendor = rounds.round(told, asked, (System.nanoTime() - from) / 1e9);
        publish(source.vendor(), new Known(rounds.devices(), List.of(vendor)));
    }

    private void publish(String vendor, Known part) {
        synchronized (parts) {
            parts.put(vendor, part);
            var devices = new LinkedHashMap<String, Known.Device>();
            var vendors = new ArrayList<Known.Vendor>();
            parts.values().forEach(one -> {
                devices.putAll(one.devices());
                vendors.addAll(one.vendors());
            });
            known = new Known(devices, vendors);
            parts.notifyAll();
        }
    }

    public Known now() {
        return known;
    }

    /** Waits until every tool has had its first round, or the time is up. */
    public void settled(Duration most) throws InterruptedException {
        long until = System.nanoTime() + most.toNanos();
        synchronized (parts) {
            while (parts.size() < threads.size() && System.nanoTime() < until) {
                parts.wait(Math.max(1, (until - System.nanoTime()) / 1_000_000));
            }
        }
    }

    /** Devices, by the id that is told here, that are used by processes of no task, with the sentence that says so. */
    public void occupied(Map<String, String> byDevice) {
        occupied = Map.copyOf(byDevice);
    }

    /** In the words of the engines; a device that is divided is there by its parts only. */
    public List<Device> devices() {
        return known.devices().values().stream()
                .sorted(Comparator.comparing(
                                (Known.Device one) -> one.reading().identity().vendor())
                        .thenComparingInt(one -> one.reading().identity().index())
                        .thenComparing(one -> one.reading().identity().id()))
                .map(this::device)
                .toList();
    }

    private Device device(Known.Device known) {
        Reading.Identity identity = known.reading().identity();
        boolean halved = identity.vendor().equals("ascend");
        var device = new Device(
                identity.id(),
                identity.model(),
                identity.vendor(),
                identity.index(),
                numaNode(identity.bus()),
                halved ? identity.index() / BOARD + (identity.index() % BOARD < HALF ? "a" : "b") : null,
                false,
                null);
        return device.at(identity.bus(), identity.parent())
                .judged(known.fault() != null ? known.fault() : occupied.get(identity.id()), known.checked());
    }

    private static @Nullable Integer numaNode(@Nullable String bus) {
        if (bus == null) {
            return null;
        }
        String address = String.valueOf(Device.bus(bus));
        try {
            String node = Files.readString(Path.of("/sys/bus/pci/devices", address, "numa_node"))
                    .strip();
            return node.startsWith("-") ? null : Integer.valueOf(node);
        } catch (IOException | NumberFormatException e) {
            return null; // it is on no bus that this system shows
        }
    }

    public Future<Void> close() {
        closed = true;
        threads.forEach(Thread::interrupt);
        return Future.succeededFuture();
    }
}
