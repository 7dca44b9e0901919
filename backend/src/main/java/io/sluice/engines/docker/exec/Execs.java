package io.sluice.engines.docker.exec;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import io.sluice.engines.Command;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Exec;
import io.sluice.engines.docker.wire.Conversation;
import io.sluice.engines.docker.wire.Daemon;
import io.sluice.engines.pipes.Limit;
import io.vertx.core.Context;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Starts programs inside of containers, with the rights, the limits and the environment that the container has. */
public final class Execs {

    private static final System.Logger LOG = System.getLogger(Execs.class.getName());

    /** The engine can not end what it has started inside, so the program says first by which number it can be ended. */
    private static final String BEGIN = "echo \"$$\"; exec \"$@\"";

    private final Daemon daemon;
    private final Limit limit;

    /** @param gauge is told how many run */
    public Execs(Daemon daemon, IntConsumer gauge) {
        this.daemon = daemon;
        this.limit = new Limit(gauge);
    }

    /** On a thread that may wait. */
    public Exec start(String container, Command command, Context context) throws InterruptedException {
        limit.take();
        try {
            var id = create(container, command);
            var running = new Running(daemon, container, id, talk(id, command), command.screen() != null, context);
            running.begin(limit::free);
            fit(running, command.screen());
            return running;
        } catch (NotFoundException | ConflictException e) {
            limit.free();
            throw new IllegalStateException("it does not run: " + container, e);
        } catch (RuntimeException e) {
            limit.free();
            throw e;
        }
    }

    /** Engines before 23 do not know the size with which a program begins. One that has ended already needs none. */
    private static void fit(Running running, Command.@Nullable Screen screen) {
        if (screen != null) {
            try {
                running.fit(screen);
            } catch (DockerException | Unavailable e) {
                LOG.log(System.Logger.Level.DEBUG, "exec=not-fitted cause=\"{0}\"", e.getMessage());
            }
        }
    }

    private String create(String container, Command command) {
        var words = new ArrayList<>(List.of("sh", "-c", BEGIN, "sluice"));
        words.addAll(command.words());
        var environment = new ArrayList<String>();
        if (command.screen() != null) {
            environment.add("TERM=xterm-256color");
        }
        command.environment().forEach((name, value) -> environment.add(name + "=" + value));
        return daemon.ask(
                "exec",
                Daemon.SHORT,
                client -> client.execCreateCmd(container)
                        .withAttachStdin(true)
                        .withAttachStdout(true)
                        .withAttachStderr(true)
                        .withTty(command.screen() != null)
                        .withEnv(environment)
                        .withCmd(words.toArray(String[]::new))
                        .exec()
                        .getId());
    }

    private Conversation talk(String id, Command command) {
        var screen = command.screen();
        var body = screen == null
                ? "{\"Detach\":false,\"Tty\":false}"
                : "{\"Detach\":false,\"Tty\":true,\"ConsoleSize\":[" + screen.rows() + "," + screen.columns() + "]}";
        return daemon.talk("exec-start", Daemon.SHORT, "/exec/" + id + "/start", body.getBytes(StandardCharsets.UTF_8));
    }
}
