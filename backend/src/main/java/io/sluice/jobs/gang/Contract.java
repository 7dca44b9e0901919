package io.sluice.jobs.gang;

import io.sluice.jobs.gang.Gang.Member;
import io.sluice.jobs.gang.Place.Card;
import io.sluice.jobs.gang.Variable.Kind;
import io.sluice.jobs.protocol.Distribution;
import io.sluice.jobs.protocol.Distribution.Launcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What each task of a gang finds in its environment. Built once for a gang, asked once for each of its tasks. */
public final class Contract {
    /** A folder that every task finds, to read. */
    public static final String FOLDER = "/pod";

    /** Another, of the job's own and kept with it, for what it leaves behind. */
    public static final String OUTPUT = "/output";

    public static final String HOSTS = "hostfile";
    /** The rank table, in the form that the job has; and by the name that ModelArts gave it. */
    public static final String TABLE = "hccl.json";

    public static final String MODELARTS_TABLE = "jobstart_hccl.json";

    /** The gateway ends a job whose tasks are late; a task that hears nothing of it ends by itself so many seconds later. */
    private static final int GRACE = 60;

    /** The kernel takes 128 KiB in one variable. */
    private static final int LONGEST = 128 * 1024 - 200;

    private final Gang gang;
    private final PaiVariables pai;
    private final Apulis apulis;
    private final Optional<String> cluster;
    private final String hosts;
    private final Optional<RankTable> table;

    /** @param home begins the folders of OpenPAI's protocol 1 */
    public Contract(Gang gang, String home) {
        this.gang = gang;
        this.pai = new PaiVariables(
                gang.spec(),
                gang.user(),
                home,
                gang.members().stream()
                        .map(one -> new PaiVariables.Placed(one.role(), one.index(), one.address(), one.ports()))
                        .toList());
        this.apulis = new Apulis(gang);
        this.cluster = TensorFlowCluster.of(gang);
        this.table = RankTable.of(gang);
        this.hosts =
                gang.ranked().stream().map(one -> String.valueOf(one.address())).collect(Collectors.joining(","));
    }

    /** All that a task gets; what the job sets itself is on top. */
    public Map<String, String> environment(PaiVariables.Self self) {
        var all = new LinkedHashMap<String, String>();
        variables(self).forEach(variable -> all.put(variable.name(), variable.value()));
        all.putAll(gang.spec().environment());
        return all;
    }

    /** Those of the job's own that take the place of one of these. */
    public Set<String> own(PaiVariables.Self self) {
        Set<String> own = new LinkedHashSet<>(gang.spec().environment().keySet());
        own.retainAll(variables(self).stream().map(Variable::name).toList());
        return own;
    }

    public List<Variable> variables(PaiVariables.Self self) {
        Member member = gang.member(self.role(), self.index());
        Map<Kind, Map<String, String>> all = new LinkedHashMap<>();
        for (Kind kind : Kind.values()) {
            all.put(kind, new LinkedHashMap<>());
        }
        torch(member, into(all, Kind.TORCH));
        tensorFlow(member, into(all, Kind.TENSORFLOW));
        cards(member, into(all, Kind.CARDS));
        into(all, Kind.VISIBLE).putAll(member.place().visible());
        launcher(member, into(all, Kind.SLUICE));
        into(all, Kind.DATA).putAll(gang.spec().data().environment());
        into(all, Kind.MPI).put("SLUICE_HOSTFILE", FOLDER + "/" + HOSTS);
        into(all, Kind.PAI).putAll(pai.of(self));
        modelArts(member, into(all, Kind.MODELARTS));
        apulis.of(member, into(all, Kind.APULIS));
        if (gang.spec().role(member.role()).resources().gpu() == 0) {
            into(all, Kind.VISIBLE).put("NVIDIA_VISIBLE_DEVICES", "none");
        }
        List<Variable> list = new ArrayList<>();
        all.forEach((kind, variables) -> variables.forEach((name, value) -> {
            if (value.length() < LONGEST) {
                list.add(new Variable(kind, name, value));
            }
        }));
        return list;
    }

    private static Map<String, String> into(Map<Kind, Map<String, String>> all, Kind kind) {
        return all.getOrDefault(kind, Map.of());
    }

    private void torch(Member member, Map<String, String> variables) {
        gang.first().ifPresent(first -> variables.put("MASTER_ADDR", String.valueOf(first.address())));
        gang.meetingPort().ifPresent(port -> variables.put("MASTER_PORT", port.toString()));
        variables.put("WORLD_SIZE", Integer.toString(gang.worldSize()));
        if (member.counts()) {
            variables.put("RANK", Integer.toString(member.rank()));
            variables.put("NODE_RANK", Integer.toString(member.order()));
            variables.put("LOCAL_WORLD_SIZE", Integer.toString(member.processes()));
            // to Lightning and others it says that somebody has started a process for each device
            if (gang.worldSize() > 1
                    && gang.spec().distribution().launcher() == Launcher.PLAIN
                    && member.processes() >= Math.max(1, member.place().cards().size())) {
                variables.put("LOCAL_RANK", "0");
            }
        }
    }

