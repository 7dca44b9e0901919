package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.jobs.exits.Cause;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.placement.Waiting.Holder;
import io.sluice.jobs.placement.Waiting.Outage;
import io.sluice.jobs.placement.Waiting.Shortage;
import io.sluice.web.View;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs in the reader's words: states, reasons, causes, amounts and times. Every page about jobs takes them from here. */
public final class Words {
    private static final long GIB = 1024;
    /** As the line to the engine says it. */
    private static final Pattern AWAY = Pattern.compile("The engine can not be reached: (.*)\\. What runs there .*");

    private Words() {}

    public static String state(View view, Job.State state) {
        return view.t("job.state." + state.name());
    }

    /** It waits, and waiting does not help. */
    public static boolean isStuck(Job job) {
        Waiting waiting = job.waiting();
        return job.state() == Job.State.WAITING
                && waiting != null
                && waiting.why().isNever();
    }

    /** Nothing of it runs: an attempt is over, and the next begins when it is due. */
    public static boolean isPausing(Job job) {
        return job.state() == Job.State.RUNNING && job.phase() == Job.Phase.ACCEPTED && job.due() != null;
    }

    /** The class of a state's badge. */
    public static String tone(Job.State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    /** What stands below the name in a list, null: there is nothing to explain. */
    public static @Nullable String why(View view, Job job, @Nullable Exit exit) {
        return switch (job.state()) {
            case WAITING -> waits(view, job);
            case FAILED -> exit != null ? cause(view, exit) : exitCode(view, job.exitCode());
            case UNKNOWN -> unknown(view, job.doubt());
            case RUNNING ->
                isPausing(job)
                        ? waits(view, job)
                        : job.waiting() == null ? null : view.t("waiting.partly", waits(view, job.waiting()));
            case STOPPING, STOPPED, SUCCEEDED -> null;
        };
    }

    /** Why it is not known how a job fares. What the engine said of it is in its own words. */
    private static String unknown(View view, @Nullable String doubt) {
        if (doubt == null) {
            return view.t("job.unknown");
        }
        var away = AWAY.matcher(doubt);
        return away.matches() ? view.t("job.unknown.away", away.group(1)) : view.t("job.unknown") + " · " + doubt;
    }

    /** Why a job waits: the reason, who has what it needs, its place and when it may start. */
    public static String waits(View view, Job job) {
        Instant due = job.due();
        if (job.phase() == Job.Phase.ACCEPTED && due != null) {
            return view.t("waiting.again", about(view, Duration.between(Instant.now(), due)), job.attempt() + 2);
        }
        Waiting waiting = job.waiting();
        return waiting == null ? view.t("waiting.soon") : waits(view, waiting);
    }

    public static String waits(View view, Waiting waiting) {
        List<String> parts = new ArrayList<>();
        parts.add(reason(view, waiting));
        if (!waiting.holders().isEmpty()) {
            parts.add(holder(view, waiting, waiting.holders().getFirst()));
        }
        if (waiting.position() > 0) {
            parts.add(view.t("waiting.position", waiting.position()));
        }
        Instant start = waiting.start();
        if (start != null && start.isAfter(Instant.now())) {
            parts.add(view.t("waiting.start", about(view, Duration.between(Instant.now(), start))));
        }
        return String.join(" · ", parts);
    }

    /** The reason alone. */
    public static String reason(View view, Waiting waiting) {
        String key = "waiting." + waiting.why().name();
        if (!waiting.outages().isEmpty() && waiting.why() == Waiting.Why.OUT_OF_SERVICE) {
            Outage outage = waiting.outages().getFirst();
            String what = outage.device() == null ? outage.node() : outage.node() + "/" + outage.device();
            return view.t("waiting.OUT_OF_SERVICE.named", what, outage.reason());
        }
        if (waiting.why() == Waiting.Why.PORT
                || waiting.why() == Waiting.Why.PORTS
                || waiting.why() == Waiting.Why.NEVER_PORTS) {
            Outage port = waiting.outages().getFirst();
            boolean same =
                    waiting.why() == Waiting.Why.NEVER_PORTS && !port.node().isEmpty();
            return view.t(same ? key + ".same" : key, String.valueOf(port.device()), port.node());
        }
        if (waiting.why() == Waiting.Why.IMAGE || waiting.why() == Waiting.Why.DATA) {
            Outage image = waiting.outages().getFirst();
            if (image.node().isEmpty()) {
                return view.t(key + ".turn");
            }
            return image.device() == null
                    ? view.t(key, image.node())
                    : view.t(key + ".far", image.node(), image.device());
        }
        if (waiting.why() == Waiting.Why.START) {
            Outage task = waiting.outages().getFirst();
            return view.t(key, String.valueOf(task.device()), task.node(), task.reason());
        }
        if (waiting.shortages().isEmpty()) {
            return view.t(key, waiting.cluster());
        }
        Shortage shortage = waiting.shortages().getFirst();
        if (waiting.why() == Waiting.Why.NEVER
                && shortage.total() >= shortage.needed()
                && shortage.totalOnOne() >= shortage.perTask()) {
            return view.t(key); // enough of everything, but not as its tasks need it side by side
        }
        boolean one = waiting.why() == Waiting.Why.SCATTERED || waiting.why() == Waiting.Why.NEVER;
        boolean tooBig = one && shortage.perTask() > (waiting.why() == Waiting.Why.NEVER ? shortage.totalOnOne() : 0);
        return view.t(
                key + (tooBig ? ".one" : ".short"),
                waiting.cluster(),
                amount(
                        view,
                        shortage,
                        tooBig || waiting.why() == Waiting.Why.NEVER_ON_BOARD ? shortage.perTask() : shortage.needed()),
                number(shortage, tooBig ? shortage.freeOnOne() : shortage.free()),
                number(shortage, tooBig ? shortage.totalOnOne() : shortage.total()));
    }

    /** Everybody who has what is short: with one line for all that somebody has without an end that is known. */
    static Stream<String> holders(View view, Waiting waiting) {
        var all = new LinkedHashMap<Object, Holder>();
        for (Holder one : waiting.holders()) {
            Object line = one.expectedEnd() == null ? one.user() : one;
            all.merge(line, one, (a, b) -> new Holder(a.job(), a.user(), a.amount() + b.amount(), null));
        }
        return all.values().stream().map(one -> holder(view, waiting, one));
    }

    /** Who has what is short, and until when. */
    public static String holder(View view, Waiting waiting, Holder holder) {
        Shortage shortage =
                waiting.shortages().isEmpty() ? null : waiting.shortages().getFirst();
        String amount = shortage == null ? Long.toString(holder.amount()) : number(shortage, holder.amount());
        Instant end = holder.expectedEnd();
        return end == null
                ? view.t("waiting.holder", holder.user(), amount)
                : view.t(
                        "waiting.holder.until",
                        holder.user(),
                        amount,
                        about(view, Duration.between(Instant.now(), end)));
    }

    /** {@code 32 × H100}, {@code 12 CPUs}, {@code 64 GB of memory}. */
    public static String amount(View view, Shortage shortage, long amount) {
        return switch (shortage.resource()) {
            case CPU -> cpus(view, amount);
            case MEMORY_MB -> view.t("amount.memory", memory(amount));
            case DEVICE -> devices(view, amount, shortage.type());
        };
    }

    private static String number(Shortage shortage, long amount) {
        return shortage.resource() == Waiting.Resource.MEMORY_MB ? memory(amount) : Long.toString(amount);
    }

    public static String cpus(View view, long count) {
        return view.t("amount.cpus", count);
    }

    /** {@code 512 MB}, {@code 64 GB}, {@code 1.5 GB}. */
    public static String memory(long megabytes) {
        if (megabytes < GIB) {
            return megabytes + " MB";
        }
        return megabytes % GIB == 0
                ? megabytes / GIB + " GB"
                : String.format(Locale.ROOT, "%.1f GB", megabytes / (double) GIB);
    }

    /** @param type null, empty or {@code any}: whatever there is */
    public static String devices(View view, long count, @Nullable String type) {
        if (count == 0) {
            return "–";
        }
        return type == null || type.isEmpty() || type.equals("any")
                ? view.t("amount.devices", count)
                : count + " × " + type;
    }

    /** Why something ended, in one sentence, with the task that brought it where it is known. */
    public static String cause(View view, Exit exit) {
        String role = exit.role();
        String more = exit.message();
        // a task that was never made has no output to read: what refused it says why
        String why = exit.code() == Exit.CREATION_REFUSED && exit.rule() == null && more != null
                ? more
                : explained(view, exit);
        return role == null
                ? why
                : why + " · " + view.t("job.inTask", role, Objects.requireNonNullElse(exit.index(), 0));
    }

    /** Why something ended; names what the output named. */
    public static String explained(View view, Exit exit) {
        var cause = Cause.kept(exit.code(), exit.rule(), exit.line());
        return view.t(cause.reasonKey(), cause.values().toArray());
    }

    /** What to do about it, the likeliest first. */
    public static List<String> solutions(View view, Exit exit) {
        return ExitCatalogue.solutionKeys(exit.code()).stream()
                .map(key -> view.t(key))
                .toList();
    }

    private static @Nullable String exitCode(View view, @Nullable Integer code) {
        return code == null ? null : view.t(ExitCatalogue.reasonKey(code));
    }

    /** When it began to count, null: it has not. */
    public static @Nullable Instant began(Job job) {
        return job.launched() != null ? job.launched() : job.created();
    }

    /** {@code 0:31}, {@code 48:30}, {@code 3:04:18}, {@code 51:04:18}: the same in every language. */
    public static String clock(Duration duration) {
        Duration shown = duration.isNegative() ? Duration.ZERO : duration;
        return shown.toHours() > 0
                ? String.format(
                        Locale.ROOT, "%d:%02d:%02d", shown.toHours(), shown.toMinutesPart(), shown.toSecondsPart())
                : String.format(Locale.ROOT, "%d:%02d", shown.toMinutesPart(), shown.toSecondsPart());
    }

    /** {@code 20 s}, {@code 40 min}, {@code 3 h}, {@code 2 days}: as rough as it is known. */
    public static String about(View view, Duration duration) {
        long seconds = Math.max(1, duration.toSeconds());
        if (seconds < 90) {
            return view.t("about.seconds", seconds);
        }
        if (seconds < 5_400) {
            return view.t("about.minutes", Math.round(seconds / 60.0));
        }
        return seconds < 172_800
                ? view.t("about.hours", Math.round(seconds / 3_600.0))
                : view.t("about.days", Math.round(seconds / 86_400.0));
    }
}
