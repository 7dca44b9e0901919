package io.sluice.jobs.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.gang.Contract;
import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.gang.Meaning;
import io.sluice.jobs.gang.PaiVariables;
import io.sluice.jobs.gang.RankTable;
import io.sluice.jobs.gang.Variable;
import io.sluice.web.View;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a task finds in its environment and its folder, and what each is for. */
public record GangPanel(
        JobDetail detail, JobDetail.Task task, Gang gang, List<Group> groups, String hosts, Optional<RankTable> table) {
    /** So many of a kind are shown; a job of thousands of tasks has tens of thousands. */
    private static final int MOST = 100;

    private static final int SHORT = 40;

    /** So much of a table is shown; all of it can be downloaded. */
    private static final int MOST_LINES = 200;

    /** @param more that are not shown */
    public record Group(Variable.Kind kind, List<Line> lines, int more) {
        public String title() {
            return "gang.kind." + kind.name().toLowerCase(Locale.ROOT);
        }

        public String about() {
            return title() + ".about";
        }
    }

    /** @param own whether the job sets it itself, to whatever that is: its values are not shown */
    public record Line(String name, String value, boolean own) {
        /** Whether it needs the whole width. */
        public boolean isLong() {
            return value.length() > SHORT;
        }

        public String about(View view) {
            return view.t(Meaning.of(name));
        }
    }

    static GangPanel of(JobDetail detail, JobDetail.Task task) {
        Gang gang = detail.gang();
        var contract = new Contract(gang, PaiVariables.HOME);
        var self = new PaiVariables.Self(
                task.role(), task.index(), gang.attempt(), task.attempt(), Long.toString(task.id()), PaiVariables.HOME);
        Set<String> own = contract.own(self);
        Map<Variable.Kind, List<Line>> lines = new EnumMap<>(Variable.Kind.class);
        contract.variables(self)
                .forEach(variable -> lines.computeIfAbsent(variable.kind(), kind -> new ArrayList<>())
                        .add(new Line(
                                variable.name(),
                                own.contains(variable.name()) ? "" : variable.value(),
                                own.contains(variable.name()))));
        List<Group> groups = new ArrayList<>();
        lines.forEach((kind, all) ->
                groups.add(new Group(kind, all.stream().limit(MOST).toList(), Math.max(0, all.size() - MOST))));
        return new GangPanel(detail, task, gang, groups, contract.hostFile(), contract.rankTable());
    }

    /** The beginning of the table, a line for each value. */
    public String shown(RankTable table) {
        return new JsonObject(table.json())
                .encodePrettily()
                .lines()
                .limit(MOST_LINES)
                .collect(Collectors.joining("\n"));
    }

    public boolean isLonger(RankTable table) {
        return new JsonObject(table.json()).encodePrettily().lines().count() > MOST_LINES;
    }

    public Gang.Member member() {
        return gang.member(task.role(), task.index());
    }
}
