package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.JobSpec.Around;
import io.sluice.jobs.protocol.JobSpec.Event;
import io.sluice.jobs.protocol.JobSpec.Hook;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Plugin;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.document.Placeholders;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the tasks of a role run, for bash, or for a plain shell where an image has no bash. Parameters are in it, secrets are not: {@link Secrets#render} puts those in,
 * right before the start.
 */
public final class TaskScript {
    /** Images without bash have a shell that may not know the last. */
    private static final String STRICT = """
            set -o errexit
            set -o nounset
            [ -z "${BASH_VERSION:-}" ] && ! (set -o pipefail) 2>/dev/null || set -o pipefail
            """;

    private static final String CODE = "/usr/local/pai/code";

    /** Commands that run in a shell of their own, as OpenPAI ran each plugin's: bash, where there is one. */
    private record Part(List<String> commands, boolean ignoreFailure) {}

    private final JobSpec spec;
    private final Role role;
    private final Map<String, Object> scopes = new LinkedHashMap<>();
    private final List<Part> before = new ArrayList<>();
    private final List<Part> after = new ArrayList<>();

    private TaskScript(JobSpec spec, Role role) {
        this.spec = spec;
        this.role = role;
        scopes.put("$parameters", spec.parameters());
        scope("$script", Kind.SCRIPT, role.script());
        scope("$output", Kind.OUTPUT, role.output());
        scope("$data", Kind.DATA, role.data());
    }

    public static String of(JobSpec spec, Role role) {
        return new TaskScript(spec, role).script();
    }

    /** The image of a role, with parameters put in. */
    public static String image(JobSpec spec, Role role) {
        return new TaskScript(spec, role).filled(spec.image(role).uris().getFirst());
    }

    private void scope(String name, Kind kind, @Nullable String of) {
        if (of != null) {
            scopes.put(name, fields(spec.prerequisite(kind, of)));
        }
    }

    private static Map<String, Object> fields(Prerequisite one) {
        var fields = new LinkedHashMap<String, Object>(one.more());
        fields.put("name", one.name());
        fields.put("type", one.kind().name().toLowerCase(Locale.ROOT));
        if (!one.uris().isEmpty()) {
            fields.put("uri", one.kind() == Kind.DATA ? one.uris() : one.uris().getFirst());
        }
        put(fields, "version", one.about().version());
        put(fields, "contributor", one.about().contributor());
        put(fields, "description", one.about().description());
        put(fields, "plugin", one.plugin());
        return fields;
    }

    private static void put(Map<String, Object> into, String key, @Nullable String value) {
        if (value != null) {
            into.put(key, value);
        }
    }

    private String script() {
        needed().forEach(this::add);
        spec.plugins().stream()
                .filter(plugin -> plugin.roles().isEmpty() || plugin.roles().contains(role.name()))
                .forEach(this::add);
        if (before.isEmpty() && after.isEmpty()) {
            return commands();
        }
        var script = new StringBuilder("set -o errexit\n");
        before.forEach(part -> append(script, text(part), part.ignoreFailure()));
        append(script, commands(), false);
        after.reversed().forEach(part -> append(script, text(part), part.ignoreFailure()));
        return script.toString();
    }

    /** Protocol 1 runs a command as it is written. */
    private String commands() {
        boolean launched = isLaunched();
        if (spec.protocol() == 1) {
            return launched
                    ? launch(role.commands().getFirst())
                    : role.commands().getFirst();
        }
        Around around = spec.deployments().stream()
                .filter(one -> one.name().equals(spec.deployment()))
                .findFirst()
                .map(one -> one.roles().get(role.name()))
                .orElse(null);
        var all = new ArrayList<String>();
        if (around != null) {
            all.addAll(around.before());
        }
        all.addAll(role.commands());
        if (launched) {
            String last = all.removeLast();
            String before = lines(all);
            String after = around == null ? "" : lines(around.after());
            return STRICT + before + launch(filled(last.strip())) + after;
        }
        if (around != null) {
            all.addAll(around.after());
        }
        return STRICT + lines(all);
    }

    private String lines(List<String> commands) {
        return commands.isEmpty()
                ? ""
                : filled(commands.stream().map(String::strip).collect(Collectors.joining("\n")))
                                .strip() + "\n";
    }

    /** Whether a launcher starts its last command: where some roles have devices, only of those. */
    private boolean isLaunched() {
        boolean counts = spec.deviceCount() == 0 || role.resources().gpu() > 0;
        return counts && spec.distribution().launcher() != Distribution.Launcher.PLAIN;
    }

    private static String launch(String command) {
        String end = end(command);
        return "\"${BASH:-sh}\" " + Distribution.LAUNCH + " 9<<'" + end + "'\n" + command + "\n" + end + "\n";
    }

    private static String end(String text) {
        String end = "SLUICE_END";
        while (text.contains(end)) {
            end += "_";
        }
        return end;
    }

    private String filled(String text) {
        return Placeholders.fill(text, name -> Placeholders.lookup(scopes, name));
    }

    /** Those the role names, each after those that it requires. */
    private Set<Prerequisite> needed() {
        var needed = new LinkedHashSet<Prerequisite>();
        role.prerequisites().forEach(name -> need(name, needed, new LinkedHashSet<>()));
        return needed;
    }

    private void need(String name, Set<Prerequisite> needed, Set<String> onTheWay) {
        if (!onTheWay.add(name)) {
            return;
        }
        for (Prerequisite one : spec.prerequisites()) {
            if (one.name().equals(name)) {
                one.require().forEach(other -> need(other, needed, onTheWay));
                needed.add(one);
            }
        }
    }

    private void add(Prerequisite one) {
        commandsAt(one.callbacks(), Event.TASK_STARTS, before, one.ignoreFailure());
        commandsAt(one.callbacks(), Event.TASK_SUCCEEDS, after, one.ignoreFailure());
    }

    private static void commandsAt(List<Hook> hooks, Event event, List<Part> parts, boolean ignore) {
        List<String> commands = hooks.stream()
                .filter(hook -> hook.event() == event)
                .flatMap(hook -> hook.commands().stream())
                .toList();
        add(parts, commands, ignore);
    }

    private static void add(List<Part> parts, List<String> commands, boolean ignore) {
        if (!commands.isEmpty()) {
            parts.add(new Part(commands, ignore));
        }
    }

    private void add(Plugin plugin) {
        Map<String, Object> parameters = plugin.parameters();
        if (plugin.name().equals("cmd")) {
            add(before, texts(parameters.get("preCommands")), plugin.ignoreFailure());
            add(after, texts(parameters.get("postCommands")), plugin.ignoreFailure());
            add(before, at(parameters, "taskStarts", "containerStarts"), plugin.ignoreFailure());
            add(after, at(parameters, "taskSucceeds", "containerEnds"), plugin.ignoreFailure());
        } else if (plugin.name().equals("git")) {
            add(before, List.of(clone(parameters)), plugin.ignoreFailure());
        }
    }

    private static List<String> at(Map<String, Object> parameters, String event, String formerly) {
        return parameters.get("callbacks") instanceof List<?> hooks
                ? hooks.stream()
                        .filter(hook -> hook instanceof Map<?, ?> map
                                && (event.equals(map.get("event")) || formerly.equals(map.get("event"))))
                        .flatMap(hook -> texts(((Map<?, ?>) hook).get("commands")).stream())
                        .toList()
                : List.of();
    }

    private static List<String> texts(@Nullable Object list) {
        return list instanceof List<?> items
                ? items.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static String clone(Map<String, Object> parameters) {
        var words = new ArrayList<String>(List.of("git", "clone"));
        words.addAll(texts(parameters.get("options")));
        words.add("--");
        words.add(String.valueOf(parameters.get("repo_uri")));
        words.add(String.valueOf(parameters.getOrDefault("clone_dir", CODE)));
        return words.stream().map(TaskScript::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private String text(Part part) {
        // a failure that is ignored does not keep the next command from running
        String mode = part.ignoreFailure() ? "" : "set -o errexit\n";
        return mode + filled(String.join("\n", part.commands())) + "\n";
    }

    /** By a here-document, because a command line may be too short for it, and shows. */
    private static void append(StringBuilder script, String part, boolean ignore) {
        String end = end(part);
        script.append("\"${BASH:-sh}\" /dev/fd/9 9<<'").append(end).append('\'');
        script.append(ignore ? " || true\n" : "\n");
        script.append(part.endsWith("\n") ? part : part + "\n").append(end).append('\n');
    }
}
