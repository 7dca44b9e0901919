package io.sluice.endpoints.ssh;

import io.sluice.endpoints.ssh.files.FileService;
import io.sluice.endpoints.ssh.files.Taker;
import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.sshd.common.channel.RequestHandler.Result;
import org.apache.sshd.common.util.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** A shell, a command or the files of a task. Agents and X11 are not forwarded: they would be the user's own machine, within a job's reach. */
final class SessionChannel extends TaskChannel {
    private static final System.Logger LOG = System.getLogger(SessionChannel.class.getName());
    private static final Pattern VARIABLE = Pattern.compile("LANG|LANGUAGE|LC_[A-Z]{1,20}|COLORTERM|NO_COLOR|TZ");
    private static final Pattern TERM = Pattern.compile("[A-Za-z0-9._+-]{1,64}");
    private static final Set<String> SIGNALS =
            Set.of("ABRT", "ALRM", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "QUIT", "SEGV", "TERM", "USR1", "USR2");
    private static final int MOST_VARIABLES = 32;
    private static final int LONGEST_VARIABLE = 1_024;
    private static final int LONGEST_COMMAND = 96 << 10;
    private static final int MOST_COLUMNS = 1_000;
    /** So long what a program has left behind may go on talking after its end. */
    private static final long AFTERTHOUGHT_SECONDS = 3;

    private static final int NOT_STARTED = 255;
    private static final io.vertx.core.buffer.Buffer END_KEY = io.vertx.core.buffer.Buffer.buffer("\u0004");

    private final Ssh.Task task;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final String mark = UUID.randomUUID().toString();
    private Command.@Nullable Screen screen;
    private @Nullable Kind kind;
    private String term = "xterm-256color";
    private byte[] words = {};
    private boolean begun;
    private @Nullable Exec exec;
    private @Nullable FileService files;
    /** Those that are to be sent yet, each once; the first is on its way. */
    private final Set<String> signals = new LinkedHashSet<>();

    SessionChannel(Connection connection, Ssh.Task task) {
        super(connection, task.metrics());
        this.task = task;
    }

    @Override
    protected Result handleInternalRequest(String type, boolean wantReply, Buffer buffer) throws IOException {
        return switch (type) {
            case "env" -> variable(buffer.getString(), buffer.getString());
            case "pty-req" -> terminal(buffer.getString(), buffer.getInt(), buffer.getInt());
            case "window-change" -> resize(screen(buffer.getInt(), buffer.getInt()));
            case "signal" -> signal(buffer.getString());
            case "shell" -> program(Kind.SHELL, new byte[0]);
            case "exec" -> program(Kind.COMMAND, buffer.getBytes());
            case "subsystem" ->
                buffer.getString().equals("sftp") ? program(Kind.FILES, new byte[0]) : Result.ReplyFailure;
            default -> super.handleInternalRequest(type, wantReply, buffer);
        };
    }

    private Result variable(String name, String value) {
        boolean fits = VARIABLE.matcher(name).matches()
                && value.length() <= LONGEST_VARIABLE
                && value.chars().allMatch(one -> one >= ' ' && one < 127)
                && environment.size() < MOST_VARIABLES;
        if (fits && !begun) {
            environment.put(name, value);
        }
        return fits ? Result.ReplySuccess : Result.ReplyFailure;
    }

    private Result terminal(String term, int columns, int rows) {
        screen = screen(columns, rows);
        if (TERM.matcher(term).matches()) {
            this.term = term;
        }
        return Result.ReplySuccess;
    }

    private static Command.Screen screen(int columns, int rows) {
        return new Command.Screen(
                columns <= 0 ? 80 : Math.min(columns, MOST_COLUMNS), rows <= 0 ? 24 : Math.min(rows, MOST_COLUMNS));
    }

    private Result resize(Command.Screen size) {
        onContext(() -> {
            Exec running = exec;
            if (running != null && screen != null) {
                running.resize(size).onFailure(SessionChannel::note);
            }
        });
        return Result.ReplySuccess;
    }

    private Result signal(String name) {
        if (!SIGNALS.contains(name)) {
            return Result.ReplyFailure;
        }
        onContext(() -> {
            if (exec != null && signals.add(name) && signals.size() == 1) {
                send(name);
            }
        });
        return Result.ReplySuccess;
    }

    /** One after the other: each is a program for a moment. */
    private void send(String name) {
        task.exec(connection(), new Command(Scripts.signal(mark, name), Map.of(), null))
                .compose(sent -> Exec.whole(sent, 1_000))
                .onFailure(SessionChannel::note)
                .onComplete(done -> onContext(() -> {
                    signals.remove(name);
                    if (!isGone()) {
                        signals.stream().findFirst().ifPresent(this::send);
                    }
                }));
    }

    private Result program(Kind wanted, byte[] command) {
        if (kind != null || command.length > LONGEST_COMMAND) {
            return Result.ReplyFailure;
        }
        kind = wanted;
        words = command;
        return Result.ReplySuccess;
    }

