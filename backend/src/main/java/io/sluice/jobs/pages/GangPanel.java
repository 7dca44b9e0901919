package io.sluice.jobs.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.gang.Contract;
import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.gang.PaiVariables;
import io.sluice.jobs.gang.RankTable;
import io.sluice.jobs.gang.Variable;
import io.sluice.web.View;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a task finds in its environment and its folder, and what each is for. */
public record GangPanel(
        JobDetail detail, JobDetail.Task task, Gang gang, List<Group> groups, String hosts, Optional<RankTable> table) {
    /** So many of a kind are shown; a job of thousands of tasks has tens of thousands. */
    private static final int MOST = 100;

    /** Those that have words of their own; the others are explained by their kind. */
    private static final Set<String> EXPLAINED = Set.of(
            "MASTER_ADDR",
            "MASTER_PORT",
            "WORLD_SIZE",
            "RANK",
            "LOCAL_RANK",
            "LOCAL_WORLD_SIZE",
            "NODE_RANK",
            "TF_CONFIG",
            "DEVICE_ID",
            "ASCEND_DEVICE_ID",
            "DEVICE_NUM",
            "RANK_ID",
            "RANK_SIZE",
            "JOB_ID",
            "VISIBLE_IDS",
            "NPU_IPS",
            "SLUICE_HOSTFILE",
            "SLUICE_OUTPUT",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
            "ASCEND_VISIBLE_DEVICES",
            "ASCEND_RT_VISIBLE_DEVICES",
            "HIP_VISIBLE_DEVICES",
            "ROCR_VISIBLE_DEVICES",
            "VC_WORKER_HOSTS",
            "VC_TASK_INDEX",
            "MA_NUM_HOSTS",
            "DLWS_ROLE_NAME",
            "POD_NAME",
            "RANK_TABLE_FILE",
            "PAI_JOB_NAME",
            "PAI_TASK_INDEX",
            "PAI_CURRENT_TASK_ROLE_NAME");

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
        public String about(View view) {
            return EXPLAINED.contains(name) ? view.t("gang.about." + name) : "";
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

    public Gang.Member member() {
        return gang.member(task.role(), task.index());
    }
}
