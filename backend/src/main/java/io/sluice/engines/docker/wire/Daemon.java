package io.sluice.engines.docker.wire;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Speaks with the Docker engine: on virtual threads, so many at once, each call within its time. */
public final class Daemon {

    public static final Duration SHORT = Duration.ofSeconds(10);
    public static final Duration LONG = Duration.ofSeconds(60);
    private static final int AT_ONCE = 32;
    private static final int MOST = 4096;
    private static final long PATIENCE_SECONDS = 30;

    private final Address address;
    private final WireMetrics metrics;
    private final Wire wire;
    private final DockerClient client;
    private final Semaphore turns = new Semaphore(AT_ONCE, true);
    private final AtomicInteger calls = new AtomicInteger();
    private final ScheduledExecutorService alarms = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sluice-docker-limits").factory());

    /** @param folder in which nothing else is */
    public Daemon(Vertx vertx, Address address, Path folder, CollectorRegistry registry) {
        this.address = address;
        this.metrics = new WireMetrics(registry);
        // an empty folder of its own: whatever the gateway's user has in ~/.docker is no task's business
        var config = DefaultDockerClientConfig.createDefaultConfigBuilder()
                .withDockerHost("unix:///docker")
                .withDockerTlsVerify(false)
                .withDockerConfig(folder.resolve("config").toString())
                .build();
        this.wire = Wire.to(vertx, address);
        this.client = DockerClientImpl.getInstance(config, wire);
    }

    public Address address() {
        return address;
    }

    /** Runs work that asks the engine, away from the caller's thread. */
    public <T> Future<T> run(Callable<T> work) {
        if (calls.get() >= MOST) {
            metrics.refused();
            return Future.failedFuture(new Unavailable("the engine has " + MOST + " calls to answer already", null));
        }
        metrics.calls(calls.incrementAndGet());
        Promise<T> promise = Promise.promise();
        Thread.ofVirtual().name("sluice-docker").start(() -> {
            try {
                promise.complete(inTurn(work));
            } catch (DockerException e) {
                promise.fail(new Unavailable("the Docker engine: " + said(e), e));
            } catch (RuntimeException e) {
                promise.fail(e);
            } catch (Exception e) {
                promise.fail(new Unavailable("the Docker engine: " + e.getMessage(), e));
            } finally {
                metrics.calls(calls.decrementAndGet());
            }
        });
        return promise.future();
    }

    /** On a virtual thread, where a call that takes too long can be ended: it closes its socket when it is interrupted. */
    public static <T> Future<T> apart(Callable<T> work) {
        Promise<T> promise = Promise.promise();
        Thread.ofVirtual().name("sluice-docker").start(() -> {
            try {
                promise.complete(work.call());
            } catch (Exception e) { // whatever it is, the caller hears of it
                promise.fail(e);
            }
        });
        return promise.future();
    }

    private <T> T inTurn(Callable<T> work) throws Exception {
        if (!turns.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            metrics.refused();
            throw new Unavailable("the Docker engine has been busy for " + PATIENCE_SECONDS + " s", null);
        }
        try {
            return work.call();
        } finally {
            turns.release();
        }
    }

    /**
     * One call, on this thread.
     *
     * @throws DockerException what the engine answered
     * @throws Unavailable when it did not
     */
    public <T> T ask(String what, Duration limit, Function<DockerClient, T> call) {
        long from = System.nanoTime();
        var alarm = new Alarm(Thread.currentThread());
        var timer = alarms.schedule(alarm, limit.toMillis(), TimeUnit.MILLISECONDS);
        var result = "ok";
        try {
            return call.apply(client);
        } catch (DockerException e) {
            result = "" + e.getHttpStatus();
            throw e;
        } catch (RuntimeException e) {
            result = alarm.rang() ? "late" : "broken";
            var why = alarm.rang() ? "did not answer within " + limit.toSeconds() + " s" : "can not be reached: " + e;
            throw new Unavailable("The Docker engine at " + address + " " + why + " (" + what + ").", e);
        } finally {
            timer.cancel(false);
            alarm.off();
            metrics.called(what, result, System.nanoTime() - from);
        }
    }

    /** A call that becomes a connection to a program: whoever makes one ends it. */
    public Conversation talk(String what, Duration limit, String path, byte[] body) {
        return ask(what, limit, client -> wire.talk(path, body));
    }

    /** A call with bytes; what it answers. */
    public String post(String what, Duration limit, String path, byte[] body) {
        return ask(what, limit, client -> wire.post(path, body));
    }

    /** Takes a container away, with what it has written, and the volumes that only it used. */
    public void removeContainer(String id) {
        ask(
                "remove",
                LONG,
                client -> client.removeContainerCmd(id)
                        .withRemoveVolumes(true)
                        .withForce(true)
                        .exec());
    }

    /** For calls that go on: whoever makes one ends it. */
    public DockerClient client() {
        return client;
    }

    public void close() {
        alarms.shutdownNow();
    }

    /** What the engine itself said, in one line. */
    public static String said(DockerException e) {
        var message = e.getMessage() == null ? "" : e.getMessage();
        int begin = message.indexOf("{\"message\":\"");
        var words = begin < 0 ? message : message.substring(begin + "{\"message\":\"".length());
        return words.replaceAll("\"}\\s*$", "")
                .replace("\\\"", "\"")
                .replaceAll("\\s+", " ")
                .strip();
    }

    /** Wakes a thread that waits for too long; an interrupted thread's socket is closed. */
    private static final class Alarm implements Runnable {
        private final Thread caller;
        private boolean rang;
        private boolean over;

        Alarm(Thread caller) {
            this.caller = caller;
        }

        @Override
        public synchronized void run() {
            if (!over) {
                rang = true;
                caller.interrupt();
            }
        }

        synchronized boolean rang() {
            return rang;
        }

        synchronized void off() {
            over = true;
            if (rang) {
                var unused = Thread.interrupted();
            }
        }
    }
}
