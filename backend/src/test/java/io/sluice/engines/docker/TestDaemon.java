package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A real Docker engine of the test's own, on a private socket, with an image made of this machine's programs. */
public final class TestDaemon implements AutoCloseable {

    public static final String IMAGE = "sluice-test/tools:1";
    public static final String PLAIN = "sluice-test/plain:1";
    /** With python beside; what is in {@code /gdata/apps} it has where this machine has its test apps. */
    public static final String PYTHON = "sluice-test/python:1";

    public static final String EMPTY = "sluice-test/empty:1";
    private static final long LIMIT_SECONDS = 60;
    /** What is done in its folder before it begins. */
    private static final String NOTHING = "";

    private static final String IN_MEMORY = "mkdir data; mount -t tmpfs -o size=400m tmpfs data";
    private static final String WITH_QUOTAS =
            "mkdir data; truncate -s 800M disk; mkfs.btrfs -q disk; mount -o loop disk data";

    public final Path folder;
    final Path socket;
    private final List<String> options;
    private final OnlyOne only;
    private @Nullable Process dockerd;

    public TestDaemon(String... options) throws Exception {
        this(NOTHING, options);
    }

    /** One that has 400 MB for all that it keeps. */
    static TestDaemon small() throws Exception {
        return new TestDaemon(IN_MEMORY, new String[0]);
    }

    /** One whose storage can limit what a container writes: that of btrfs. */
    static TestDaemon withQuotas() throws Exception {
        assumeThat(Files.exists(Path.of("/usr/sbin/mkfs.btrfs")))
                .as("btrfs-progs is installed")
                .isTrue();
        return new TestDaemon(WITH_QUOTAS, new String[0]);
    }

    private TestDaemon(String before, String[] options) throws Exception {
        assumeThat(System.getProperty("user.name"))
                .as("a Docker engine of our own needs root")
                .isEqualTo("root");
        assumeThat(List.of("/usr/sbin/dockerd", "/usr/bin/dockerd").stream()
                        .anyMatch(path -> Files.exists(Path.of(path))))
                .as("docker.io is installed")
                .isTrue();
        this.only = OnlyOne.await();
        this.folder = Files.createTempDirectory("dockerd");
        this.socket = folder.resolve("docker.sock");
        this.options = List.of(options);
        try {
            sh(List.of("bash", "-ec", "cd \"$0\"; " + before, folder.toString()), null);
            start();
            images();
        } catch (Exception | AssertionError e) {
            try (only) {
                stop(true);
            }
            throw e;
        }
    }

    /** Where it looks for programs first. */
    Path programs() {
        return folder.resolve("programs");
    }

