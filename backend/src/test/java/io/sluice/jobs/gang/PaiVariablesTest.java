package io.sluice.jobs.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.gang.PaiVariables.Placed;
import io.sluice.jobs.gang.PaiVariables.Self;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaiVariablesTest {
    private static final List<Placed> PLACED = List.of(
            placed("worker", 0, "10.0.0.1", 15001, "api", 16001, 16002),
            placed("worker", 1, "10.0.0.2", 15101, "api", 16101, 16102),
            placed("worker", 2, "10.0.0.2", 15201, "api", 16201, 16202),
            new Placed("worker", 3, null, Map.of()),
            placed("ps_server", 0, "10.0.0.3", 15301, "none"),
            placed("ps_server", 1, "10.0.0.4", 15401, "none"));
    private static final Map<String, String> V2 =
            new Told(Texts.spec(Texts.V2), "ada", "", PLACED).of(new Self("worker", 1, 2, 1, "run-7", "/userhome"));
    private static final Map<String, String> V1 = new Told(
                    Texts.spec(Texts.V1),
                    "ada",
                    "hdfs://lab",
                    List.of(
                            placed("ps.server", 0, "10.0.0.1", 15001, "grpc", 9000, 9001),
                            placed("ps.server", 1, "10.0.0.1", 15101, "grpc", 9002, 9003),
                            placed("worker~1", 0, "10.0.0.2", 15201, "none")))
            .of(new Self("ps.server", 1, 0, 0, "run-8", null));

    private record Told(JobSpec spec, String user, String home, List<Placed> placed) {
        Map<String, String> of(Self self) {
            var seats = placed.stream()
                    .map(task -> new Gang.Seat(task.role(), task.index(), task.address(), task.ports(), null))
                    .toList();
            return new Contract(Gang.of(spec, user, 7, self.jobAttempt(), seats), home).environment(self);
        }
    }

    /** Ports of ssh and http follow each other. */
    private static Placed placed(String role, int index, String address, int ssh, String label, Integer... ports) {
        return new Placed(
                role, index, address, Map.of("ssh", List.of(ssh), "http", List.of(ssh + 1), label, List.of(ports)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PAI_JOB_NAME | ada~whole_job-1",
                "PAI_FRAMEWORK_NAME | ada~whole_job-1",
                "SLUICE_JOB_NAME | whole_job-1",
                "PAI_USER_NAME | ada",
                "PAI_USERNAME | ada",
                "PAI_DEFAULT_FS_URI | ''",
                "PAI_VIRTUAL_CLUSTER | vision",
                "PAI_TASK_ROLE_COUNT | 2",
                "PAI_TASK_ROLES_NUM | 2",
                "PAI_JOB_TASK_ROLE_COUNT | 2",
                "PAI_TASK_ROLE_LIST | worker,ps_server",
                "PAI_JOB_TASK_ROLE_LIST | worker,ps_server",
                "PAI_TASK_ROLE_TASK_COUNT_worker | 4",
                "PAI_TASK_ROLE_TASK_COUNT_ps_server | 2",
                "PAI_RESOURCE_worker | 2,8,16384,1024",
                "PAI_RESOURCE_ps_server | 0,2,4096,0",
                "PAI_MIN_FAILED_TASK_COUNT_worker | 2",
                "PAI_MIN_FAILED_TASK_COUNT_ps_server | -1",
                "PAI_MIN_SUCCEEDED_TASK_COUNT_worker | 3",
                "PAI_MIN_SUCCEEDED_TASK_COUNT_ps_server | -1",
                "PAI_TASKS_NUM | 6",
                "PAI_JOB_TASK_COUNT | 6",
                "PAI_CURRENT_TASK_ROLE_NAME | worker",
                "PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX | 1",
                "PAI_TASK_INDEX | 1",
                "PAI_HOST_IP_worker_0 | 10.0.0.1",
                "PAI_HOST_IP_worker_2 | 10.0.0.2",
                "PAI_HOST_IP_ps_server_1 | 10.0.0.4",
                "PAI_HOST_IP_psserver_1 | 10.0.0.4",
                "PAI_PORT_LIST_worker_0_ssh | 15001",
                "PAI_PORT_LIST_worker_2_http | 15202",
                "PAI_PORT_LIST_worker_1_api | 16101,16102",
                "PAI_PORT_LIST_ps_server_0_http | 15302",
                "PAI_PORT_LIST_psserver_0_http | 15302",
                "PAI_worker_1_api_PORT | 16101,16102",
                "PAI_ps_server_0_ssh_PORT | 15301",
                "PAI_psserver_0_ssh_PORT | 15301",
                "PAI_TASK_ROLE_worker_HOST_LIST | 10.0.0.1:15002,10.0.0.2:15102,10.0.0.2:15202",
                "PAI_TASK_ROLE_ps_server_HOST_LIST | 10.0.0.3:15302,10.0.0.4:15402",
                "PAI_TASK_ROLE_psserver_HOST_LIST | 10.0.0.3:15302,10.0.0.4:15402",
                "PAI_TASK_ROLE_INSTANCES | worker:0,worker:1,worker:2,worker:3,ps_server:0,ps_server:1",
                "PAI_CURRENT_CONTAINER_IP | 10.0.0.2",
                "PAI_CONTAINER_HOST_IP | 10.0.0.2",
                "PAI_CURRENT_CONTAINER_PORT | 15102",
                "PAI_CONTAINER_HOST_PORT | 15102",
                "PAI_CONTAINER_SSH_PORT | 15101",
                "PAI_CONTAINER_HOST_ssh_PORT_LIST | 15101",
                "PAI_CONTAINER_HOST_http_PORT_LIST | 15102",
                "PAI_CONTAINER_HOST_api_PORT_LIST | 16101,16102",
                "PAI_CONTAINER_HOST_PORT_LIST | ssh:15101;http:15102;api:16101,16102;",
                "PAI_WORK_DIR | /userhome",
                "FC_FRAMEWORK_NAMESPACE | default",
                // md5 of ada~whole_job-1
                "FC_FRAMEWORK_NAME | 46a456ebcdbabdeb71964450f7a102ae",
                "FC_TASKROLE_NAME | worker",
                "FC_TASK_INDEX | 1",
                "FC_CONFIGMAP_NAME | 46a456ebcdbabdeb71964450f7a102ae-attempt",
                "FC_POD_NAME | 46a456ebcdbabdeb71964450f7a102ae-worker-1",
                "FC_FRAMEWORK_ATTEMPT_ID | 2",
                "FC_TASK_ATTEMPT_ID | 1",
                "FC_POD_UID | run-7",
                "FC_TASK_ATTEMPT_INSTANCE_UID | 1_run-7",
            })
    void a_task_of_protocol_2_finds(String variable, String value) {
        assertThat(V2).containsEntry(variable, value);
    }

    @ParameterizedTest
    @CsvSource({
        "FC_FRAMEWORK_UID",
        "FC_FRAMEWORK_ATTEMPT_INSTANCE_UID",
        "FC_TASKROLE_UID",
        "FC_TASK_UID",
    })
    void ids_of_the_framework_are_stable(String variable) {
        var again = new Told(Texts.spec(Texts.V2), "ada", "", List.of()).of(new Self("worker", 1, 2, 1, "run-7", null));
        assertThat(V2.get(variable)).isNotBlank().isEqualTo(again.get(variable));
    }

    @ParameterizedTest
    @CsvSource({
        "PAI_HOST_IP_worker_3",
        "PAI_PORT_LIST_worker_3_ssh",
        "PAI_worker_3_ssh_PORT",
        "PAI_DATA_DIR",
        "PAI_CONTAINER_ID",
        "PAI_RESOURCE",
        "NVIDIA_VISIBLE_DEVICES",
        "PAI_TASK_GPU_NUM",
    })
    void a_task_of_protocol_2_does_not_find(String variable) {
        assertThat(V2).doesNotContainKey(variable);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PAI_JOB_NAME | ada~whole-job_1.0",
                "PAI_DEFAULT_FS_URI | hdfs://lab",
                "PAI_DATA_DIR | hdfs://lab/data/ada",
                "PAI_OUTPUT_DIR | hdfs://lab/out/whole-job_1.0",
                "PAI_CODE_DIR | hdfs://lab/code/ada",
                "PAI_CONTAINER_ID | run-8",
                "PAI_TASK_INDEX | 1",
                "PAI_TASK_ROLE_INDEX | 1",
                "PAI_RESOURCE | 0,2,8192,128",
                "PAI_RESOURCE_ps.server | 0,2,8192,128",
                "PAI_TASK_ROLE_NAME | ps.server",
                "PAI_TASK_ROLE_NUM | 2",
                "PAI_TASK_CPU_NUM | 2",
                "PAI_TASK_MEM_MB | 8192",
                "PAI_TASK_GPU_NUM | 0",
                "PAI_CURRENT_TASK_ROLE_TASK_COUNT | 2",
                "PAI_CURRENT_TASK_ROLE_CPU_COUNT | 2",
                "PAI_CURRENT_TASK_ROLE_MEM_MB | 8192",
                "PAI_CURRENT_TASK_ROLE_GPU_COUNT | 0",
                "PAI_CURRENT_TASK_ROLE_SHM_MB | 128",
                "PAI_CURRENT_TASK_ROLE_MIN_FAILED_TASK_COUNT | -1",
                "PAI_CURRENT_TASK_ROLE_MIN_SUCCEEDED_TASK_COUNT | 2",
                "PAI_MIN_FAILED_TASK_COUNT_worker~1 | 2",
                "PAI_MIN_SUCCEEDED_TASK_COUNT_worker~1 | 3",
                "PAI_HOST_IP_worker~1_0 | 10.0.0.2",
                "PAI_PORT_LIST_ps.server_0_grpc | 9000,9001",
                "PAI_ps.server_0_grpc_PORT | 9000,9001",
                "PAI_CONTAINER_HOST_grpc_PORT_LIST | 9002,9003",
                "PAI_CONTAINER_HOST_PORT_LIST | ssh:15101;http:15102;grpc:9002,9003;any:;",
                "NVIDIA_VISIBLE_DEVICES | none",
                "paiAzRDMA | false",
                "isDebug | true",
                "RATE | 0.5",
                "NAME | x y",
            })
    void a_task_of_protocol_1_finds(String variable, String value) {
        assertThat(V1).containsEntry(variable, value);
    }

    @Test
    void without_an_output_folder_there_is_one_by_user_and_job() {
        var variables = new Told(Texts.spec(Texts.LEAST_V1), "ada", "/data", List.of())
                .of(new Self("worker", 0, 0, 0, "r", null));
        assertThat(variables)
                .containsEntry("PAI_OUTPUT_DIR", "/data/Output/ada/least")
                .containsEntry("PAI_DATA_DIR", "");
    }

    @Test
    void the_users_variables_count_last() {
        String text = Texts.LEAST_V1.replace("\"image\"", "\"jobEnvs\": {\"PAI_JOB_NAME\": \"mine\"}, \"image\"");
        assertThat(new Told(Texts.spec(text), "ada", "", List.of()).of(new Self("worker", 0, 0, 0, "r", null)))
                .containsEntry("PAI_JOB_NAME", "mine");
    }

    @Test
    void roles_that_kubernetes_would_have_called_the_same_keep_their_own() {
        String role = "{dockerImage: base, resourcePerInstance: {cpu: 1, memoryMB: 1, gpu: 0}, commands: [a]}";
        JobSpec spec = Texts.spec(Texts.LEAST_V2 + "  p_s: " + role + "\n  ps: " + role + "\n");
        var variables = new Told(
                        spec,
                        "ada",
                        "",
                        List.of(placed("p_s", 0, "10.0.0.1", 1, "x"), placed("ps", 0, "10.0.0.2", 3, "x")))
                .of(new Self("ps", 0, 0, 0, "r", null));
        assertThat(variables)
                .containsEntry("PAI_HOST_IP_ps_0", "10.0.0.2")
                .containsEntry("PAI_HOST_IP_p_s_0", "10.0.0.1");
    }

    @Test
    void the_variables_of_a_huge_job_still_fit_into_a_process() {
        JobSpec spec =
                Texts.spec(Texts.LEAST_V2.replace("dockerImage: base", "dockerImage: base\n    instances: 10000"));
        var placed = new ArrayList<Placed>();
        IntStream.range(0, 10_000).forEach(i -> placed.add(placed("worker", i, "10.200.200.200", 15000, "x")));
        var variables = new Told(spec, "ada", "", placed).of(new Self("worker", 9999, 0, 0, "r", null));
        int bytes = variables.entrySet().stream()
                .mapToInt(one -> one.getKey().length() + one.getValue().length() + 2)
                .sum();
        assertThat(bytes).isLessThan(1_500_000);
        assertThat(variables.values()).allSatisfy(value -> assertThat(value).hasSizeLessThan(128 * 1024));
        assertThat(variables).containsEntry("PAI_HOST_IP_worker_9999", "10.200.200.200");
        assertThat(variables).containsEntry("PAI_CONTAINER_SSH_PORT", "15000");
    }

    @Test
    void the_variables_of_a_large_job_are_all_there() {
        JobSpec spec =
                Texts.spec(Texts.LEAST_V2.replace("dockerImage: base", "dockerImage: base\n    instances: 2000"));
        var placed = new ArrayList<Placed>();
        IntStream.range(0, 2000).forEach(i -> placed.add(placed("worker", i, "10.200.200.200", 15000, "x")));
        assertThat(new Told(spec, "ada", "", placed).of(new Self("worker", 0, 0, 0, "r", null)))
                .containsKeys("PAI_HOST_IP_worker_1999", "PAI_PORT_LIST_worker_1999_ssh", "PAI_worker_1999_http_PORT");
    }
}
