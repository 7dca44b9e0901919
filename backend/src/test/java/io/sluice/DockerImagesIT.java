package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.engines.docker.TestDaemon;
import io.sluice.engines.docker.TestRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users see of images, by a real gateway, a real Docker engine and a real registry. */
@SuppressWarnings("NullAway.Init")
class DockerImagesIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    static Path folder;

    private static TestDaemon daemon;
    private static TestRegistry registry;
    private static Household house;

    @BeforeAll
    static void start() throws Exception {
        daemon = new TestDaemon();
        daemon.makePlain();
        registry = new TestRegistry(daemon);
        house = new Household(
                folder.toRealPath(),
                TestDaemon.IMAGE,
                Map.of(
                        "SLUICE_ENGINE",
                        "docker",
                        "SLUICE_DOCKER_HOST",
                        daemon.host(),
                        "SLUICE_DOCKER_REGISTRIES",
                        "127.0.0.1"));
        house.start("");
    }

    @AfterAll
    static void stop() throws Exception {
        if (house != null) {
            house.close();
        }
        if (registry != null) {
            registry.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    @Test
    void an_image_of_a_private_registry_is_fetched_with_progress_and_only_for_who_has_the_password() throws Exception {
        var mine = registry.push(TestDaemon.IMAGE, "team/tools:1");
        var large = registry.pushLarge("team/large:1", 24);
        registry.slow(4);

        submit(image("slowly", large, TestRegistry.USER, TestRegistry.PASSWORD));
        Household.eventually(
                LIMIT,
                () -> waiting("slowly").matches(".*being fetched: \\d+ % · \\d+ / 2\\d MiB.*"),
                () -> waiting("slowly"));
        assertThat(house.state("slowly")).isEqualTo("WAITING");
        assertThat(page("slowly", "en")).containsPattern("Its image \\S+ is being fetched: \\d+ %");
        assertThat(page("slowly", "zh"))
                .containsPattern("\\d+ % · \\d+ / 2\\d MiB")
                .contains("正在拉取");
        assertThat(house.stop("slowly").statusCode()).isEqualTo(202);
        house.ends(LIMIT, "slowly");
        registry.slow(0);

        submit(image("mine", mine, TestRegistry.USER, TestRegistry.PASSWORD));
        assertThat(ended("mine").path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(house.get("/api/v2/jobs/admin~mine/events").toString())
                .contains(mine.replace(":1", "") + "@sha256:")
                .doesNotContain(TestRegistry.PASSWORD);
        assertThat(new String(house.bytes("/api/v2/jobs/admin~mine/config"), StandardCharsets.UTF_8))
                .contains("******")
                .doesNotContain(TestRegistry.PASSWORD);

        // it is here by now, and still not for who does not have the password
        submit(image("stolen", mine, "", ""));
        explained("stolen", 254, "imageClosed", "镜像仓库要求登录");
        submit(image("guessed", mine, TestRegistry.USER, "wrong"));
        explained("guessed", 254, "imagePassword", "镜像仓库不接受该用户名和密码");
        // a password goes to the registry that it is for, and to no other
        submit(image("elsewhere", mine, TestRegistry.USER, TestRegistry.PASSWORD)
                .replace("password:", "registryuri: registry.example.org, password:"));
        explained("elsewhere", 254, "imageSignIn", "登录信息属于另一个镜像仓库");
        assertThat(Files.readString(house.errors())).doesNotContain(TestRegistry.PASSWORD);
    }

    @Test
    void why_an_image_can_not_be_had_is_explained_in_both_languages() throws Exception {
        registry.push(TestDaemon.IMAGE, "team/plain:1");
        daemon.foreign("team/foreign:1");
        submit(image("no-image", registry.address() + "/team/none:1", TestRegistry.USER, TestRegistry.PASSWORD));
        submit(image("foreign", "team/foreign:1", "", ""));
        submit(image("no-shell", TestDaemon.EMPTY, "", ""));
        submit(image("no-bash", TestDaemon.PLAIN, "", ""));
        explained("no-image", 254, "imageMissing", "不存在");
        explained("foreign", 254, "imageProcessor", "处理器架构");
        explained("no-shell", -1203, "noShell", "没有可以运行命令的 shell");
        assertThat(ended("no-bash").path("state").asText()).isEqualTo("SUCCEEDED");

        registry.cut(true);
        submit(image("down", registry.address() + "/team/plain:1", TestRegistry.USER, TestRegistry.PASSWORD));
        Household.eventually(() -> page("down", "zh").contains("目前无法连接镜像仓库"));
        assertThat(page("down", "en")).contains("can not be reached at the moment");
        registry.cut(false);
        var back = ended("down");
        assertThat(back.path("state").asText()).as("%s", back).isEqualTo("SUCCEEDED");
    }

    private static void submit(String text) throws IOException {
        var answer = house.submitText(text, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static String image(String name, String image, String user, String password) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: "%s"%s}]
                taskRoles:
                  main: {instances: 1, dockerImage: image, resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 0}, commands: [echo ran]}
                """.formatted(
                        name,
                        image,
                        user.isEmpty() ? "" : ", auth: {username: %s, password: \"%s\"}".formatted(user, password));
    }

    private static void explained(String name, int code, String rule, String chinese) throws Exception {
        var status = ended(name);
        assertThat(status.path("state").asText()).as(name).isEqualTo("FAILED");
        assertThat(status.path("appExitCode").asInt()).as(name).isEqualTo(code);
        assertThat(page(name, "zh")).as(rule).contains(chinese);
        assertThat(page(name, "en")).as(rule).doesNotContain(chinese);
    }

    private static JsonNode ended(String name) throws Exception {
        house.ends(LIMIT, name);
        return house.get("/api/v2/jobs/admin~" + name).path("jobStatus");
    }

    private static String waiting(String name) throws IOException {
        return house.get("/api/v2/jobs/admin~" + name)
                .path("jobStatus")
                .path("waiting")
                .path("message")
                .asText();
    }

    /** As a browser in that language gets it. */
    private static String page(String name, String language) throws IOException {
        return house.page("/jobs/admin~" + name, language);
    }
}