    /** @param more than the options that it was made with */
    public void start(String... more) throws IOException {
        var command = new ArrayList<>(List.of(
                "dockerd",
                "--host=unix://" + socket,
                "--data-root=" + folder.resolve("data"),
                "--exec-root=" + folder.resolve("exec"),
                "--pidfile=" + folder.resolve("pid"),
                "--bridge=none"));
        command.addAll(options);
        command.addAll(List.of(more));
        var log = folder.resolve("log");
        long before = Files.exists(log) ? Files.size(log) : 0;
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().merge("PATH", programs() + "", (path, first) -> first + ":" + path);
        dockerd = builder.start();
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS); ; ) {
            var said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
            if (said.substring((int) Math.min(before, said.length())).contains("API listen on")) {
                return;
            }
            assertThat(dockerd.isAlive() && System.nanoTime() < end)
                    .as("dockerd begins: " + said.substring(Math.max(0, said.length() - 500)))
                    .isTrue();
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Names the same image as another, as somebody's job does. */
    public void tag(String image, String name) throws IOException, InterruptedException {
        docker("tag", image, name);
    }

    /** An image that holds the same as {@link #IMAGE}, and is not the same. */
    String another(String name) throws IOException, InterruptedException {
        var image = "sluice-test/another:" + name;
        docker("create", "--name", "of-" + name, "--network", "none", IMAGE, "true");
        docker("commit", "--change", "ENV ANOTHER=" + name, "of-" + name, image);
        docker("rm", "of-" + name);
        return image;
    }

    /** An image for a processor that this machine does not have. */
    public void foreign(String name) throws IOException, InterruptedException {
        var script = """
                set -e
                cd "$0"; mkdir foreign; docker --host "$1" save "$2" | tar -x -C foreign
                for config in $(grep -o '"Config":"[^"]*"' foreign/manifest.json | cut -d'"' -f4); do
                  sed -i 's/"architecture":"[a-z0-9]*"/"architecture":"riscv64"/g' "foreign/$config"
                done
                sed -i "s#$2#$3#g" foreign/manifest.json; rm -f foreign/repositories
                tar -C foreign -c . | docker --host "$1" load; rm -rf foreign
                """;
        sh(List.of("bash", "-c", script, folder.toString(), host(), IMAGE, name), null);
    }

    /** What it has of containers, networks and volumes for tasks. */
    public List<String> left() throws IOException, InterruptedException {
        return left(0);
    }

    /** The ids of the containers that hold a network open. */
    public Set<String> holders() throws IOException, InterruptedException {
        return docker("ps", "-aq", "--no-trunc", "--filter", "name=sluice-holder-")
                .lines()
                .collect(Collectors.toSet());
    }

    /** The containers that are tasks. */
    public List<String> tasks() throws IOException, InterruptedException {
        return docker("ps", "-aq", "--filter", "label=sluice.run").lines().toList();
    }

    /** @param ready how many networks a gateway that runs may have ready, each held open */
    public List<String> left(int ready) throws IOException, InterruptedException {
        var left = new ArrayList<String>();
        left.addAll(tasks());
        var networks = docker("network", "ls", "-q", "--filter", "label=sluice.network")
                .lines()
                .toList();
        left.addAll(networks.subList(Math.min(ready, networks.size()), networks.size()));
        var holders = List.copyOf(holders());
        left.addAll(holders.subList(Math.min(ready, holders.size()), holders.size()));
        left.addAll(docker("volume", "ls", "-q").lines().toList());
        return left;
    }

    /** As {@code kill -9}, or as a service is stopped. */
    public void stop(boolean byForce) throws IOException, InterruptedException {
        var process = dockerd;
        if (process != null) {
            if (byForce) {
                process.destroyForcibly();
            } else {
                process.destroy();
            }
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            dockerd = null;
            if (byForce) {
                // its containerd dies with it; where nobody reaps that one, it would pass for alive
                Files.deleteIfExists(folder.resolve("exec/containerd/containerd.pid"));
            }
        }
    }

    public long pid() {
        var process = dockerd;
        return process == null ? -1 : process.pid();
    }

    public String host() {
        return "unix://" + socket;
    }

    /** What the docker command says. */
    public String docker(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("docker", "--host", host()));
        command.addAll(List.of(words));
        return sh(command, null);
    }

    public static String sh(List<String> command, @Nullable Path input) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(command + ": " + said).isZero();
        return said.strip();
    }

    /** Of this machine's own programs and their libraries: nothing is fetched. */
    private void images() throws IOException, InterruptedException {
        docker(
                "import",
                "--change",
                "ENV OF_IMAGE=yes LANG=C PATH=/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin",
                tools().toString(),
                IMAGE);
    }

    /** Makes {@link #PLAIN} and {@link #EMPTY}. */
    public void makePlain() throws IOException, InterruptedException {
        docker("import", Archives.MADE.resolve("plain.tar").toString(), PLAIN);
        docker("import", Archives.MADE.resolve("empty.tar").toString(), EMPTY);
    }

    /** Makes {@link #PYTHON}, which takes its time. */
    public void makePython() throws IOException, InterruptedException {
        sh(List.of("bash", "-c", PYTHON_TREE, folder.toString(), tools().toString()), null);
        docker("import", folder.resolve("python.tar").toString(), PYTHON);
        Files.delete(folder.resolve("python.tar"));
    }

    private static final String PYTHON_TREE = """
            set -e
            cd "$0"; mkdir -p python/opt/sluice-test; tar -C python -xf "$1"
            real=$(readlink -f /usr/bin/python3); version=${real##*/}
            cp --parents "$real" python/; ln -sf "$version" python/usr/bin/python3
            tar -C / --exclude=__pycache__ --exclude=test --exclude='config-*' -c "usr/lib/$version" | tar -C python -x
            { echo "$real"; find "/usr/lib/$version" /opt/sluice-test/apps -name '*.so*' 2>/dev/null; } | xargs ldd 2>/dev/null |
              grep -o ' /[^ ]*' | sort -u | while read -r library; do
                case $library in /opt/*) ;; *) [ -e "python$library" ] || cp -L --parents "$library" python/;; esac; done
            ln -s /gdata/apps python/opt/sluice-test/apps
            tar -C python -cf python.tar .; rm -rf python
            """;

    /** What {@link #IMAGE} is made of. */
    static Path tools() {
        return Archives.MADE.resolve("tools.tar");
    }

    /** Made once for all the engines of a JVM. */
    private static final class Archives {
        static final Path MADE = make();

        private static final String MAKE = """
                set -e
                cd "$0"; mkdir -p root/tmp root/etc root/proc root/var/tmp; chmod 1777 root/tmp
                printf 'root:x:0:0:root:/root:/bin/bash\\n' > root/etc/passwd
                programs="$(type -P bash sh env cat sleep seq head tail mkdir chmod touch id ls sort tr tee date df cp ln rm mount \\
                  unshare hostname stty grep sed kill perl awk timeout mknod true wc nsenter stat dd mv rmdir readlink nohup ssh 2>/dev/null || true)"
                for program in $programs; do
                  cp -L --parents "$program" root/
                  ldd "$program" 2>/dev/null | grep -o '/[^ ]*' || true
                done | sort -u | while read -r library; do cp -L --parents "$library" root/ 2>/dev/null || true; done
                cp -rL --parents /usr/lib/*/perl-base root/ 2>/dev/null || true
                cp -rL --parents /usr/lib/locale/C.* root/ 2>/dev/null || true
                cp -L --parents /lib/x86_64-linux-gnu/libnss_files.so.2 /lib/x86_64-linux-gnu/libnss_dns.so.2 root/ 2>/dev/null || true
                [ -e root/bin/sh ] || { mkdir -p root/bin; cp -L /bin/sh root/bin/sh; }
                [ -e root/bin/bash ] || cp -L /bin/bash root/bin/bash
                tar -C root -c . > tools.tar
                rm -f root/bin/bash root/usr/bin/bash
                tar -C root -c . > plain.tar
                mkdir empty; echo x > empty/file; tar -C empty -c . > empty.tar
                rm -rf root empty
                """;

        private static Path make() {
            try {
                var folder = Files.createTempDirectory("docker-images");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        sh(List.of("rm", "-rf", folder.toString()), null);
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }));
                sh(List.of("bash", "-c", MAKE, folder.toString()), null);
                return folder;
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (only) {
            tidy();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void tidy() throws IOException, InterruptedException {
        if (dockerd == null) {
            start();
        }
        var left = docker("ps", "-aq");
        if (!left.isEmpty()) {
            var command = new ArrayList<>(List.of("rm", "-fv"));
            command.addAll(left.lines().toList());
            docker(command.toArray(String[]::new));
        }
        docker("network", "prune", "-f");
        stop(false);
        // what a gateway leaves to the tasks that go on without it
        sh(
                List.of(
                        "sh",
                        "-c",
                        "iptables -t mangle -S | grep -e '-i slu+' | sed s/^-A/-D/ | while read -r rule; do iptables -t mangle $rule; done;"
                                + " for chain in $(iptables -t mangle -S | grep -o '^-N SLUICE-.*' | cut -d' ' -f2); do"
                                + " iptables -t mangle -F $chain; iptables -t mangle -X $chain; done;"
                                + " for chain in INPUT FORWARD; do ip6tables -t mangle -D $chain -i slu+ -j DROP; done; true"),
                null);
        // with live-restore the engine leaves its mounts to the one that comes after it
        sh(
                List.of(
                        "sh",
                        "-c",
                        "umount -l \"$0/data\" 2>/dev/null; umount -l \"$0/data\" 2>/dev/null; rm -rf \"$0\"",
                        folder.toString()),
                null);
    }
}
