package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.protocol.document.Document;
import io.sluice.jobs.protocol.document.Item.Entry;
import io.sluice.jobs.protocol.document.Item.Mapping;
import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import io.sluice.jobs.protocol.document.Item.Sequence;
import io.sluice.jobs.protocol.document.Limits;
import io.sluice.jobs.protocol.plugins.UserKeys;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a job out of its text, in either protocol, as JSON or YAML; docs/protocols.md says what it takes and why. */
public final class Protocols {
    public static final int MOST_TASKS = 10_000;
    static final int MOST_DEVICES = 1024;
    static final int MOST_PORTS = 1000;
    /** So many NPUs of a machine can work together. */
    private static final Set<Integer> JOINED = Set.of(0, 1, 2, 4, 8, 16);

    static final int HIGHEST_PORT = 65_535;
    /** For numbers that nothing else bounds: sums of them over all tasks still fit a long, each of them an int. */
    static final int MOST = 1_000_000_000;

    private Protocols() {}

    public static Read read(byte[] body) {
        return read(Document.read(body, Limits.DEFAULT), Apps.ANY);
    }

    public static Read read(String text) {
        return read(text, Limits.DEFAULT);
    }

    /** @param apps that it may ask for: that of a text that is about to run */
    public static Read read(String text, Apps apps) {
        return read(Document.read(text, Limits.DEFAULT), apps);
    }

    public static Read read(String text, Limits limits) {
        return read(Document.read(text, limits), Apps.ANY);
    }

    /** As {@link #read(String)}, but secrets that are masked may stay so: for a text that is kept, not run. */
    public static Read unmasked(String text) {
        Read read = read(text);
        if (!(read instanceof Read.Refused refused)
                || !refused.faults().stream().allMatch(fault -> fault.key().endsWith("Masked"))) {
            return read;
        }
        // something in their place, which is masked again as every secret is
        List<String> lines = new ArrayList<>(text.lines().toList());
        for (Fault fault : refused.faults().reversed()) {
            String line = lines.get(fault.line() - 1);
            int at = line.offsetByCodePoints(0, fault.column() - 1);
            String with = fault.path().equals("secrets") ? "{masked: again}" : "\"again\"";
            String rest = line.substring(at).replaceFirst("(['\"]?)\\*{6}\\1", with);
            lines.set(fault.line() - 1, line.substring(0, at) + rest);
        }
        return read(String.join("\n", lines) + (text.endsWith("\n") ? "\n" : ""));
    }

    /** The name of its job, of a text that may have faults elsewhere. */
    public static Optional<String> name(String text) {
        Entry entry = nameOf(Document.read(text, Limits.DEFAULT));
        return entry != null && entry.value() instanceof Scalar scalar && scalar.value() instanceof String name
                ? Optional.of(name)
                : Optional.empty();
    }

    private static @Nullable Entry nameOf(Document document) {
        return document.root() instanceof Mapping root ? root.entry(protocol(root) == 1 ? "jobName" : "name") : null;
    }

    /** The text with another name for its job; all else of it stays. */
    public static String renamed(String text, String name) {
        Document document = Document.read(text, Limits.DEFAULT);
        Entry entry = nameOf(document);
        if (entry == null) {
            return text;
        }
        Place place = entry.value().place();
        boolean quoted = "\"'".indexOf(document.text().charAt(place.start())) >= 0;
        String written = quoted || name.matches("[-0-9.].*|(?i)true|false|null|yes|no") ? '"' + name + '"' : name;
        return document.text().substring(0, place.start())
                + written
                + document.text().substring(place.end());
    }

    private static Read read(Document document, Apps apps) {
        var faults = new Faults();
        document.flaws().forEach(faults::add);
        if (!(document.root() instanceof Mapping root)) {
            if (faults.none()) {
                faults.add(Place.TOP, "", "notAJob");
            }
            return new Read.Refused(guess(document.text()), faults.all());
        }
        int protocol = protocol(root);
        var secrets = new Secrets(document);
        var warnings = new ArrayList<Read.Warning>();
        JobSpec spec = protocol == 1
                ? new ProtocolV1(faults, apps, warnings).read(root)
                : new ProtocolV2(faults, apps, secrets).read(root);
        if (spec.taskCount() > MOST_TASKS && faults.none()) {
            Entry roles = root.entry("taskRoles");
            Place place = roles == null ? root.place() : roles.place();
            faults.add(
                    place,
                    "taskRoles",
                    "tooManyTasks",
                    Integer.toString(spec.taskCount()),
                    Integer.toString(MOST_TASKS));
        }
        warnings.addAll(unused(spec));
        return faults.none()
                ? new Read.Accepted(spec, secrets.values(), secrets.mask(), warnings)
                : new Read.Refused(protocol, faults.all());
    }

