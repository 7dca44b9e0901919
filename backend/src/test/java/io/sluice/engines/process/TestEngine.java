package io.sluice.engines.process;

import io.sluice.engines.Engine;
import io.sluice.engines.EngineTasks;
import io.sluice.engines.Node;
import io.sluice.engines.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A process engine. */
final class TestEngine extends EngineTasks {

    final ProcessEngine engine;
    final Node node;

    TestEngine(Path folder) throws IOException {
        super(folder);
        this.engine = ProcessEngine.open(
                        vertx,
                        new ProcessEngine.Settings(
                                folder.resolve("engine"), List.of(folder), "8xAscend910B,4xH100", null),
                        registry)
                .await();
        this.node = engine.inventory().await().nodes().getFirst();
        listen();
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public Task task(String name, String script) {
        return task(name, script, Map.of(), Map.of(), 0);
    }

    Task task(
            String name,
            String script,
            Map<String, String> environment,
            Map<String, List<Integer>> ports,
            int memoryMB) {
        return new Task(
                name,
                Map.of("job", "j1", "role", "wörker"),
                node.name(),
                script,
                environment,
                null,
                1,
                memoryMB,
                64,
                List.of(),
                ports,
                List.of(new Task.Mount(home, "/userhome", false), new Task.Mount(shared, "/gdata", true)),
                logs.resolve(name));
    }

    /** Numbers of living processes whose command line has this word. */
    static List<Long> processes(String word) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process.pid()).contains(word))
                .map(ProcessHandle::pid)
                .toList();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline")).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }
}
