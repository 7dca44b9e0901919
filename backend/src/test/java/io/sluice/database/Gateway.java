package io.sluice.database;

import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A process of its own that opens the data folder and its database like the real gateway, for tests to kill. */
final class Gateway implements AutoCloseable {

    /** PostgreSQL's programs for other machines, which are large. */
    private static final Pattern FOREIGN = Pattern.compile("binaries-(darwin|linux-arm)");

    private static final long LIMIT_SECONDS = 90;

    private final Process process;
    private final BufferedReader said;

    private Gateway(Process process) {
        this.process = process;
        this.said = process.inputReader();
    }

    public static void main(String[] arguments) {
        try {
            var data = DataFolder.open(Path.of(arguments[0]));
            var vertx = Vertx.vertx();
            var database = Database.open(vertx, Database.Settings.of(data.path(), null))
                    .await();
            say("ready");
            // the input ends when the test says stop, or is gone
            while (System.in.read() >= 0) {}
            database.close().await();
            // not vertx: once it waited for ever for a connection that was closed while it was being made; the exit
            // ends it
            say("stopped");
        } catch (DataFolder.Unusable | Database.Unavailable e) {
            say(String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            say(e.toString());
        }
        System.exit(0);
    }

    @SuppressWarnings("SystemOut")
    private static void say(String line) {
        System.out.println(line);
    }

    static Gateway start(Path data) throws IOException {
        return start(data, List.of(), classPath());
    }

    static Gateway startAs(int uid, Path data, String classPath) throws IOException {
        return start(data, List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups"), classPath);
    }

    /** For another user: ours may lie in a folder that only we can read. */
    static String copyOfClassPath(Path scratch) throws IOException, InterruptedException {
        var copies = new ArrayList<String>();
        for (var entry : classPath().split(":")) {
            if (Files.exists(Path.of(entry)) && !FOREIGN.matcher(entry).find()) {
                var copy = scratch.resolve("class-path-" + copies.size());
                new ProcessBuilder("cp", "-r", entry, copy.toString()).start().waitFor();
                copies.add(copy.toString());
            }
        }
        return String.join(":", copies);
    }

    private static Gateway start(Path data, List<String> prefix, String classPath) throws IOException {
        var command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                Gateway.class.getName(),
                data.toString()));
        return new Gateway(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    long pid() {
        return process.pid();
    }

    /** Waits for its next line; null when it has ended. One that says nothing is ended. */
    @Nullable
    String line() throws IOException {
        var late = CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS));
        try {
            return said.readLine();
        } finally {
            late.cancel(false);
        }
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    String stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        var last = String.valueOf(line());
        process.waitFor();
        return last;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
