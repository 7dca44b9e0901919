package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A gateway's engine in a process of its own, that can be killed, or be another user's. */
final class EngineChild {

    private EngineChild() {}

    /** Arguments: folder, what to do (run, ask, fill, hold, stop), name, script. */
    public static void main(String[] arguments) throws IOException {
        var tasks = new TestEngine(Path.of(arguments[0]));
        var name = arguments[2];
        switch (arguments[1]) {
            case "run" -> {
                say(tasks.node);
                say(tasks.run(name, arguments[3]));
                tasks.close();
                System.exit(0);
            }
            case "ask" -> {
                say(tasks.node);
                say(tasks.engine.start(tasks.task(name, arguments[3])).await());
                tasks.close();
                System.exit(0);
            }
            case "fill" -> {
                fill(tasks, name);
                tasks.close();
                System.exit(0);
            }
            case "hold" -> {
                tasks.start(tasks.task(name, arguments[3]));
                say("started");
                while (true) {
                    LockSupport.park();
                }
            }
            case "stop" -> {
                tasks.start(tasks.task(name, arguments[3]));
                TestEngine.until("the task to be up", () -> tasks.log(name).contains("up"));
                tasks.engine.stop(name, Duration.ofSeconds(20)).await();
            }
            default -> throw new IllegalArgumentException(arguments[1]);
        }
    }

    /** A task ends while the disk is full, and there is room again later. */
    private static void fill(TestEngine tasks, String name) throws IOException {
        var wait = Files.createFile(tasks.home.resolve("wait"));
        var filler = tasks.folder.resolve("filler");
        tasks.start(tasks.task(name, "echo up; while [ -e wait ]; do sleep 0.05; done; exit 3"));
        tasks.untilLogged(name, "up");
        try (var out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            say("" + full.getMessage());
        }
        say(tasks.engine.start(tasks.task("late", "exit 0")).await());
        Files.delete(wait);
        TestEngine.until(
                "its end", () -> TestEngine.processes("begin " + tasks.folder).isEmpty());
        say(tasks.seen(name));
        Files.delete(filler);
        say(tasks.over(name));
    }

    private static void say(Object line) {
        System.out.println(line);
    }

    static ProcessBuilder command(List<String> before, String failpoint, String classPath, List<String> arguments) {
        var command = new ArrayList<>(before);
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", // its warning would stand among the words
                "-Dsluice.failpoint=" + failpoint,
                "-cp",
                classPath,
                EngineChild.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    /** Starts one and waits until it has died where it was told to. */
    static void dieAt(String failpoint, List<String> arguments) throws Exception {
        var child = command(List.of(), failpoint + ":kill", System.getProperty("java.class.path"), arguments)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as("killed at " + failpoint).isEqualTo(137);
    }
}
