package io.sluice.jobs.drafts;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.Submitted;
import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.protocol.Fault;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A job's text as it would fare if it were submitted now. */
public sealed interface Draft {
    /** It can not be submitted: its text has faults. */
    record Faulty(int protocol, List<Fault> faults) implements Draft {
        public Faulty {
            faults = List.copyOf(faults);
        }
    }

    /**
     * It can be submitted.
     *
     * @param freeName what it can be called instead, where the caller has a job of its name; else null
     * @param barred why the caller can not submit there, else null
     * @param noStorage that it wants, else null
     * @param unsupplied why its data can not be had, else null
     * @param refusal why it would fail at once, else null
     * @param fit whether it would start now, and what it waits for otherwise
     * @param outlook what it will look like
     */
    record Sound(
            JobSpec spec,
            List<Read.Warning> warnings,
            @Nullable String freeName,
            Clusters.@Nullable Barred barred,
            Submitted.@Nullable NoStorage noStorage,
            @Nullable Problem unsupplied,
            @Nullable Exit refusal,
            Placement.Fit fit,
            Outlook outlook)
            implements Draft {
        public Sound {
            warnings = List.copyOf(warnings);
        }

        /** Waiting would not help: the job, the quota or the machines have to change. */
        public boolean never() {
            var waiting = fit.waiting();
            return refusal != null
                    || barred != null
                    || noStorage != null
                    || unsupplied != null
                    || (waiting != null && waiting.why().isNever());
        }
    }

    static Future<Draft> of(Jobs jobs, Caller caller, String text) {
        return switch (Protocols.read(text, jobs.apps())) {
            case Read.Refused refused -> Future.succeededFuture(new Faulty(refused.protocol(), refused.faults()));
            case Read.Accepted accepted -> {
                JobSpec spec = accepted.spec();
                var free = freeName(jobs, caller, spec.name());
                var fit = jobs.fit(caller, spec);
                var machines = jobs.machines();
                var barred = jobs.clusters().barred(caller, spec.virtualCluster());
                var storage = jobs.noStorage(caller, spec);
                var unsupplied = jobs.unsupplied(caller, spec);
                yield Future.all(free, fit, barred, machines, storage, unsupplied)
                        .map(all -> new Sound(
                                spec,
                                accepted.warnings(),
                                free.result().equals(spec.name()) ? null : free.result(),
                                barred.result().orElse(null),
                                storage.result().orElse(null),
                                unsupplied.result().orElse(null),
                                jobs.refusal(caller),
                                fit.result(),
                                Outlook.of(spec, caller.name(), fit.result().now(), machines.result())));
            }
        };
    }

    /** The name itself, or the next one like it, that no job of the caller has. */
    static Future<String> freeName(Jobs jobs, Caller caller, String wish) {
        List<String> names = Names.like(wish);
        return jobs.taken(caller, names)
                .map(taken -> names.stream()
                        .filter(name -> !taken.contains(name))
                        .findFirst()
                        .orElseGet(() -> names.getLast() + Names.tail()));
    }

    /** The names that are tried in place of one. */
    final class Names {
        private static final Pattern NUMBERED = Pattern.compile("(.*?)(?:[-_](\\d{1,6}))?");
        private static final int LONGEST = 240;
        private static final int TRIED = 200;

        private Names() {}

        static List<String> like(String wish) {
            var parts = NUMBERED.matcher(wish);
            boolean numbered =
                    parts.matches() && parts.group(2) != null && !parts.group(1).isEmpty();
            String stem = numbered ? parts.group(1) : wish.replaceAll("[-_]+$", "");
            String dash = wish.contains("-") ? "-" : "_";
            int first = numbered ? Integer.parseInt(parts.group(2)) + 1 : 2;
            String base =
                    (stem.isEmpty() ? "job" : stem).substring(0, Math.min(stem.isEmpty() ? 3 : stem.length(), LONGEST));
            return Stream.concat(
                            Stream.of(wish),
                            IntStream.range(first, first + TRIED).mapToObj(number -> base + dash + number))
                    .distinct()
                    .toList();
        }

        private static String tail() {
            return "_" + Integer.toString(ThreadLocalRandom.current().nextInt(0x1000000), 36);
        }
    }
}
