package io.sluice.telemetry.ranks;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.protocol.Distribution.Launcher;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Kept;
import io.sluice.telemetry.history.Lines;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The panel of ranks on the page of a job of several tasks. */
final class RanksRoutes {
    /** More are no table for people; whoever lags behind is among the first. */
    private static final int SHOWN = 128;

    private static final int LATELY = 60;
    private static final int SPARK = 120;

    private final Jobs jobs;
    private final History history;
    private final BiFunction<float[], Double, String> drawn;

    RanksRoutes(Jobs jobs, History history, BiFunction<float[], Double, String> drawn) {
        this.jobs = jobs;
        this.history = history;
        this.drawn = drawn;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs/:job/panels/ranks", this::panel).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Jobs.noJob(call.caller().name(), key);
        }
        return jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1))
                .compose(job -> jobs.detail(job, attempt(call)))
                .compose(detail -> history.of(
                                detail.tasks().stream().map(JobDetail.Task::id).toList())
                        .compose(kept -> panel(detail, kept)))
                .map(page -> Reply.page("telemetry/ranks.jte", page));
    }

    private static @Nullable Integer attempt(Call call) {
        return call.query("attempt")
                .map(text -> {
                    if (!text.matches("\\d{1,9}")) {
                        throw Problem.invalid("attempt is a number from 0.");
                    }
                    return Integer.valueOf(text);
                })
                .orElse(null);
    }

    /** Files are looked at, so it is done on a thread that may wait. */
    private Future<RanksPanel> panel(JobDetail detail, List<Kept> kept) {
        return Objects.requireNonNull(Vertx.currentContext()).executeBlocking(() -> read(detail, kept), false);
    }

    private RanksPanel read(JobDetail detail, List<Kept> kept) throws IOException {
        Gang gang = detail.gang();
        Map<Long, Kept> lines = kept.stream().collect(Collectors.toMap(Kept::task, Function.identity()));
        List<Rank> all = new ArrayList<>();
        for (JobDetail.Task task : detail.tasks()) {
            all.add(rank(detail, task, gang.member(task.role(), task.index()), lines.get(task.id())));
        }
        all.sort(Comparator.comparingInt(rank -> rank.first() < 0 ? Integer.MAX_VALUE : rank.first()));
        List<Rank> marked = Stragglers.marked(all, Instant.now());
        List<Rank> shown = marked.size() <= SHOWN
                ? marked
                : marked.stream()
                        .sorted(Comparator.comparing(rank -> rank.marks().isEmpty()))
                        .limit(SHOWN)
                        .toList();
        boolean processes = detail.spec().distribution().launcher() == Launcher.CARD;
        return new RanksPanel(detail.job(), detail.attempt().number(), shown, marked.size() - shown.size(), processes);
    }

    private Rank rank(JobDetail detail, JobDetail.Task task, Gang.Member member, @Nullable Kept lines)
            throws IOException {
        float[] use = use(task, lines);
        boolean devices = !task.devices().isEmpty();
        Path log = jobs.output(detail.job(), task);
        BasicFileAttributes found = found(log);
        long bytes = found == null ? -1 : found.size();
        return new Rank(
                task,
                member.rank(),
                member.rank() < 0 ? -1 : member.rank() + member.processes() - 1,
                mean(use),
                bytes,
                found != null && bytes > 0 ? found.lastModifiedTime().toInstant() : null,
                drawn.apply(use, devices ? 1.0 : Double.NaN),
                Set.of());
    }

    /** Null: it has printed nothing, or its log is kept no longer. */
    private static @Nullable BasicFileAttributes found(Path log) throws IOException {
        try {
            return Files.readAttributes(log, BasicFileAttributes.class);
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    /** Of all devices of a task together, sample by sample; of its processors where it has none. */
    private static float[] use(JobDetail.Task task, @Nullable Kept lines) {
        if (lines == null) {
            return new float[0];
        }
        if (task.devices().isEmpty()) {
            return lines.tail(Lines.OfTask.CPU.key(), null, SPARK);
        }
        List<float[]> all = task.devices().stream()
                .map(device -> lines.tail(Metric.UTILISATION.key(), device, SPARK))
                .filter(tail -> tail.length > 0)
                .toList();
        int length = all.stream().mapToInt(tail -> tail.length).min().orElse(0);
        float[] mean = new float[length];
        for (int at = 0; at < length; at++) {
            float sum = 0;
            for (float[] tail : all) {
                sum += tail[tail.length - length + at];
            }
            mean[at] = sum / all.size();
        }
        return mean;
    }

    private static double mean(float[] values) {
        double sum = 0;
        int count = 0;
        for (int at = Math.max(0, values.length - LATELY); at < values.length; at++) {
            if (!Float.isNaN(values[at])) {
                sum += values[at];
                count++;
            }
        }
        return count == 0 ? Double.NaN : sum / count;
    }
}
