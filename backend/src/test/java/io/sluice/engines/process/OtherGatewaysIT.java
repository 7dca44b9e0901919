package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Gateways that other users run, or that run elsewhere; only root can become and make them. */
class OtherGatewaysIT {

    private static final String USER = "sluice-try";

    private static Path folder;
    private static Path classes;
    private static boolean added;

    @BeforeAll
    static void addUser() throws Exception {
        assumeThat(System.getProperty("user.name")).as("who runs the tests").isEqualTo("root");
        if (call("id", USER) != 0) {
            assumeThat(call("useradd", "--system", "--no-create-home", USER))
                    .as("useradd")
                    .isZero();
            added = true;
        }
        folder = Files.createTempDirectory("ordinary");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        classes = copyClasses(Files.createDirectory(folder.resolve("classes")));
        assertThat(call("chown", "-R", USER, folder.toString())).isZero();
    }

    @AfterAll
    static void removeUser() throws Exception {
        if (folder != null) {
            assertThat(call("rm", "-rf", folder.toString())).isZero();
        }
        if (added) {
            assertThat(call("userdel", USER)).isZero();
        }
    }

    @Test
    void a_task_is_the_users_own_and_kept_apart() throws Exception {
        var said = run("apart", List.of(), """
                id -un; ls -A /home; touch /usr/x /userhome/y 2>&1; ls /userhome; cat %s/secret %s/engine/runs/apart/environment
                grep CapEff /proc/self/status; unshare -Urm mount -o remount,rw,bind /usr > /dev/null 2>&1 && echo remounted
                echo lost > /dev/stdout; exit 5
                """.formatted(folder, folder));
        assumeThat(said).as("isolation").contains("isolated=true");

        assertThat(said).contains("exitCode=5");
        assertThat(Files.readString(folder.resolve("logs/apart")))
                .startsWith(USER + "\n")
                .contains("touch: cannot touch '/usr/x': Read-only file system\ny\n")
                .contains("secret: No such file")
                .contains("environment: No such file")
                .containsPattern("CapEff:\\s0000000000000000\n")
                .doesNotContain("remounted")
                .doesNotContain("lost\n");
    }

    @Test
    void no_process_survives_its_task() throws Exception {
        var said = run("whole", List.of(), "setsid -f sleep 4848; for i in {1..50}; do sleep 4848 & done; exit 6");
        assertThat(said).contains("exitCode=6");
        assertThat(TestEngine.processes("sleep 4848")).isEmpty();
    }

    @Test
    void without_namespaces_tasks_run_all_the_same_and_the_node_says_what_is_missing() throws Exception {
        // a user namespace that may hold no other: as where an administrator has forbidden them
        var forbidden = "echo 0 > /proc/sys/user/max_user_namespaces && "
                + "exec setpriv --ambient-caps=-all --inh-caps=-all \"$@\"";
        var said = run(
                "bare",
                List.of("unshare", "--user", "--map-user=1000", "--keep-caps", "bash", "-c", forbidden, "-"),
                "pwd; setsid -f sleep 4949; (trap '' TERM; sleep 4949) & env -i setsid -f bash -c 'env -i setsid -f sleep 4949'; exit 7");
        assertThat(said).contains("exitCode=7").contains("isolated=false").contains("not isolated:");
        assertThat(folder.resolve("logs/bare"))
                .hasContent(folder.resolve("homes/ann").toString());
        assertThat(TestEngine.processes("sleep 4949")).isEmpty();
    }

    @Test
    void root_that_may_not_keep_tasks_apart_starts_none() throws Exception {
        var said = said(
                List.of("setpriv", "--bounding-set=-sys_admin"), List.of(folder.toString(), "ask", "unsafe", "exit 0"));
        assertThat(said).contains("reason=UNSAFE").contains("start it as an ordinary user");
        assertThat(folder.resolve("logs/unsafe")).doesNotExist();
    }

    @Test
    void an_end_on_a_full_disk_is_told_when_there_is_room() throws Exception {
        var mounted = Files.createDirectory(folder.resolve("small"));
        var mount = "mount -t tmpfs -o size=1m tmpfs " + mounted + " && exec \"$@\"";
        var said = said(
                        List.of("unshare", "--mount", "bash", "-c", mount, "-"),
                        List.of(mounted.toString(), "fill", "full", ""))
                .lines()
                .toList();
        assertThat(said.get(0)).contains("No space left");
        assertThat(said.get(1)).contains("reason=FULL");
        assertThat(said.get(2)).contains("state=RUNNING");
        assertThat(said.get(3)).contains("state=ENDED").contains("exitCode=3");
    }

    private static String run(String name, List<String> inside, String script) throws Exception {
        Files.writeString(folder.resolve("secret"), "secret");
        var before = new ArrayList<>(List.of("setpriv", "--reuid", USER, "--clear-groups", "env", "USER=" + USER));
        before.addAll(inside);
        return said(before, List.of(folder.toString(), "run", name, script));
    }

    private static String said(List<String> before, List<String> arguments) throws Exception {
        var jars = Stream.of(classes.toFile().listFiles()).map(File::getPath).collect(Collectors.joining(":"));
        var child = EngineChild.command(before, "", jars, arguments)
                .directory(folder.toFile())
                .start();
        var said = new String(child.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isZero();
        return said;
    }

    /** The user can not read where Maven keeps them. */
    private static Path copyClasses(Path to) throws IOException {
        var needed = List.of(
                "sluice", "vertx-core", "netty-", "jackson-", "simpleclient", "jspecify", "assertj", "opentest4j");
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            var path = Path.of(entry);
            if (Files.isDirectory(path)) {
                copyFolder(path, to.resolve(path.getFileName()));
            } else if (needed.stream().anyMatch(path.getFileName().toString()::startsWith)) {
                Files.copy(path, to.resolve(path.getFileName()));
            }
        }
        return to;
    }

    private static void copyFolder(Path from, Path to) throws IOException {
        var engines = from.resolve("io/sluice/engines");
        if (Files.isDirectory(engines)) {
            try (var files = Files.walk(engines)) {
                for (var file : files.toList()) {
                    var copy = to.resolve(from.relativize(file));
                    Files.createDirectories(copy.getParent());
                    if (Files.isRegularFile(file)) {
                        Files.copy(file, copy);
                    }
                }
            }
        }
    }

    private static int call(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
