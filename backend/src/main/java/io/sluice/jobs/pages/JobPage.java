package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.JobDetail.Attempt;
import io.sluice.jobs.JobDetail.Task;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.web.View;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the templates {@code pages/jobs/job*.jte} take: one job, as somebody looks at it. The same body is drawn at first and whenever the job
 * has changed.
 *
 * @param look what of it is looked at
 * @param attempts those that have begun, newest first
 * @param devices what it has got, null: nothing yet
 * @param rows the tasks that are shown, of {@code found} that there are in the state looked at
 * @param chosen the task whose panels are shown, null: none has begun
 * @param runs the attempts of the task that was chosen in the list, newest first
 * @param happenings newest first, and {@code older} where those before them begin
 * @param ending how the attempt ended, null: it has not, or has ended well
 * @param former why the attempt before failed, where this one has not ended
 * @param remark what a room above has to say, null: nothing
 * @param tag what was typed as a new tag, and {@code fault} what was wrong with it
 */
public record JobPage(
        Look look,
        JobDetail detail,
        List<Attempt> attempts,
        @Nullable Devices devices,
        List<Role> roles,
        List<Row> rows,
        int found,
        @Nullable Row chosen,
        List<Task> runs,
        List<Frame> frames,
        List<Happening> happenings,
        @Nullable Long older,
        @Nullable Ending ending,
        @Nullable Ending former,
        @Nullable Remark remark,
        String cursor,
        String tag,
        View.@Nullable Note fault,
        View.@Nullable Note note) {
    /** Tasks that are drawn at once. */
    public static final int TASKS = 100;

    /** Tasks that are drawn beside other things. */
    public static final int FIRST_TASKS = 12;

    static final int EVENTS = 200;
    /** The latest, once those alike are one; so many are read for it. */
    static final int LATEST = 7;

    static final int READ_FOR_LATEST = 100;

    /**
     * What is given to a job: so many of a type, on so many nodes.
     *
     * @param unlimited why tasks that take more CPU or memory than they asked for are not kept from it, null: they are, or it is over
     */
    public record Devices(
            int count,
            @Nullable String type,
            boolean simulated,
            List<String> nodes,
            @Nullable String unlimited) {}

    /** A role with how its tasks stand. */
    public record Role(
            JobSpec.Role role, String image, @Nullable String deviceType, Map<Job.State, Integer> states) {}

    /** A task; {@code task} is its newest attempt, null: it has got no place. */
    public record Row(
            String role,
            int index,
            Job.State state,
            @Nullable Task task) {
        public String name() {
            return role + " " + index;
        }
    }

    /** A panel of a room above, which is asked for when it comes into sight. */
    public record Frame(
            String name,
            String title,
            String icon,
            @Nullable String script,
            String path) {}

    public Job job() {
        return detail.job();
    }

    public int attempt() {
        return detail.attempt().number();
    }

    /** Where the line that told how it ended stands in the log; null: no line told, or no task did. */
    public @Nullable String lineOf(Ending ended) {
        String role = ended.exit().role();
        Integer index = ended.exit().index();
        Long offset = ended.exit().offset();
        if (role == null || index == null || offset == null) {
            return null;
        }
        return detail.tasks(role).stream()
                .filter(task -> task.index() == index)
                .findFirst()
                .map(task -> look.on(Look.Tab.NOW).at(role, index, null).path() + "#log=" + attempt() + "." + index
                        + "." + task.attempt() + "." + role + "@" + offset)
                .orElse(null);
    }

    /** Since it was submitted, or since the attempt before was over. */
    public Instant waitsSince() {
        return attempts.stream()
                .map(Attempt::completed)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .findFirst()
                .orElse(job().submitted());
    }

    /** In the order of states, without those that no task is in. */
    public Map<Job.State, Integer> states() {
        Map<Job.State, Integer> all = new EnumMap<>(Job.State.class);
        roles.forEach(role -> role.states().forEach((state, count) -> all.merge(state, count, Integer::sum)));
        return all;
    }

    public Role role(String name) {
        return roles.stream()
                .filter(role -> role.role().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public boolean isLast(int from) {
        return from + rows.size() >= found;
    }

    /** The rows of one role, in the order of all. */
    public List<Row> rows(Role role) {
        return rows.stream()
                .filter(row -> row.role().equals(role.role().name()))
                .toList();
    }

    /** {@code ascend-0…7} for eight in a row. */
    public static String inShort(List<String> names) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); ) {
            int next = i + 1;
            while (next < names.size() && follows(names.get(next - 1), names.get(next))) {
                next++;
            }
            String first = names.get(i);
            parts.add(
                    next - i < 3
                            ? String.join(", ", names.subList(i, next))
                            : first + "…" + number(names.get(next - 1)));
            i = next;
        }
        return String.join(", ", parts);
    }

    private static boolean follows(String one, String other) {
        long number = number(one);
        return number >= 0 && other.equals(stem(one) + (number + 1));
    }

    private static String stem(String name) {
        return name.replaceFirst("\\d{1,9}$", "");
    }

    /** That the name ends in, -1: none. */
    private static long number(String name) {
        String digits = name.substring(stem(name).length());
        return digits.isEmpty() ? -1 : Long.parseLong(digits);
    }

    /** Every task of the attempt that is shown, whether it has a place or not. */
    static List<Row> rows(JobDetail detail) {
        List<Row> rows = new ArrayList<>();
        for (JobSpec.Role role : detail.spec().roles()) {
            Map<Integer, Task> placed =
                    detail.tasks(role.name()).stream().collect(Collectors.toMap(Task::index, Function.identity()));
            for (int index = 0; index < role.instances(); index++) {
                Task task = placed.get(index);
                rows.add(new Row(
                        role.name(), index, task == null ? detail.stateOfUnplaced() : detail.state(task), task));
            }
        }
        return rows;
    }
}
