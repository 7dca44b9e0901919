package io.sluice.telemetry.door;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.telemetry.door.Words.Word;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** What somebody may ask: an administrator anything, everybody else what the dashboards of jobs and users ask, about what is theirs. */
final class Questions {
    /** Dashboards whose every expression is about one job or one user. */
    static final List<String> DASHBOARDS = List.of("job", "user");

    private static final Pattern PLAIN = Pattern.compile("[\\w.-]{1,64}~[\\w.-]{1,255}");
    private static final long SHORTEST_SECONDS = 60;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param since nothing older is told */
    record Question(String expression, Instant since) {}

    private final Jobs jobs;
    private final List<Panel> panels;

    Questions(Jobs jobs) {
        this.jobs = jobs;
        this.panels = panels();
    }

    /** As they lie in the folder {@code grafana}; and what Grafana asks to see whether its data source is there. */
    static List<Panel> panels() {
        List<Panel> panels = new ArrayList<>(List.of(Panel.of("1+1")));
        for (String dashboard : DASHBOARDS) {
            try (InputStream text =
                    Questions.class.getResourceAsStream("/io/sluice/telemetry/dashboards/" + dashboard + ".json")) {
                JsonNode read = JSON.readTree(Objects.requireNonNull(text, dashboard));
                read.findValuesAsText("expr").forEach(expression -> panels.add(about(expression)));
            } catch (IOException e) {
                throw new UncheckedIOException("the dashboard " + dashboard + " can not be read", e);
            }
        }
        return List.copyOf(panels);
    }

    private static Panel about(String expression) {
        if (!expression.contains(Panel.JOB) && !expression.contains(Panel.USER)) {
            throw new IllegalStateException("an expression about everybody: " + expression);
        }
        return Panel.of(expression);
    }

    /** @param at the last time that is asked about */
    Future<Question> of(Viewer viewer, String expression, Instant at) {
        if (viewer.caller().admin()) {
            return Future.succeededFuture(new Question(expression, Instant.EPOCH));
        }
        List<Word> words = Words.of(expression);
        for (Panel panel : panels) {
            Optional<Map<String, String>> gaps = panel.filled(words);
            if (gaps.isPresent()) {
                return since(viewer, gaps.get())
                        .map(since -> new Question(panel.written(within(gaps.get(), since, at)), since));
            }
        }
        return Future.failedFuture(Problem.of(
                Problem.Kind.FORBIDDEN,
                "This is not what a panel of the dashboards Job and User asks. Administrators may ask anything; everybody else"
                        + " has these two dashboards, for their own jobs."));
    }

    /** The series of which somebody may have lists: those that say which jobs are theirs. */
    static String own(Caller caller) {
        return "job_info{user=\"" + plain(caller.name()) + "\"}";
    }

    private Future<Instant> since(Viewer viewer, Map<String, String> gaps) {
        String user = gaps.get(Panel.USER);
        if (user != null && !user.equals(viewer.caller().name())) {
            return Future.failedFuture(
                    Problem.of(Problem.Kind.FORBIDDEN, "What " + user + " does is not yours to see. Choose yourself."));
        }
        String job = gaps.get(Panel.JOB);
        if (job == null) {
            return Future.succeededFuture(user == null ? Instant.EPOCH : viewer.since());
        }
        if (!PLAIN.matcher(job).matches()) {
            return Future.failedFuture(Jobs.noJob(job, ""));
        }
        int tilde = job.indexOf('~');
        return jobs.job(viewer.caller(), job.substring(0, tilde), job.substring(tilde + 1))
                .map(Job::submitted);
    }

    static Map<String, String> within(Map<String, String> gaps, Instant since, Instant at) {
        Map<String, String> shorter = new LinkedHashMap<>(gaps);
        long most = Math.max(SHORTEST_SECONDS, Duration.between(since, at).toSeconds());
        shorter.replaceAll(
                (gap, filling) -> Panel.isTime(gap) ? Math.min(most, Panel.seconds(filling)) + "s" : filling);
        return shorter;
    }

    private static String plain(String name) {
        if (!name.matches("[\\w.-]{1,64}")) {
            throw new IllegalStateException("a user whose name would have to be escaped");
        }
        return name;
    }
}
