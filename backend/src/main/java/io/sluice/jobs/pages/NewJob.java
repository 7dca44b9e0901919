package io.sluice.jobs.pages;

import io.sluice.jobs.Json;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.drafts.Examples.Example;
import io.sluice.jobs.drafts.Outlook;
import io.sluice.jobs.drafts.Templates.Template;
import io.sluice.jobs.placement.Decisions;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.Fault;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.web.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the templates {@code jobs/new.jte}, {@code jobs/verdict.jte} and {@code jobs/templates.jte} take. */
public final class NewJob {
    private NewJob() {}

    /**
     * The page on which a job is written.
     *
     * @param posted whether the text is the reader's own, which nothing kept in the browser may replace
     * @param key stands for this submission, so that sending it twice makes one job
     * @param deviceTypes that there are, and of which vendor
     * @param verdict null: nobody has looked at the text yet
     */
    public record Page(
            String text,
            boolean posted,
            String key,
            List<String> clusters,
            Map<String, String> deviceTypes,
            List<App> apps,
            List<TemplateRow> templates,
            @Nullable Verdict verdict,
            @Nullable Word word,
            Keeping keeping) {
        public Page {
            clusters = List.copyOf(clusters);
            deviceTypes = Map.copyOf(deviceTypes);
            apps = List.copyOf(apps);
            templates = List.copyOf(templates);
        }

        /** For a script: which kind of devices each type is of. */
        public String kinds() {
            return Json.write(deviceTypes);
        }
    }

    /** A sentence for the reader: {@code tone} good, info, warning or bad. */
    public record Word(String tone, String key, List<String> values) {
        public Word {
            values = List.copyOf(values);
        }

        static Word of(String tone, String key, String... values) {
            return new Word(tone, key, List.of(values));
        }

        public String in(View view) {
            return view.t(key, values.toArray());
        }
    }

    /** The form that keeps the text as a template, as it was typed. */
    public record Keeping(
            String name,
            String about,
            boolean shared,
            @Nullable Word fault) {
        static final Keeping EMPTY = new Keeping("", "", false, null);
    }

    /** The reader's own templates, those of others, and the examples. */
    public record Shelf(
            List<TemplateRow> templates, @Nullable Word word) {
        public Shelf {
            templates = List.copyOf(templates);
        }

        public List<TemplateRow> of(String kind) {
            return templates.stream().filter(row -> row.kind().equals(kind)).toList();
        }
    }

    /** {@code kind} own, shared or example; of an example {@code title} and {@code about} are keys of the texts. */
    public record TemplateRow(
            String id, String kind, String title, String about, String user, boolean shared, boolean changeable) {
        static TemplateRow of(Template one, boolean own, boolean changeable) {
            String kind = own ? "own" : "shared";
            return new TemplateRow(
                    "" + one.id(), kind, one.name(), one.description(), one.user(), one.shared(), changeable);
        }

        static TemplateRow of(Example one) {
            return new TemplateRow(one.name(), "example", one.key(), one.key() + ".about", "", true, false);
        }

        public String title(View view) {
            return kind.equals("example") ? view.t(title) : title;
        }

        public String about(View view) {
            return kind.equals("example") ? view.t(about) : about;
        }
    }

    /** What would become of the text. */
    public record Verdict(Draft draft) {
        /** faults, taken, never, waits or now. */
        public String state() {
            return switch (draft) {
                case Draft.Faulty faulty -> "faults";
                case Draft.Sound sound when sound.freeName() != null -> "taken";
                case Draft.Sound sound when sound.never() -> "never";
                case Draft.Sound sound when sound.fit().waiting() != null -> "waits";
                case Draft.Sound sound -> "now";
            };
        }

        public String tone() {
            return switch (state()) {
                case "now" -> "good";
                case "waits" -> "warning";
                default -> "bad";
            };
        }

        public List<Fault> faults() {
            return draft instanceof Draft.Faulty faulty ? faulty.faults() : List.of();
        }

        public String message(Fault fault, View view) {
            return view.t("fault.protocol." + fault.key(), fault.values().toArray());
        }

        public String allowed(Fault fault, View view) {
            return fault.allowed().isEmpty()
                    ? ""
                    : view.t(
                            "fault.protocol." + fault.key() + ".allowed",
                            fault.values().toArray());
        }

        /** A name that is free, where the job's is not. */
        public @Nullable String freeName() {
            return draft instanceof Draft.Sound sound ? sound.freeName() : null;
        }

        public List<String> warnings(View view) {
            return draft instanceof Draft.Sound sound
                    ? sound.warnings().stream()
                            .map(warning -> view.t(warning.key()))
                            .toList()
                    : List.of();
        }

        public String title(View view) {
            return draft instanceof Draft.Faulty faulty
                    ? view.t("submit.faults", faulty.faults().size())
                    : view.t("submit.fit." + state());
        }

