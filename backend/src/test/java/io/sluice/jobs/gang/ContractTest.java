package io.sluice.jobs.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.gang.PaiVariables.Self;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.json.JsonObject;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractTest {
    private static final Map<String, String> SECOND =
            Gangs.told(Gangs.gang(Gangs.spec("", "worker 2 2"), "ascend"), "worker", 1);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MASTER_ADDR | 10.0.0.1",
                "MASTER_PORT | 15001",
                "WORLD_SIZE | 2",
                "RANK | 1",
                "NODE_RANK | 1",
                "LOCAL_WORLD_SIZE | 1",
                "DEVICE_ID | 0",
                "ASCEND_DEVICE_ID | 0",
                "DEVICE_NUM | 2",
                "RANK_ID | 2",
                "RANK_SIZE | 4",
                "JOB_ID | 27",
                "VISIBLE_IDS | 6,7",
                "ASCEND_VISIBLE_DEVICES | 6,7",
                "ASCEND_RT_VISIBLE_DEVICES | 6,7",
                "SLUICE_HOSTFILE | /pod/hostfile",
                "MA_NUM_HOSTS | 2",
                "MA_NUM_GPUS | 2",
                "MA_CURRENT_IP | 10.0.0.2",
                "VC_TASK_INDEX | 1",
                "VC_WORKER_NUM | 2",
                "VC_WORKER_HOSTS | 10.0.0.1,10.0.0.2",
                "DLS_TASK_INDEX | 1",
                "DLS_TASK_NUMBER | 2",
                "DLWS_JOB_ID | 27",
                "DLWS_ROLE_NAME | worker",
                "DLWS_ROLE_IDX | 1",
                "DLTS_ROLE_IDX | 1",
                "DLWS_NUM_PS | 0",
                "DLWS_NUM_WORKER | 2",
                "DLWS_NUM_GPU_PER_WORKER | 2",
                "DLWS_IS_NPU_JOB | true",
                "DLWS_GPU_TYPE | Ascend910B",
                "DLWS_SD_SELF_IP | 10.0.0.2",
                "DLWS_SD_SELF_SSH_PORT | 15002",
                "DLWS_SD_worker0_IP | 10.0.0.1",
                "DLWS_SD_worker0_SSH_PORT | 15000",
                "DLWS_SD_worker0_HOST_IP | 10.0.0.1",
                "POD_NAME | 27-worker-1",
                "PAI_HOST_IP_worker_0 | 10.0.0.1",
                "PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX | 1",
            })
    void the_second_of_two_tasks_with_two_npus_each_finds(String variable, String value) {
        assertThat(SECOND).containsEntry(variable, value);
    }

    @Test
    void all_forms_name_the_same_addresses_and_ports() {
        Gang gang = Gangs.gang(Gangs.spec("", "ps 1 0", "worker 3 1"), "nvidia");
        var first = Gangs.told(gang, "worker", 0);
        assertThat(first)
                .containsEntry("MASTER_ADDR", first.get("PAI_HOST_IP_worker_0"))
                .containsEntry("MASTER_PORT", first.get("PAI_PORT_LIST_worker_0_http"));
        var cluster = new JsonObject(first.get("TF_CONFIG")).getJsonObject("cluster");
        assertThat(cluster.getJsonArray("worker").stream().map(Object::toString).collect(Collectors.joining(",")))
                .isEqualTo(first.get("PAI_TASK_ROLE_worker_HOST_LIST"));
        assertThat(cluster.getJsonArray("ps").getString(0)).isEqualTo(first.get("PAI_TASK_ROLE_ps_HOST_LIST"));
        assertThat(first).containsEntry("VC_WORKER_HOSTS", "10.0.0.2,10.0.0.3,10.0.0.4");
        assertThat(new Contract(gang, "").hostFile())
                .isEqualTo("worker-0 slots=1\nworker-1 slots=1\nworker-2 slots=1\n");
    }

    @Test
    void who_has_no_device_among_others_that_have_some_has_no_rank() {
        Gang gang = Gangs.gang(Gangs.spec("", "ps 1 0", "worker 3 1"), "nvidia");
        var ps = Gangs.told(gang, "ps", 0);
        assertThat(ps)
                .doesNotContainKeys("RANK", "NODE_RANK", "LOCAL_RANK", "RANK_ID", "DEVICE_ID", "VC_TASK_INDEX")
                .containsEntry("WORLD_SIZE", "3")
                .containsEntry("DLWS_ROLE_NAME", "ps")
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "none");
        assertThat(new JsonObject(ps.get("TF_CONFIG")).getJsonObject("task"))
                .isEqualTo(new JsonObject("{\"type\":\"ps\",\"index\":0}"));
        assertThat(Gangs.told(gang, "worker", 0)).containsEntry("RANK", "0").containsEntry("MASTER_ADDR", "10.0.0.2");
    }

    @Test
    void ranks_are_contiguous_over_roles_of_different_size() {
        Gang gang = Gangs.gang(Gangs.spec("", "chief 1 4", "worker 3 2"), "ascend");
        Set<String> ranks = new HashSet<>();
        Set<String> cardRanks = new HashSet<>();
        for (var member : gang.members()) {
            var told = Gangs.told(gang, member.role(), member.index());
            assertThat(told).containsEntry("WORLD_SIZE", "4").containsEntry("RANK_SIZE", "10");
            ranks.add(told.get("RANK"));
            cardRanks.add(told.get("RANK_ID"));
        }
        assertThat(ranks).containsExactlyInAnyOrder("0", "1", "2", "3");
        assertThat(cardRanks).containsExactlyInAnyOrder("0", "4", "6", "8");
    }

    @Test
    void a_container_that_sees_only_its_own_devices_counts_them_from_0() {
        var told = Gangs.told(Gangs.gang(Gangs.spec("", "worker 2 2"), "nvidia", true), "worker", 0);
        assertThat(told)
                .containsEntry("CUDA_VISIBLE_DEVICES", "0,1")
                .containsEntry("VISIBLE_IDS", "6,7")
                .containsEntry("MASTER_ADDR", "worker-0")
                .doesNotContainKeys("ASCEND_DEVICE_ID", "ASCEND_VISIBLE_DEVICES");
        assertThat(Gangs.told(Gangs.gang(Gangs.spec("", "worker 2 2"), "nvidia"), "worker", 0))
                .containsEntry("CUDA_VISIBLE_DEVICES", "6,7");
        assertThat(Gangs.told(Gangs.gang(Gangs.spec("", "worker 1 2"), "amd"), "worker", 0))
                .containsEntry("ROCR_VISIBLE_DEVICES", "6,7")
                .containsEntry("HIP_VISIBLE_DEVICES", "0,1");
    }

    @Test
    void of_512_tasks_each_finds_all_others_and_its_own_place_among_them() {
        Gang gang = Gangs.gang(Gangs.spec("", "worker 512 8"), "ascend");
        var contract = new Contract(gang, "/userhome");
        assertThat(contract.hostFile().lines()).hasSize(512);
        Set<String> ranks = new HashSet<>();
        for (var member : gang.members()) {
            var told = contract.environment(new Self("worker", member.index(), 0, 0, "run", "/userhome"));
            ranks.add(told.get("RANK_ID"));
            assertThat(told)
                    .containsEntry("RANK", Integer.toString(member.order()))
                    .containsEntry("WORLD_SIZE", "512")
                    .containsEntry("RANK_SIZE", "4096");
            assertThat(told.entrySet().stream()
                            .mapToInt(variable -> variable.getKey().length()
                                    + variable.getValue().length()
                                    + 2)
                            .sum())
                    .as("the kernel takes 2 MiB")
                    .isLessThan(2_000_000);
        }
        assertThat(ranks).hasSize(512).contains("0", "8", "4088");
        var last = new JsonObject(Gangs.told(gang, "worker", 511).get("TF_CONFIG"));
        assertThat(last.getJsonObject("cluster").getJsonArray("worker")).hasSize(512);
        assertThat(RankTable.of(gang).orElseThrow().fault()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"ascend, card, instances", "nvidia, torchrun, none", "amd, mpirun, none"})
    void of_each_variable_it_is_said_what_it_is_for(String vendor, String launcher, String table) throws Exception {
        String extras = """
                extras:
                  sluice:
                    distributed: {launcher: %s, rankTable: %s}
                    data: {inputs: [{name: data_url, from: /gdata}], outputs: [{name: train_url, to: /userhome/out}]}
                """.formatted(launcher, table);
        var contract = new Contract(Gangs.gang(Gangs.spec(extras, "ps 1 0", "worker 2 2"), vendor), "/userhome");
        var texts = new Properties();
        try (var in = getClass().getResourceAsStream("/texts/en.properties")) {
            texts.load(new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8));
        }
        for (String role : List.of("ps", "worker")) {
            assertThat(contract.variables(new Self(role, 0, 0, 0, "run", "/userhome")))
                    .hasSizeGreaterThan(80)
                    .allSatisfy(one -> assertThat(texts).containsKey(Meaning.of(one.name())));
        }
    }

    @Test
    void roles_whose_names_differ_in_letters_only_are_two_to_ssh_and_to_tensorflow() {
        JobSpec spec = Gangs.spec("", "Worker 1 0", "worker 1 0", "role0 1 0", "a_b 1 0");
        Gang gang = Gangs.gang(spec, "nvidia");
        assertThat(Peers.of(gang).tasks().keySet())
                .containsExactlyInAnyOrder("role0-0", "role1-0", "role2-0", "role3-0");
        assertThat(new JsonObject(Gangs.told(gang, "worker", 0).get("TF_CONFIG"))
                        .getJsonObject("cluster")
                        .fieldNames())
                .containsExactlyInAnyOrder("Worker", "worker", "role0", "a_b");
    }

    @Test
    void nobody_is_told_of_a_process_per_device_that_nobody_has_started() {
        assertThat(Gangs.told(Gangs.gang(Gangs.spec("", "worker 2 1"), "nvidia"), "worker", 1))
                .containsEntry("LOCAL_RANK", "0");
        assertThat(SECOND).doesNotContainKey("LOCAL_RANK");
        assertThat(Gangs.told(Gangs.gang(Gangs.spec("", "worker 1 0"), "nvidia"), "worker", 0))
                .doesNotContainKeys("LOCAL_RANK", "TF_CONFIG")
                .containsEntry("WORLD_SIZE", "1")
                .containsEntry("DLWS_ROLE_NAME", "master");
    }

    @Test
    void what_the_job_says_itself_counts() {
        JobSpec spec = Gangs.spec(
                "extras: {sluice: {environment: {RANK: mine, MASTER_PORT: '29500', OTHER: x}}}", "worker 2 1");
        Gang gang = Gangs.gang(spec, "nvidia");
        assertThat(Gangs.told(gang, "worker", 1))
                .containsEntry("RANK", "mine")
                .containsEntry("MASTER_PORT", "29500")
                .containsEntry("OTHER", "x");
        assertThat(new Contract(gang, "").own(new Self("worker", 1, 0, 0, "run", null)))
                .containsExactlyInAnyOrder("RANK", "MASTER_PORT");
    }

    @Test
    void a_port_that_the_job_calls_master_is_where_its_tasks_meet() {
        JobSpec spec = Gangs.spec("", "worker 2 0");
        var seats = Gangs.gang(spec, "nvidia").members().stream()
                .map(member -> new Gang.Seat(
                        member.role(), member.index(), member.address(), Map.of("master", List.of(7)), null))
                .toList();
        assertThat(Gangs.told(Gang.of(spec, "ada", 1, 0, seats), "worker", 1)).containsEntry("MASTER_PORT", "7");
    }

    @Test
    void of_a_gang_that_has_not_all_places_what_is_not_known_is_left_out() {
        JobSpec spec = Gangs.spec("extras: {gangAllocation: false}", "worker 2 0");
        var seats = Gangs.gang(spec, "nvidia").members().stream()
                .map(member -> new Gang.Seat(
                        member.role(),
                        member.index(),
                        member.index() == 0 ? null : member.address(),
                        member.ports(),
                        null))
                .toList();
        assertThat(Gangs.told(Gang.of(spec, "ada", 1, 0, seats), "worker", 1))
                .doesNotContainKeys("MASTER_ADDR", "MASTER_PORT", "TF_CONFIG", "DLWS_SD_worker0_IP")
                .containsEntry("RANK", "1")
                .containsKey("DLWS_SD_worker1_IP");
    }
}
