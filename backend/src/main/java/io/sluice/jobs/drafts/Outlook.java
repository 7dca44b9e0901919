package io.sluice.jobs.drafts;

import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.placement.Decisions;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.protocol.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a job will look like: its tasks with their devices and ranks, and what its kinds of device allow.
 *
 * @param more tasks, beside those that are shown
 */
public record Outlook(List<Task> tasks, int more, List<Kind> kinds) {
    private static final int SHOWN = 8;

    public Outlook {
        tasks = List.copyOf(tasks);
        kinds = List.copyOf(kinds);
    }

    /**
     * A task.
     *
     * @param node where it would start now; empty: it would not, or the node is not known yet
     * @param first of its ranks, -1: it has none
     * @param last of them
     */
    public record Task(String role, int index, int devices, String node, int first, int last) {}

    /**
     * A kind of device that roles ask for.
     *
     * @param type as the job calls it; empty: any
     * @param apart whether they are asked for in other numbers than 8 by several tasks
     */
    public record Kind(String type, Placement.Offer offer, boolean apart) {}

    static Outlook of(JobSpec spec, String user, List<Decisions.Place> places, Snapshot machines) {
        Map<String, String> nodes = new HashMap<>();
        places.forEach(place -> nodes.put(place.role() + ":" + place.task(), place.node()));
        var members = Gang.of(spec, user, 0, 0, List.of()).members();
        List<Task> tasks = new ArrayList<>();
        for (Gang.Member one : members.subList(0, Math.min(SHOWN, members.size()))) {
            tasks.add(new Task(
                    one.role(),
                    one.index(),
                    spec.role(one.role()).resources().gpu(),
                    nodes.getOrDefault(one.role() + ":" + one.index(), ""),
                    one.rank(),
                    one.rank() < 0 ? -1 : one.rank() + one.processes() - 1));
        }
        return new Outlook(tasks, members.size() - tasks.size(), kinds(spec, machines));
    }

    private static List<Kind> kinds(JobSpec spec, Snapshot machines) {
        Map<String, List<JobSpec.Role>> asked = new TreeMap<>();
        for (JobSpec.Role role : spec.roles()) {
            String type = spec.deviceType(role);
            if (role.resources().gpu() > 0) {
                asked.computeIfAbsent(type == null ? "" : type, none -> new ArrayList<>())
                        .add(role);
            }
        }
        List<Kind> kinds = new ArrayList<>();
        asked.forEach((type, roles) -> {
            int tasks = roles.stream().mapToInt(JobSpec.Role::instances).sum();
            boolean odd = roles.stream().anyMatch(role -> role.resources().gpu() != 8);
            kinds.add(new Kind(type, Placement.offer(machines, type), tasks > 1 && odd));
        });
        return kinds;
    }
}