        /** Why, in sentences. */
        public List<String> reasons(View view) {
            if (!(draft instanceof Draft.Sound sound)) {
                return List.of();
            }
            List<String> all = new ArrayList<>();
            String free = sound.freeName();
            if (free != null) {
                all.add(view.t("submit.taken", sound.spec().name(), free));
            }
            var barred = sound.barred();
            if (barred != null) {
                String open = String.join(", ", barred.open());
                all.add(view.t(barred.missing() ? "submit.barred.none" : "submit.barred", barred.cluster(), open));
                return all;
            }
            var storage = sound.noStorage();
            if (storage != null) {
                all.add(view.t("submit.noStorage", storage.name()));
                return all;
            }
            var unsupplied = sound.unsupplied();
            if (unsupplied != null) {
                all.add(view.t("NoStoreKeyError".equals(unsupplied.code()) ? "submit.noStoreKey" : "submit.noStore"));
                return all;
            }
            if (sound.refusal() != null) {
                all.add(view.t("submit.refused"));
                return all;
            }
            Waiting waiting = sound.fit().waiting();
            if (waiting == null) {
                all.add(places(sound.fit().now(), view));
            } else {
                reasons(waiting, view).forEach(all::add);
            }
            return all;
        }

        /** How its tasks work together, if they do. */
        public @Nullable String together(View view) {
            return draft instanceof Draft.Sound sound
                    ? together(sound.spec(), view).orElse(null)
                    : null;
        }

        private static Optional<String> together(JobSpec spec, View view) {
            var distribution = spec.distribution();
            boolean some = spec.deviceCount() > 0;
            var counted = spec.roles().stream()
                    .filter(role -> !some || role.resources().gpu() > 0)
                    .toList();
            int tasks = counted.stream().mapToInt(JobSpec.Role::instances).sum();
            int processes = counted.stream()
                    .mapToInt(role -> role.instances() * distribution.processes(role))
                    .sum();
            if (processes < 2 && spec.deviceCount() < 2) {
                return Optional.empty();
            }
            String launcher = distribution.launcher().name().toLowerCase(Locale.ROOT);
            String said = view.t("submit.together." + launcher, tasks, processes, spec.deviceCount());
            return Optional.of(spec.startsTogether() ? said + " " + view.t("submit.together.wait") : said);
        }

        /** Its tasks, where there is more to see than one without devices. */
        public @Nullable Outlook outlook() {
            if (!(draft instanceof Draft.Sound sound)
                    || (sound.outlook().tasks().size() < 2 && sound.spec().deviceCount() == 0)) {
                return null;
            }
            return sound.outlook();
        }

        /** What a kind of device allows. */
        public List<String> allowed(Outlook.Kind kind, View view) {
            String type = kind.type().isEmpty() ? view.t("submit.deviceType.any") : kind.type();
            if (kind.offer().most() == 0) {
                return List.of(view.t("submit.offer.none", type));
            }
            if (!kind.offer().boards()) {
                return List.of(view.t("submit.offer", type, kind.offer().most()));
            }
            String board = view.t("submit.offer.board", type);
            return kind.apart() ? List.of(board, view.t("submit.offer.apart")) : List.of(board);
        }

        private static String places(List<Decisions.Place> places, View view) {
            var nodes = places.stream()
                    .collect(Collectors.groupingBy(Decisions.Place::node, TreeMap::new, Collectors.counting()));
            String some = nodes.entrySet().stream()
                    .limit(4)
                    .map(node -> node.getValue() == 1 ? node.getKey() : node.getKey() + " × " + node.getValue())
                    .collect(Collectors.joining(", "));
            return view.t("submit.places", places.size(), nodes.size() > 4 ? some + "…" : some);
        }

        private static Stream<String> reasons(Waiting waiting, View view) {
            Stream<String> holders = Words.holders(view, waiting).limit(3);
            Stream<String> position =
                    waiting.position() > 0 ? Stream.of(view.t("waiting.position", waiting.position())) : Stream.empty();
            return Stream.of(Stream.of(Words.reason(view, waiting)), holders, position)
                    .flatMap(all -> all);
        }

        /** When it would start at the latest, ISO 8601; null: nobody knows. */
        public @Nullable String start() {
            Waiting waiting = draft instanceof Draft.Sound sound ? sound.fit().waiting() : null;
            return waiting == null || waiting.start() == null
                    ? null
                    : waiting.start().toString();
        }

        /** What it comes to: tasks, CPUs, memory, devices. */
        public @Nullable String sum(View view) {
            if (!(draft instanceof Draft.Sound sound)) {
                return null;
            }
            var roles = sound.spec().roles();
            long cpus = roles.stream()
                    .mapToLong(
                            role -> (long) role.instances() * role.resources().cpu())
                    .sum();
            long memory = roles.stream()
                    .mapToLong(
                            role -> (long) role.instances() * role.resources().memoryMB())
                    .sum();
            var parts = new ArrayList<>(List.of(
                    view.t("submit.tasks", sound.spec().taskCount()), Words.cpus(view, cpus), Words.memory(memory)));
            if (sound.spec().deviceCount() > 0) {
                parts.add(Words.devices(
                        view, sound.spec().deviceCount(), sound.spec().deviceType()));
            }
            return String.join(" · ", parts);
        }
    }
}
