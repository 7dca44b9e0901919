package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.git.GitServer;
import io.sluice.jobs.data.web.Authorities;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.WebLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Repositories that come to jobs as data. */
class GitDataIT {
    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 0);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private GitServer git;

    @BeforeEach
    void begin(@TempDir Path folder) throws Exception {
        git = new GitServer(folder);
        Files.writeString(git.tree.resolve("train.py"), "print(1)");
        git.sh("mkdir bin && echo run > bin/run && chmod +x bin/run && ln -s bin/run start");
        git.commit();
        desk.leave();
        var web = new WebLine.Settings(new Hosts(Set.of("localhost:" + git.port())), Limits.USUAL, Authorities.USUAL);
        desk.open(desk.data(), Stores.NONE, web);
    }

    @AfterEach
    void end() {
        git.close();
    }

    private void submit(String name, String revision) {
        desk.submit("ada", """
                protocolVersion: 2
                name: %s
                type: job
                jobRetryCount: 1
                prerequisites:
                  - {name: image, type: dockerimage, uri: none}
                  - {name: code, type: data, uri: ["%s"]}
                taskRoles:
                  worker:
                    dockerImage: image
                    data: code
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                """.formatted(name, git.address("/x.git") + revision));
    }

    @Test
    void a_task_finds_the_files_and_another_attempt_those_of_then() throws Exception {
        submit("clone", "#main");
        String run = desk.running(1).getFirst();
        assertThat(engine.task(run).environment()).containsEntry("SLUICE_INPUT_CODE", "/input/code");
        long job = desk.job("ada", "clone").id();
        Path input = desk.input("clone", "code");
        assertThat(input.resolve("train.py")).hasContent("print(1)");
        assertThat(input.resolve("bin/run").toFile().canExecute()).isTrue();
        assertThat(Files.readSymbolicLink(input.resolve("start"))).hasToString("bin/run");
        assertThat(input.resolve(".git")).doesNotExist();
        assertThat(desk.data().resolve("transfers/" + job + ".unpacking/code")).doesNotExist();
        assertThat(desk.registry.getSampleValue(
                        "sluice_data_inputs_total", new String[] {"source", "end"}, new String[] {"git", "done"}))
                .isEqualTo(1);
        git.sh("rm train.py && echo other > other.py");
        git.commit();
        engine.end(run, 1);
        desk.eventually(() -> Files.exists(input.resolve("other.py")) && !Files.exists(input.resolve("train.py")));
        desk.eventually(() -> engine.starts.size() == 2);
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("ada", "clone");
        desk.eventually(
                () -> !Files.exists(input) && !Files.exists(desk.data().resolve("transfers/" + job + ".unpacking")));
    }

    @Test
    void what_can_not_be_had_fails_the_job_and_says_why() {
        submit("lost", "#mian");
        assertThat(desk.notFetched("lost")).contains("Input code could not be fetched", "has no branch or tag “mian”");
    }
}
