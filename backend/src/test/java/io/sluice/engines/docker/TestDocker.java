package io.sluice.engines.docker;

import io.sluice.engines.Engine;
import io.sluice.engines.EngineTasks;
import io.sluice.engines.Node;
import io.sluice.engines.Task;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Docker engine's gateway side. */
final class TestDocker extends EngineTasks {

    /** Tests have their registries on this machine. */
    private static final DockerSettings.Fence OPEN_REGISTRIES =
            new DockerSettings.Fence(List.of(), List.of("127.0.0.1"), false);

    final DockerEngine engine;
    final Node node;

    TestDocker(Path folder, String host) throws IOException {
        this(folder, host, Path.of("/"));
    }

    TestDocker(Path folder, String host, Path root) throws IOException {
        this(folder, settings(folder, host, root, 0, OPEN_REGISTRIES));
    }

    TestDocker(Path folder, String host, long diskBytes) throws IOException {
        this(folder, settings(folder, host, Path.of("/"), diskBytes, OPEN_REGISTRIES));
    }

    TestDocker(Path folder, DockerSettings settings) throws IOException {
        super(folder);
        this.engine = DockerEngine.open(vertx, settings, registry, List::of).await();
        this.node = engine.inventory().await().nodes().getFirst();
        listen();
    }

    TestDocker(Path folder, String host, DockerSettings.Fence fence) throws IOException {
        this(folder, settings(folder, host, Path.of("/"), 0, fence));
    }

    private static DockerSettings settings(
            Path folder, String host, Path root, long diskBytes, DockerSettings.Fence fence) {
        return new DockerSettings(
                folder.resolve("engine"),
                host,
                null,
                folder.resolve("homes"),
                folder.resolve("shared"),
                folder.resolve("common"),
                List.of(),
                root,
                "198.19.0.0/16",
                diskBytes,
                fence);
    }

    /** Until a task that is started now begins in a namespace made ahead. */
    void untilHeld() {
        until("networks that are held open", () -> registry.getSampleValue("sluice_docker_networks_open") >= 2);
    }

    /** Of the tasks, how many found one so. */
    double held() {
        var given = registry.getSampleValue(
                "sluice_docker_networks_given_total", new String[] {"how"}, new String[] {"held"});
        return given == null ? 0 : given;
    }

    /** A gateway that ends waits ten seconds for that, and leaves the rest to the next one; a test has had many tasks at once. */
    @Override
    protected void settle() {
        until("namespaces to be taken away", () -> registry.getSampleValue("sluice_docker_holders") <= 2);
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public Task task(String name, String script) {
        return task(name, script, TestDaemon.IMAGE, Map.of(), Map.of(), 0);
    }

    Task task(
            String name,
            String script,
            String image,
            Map<String, String> labels,
            Map<String, String> environment,
            int memoryMB) {
        var all = new HashMap<>(Map.of("job", "j1", "role", "wörker"));
        all.putAll(labels);
        return new Task(
                name,
                all,
                node.name(),
                script,
                environment,
                new Task.Image(image, null, null),
                1,
                memoryMB,
                64,
                List.of(),
                Map.of(),
                List.of(new Task.Mount(home, "/userhome", false), new Task.Mount(shared, "/gdata", true)),
                logs.resolve(name));
    }
}
