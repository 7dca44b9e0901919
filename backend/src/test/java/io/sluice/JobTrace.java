package io.sluice;

import io.sluice.database.Peek;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All that is known of a job, so that a failure explains itself: its rows, its runs' folders, the queue, what the gateway said. */
final class JobTrace {
    private static final int LINES = 40;

    private final Path data;
    private final List<String> lines = new ArrayList<>();

    private JobTrace(Path data) {
        this.data = data;
    }

    static String of(Household house, String job) throws IOException {
        var trace = new JobTrace(house.data());
        trace.rows("all", "SELECT count(*) || ' jobs ' || state FROM jobs GROUP BY state");
        trace.rows("leader", "SELECT row_to_json(l)::text FROM job_leader l");
        String name = "'" + job + "'";
        trace.rows("job", "SELECT row_to_json(j)::text FROM jobs j WHERE name = " + name);
        trace.rows(
                "ahead",
                "SELECT count(*) || ' are queued before it' FROM jobs a, jobs b WHERE b.name = " + name
                        + " AND a.id < b.id AND a.state = 'queued'");
        String id = " (SELECT id FROM jobs WHERE name = " + name + ")";
        trace.rows("task", "SELECT row_to_json(t)::text FROM tasks t WHERE job_id =" + id + " ORDER BY t.id");
        trace.rows(
                "event",
                "SELECT at || ' ' || reason || ': ' || message FROM job_events WHERE job_id =" + id + " ORDER BY id");
        for (var run : Peek.rows(trace.data, "SELECT run_name FROM tasks WHERE job_id =" + id)) {
            trace.run(run);
        }
        trace.rows(
                "queries",
                "SELECT row_to_json(a)::text FROM (SELECT pid, state, wait_event, xact_start, query FROM"
                        + " pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()) a");
        trace.said(house.errors());
        return String.join("\n", trace.lines);
    }

    private void rows(String title, String sql) throws IOException {
        Peek.rows(data, sql).forEach(row -> lines.add(title + ": " + row));
    }

    private void run(String name) throws IOException {
        Path engine = data.resolve("engine");
        lines.add("run: " + name);
        file(engine.resolve("ended").resolve(name));
        Path folder = engine.resolve("runs").resolve(name);
        for (var file : List.of("about.json", "claim", "stop", "status", "said", "died", "supervisor.log", "forced")) {
            file(folder.resolve(file));
        }
    }

    private void file(Path file) throws IOException {
        if (Files.isRegularFile(file)) {
            lines.add("  " + file.getFileName() + " " + Files.getLastModifiedTime(file) + ": "
                    + Files.readString(file).strip().replace("\n", " | "));
        }
    }

    private void said(Path errors) throws IOException {
        if (Files.exists(errors)) {
            try (Stream<String> all = Files.lines(errors)) {
                var said = all.toList();
                said.subList(Math.max(0, said.size() - LINES), said.size()).forEach(line -> lines.add("said: " + line));
            }
        }
    }
}
