package io.sluice;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.docker.DockerEngine;
import io.sluice.engines.process.ProcessEngine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Which engine runs the tasks here. */
record Engines(Settings settings, Vertx vertx, CollectorRegistry registry) {
    private static final System.Logger LOG = System.getLogger(Engines.class.getName());

    Future<? extends Engine> open(Supplier<List<Device>> devices) {
        Path data = settings.data();
        var process =
                new ProcessEngine.Settings(data.resolve("engine"), List.of(data), settings.simulatedDevices(), null);
        return usesDocker()
                ? DockerEngine.open(vertx, settings.docker(), registry, devices)
                : ProcessEngine.open(vertx, process, registry, devices);
    }

    /** That {@code auto} found Docker is kept: tasks that one engine runs are not known to another. */
    private boolean usesDocker() {
        if (!settings.engine().equals("auto")) {
            return settings.engine().equals("docker");
        }
        Path chosen = settings.data().resolve("engine-kind");
        try {
            if (Files.exists(chosen)) {
                return Files.readString(chosen).strip().equals("docker");
            }
            boolean ran = Files.isDirectory(settings.data().resolve("engine").resolve("runs"));
            boolean docker = !ran && Server.await(DockerEngine.answers(vertx, settings.docker()));
            if (docker) {
                Files.writeString(chosen, "docker\n");
                LOG.log(System.Logger.Level.INFO, "engine=docker chosen=auto");
            }
            return docker;
        } catch (IOException e) {
            throw new Server.NotStarted(chosen + " can not be written: " + e.getMessage(), e);
        }
    }
}