    /** Nothing is to be told before the client has heard that it gets what it asked for. */
    @Override
    protected org.apache.sshd.common.io.IoWriteFuture sendResponse(
            Buffer buffer, String type, Result result, boolean wantReply) throws IOException {
        var sent = super.sendResponse(buffer, type, result, wantReply);
        Kind wanted = kind;
        if (wanted != null && !begun) {
            begun = true;
            openOutput();
            onContext(() -> begin(wanted));
        }
        return sent;
    }

    private void begin(Kind wanted) {
        if (isGone()) {
            return;
        }
        if (!task.connections().reserve(connection().guest(), wanted)) {
            refuse("You have as many programs open here by SSH as one user may. Close one, and try again.");
            return;
        }
        addCloseFutureListener(closed -> task.connections().release(connection().guest(), wanted));
        Command command = wanted == Kind.FILES || FileService.isCopy(words) ? FileService.program() : command(wanted);
        task.exec(connection(), command)
                .onSuccess(started -> onContext(() -> started(started, wanted)))
                .onFailure(failure -> onContext(() -> refuse(failure)));
    }

    private Command command(Kind wanted) {
        Map<String, String> known = new LinkedHashMap<>(Map.of("SLUICE_SSH", mark));
        if (screen != null) {
            environment.putIfAbsent("COLORTERM", "truecolor");
            known.put("TERM", term);
        }
        List<String> program = wanted == Kind.SHELL ? Scripts.shell(screen != null) : Scripts.command(words);
        return new Command(Scripts.with(environment, program), known, screen);
    }

    private void started(Exec started, Kind wanted) {
        exec = started;
        if (isGone()) {
            left();
            return;
        }
        task.audit(connection(), wanted);
        if (wanted == Kind.FILES || FileService.isCopy(words)) {
            files(started, wanted == Kind.FILES);
        } else {
            run(started);
        }
    }

    private void files(Exec started, boolean whole) {
        var service = new FileService(started, this::tell, task.limits().files());
        files = service;
        taker(service.taker());
        Future<Integer> served = whole ? service.serve() : service.copy(words);
        served.onComplete(
                code -> onContext(() -> finish(code.succeeded() ? code.result() : Integer.valueOf(NOT_STARTED))));
    }

    private void run(Exec started) {
        taker(new Taker() {
            @Override
            public Future<Void> take(io.vertx.core.buffer.Buffer piece) {
                return started.input().write(piece);
            }

            @Override
            public void end() {
                // a terminal has no end but the key that says so: Docker would close its output with its input
                (screen == null ? started.input().end() : started.input().write(END_KEY))
                        .onFailure(SessionChannel::note);
            }
        });
        Future<Void> said = Future.all(pass(started.output(), false), pass(started.errors(), true))
                .mapEmpty();
        started.exit()
                .onComplete(code -> onContext(() -> {
                    int result = code.succeeded() ? code.result() : Integer.valueOf(137);
                    // what it has left in the background may hold the pipes for ever
                    long late = task.vertx().setTimer(1_000, tick -> wait(said, result));
                    said.onComplete(all -> onContext(() -> {
                        task.vertx().cancelTimer(late);
                        finish(result);
                    }));
                }));
    }

    private void wait(Future<Void> said, int result) {
        if (said.isComplete() || isGone()) {
            return;
        }
        if (connection().idleNanos() > TimeUnit.SECONDS.toNanos(AFTERTHOUGHT_SECONDS)) {
            onContext(() -> finish(result));
        } else {
            task.vertx().setTimer(1_000, tick -> wait(said, result));
        }
    }

    private void refuse(Throwable failure) {
        LOG.log(System.Logger.Level.INFO, "ssh=no-program cause=\"{0}\"", String.valueOf(failure.getMessage()));
        refuse(Place.why(failure, "The task does not run, or has just ended."));
    }

    private void refuse(String message) {
        task.metrics().channelsRefused.labels("no_task").inc();
        complain(io.vertx.core.buffer.Buffer.buffer(
                        ("sluice: " + message + (screen == null ? "\n" : "\r\n")).getBytes(StandardCharsets.UTF_8)))
                .onComplete(told -> onContext(() -> finish(NOT_STARTED)));
    }

    @Override
    void left() {
        Exec running = exec;
        FileService serving = files;
        if (serving != null) {
            serving.close();
        }
        if (running != null) {
            // the number of a program that has ended may be another's by now
            if (!running.exit().isComplete()) {
                running.end();
            }
            List.of(running.output(), running.errors()).forEach(stream -> {
                stream.handler(unheard -> {});
                stream.resume();
            });
        }
    }

    private static void note(Throwable failure) {
        LOG.log(System.Logger.Level.DEBUG, "ssh=program cause=\"{0}\"", String.valueOf(failure.getMessage()));
    }
}
