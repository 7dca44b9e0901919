package io.sluice.engines.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The process that starts all. It begins with the first task, and again with the next one should it have been killed. */
final class Starter {

    static final String PROGRAM = "starter";
    /** The number of this call of the kernel, by processor. */
    private static final Map<String, Integer> PRCTL = Map.of("amd64", 157, "aarch64", 167);

    private static final int LONGEST_NAME = 300;
    private static final int TRIES = 2;
    private static final Logger LOG = System.getLogger(Starter.class.getName());

    private final List<String> command;
    private final Path log;
    private @Nullable Life life;

    /** @param given where what a run is to be told lies, in a folder of the run's name */
    Starter(Path program, Path skeleton, Path given, Path folder) {
        // a supervisor writes its run into its command line, which can not become longer than it was
        var room = "-".repeat(folder.toString().length() + LONGEST_NAME);
        this.command = List.of(
                "perl", program.toString(), System.getProperty("os.arch"), skeleton.toString(), given.toString(), room);
        this.log = folder.resolve("starter.log");
    }

    /** Whether this machine has what it takes. */
    static boolean isPossible(String path) {
        return !"shell".equals(System.getProperty("sluice.engine.starter")) && hasPerl(path);
    }

    private static boolean hasPerl(String path) {
        return PRCTL.containsKey(System.getProperty("os.arch"))
                && Stream.of(path.split(":")).anyMatch(place -> Files.isExecutable(Path.of(place, "perl")));
    }

    /**
     * What stands before a command whose descendants are to become its children when they lose their own parents: then none gets away from it by
     * starting anew. Empty where this machine has not what it takes.
     */
    static List<String> keepingOrphans(String path) {
        return hasPerl(path)
                ? List.of(
                        "perl",
                        "-e",
                        "syscall(%d, 36, 1, 0, 0, 0); exec @ARGV or die $!"
                                .formatted(PRCTL.get(System.getProperty("os.arch"))),
                        "--")
                : List.of();
    }

    /** Done when the run's supervisor has ended. One that dies just now is found out by writing to it. */
    synchronized CompletableFuture<Void> begin(Path run) throws IOException {
        for (int left = TRIES; ; left--) {
            var living = life != null && life.process.isAlive() ? life : new Life();
            life = living;
            try {
                return living.begin(run);
            } catch (IOException e) {
                living.process.destroyForcibly();
                life = null;
                if (left == 1) {
                    throw e;
                }
                LOG.log(Level.WARNING, "starter=gone cause=\"{0}\"", e.getMessage());
            }
        }
    }

    synchronized void close() {
        if (life != null) {
            life.process.destroy();
        }
    }

    /** One process, and those whom it started: who follows it when it dies has its own. */
    private final class Life {

        final Process process;
        private final Map<String, CompletableFuture<Void>> supervisors = new HashMap<>();

        Life() throws IOException {
            var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.to(log.toFile()));
            builder.environment().clear();
            builder.environment().put("PATH", Launcher.PATH);
            process = builder.start();
            Thread.ofPlatform().daemon().name("sluice-engine-starter").start(this::hear);
        }

        CompletableFuture<Void> begin(Path run) throws IOException {
            var ended = new CompletableFuture<Void>();
            synchronized (supervisors) {
                supervisors.put(run.toString(), ended);
            }
            try {
                process.getOutputStream().write((run + "\0").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            } catch (IOException e) {
                synchronized (supervisors) {
                    supervisors.remove(run.toString());
                }
                throw e;
            }
            return ended;
        }

        /** Which supervisors have ended. Of those whose starter has, nobody will tell: they are looked after as those of an earlier gateway. */
        private void hear() {
            try (var said = new BufferedInputStream(process.getInputStream())) {
                var run = new ByteArrayOutputStream();
                for (int next = said.read(); next >= 0; next = said.read()) {
                    if (next != 0) {
                        run.write(next);
                    } else {
                        ended(run.toString(StandardCharsets.UTF_8));
                        run.reset();
                    }
                }
            } catch (IOException e) {
                LOG.log(Level.WARNING, "starter=lost cause=\"{0}\"", e.getMessage());
            } finally {
                process.destroy();
                left().forEach(this::ended);
            }
        }

        private void ended(String run) {
            CompletableFuture<Void> supervisor;
            synchronized (supervisors) {
                supervisor = supervisors.remove(run);
            }
            if (supervisor != null) {
                supervisor.complete(null);
            }
        }

        private List<String> left() {
            synchronized (supervisors) {
                return List.copyOf(supervisors.keySet());
            }
        }
    }
}
