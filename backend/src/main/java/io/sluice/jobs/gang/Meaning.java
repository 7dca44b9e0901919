package io.sluice.jobs.gang;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What each variable is for, as the key of a text. */
public final class Meaning {
    private static final String TEXT = "gang.about.";

    private record Rule(Pattern names, String text) {
        static Rule of(String names, String text) {
            return new Rule(Pattern.compile(names), TEXT + "any." + text);
        }
    }

    private static final Set<String> OWN = Set.of(
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
            "PAI_CURRENT_TASK_ROLE_NAME",
            "CUDA_DEVICE_ORDER",
            "SLUICE_START_WITHIN");

    /** Of those that have no words of their own; the first that fits. */
    private static final List<Rule> RULES = List.of(
            Rule.of("PAI_FRAMEWORK_NAME|SLUICE_JOB_NAME", "job"),
            Rule.of("PAI_USER_?NAME|DLWS_USER_NAME", "user"),
            Rule.of("PAI_VIRTUAL_CLUSTER|DLWS_VC_NAME", "cluster"),
            Rule.of("DLWS_JOB_ID|PAI_CONTAINER_ID|FC_.*", "id"),
            Rule.of("PAI_TASK_ROLE_.*_HOST_LIST", "hosts"),
            Rule.of("DLWS_SD_.*_NPU_IP_LIST", "links"),
            Rule.of(
                    "PAI_PORT_LIST_.*|PAI_CURRENT_CONTAINER_PORT|PAI_CONTAINER_.*PORT.*|PAI_.*_PORT|DLWS_SD_.*_SSH_PORT",
                    "port"),
            Rule.of("PAI_HOST_IP_.*|PAI_C.*_IP|MA_CURRENT_IP|POD_IP|DLWS_SD_.*_IP", "address"),
            Rule.of("PAI_.*MIN_(FAILED|SUCCEEDED)_TASK_COUNT.*", "end"),
            Rule.of(
                    "PAI_RESOURCE.*|PAI_TASK_(CPU|MEM|GPU)_.*|PAI_CURRENT_TASK_ROLE_(CPU|MEM|GPU|SHM)_.*|MA_NUM_GPUS|DLWS_NUM_GPU_PER_WORKER",
                    "has"),
            Rule.of(
                    "PAI_(JOB_TASK_COUNT|TASKS_NUM|TASK_ROLE_NUM|TASK_ROLE_TASK_COUNT_.*|CURRENT_TASK_ROLE_TASK_COUNT)|VC_WORKER_NUM|DLS_TASK_NUMBER|DLWS_(NUM_PS|NUM_WORKER|WORKER_NUM)|SLUICE_NODES",
                    "count"),
            Rule.of("PAI_(JOB_)?TASK_ROLE(S_NUM|_COUNT|_LIST|_INSTANCES)", "roles"),
            Rule.of(
                    "PAI_CURRENT_.*INDEX|PAI_TASK_ROLE_INDEX|DLS_TASK_INDEX|DL[WT]S_ROLE_IDX|SLUICE_NODE|SLUICE_FIRST_RANK",
                    "which"),
            Rule.of("PAI_TASK_ROLE_NAME|MA_TASK_NAME", "role"),
            Rule.of("DLWS_GPU_TYPE|DLWS_IS_NPU_JOB", "kind"),
            Rule.of("SLUICE_LAUNCHER|SLUICE_PROCESSES", "launcher"),
            Rule.of("SLUICE_INPUT_.*", "input"),
            Rule.of("SLUICE_OUTPUT_.*", "output"),
            Rule.of(
                    "PAI_(DATA|OUTPUT|CODE|WORK)_DIR|PAI_DEFAULT_FS_URI|SLUICE_LOG_DIR|MINDSPORE_HCCL_CONFIG_PATH",
                    "folder"));

    private Meaning() {}

    public static String of(String variable) {
        return OWN.contains(variable)
                ? TEXT + variable
                : RULES.stream()
                        .filter(rule -> rule.names().matcher(variable).matches())
                        .findFirst()
                        .map(Rule::text)
                        .orElseThrow(() -> new IllegalArgumentException("nobody says what " + variable + " is for"));
    }
}
