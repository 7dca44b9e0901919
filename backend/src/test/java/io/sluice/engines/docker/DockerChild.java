package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A gateway's engine in a process of its own, that can be killed. */
final class DockerChild {

    private DockerChild() {}

    /** Arguments: folder, host, what to do (hold, stop; held: once it begins in a namespace made ahead), name, script. */
    public static void main(String[] arguments) throws IOException {
        var tasks = new TestDocker(Path.of(arguments[0]), arguments[1]);
        var name = arguments[3];
        if (arguments[2].equals("held")) {
            tasks.untilHeld();
        }
        tasks.start(tasks.task(name, arguments[4]));
        if (arguments[2].equals("stop")) {
            tasks.untilLogged(name, "up");
            tasks.engine.stop(name, Duration.ofSeconds(20)).await();
        }
        System.out.println("started");
        while (true) {
            LockSupport.park();
        }
    }

    static Process begin(String failpoint, String... arguments) throws IOException {
        var command = new java.util.ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dsluice.failpoint=" + failpoint,
                "-cp",
                System.getProperty("java.class.path"),
                DockerChild.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Starts one and waits until it has died where it was told to. */
    static void dieAt(String failpoint, String... arguments) throws Exception {
        var child = begin(failpoint + ":kill", arguments);
        try (var said = child.inputReader()) {
            assertThat(said.lines().toList()).doesNotContain("started");
        }
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as("killed at " + failpoint).isEqualTo(137);
    }
}