    /** Who names a version means it; else the shape of the roles tells. */
    private static int protocol(Mapping root) {
        if (root.entry("protocolVersion") != null) {
            return 2;
        }
        Entry roles = root.entry("taskRoles");
        boolean listed = roles != null && roles.value() instanceof Sequence;
        return root.entry("jobName") != null || listed ? 1 : 2;
    }

    /** Of a text that can not be read. */
    private static int guess(String text) {
        return text.contains("jobName") && !text.contains("protocolVersion") ? 1 : 2;
    }

    /** As protocol 2 in JSON. */
    public static String exportJson(JobSpec spec) {
        return Export.json(spec);
    }

    /** As protocol 2 in YAML: for another run of it, and for an editor. Its secrets are to be filled in again. */
    public static String export(JobSpec spec) {
        return Export.yaml(spec, Map.of());
    }

    /** The same with its secrets, only for who wrote them. */
    public static String export(JobSpec spec, Map<String, String> secrets) {
        return Export.yaml(spec, secrets);
    }

    /** A job of protocol 2 that is put together as maps, lists, texts, numbers and flags, as YAML. */
    public static String written(Map<String, Object> job) {
        return Export.yaml(job);
    }

    private static boolean isOn(JobSpec.Plugin plugin, String flag) {
        return Boolean.TRUE.equals(plugin.parameters().get(flag));
    }

    /** What it asks for and does not get here. */
    private static List<Read.Warning> unused(JobSpec spec) {
        var said = EnumSet.noneOf(Read.Warning.class);
        for (JobSpec.Plugin plugin : spec.plugins()) {
            switch (plugin.name()) {
                case "ssh" -> {
                    if (isOn(plugin, "jobssh") || isOn(plugin, "sshbarrier")) {
                        said.add(Read.Warning.SSH);
                    }
                    if (UserKeys.of(spec).unreadable()) {
                        said.add(Read.Warning.SSH_KEY);
                    }
                }
                case "tensorboard" -> {
                    if (plugin.parameters().get("port") != null) {
                        said.add(Read.Warning.TENSORBOARD_PORT);
                    }
                }
                case "teamwise_storage" -> said.add(Read.Warning.TEAM_STORAGE);
                default -> {
                    // cmd and git are part of what a task runs
                }
            }
        }
        if (!spec.notifications().isEmpty()) {
            said.add(Read.Warning.MAIL);
        }
        if (spec.roles().stream().anyMatch(role -> role.resources().infiniband())) {
            said.add(Read.Warning.INFINIBAND);
        }
        if (spec.debug()) {
            said.add(Read.Warning.DEBUG);
        }
        if (!spec.folders().authFile().isEmpty()) {
            said.add(Read.Warning.AUTH_FILE);
        }
        if (!spec.folders().code().isEmpty()) {
            said.add(Read.Warning.CODE_DIR);
        }
        if (spec.roles().stream().anyMatch(Protocols::hasCell)) {
            said.add(Read.Warning.CELL);
        }
        if (spec.roles().stream().anyMatch(role -> isOddNumberOfNpus(spec, role))) {
            said.add(Read.Warning.NPU_COUNT);
        }
        return List.copyOf(said);
    }

    /** As far as the name of the device tells that it is one. */
    private static boolean isOddNumberOfNpus(JobSpec spec, JobSpec.Role role) {
        String type = String.valueOf(spec.deviceType(role)).toLowerCase(Locale.ROOT);
        return (type.startsWith("ascend") || type.contains("npu"))
                && !JOINED.contains(role.resources().gpu());
    }

    /** As many devices as the task asks for anyway are no cell. */
    private static boolean hasCell(JobSpec.Role role) {
        JobSpec.Sku sku = role.sku();
        return sku != null
                && (sku.pinnedCell() != null
                        || sku.affinityGroup() != null
                        || (sku.number() != null
                                && sku.number() != role.resources().gpu()));
    }
}
