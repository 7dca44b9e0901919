package io.sluice.jobs.protocol;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the tasks of a job work together, as {@code extras.sluice.distributed} says.
 *
 * @param launcher that starts the last command
 * @param processes that it starts in each task, null: one for each device
 * @param startWithin so many seconds after the first task has begun, all of them must have
 * @param rankTable null: what the framework expects
 * @param framework that the script is written for, null: it does not say
 */
public record Distribution(
        Launcher launcher,
        @Nullable Integer processes,
        int startWithin,
        @Nullable RankTable rankTable,
        @Nullable Framework framework) {
    /** One line that begins with an interpreter: all that msrun takes. */
    private static final Pattern PYTHON = Pattern.compile("(python3?|pytest)\\s[^\\n]*");

    static final String KEY = "distributed";

    /** Where what a launcher does stands, in every task. */
    public static final String LAUNCH = "/pod/launch";

    private static final int USUAL_START = 1800;
    private static final int LONGEST_START = 86_400;
    private static final int MOST_PROCESSES = 256;

    public enum Launcher {
        PLAIN,
        TORCHRUN,
        MSRUN,
        MPIRUN,
        /** One process for each device, as ModelArts did. */
        CARD
    }

    /** The forms of rank tables. */
    public enum RankTable {
        /** {@code server_list}, version 1.0. */
        SERVERS,
        /** {@code group_list} with an instance for each task. */
        PODS,
        /** The same, and {@code RANK_TABLE_FILE} names the folder with {@code jobstart_hccl.json}. */
        MODELARTS,
        /** {@code group_list} with an instance for each device. */
        INSTANCES,
        NONE
    }

    public enum Framework {
        MINDSPORE,
        TENSORFLOW,
        PYTORCH
    }

    static Distribution of(Map<String, Object> extras) {
        Map<?, ?> said = extras.get(Extras.OURS) instanceof Map<?, ?> ours && ours.get(KEY) instanceof Map<?, ?> given
                ? given
                : Map.of();
        return new Distribution(
                one(Launcher.values(), said.get("launcher")).orElse(Launcher.PLAIN),
                said.get("processes") instanceof Number number ? number.intValue() : null,
                said.get("startWithin") instanceof Number seconds ? seconds.intValue() : USUAL_START,
                one(RankTable.values(), said.get("rankTable")).orElse(null),
                one(Framework.values(), said.get("framework")).orElse(null));
    }

    /** How many processes are started in each task of a role. */
    public int processes(JobSpec.Role role) {
        if (launcher == Launcher.PLAIN) {
            return 1;
        }
        return processes == null ? Math.max(1, role.resources().gpu()) : processes;
    }

    /** Whether the job cannot do without a rank table. */
    public boolean asksForTable() {
        return rankTable != null && rankTable != RankTable.NONE;
    }

    public RankTable table() {
        RankTable usual = framework == Framework.TENSORFLOW ? RankTable.PODS : RankTable.SERVERS;
        return Objects.requireNonNullElse(rankTable, usual);
    }

    /** Only what can be read later is kept. */
    static void read(Fields ours, List<JobSpec.Role> roles, Map<String, Object> kept) {
        Fields said = ours.object(KEY);
        if (said == null) {
            return;
        }
        Map<String, Object> all = new LinkedHashMap<>();
        String launcher = said.choice("launcher", names(Launcher.values()));
        keep(all, "launcher", launcher);
        keep(all, "processes", said.integer("processes", 1, MOST_PROCESSES));
        keep(all, "startWithin", said.integer("startWithin", 1, LONGEST_START));
        check(said, one(Launcher.values(), launcher).orElse(Launcher.PLAIN), roles);
        keep(all, "framework", said.choice("framework", names(Framework.values())));
        keep(all, "rankTable", said.choice("rankTable", names(RankTable.values())));
        said.close();
        if (!all.isEmpty()) {
            kept.put(KEY, all);
        }
    }

    private static void check(Fields said, Launcher launcher, List<JobSpec.Role> roles) {
        boolean some = roles.stream().anyMatch(role -> role.resources().gpu() > 0);
        List<JobSpec.Role> launched = roles.stream()
                .filter(role -> !some || role.resources().gpu() > 0)
                .toList();
        if (launcher == Launcher.PLAIN && said.has("processes")) {
            said.fault("processes", "launcherNeeded");
        }
        if (launcher == Launcher.MSRUN) {
            launched.stream()
                    .filter(role -> role.commands().isEmpty()
                            || !PYTHON.matcher(role.commands().getLast().strip())
                                    .matches())
                    .findFirst()
                    .ifPresent(role -> said.fault("launcher", "msrunPython", role.name()));
        }
    }

    private static void keep(Map<String, Object> all, String key, @Nullable Object value) {
        if (value != null) {
            all.put(key, value);
        }
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static <E extends Enum<E>> Optional<E> one(E[] values, @Nullable Object name) {
        return Arrays.stream(values)
                .filter(value -> value.name().equalsIgnoreCase(String.valueOf(name)))
                .findFirst();
    }
}
