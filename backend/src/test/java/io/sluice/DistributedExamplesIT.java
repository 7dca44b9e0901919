package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.jobs.drafts.Examples;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of jobs whose tasks or processes work together, run as they stand, on devices that do not exist. */
class DistributedExamplesIT {
    @RegisterExtension
    private static final GangDesk DESK = new GangDesk("8xAscend910B");

    /** Runs it to success; what the first task of a role printed comes back. */
    private static String printed(String name, String role) {
        DESK.submit(Examples.named(name).orElseThrow().config());
        DESK.ends(name, "SUCCEEDED", role);
        return DESK.log(name, role, 0);
    }

    @Test
    void two_tasks_with_two_processes_each_meet_and_agree_on_a_sum() {
        assertThat(printed("ranks", "worker")).contains("rank 0 of 4 ").contains("the sum is 30\n");
        assertThat(DESK.log("ranks", "worker", 1)).contains("rank 2 of 4 ").contains("the sum is 30\n");
    }

    @Test
    void a_script_of_mindspore_finds_its_rank_in_the_table() throws Exception {
        assertThat(printed("mindspore-ranks", "train"))
                .contains("rank 0 of 2: device ")
                .contains("at 198.18.");
        try (var logs = Files.find(
                DESK.folder(), 12, (path, type) -> path.getFileName().toString().equals("proc-rank-1-device-1.txt"))) {
            assertThat(logs.toList())
                    .singleElement()
                    .satisfies(log -> assertThat(log).content().contains("rank 1 of 2: device "));
        }
    }

    @Test
    void a_job_of_apulis_with_two_npus_starts_its_processes_from_the_file_that_it_sources() {
        assertThat(printed("apulis-2-npu", "master"))
                .contains("of boss, master 0, 2 cards of Ascend910B, table /pod/hccl.json\n")
                .contains("card 0 is rank 0 of 2\ncard 1 is rank 1 of 2\n");
    }

    @Test
    void mpirun_starts_so_many_processes_as_the_job_says() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mpirun")), "Open MPI is not installed");
        String said = printed("mpi-hello", "main");
        assertThat(said).contains("main-0 slots=2\nmain-1 slots=2\n");
        for (int rank = 0; rank < 4; rank++) {
            assertThat(said).contains("hello from rank " + rank + " of 4 in task " + rank / 2 + "\n");
        }
    }

    @Test
    void workers_find_their_parameter_server_which_ends_with_them() {
        assertThat(printed("parameter-server", "worker")).contains("worker 0 of 2: the weight is ");
        assertThat(DESK.log("parameter-server", "worker", 1)).contains("worker 1 of 2: the weight is ");
        assertThat(DESK.log("parameter-server", "ps", 0)).startsWith("serving at ");
    }

    @Test
    @Tag("torch")
    void torchrun_starts_pytorch_in_two_tasks_whose_weights_are_the_same_in_the_end() throws Exception {
        assumeTrue(hasTorch(), "PyTorch is not installed for the machine's python3");
        assertThat(printed("pytorch-ddp", "worker")).contains("rank 0 of 4", "rank 1 of 4");
        assertThat(DESK.log("pytorch-ddp", "worker", 1)).contains("rank 2 of 4", "rank 3 of 4", "the same weights");
    }

    @Test
    @Tag("tensorflow")
    void tensorflow_s_chief_trains_on_its_workers_with_the_weight_on_a_parameter_server() throws Exception {
        assumeTrue(has("tensorflow"), "TensorFlow is not installed for the machine's python3");
        assertThat(printed("tensorflow-ps", "chief")).contains("the weight is 3.00, on /job:ps/");
        assertThat(DESK.log("tensorflow-ps", "worker", 1)).contains("serving as worker 1");
    }

    private static boolean hasTorch() throws Exception {
        return Files.isExecutable(Path.of("/usr/local/bin/torchrun")) && has("torch");
    }

    private static boolean has(String module) throws Exception {
        String find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('%s') is None)".formatted(module);
        return new ProcessBuilder("/usr/bin/python3", "-c", find).start().waitFor() == 0;
    }
}