    private void launcher(Member member, Map<String, String> variables) {
        var distribution = gang.spec().distribution();
        variables.put("SLUICE_OUTPUT", OUTPUT);
        if (gang.startsTogether()) {
            variables.put("SLUICE_START_WITHIN", Integer.toString(distribution.startWithin() + GRACE));
        }
        if (distribution.launcher() == Launcher.PLAIN || !member.counts()) {
            return;
        }
        variables.put("SLUICE_LAUNCHER", distribution.launcher().name().toLowerCase(Locale.ROOT));
        variables.put("SLUICE_PROCESSES", Integer.toString(member.processes()));
        variables.put("SLUICE_FIRST_RANK", Integer.toString(member.rank()));
        variables.put("SLUICE_NODE", Integer.toString(member.order()));
        variables.put("SLUICE_NODES", Integer.toString(gang.ranked().size()));
        variables.put(
                "SLUICE_LOG_DIR",
                PaiVariables.HOME + "/logs/" + gang.spec().name() + "/" + gang.number() + "-" + gang.attempt());
    }

    private void tensorFlow(Member member, Map<String, String> variables) {
        cluster.ifPresent(all -> variables.put("TF_CONFIG", TensorFlowCluster.config(gang, all, member)));
    }

    private void cards(Member member, Map<String, String> variables) {
        List<Card> cards = member.place().cards();
        if (cards.isEmpty()) {
            return;
        }
        variables.put("DEVICE_ID", "0");
        variables.put("DEVICE_NUM", Integer.toString(cards.size()));
        variables.put("RANK_ID", Integer.toString(member.cardRank()));
        variables.put("RANK_SIZE", Integer.toString(gang.cards()));
        variables.put("JOB_ID", Long.toString(gang.number()));
        if (cards.stream().allMatch(Card::isAscend)) {
            variables.put("ASCEND_DEVICE_ID", "0");
        }
        table.filter(told -> told.fault() == null).ifPresent(told -> table(member, variables));
        variables.put("VISIBLE_IDS", numbers(cards));
        String links = cards.stream()
                .filter(card -> card.link() != null)
                .map(card -> card.number() + ":" + card.link())
                .collect(Collectors.joining(","));
        if (!links.isEmpty()) {
            variables.put("NPU_IPS", links);
        }
    }

    private void table(Member member, Map<String, String> variables) {
        var distribution = gang.spec().distribution();
        String file = FOLDER + "/" + TABLE;
        switch (distribution.table()) {
            case SERVERS, NONE, PODS -> variables.put("RANK_TABLE_FILE", file);
            case MODELARTS -> variables.put("RANK_TABLE_FILE", FOLDER);
            case INSTANCES -> {
                variables.put("RANK_TABLE_FILE", file);
                variables.put("MINDSPORE_HCCL_CONFIG_PATH", file);
            }
        }
        if (distribution.framework() == Distribution.Framework.TENSORFLOW) {
            // there a rank is called as the table calls the task
            variables.put("RANK_ID", apulis.pod(member));
        }
    }

    /** What a task's script begins with: the way to the others, and its wait for them. */
    public String prologue() {
        String programs = FOLDER + "/" + Peers.PROGRAMS;
        return (Peers.areIn(gang) ? "[ ! -d " + programs + " ] || export PATH=" + programs + ":$PATH\n" : "")
                + (gang.startsTogether() ? "[ ! -e " + FOLDER + "/barrier ] || . " + FOLDER + "/barrier\n" : "");
    }

    /** Empty where the gang has none; with a fault where it should have one. */
    public Optional<RankTable> rankTable() {
        return table;
    }

    private static String numbers(List<Card> cards) {
        return cards.stream().map(card -> Integer.toString(card.number())).collect(Collectors.joining(","));
    }

    private void modelArts(Member member, Map<String, String> variables) {
        if (!member.counts()) {
            return;
        }
        int tasks = gang.ranked().size();
        variables.put("MA_NUM_HOSTS", Integer.toString(tasks));
        variables.put("MA_NUM_GPUS", Integer.toString(member.place().cards().size()));
        variables.put("MA_TASK_NAME", "worker");
        variables.put("MA_CURRENT_IP", String.valueOf(member.address()));
        variables.put("VC_TASK_INDEX", Integer.toString(member.order()));
        variables.put("VC_WORKER_NUM", Integer.toString(tasks));
        variables.put("VC_WORKER_HOSTS", hosts);
        variables.put("DLS_TASK_INDEX", Integer.toString(member.order()));
        variables.put("DLS_TASK_NUMBER", Integer.toString(tasks));
    }

    /** For mpirun: a task a line, by the name by which SSH leads to it, with the processes that are to run there. */
    public String hostFile() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        gang.ranked().stream()
                .filter(one -> one.address() != null)
                .forEach(one -> slots.merge(
                        Peers.areIn(gang) ? gang.hostName(one) : String.valueOf(one.address()),
                        Math.max(one.processes(), one.place().cards().size()),
                        Integer::sum));
        return slots.entrySet().stream()
                .map(host -> host.getKey() + " slots=" + host.getValue() + "\n")
                .collect(Collectors.joining());
    }
}
