package io.sluice.jobs.drafts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.drafts.Examples.Example;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExamplesTest {
    static List<Example> examples() {
        return Examples.ALL;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void an_example_is_a_job_without_a_fault(Example example) {
        assertThat(Protocols.read(example.config())).isInstanceOfSatisfying(Read.Accepted.class, accepted -> {
            assertThat(accepted.spec().name()).isEqualTo(example.name());
            assertThat(accepted.warnings()).isEmpty();
            assertThat(accepted.spec().secrets()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("examples")
    void an_example_says_what_it_is_in_both_languages(Example example) {
        assertThat(List.of(example.title("en"), example.about("en"), example.title("zh"), example.about("zh")))
                .doesNotHaveDuplicates()
                .allSatisfy(text -> assertThat(text).isNotBlank());
    }

    @Test
    void a_session_in_a_folder_is_a_job_without_a_fault_whatever_it_is_called() {
        String odd = "/mnt/lab/a \"b\": #c\n'数据";
        assertThat(Protocols.read(Examples.notebook(odd, "x: y.ipynb", "lab")))
                .isInstanceOfSatisfying(Read.Accepted.class, accepted -> {
                    assertThat(accepted.warnings()).isEmpty();
                    assertThat(accepted.spec().storages()).containsExactly(new JobSpec.Storage("lab", null));
                    assertThat(accepted.spec().extras().get("sluice"))
                            .extracting("endpoints")
                            .isEqualTo(List.of(Map.of(
                                    "recipe", "jupyterlab", "options", Map.of("folder", odd, "file", "x: y.ipynb"))));
                });
        assertThat(Examples.notebook("/userhome", "", "")).doesNotContain("storages", "file:");
    }

    @Test
    void there_is_one_for_each_thing_that_people_begin_with() {
        assertThat(Examples.ALL)
                .extracting(Example::name)
                .containsExactlyInAnyOrder(
                        "hello",
                        "progress",
                        "notebook",
                        "mnist-pytorch",
                        "cifar10-tensorflow",
                        "imagenet-4gpu",
                        "resnet50-ascend",
                        "resnet50-ascend-8",
                        "distributed-2-nodes",
                        "ranks",
                        "pytorch-ddp",
                        "parameter-server",
                        "tensorflow-ps",
                        "mindspore-ranks",
                        "apulis-2-npu",
                        "mpi-hello");
        assertThat(Examples.named("nothing")).isEmpty();
    }

    @Test
    void no_example_opens_an_app_to_whoever_finds_its_port() {
        assertThat(Examples.ALL)
                .allSatisfy(example -> assertThat(example.config()).doesNotContain("0.0.0.0", "--ip", "token="));
        assertThat(Examples.named("notebook"))
                .hasValueSatisfying(example -> assertThat(Protocols.read(example.config()))
                        .isInstanceOfSatisfying(
                                Read.Accepted.class,
                                accepted -> assertThat(accepted.spec().extras().get("sluice"))
                                        .isEqualTo(Map.of(
                                                "endpoints", List.of("jupyterlab"), "tags", List.of("notebook")))));
    }

    @Test
    void the_next_name_counts_on() {
        assertThat(Draft.Names.like("train")).startsWith("train", "train_2", "train_3");
        assertThat(Draft.Names.like("two-nodes")).startsWith("two-nodes", "two-nodes-2");
        assertThat(Draft.Names.like("train_7")).startsWith("train_7", "train_8", "train_9");
        assertThat(Draft.Names.like("pytorch-imagenet-4gpu-"))
                .startsWith("pytorch-imagenet-4gpu-", "pytorch-imagenet-4gpu-2");
        assertThat(Draft.Names.like("2026")).startsWith("2026", "2026_2");
        assertThat(Draft.Names.like("x".repeat(255)))
                .allSatisfy(name -> assertThat(name.length()).isLessThanOrEqualTo(255));
    }

    @Test
    void a_job_is_renamed_and_nothing_else_of_its_text() {
        String text = "# mine\nname: 'old' # short\ntype: job\ntaskRoles: {}\n";
        assertThat(Protocols.renamed(text, "new_2"))
                .isEqualTo("# mine\nname: \"new_2\" # short\ntype: job\ntaskRoles: {}\n");
        assertThat(Protocols.renamed("name: old\ntaskRoles: {}", "007")).isEqualTo("name: \"007\"\ntaskRoles: {}");
        assertThat(Protocols.renamed("{\"jobName\":\"a\"}", "b")).isEqualTo("{\"jobName\":\"b\"}");
        assertThat(Protocols.renamed("{ no job", "b")).isEqualTo("{ no job");
        assertThat(Protocols.name(text)).contains("old");
    }

    @Test
    void masked_secrets_are_kept_masked_and_written_ones_are_masked() {
        for (String secrets :
                List.of("'******'", "\"******\" # again", "{a: '******', b: hunter2}", "{a: hunter2, b: '******'}")) {
            for (String password : List.of("hunter3", "'******'")) {
                assertThat(Protocols.unmasked(withSecrets(secrets, password)))
                        .isInstanceOfSatisfying(
                                Read.Accepted.class,
                                accepted -> assertThat(accepted.config())
                                        .contains("secrets: \"******\"", "password: \"******\"")
                                        .doesNotContain("hunter", "again}", "\"again\""));
            }
        }
        assertThat(Protocols.unmasked("secrets: '******'\nname: [1]\n")).isInstanceOf(Read.Refused.class);
    }

    private static String withSecrets(String secrets, String password) {
        return """
                protocolVersion: 2
                name: a
                type: job
                secrets: %s
                prerequisites:
                  - {name: i, type: dockerimage, uri: u, auth: {password: %s}}
                taskRoles:
                  m: {dockerImage: i, commands: [x], resourcePerInstance: {cpu: 1, memoryMB: 1, gpu: 0}}
                """.formatted(secrets, password);
    }
}
