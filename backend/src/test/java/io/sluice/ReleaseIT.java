package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A card between two jobs, on the whole gateway with a program that speaks as {@code npu-smi} does: one card, its health and who is on it. */
class ReleaseIT {
    private static final String TOOL = """
            #!/bin/sh
            [ "$*" = info ] || exit 1
            health=$(cat "$0.health")
            cat << END
            +------------------------------------------------------------------------------------------------+
            | npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
            +---------------------------+---------------+----------------------------------------------------+
            | NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
            | Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
            +===========================+===============+====================================================+
            | 0     910B3               | $health       | 92.5        41                0    / 0             |
            | 0                         | 0000:C1:00.0  | 0           0    / 0          3391 / 65536         |
            +===========================+===============+====================================================+
            +---------------------------+---------------+----------------------------------------------------+
            | NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
            +===========================+===============+====================================================+
            END
            if [ -s "$0.on" ]; then echo "| 0       0                 | $(cat "$0.on")        | python3                  | 1200                    |"
            else echo "| No running processes found in NPU 0                                                            |"; fi
            echo "+===========================+===============+====================================================+"
            """;

    @TempDir
    private static Path folder;

    private static Path tool;
    private static TestServer server;
    private static Crowd crowd;
    private static Browser boss;

    @BeforeAll
    static void start() throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        tool = Files.writeString(tools.resolve("npu-smi"), TOOL);
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        tells("health", "OK");
        tells("on", "");
        server = TestServer.withTools(folder.resolve("data"), tools);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.browser();
        boss.headers.set("Authorization", "Bearer " + crowd.bearer(crowd.person("boss", true)));
        boss.headers.set("Accept-Language", "en");
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    /** From its next answer on. */
    private static void tells(String what, String text) throws IOException {
        Path draft = Files.writeString(folder.resolve("draft"), text);
        Files.move(draft, Path.of(tool + "." + what), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void a_card_on_which_something_was_left_or_that_is_not_well_is_nobody_s_and_the_pages_say_why() throws Exception {
        submit("first", "exec sleep 86472");
        Reception.eventually(() -> pid("86472") > 0);
        tells("on", Long.toString(pid("86472")));
        Reception.eventually(() -> page("/api/v2/devices").contains("\"pid\":"));
        boss.send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/boss~first/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        submit("second", "exit 0");
        Reception.eventually(() -> page("/jobs/boss~second").contains("Used by a process that a task has left behind"));
        assertThat(pid("86472"))
                .as("the task's own process, whatever the tool says")
                .isZero();
        Reception.eventually(() -> page("/cluster").contains("Used by a process that a task has left behind"));
        assertThat(state("second")).isEqualTo("WAITING");
        tells("on", "");
        Reception.eventually(() -> state("second").equals("SUCCEEDED"));

        tells("health", "Alarm");
        Reception.eventually(() -> page("/cluster").contains("Alarm"));
        submit("third", "exit 0");
        Reception.eventually(() -> page("/jobs/boss~third").contains("Alarm"));
        assertThat(state("third")).isEqualTo("WAITING");
        tells("health", "OK");
        Reception.eventually(() -> state("third").equals("SUCCEEDED"));
    }

    @Test
    void a_card_that_is_lost_while_a_job_trains_on_it_is_told_on_its_page_and_what_fails_by_it_is_tried_again()
            throws Exception {
        submit("trains", "until [ -e /userhome/lost ]; do sleep 0.1; done; rm /userhome/lost; exit 1");
        Reception.eventually(() -> state("trains").equals("RUNNING"));
        tells("health", "Critical");
        Reception.eventually(() -> page("/jobs/boss~trains").contains("of main 0 is at fault: npu-smi: Critical"));
        assertThat(state("trains")).isEqualTo("RUNNING");
        lose();
        Reception.eventually(() -> page("/api/v2/jobs/boss~trains/attempts/0").contains("-254"));
        Reception.eventually(() -> state("trains").equals("WAITING"));
        tells("health", "OK");
        Reception.eventually(() -> state("trains").equals("RUNNING"));
        Reception.eventually(() -> !page("/jobs/boss~trains").contains("is at fault"));
        lose();
        Reception.eventually(() -> state("trains").equals("FAILED"));
    }

    private static void lose() throws IOException {
        try (var homes = Files.find(folder, 5, (path, type) -> path.endsWith("homes/boss") && type.isDirectory())) {
            Path home = homes.findFirst().orElseThrow();
            Path mark = Files.createFile(home.resolve("mark"));
            Files.setAttribute(mark, "unix:uid", Files.getAttribute(home, "unix:uid"));
            Files.move(mark, home.resolve("lost"));
        }
    }

    private static void submit(String name, String command) {
        String job = """
                {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": 1, "cpuNumber": 1,
                 "memoryMB": 100, "command": "%s"}]}
                """.formatted(name, command);
        var answer = boss.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
    }

    private static String page(String path) {
        return Objects.requireNonNullElse(boss.get(path).bodyAsString(), "");
    }

    private static String state(String name) {
        return new JsonObject(page("/api/v2/jobs/boss~" + name))
                .getJsonObject("jobStatus")
                .getString("state");
    }

    /** 0: there is none. */
    private static long pid(String word) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(words -> List.of(words).contains(word))
                        .orElse(false))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(0);
    }
}
