package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs as users have them, by a real gateway as processes: each to its end. */
class GoodJobsIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Household house;

    @BeforeAll
    static void start() throws IOException {
        house = new Household(folder);
        house.start("");
    }

    @AfterAll
    static void stop() throws IOException {
        house.close();
    }

    private static void succeeds(String text, String name) throws Exception {
        var answer = house.submitText(text, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        house.ends(LIMIT, name);
        assertThat(house.state(name)).as(JobTrace.of(house, name)).isEqualTo("SUCCEEDED");
    }

    private static String log(String name, String task) throws IOException {
        return new String(
                house.bytes("/api/v2/jobs/admin~" + name + "/attempts/0/taskRoles/" + task + "/attempts/0/log"),
                StandardCharsets.UTF_8);
    }

    @Test
    void a_job_file_of_an_old_client_runs_to_success_as_it_is() throws Exception {
        String text;
        try (var file = getClass().getResourceAsStream("/jobs/hello.json")) {
            text = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        }
        succeeds(text, "say_hello");
        assertThat(log("say_hello", "hello_cluster/taskIndex/0")).isEqualTo("done\n");
        assertThat(house.home().resolve("output/now.txt")).isNotEmptyFile();
    }

    @Test
    void two_roles_find_one_another_and_talk_over_their_ports() throws Exception {
        succeeds(TALK, "talk");
        assertThat(Files.readAllLines(house.home().resolve("answers")))
                .containsExactlyInAnyOrder("hello client 0", "hello client 1");
    }

    private static final String TALK = """
            protocolVersion: 2
            name: talk
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: none}]
            taskRoles:
              server:
                dockerImage: image
                completion: {minSucceededInstances: -1}
                resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0, ports: {talk: 1}}
                commands:
                  - |-
                    perl -MIO::Socket::INET -e '
                      my $door = IO::Socket::INET->new(Listen => 5, LocalPort => $ENV{PAI_PORT_LIST_server_0_talk}, ReuseAddr => 1) or die "no port: $!";
                      for (1, 2) { my $guest = $door->accept; my $word = <$guest>; print $guest "hello $word"; close $guest }'
              client:
                instances: 2
                dockerImage: image
                resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}
                commands:
                  - host=PAI_HOST_IP_server_0; port=PAI_PORT_LIST_server_0_talk
                  - until { exec 3<>/dev/tcp/${!host}/${!port}; } 2>/dev/null; do sleep 0.1; done
                  - echo "client $PAI_TASK_INDEX" >&3
                  - read -r answer <&3
                  - echo "$answer" >> ~/answers
                  - '[ "$answer" = "hello client $PAI_TASK_INDEX" ]'
            """;
}
