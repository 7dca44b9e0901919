package io.sluice.logs;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.Reader;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** The log's panel on a job's page: the last screen as HTML, complete without a program, and what the viewer needs to go on. */
final class PanelRoutes {
    private static final String PANEL = "logs/panel.jte";
    private static final int SCREEN = 64 << 10;
    private static final int LINES = 200;
    private static final int TASKS = 200;
    private static final String CONTROLS =
            "\u001b\\[[0-?]*[ -/]*[@-~]|\u001b[\\]PX^_][^\u0007\u001b]*(\u0007|\u001b\\\\)?|\u001b.?|[\\p{Cc}&&[^\\n\\t]]";

    private final Logs logs;
    private final Jobs jobs;

    PanelRoutes(Logs logs, Jobs jobs) {
        this.logs = logs;
        this.jobs = jobs;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs/:job/panels/log", this::panel).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found.");
        }
        Optional<Integer> attempt = number(call, "attempt");
        int index = number(call, "index").orElse(0);
        return jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1))
                .compose(job -> jobs.detail(job, attempt.orElse(null)))
                .compose(detail -> {
                    String role = call.query("role")
                            .orElse(detail.spec().roles().getFirst().name());
                    return page(call, detail, role, index, number(call, "try"));
                })
                .map(page -> Reply.page(PANEL, page));
    }

    private Future<LogPanel> page(Call call, JobDetail detail, String role, int index, Optional<Integer> taskAttempt) {
        Job job = detail.job();
        int newest = detail.tasks(role).stream()
                .filter(task -> task.index() == index)
                .map(JobDetail.Task::attempt)
                .findFirst()
                .orElse(0);
        var task = new Logs.Task(
                job.user(), job.name(), detail.attempt().number(), role, index, taskAttempt.orElse(newest));
        return logs.find(call.caller(), task)
                .compose(log -> logs.worker().run(() -> {
                    var gone = log.file().gone();
                    return gone.isPresent() ? LogPanel.without(job, role, index, gone.get()) : page(log, detail);
                }))
                .recover(failure ->
                        failure instanceof Problem missing && missing.code().equals("NoTaskLogError")
                                ? Future.succeededFuture(LogPanel.without(job, role, index, null))
                                : Future.failedFuture(failure));
    }

    /** What can be chosen: the tasks that have begun, and the attempt that is shown. */
    private static String tasks(Log shown, JobDetail detail) {
        var tasks = new LinkedHashMap<String, String>();
        tasks.put(shown.path() + "/log", label(shown.task()));
        detail.tasks().stream()
                .filter(task -> task.launched() != null)
                .limit(TASKS)
                .map(task -> new Log(shown.job(), shown.attempt(), task, shown.file()))
                .forEach(log -> tasks.putIfAbsent(log.path() + "/log", label(log.task())));
        var list = new JsonArray();
        tasks.forEach(
                (path, label) -> list.add(new JsonObject().put("src", path).put("label", label)));
        return list.encode();
    }

    private static String label(JobDetail.Task task) {
        return task.role() + " " + task.index() + (task.attempt() == 0 ? "" : " · " + (task.attempt() + 1));
    }

    private static LogPanel page(Log log, JobDetail detail) throws IOException {
        LogFile file = log.file();
        try (var reader = new Reader(file)) {
            long size = reader.size();
            long begin = Math.max(0, size - SCREEN);
            ByteBuffer screen = ByteBuffer.allocate((int) (size - begin));
            reader.read(begin, screen);
            int count = screen.position();
            int start = start(screen.array(), count, begin > 0);
            String text = new String(screen.array(), start, count - start, StandardCharsets.UTF_8);
            var exit = log.task().exit();
            List<Gaps.Gap> gaps = reader.gaps();
            return new LogPanel(
                    log.job().key(),
                    log.path(),
                    log.task().role(),
                    log.task().index(),
                    size,
                    begin + start,
                    Gaps.gone(gaps),
                    gaps.stream().anyMatch(gap -> gap.from() == gap.to()),
                    log.isEnded(),
                    log.exitCode(),
                    exit == null ? null : exit.offset(),
                    plain(text),
                    tasks(log, detail),
                    detail.tasks().stream()
                            .filter(task -> task.launched() != null)
                            .count(),
                    null);
        }
    }

    /** Where the last lines begin, and never within a character. */
    private static int start(byte[] screen, int count, boolean cutOff) {
        int lines = 0;
        for (int at = count - 1; at > 0; at--) {
            if (screen[at - 1] == '\n' && ++lines >= LINES) {
                return at;
            }
        }
        int start = 0;
        while (cutOff && start < count && (screen[start] & 0xC0) == 0x80) {
            start++;
        }
        return start;
    }

    /** A line that was written over is what it was at last; colours and everything else a terminal would obey is left out. */
    static String plain(String text) {
        return text.replace("\r\n", "\n")
                .replaceAll("(?dm)^[^\\n]*\\r(?=[^\\n])", "")
                .replaceAll(CONTROLS, "");
    }

    private static Optional<Integer> number(Call call, String name) {
        return call.query(name).filter(text -> !text.isEmpty()).map(text -> {
            if (!text.matches("\\d{1,9}")) {
                throw Problem.invalid(name + " is a number.");
            }
            return Integer.valueOf(text);
        });
    }
}
