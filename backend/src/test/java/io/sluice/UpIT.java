package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gateway as a process of its own: signals, second starts, and what stands in its way. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UpIT {
    private final List<Gateway> started = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() throws Exception {
        for (Gateway gateway : started) {
            gateway.process.destroy();
            if (!gateway.process.waitFor(10, TimeUnit.SECONDS)) {
                gateway.process.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void an_interrupt_ends_everything_within_5_seconds() throws Exception {
        Gateway gateway = start().ready();
        try (Socket reader =
                new Socket(InetAddress.getLoopbackAddress(), gateway.port())) { // a kept connection must not hold it up
            long interrupted = System.nanoTime();
            signal("INT", gateway.process.pid());

            assertThat(gateway.process.waitFor(5, TimeUnit.SECONDS)).isTrue();
            assertThat(System.nanoTime() - interrupted).isLessThan(TimeUnit.SECONDS.toNanos(5));
            assertThat(processesOf(folder)).isEmpty();
            assertThat(reader.isConnected()).isTrue();
        }
    }

    @Test
    void a_second_start_finds_its_data() throws Exception {
        Gateway first = start().ready();
        assertThat(first.lines).anyMatch(line -> line.startsWith("set up: "));
        String link = first.lines.stream()
                .filter(line -> line.startsWith("set up: "))
                .findFirst()
                .orElseThrow();
        setUp(first.port(), link.replaceAll(".*token=(\\S+).*", "$1"));
        signal("TERM", first.process.pid());
        assertThat(first.process.waitFor(5, TimeUnit.SECONDS)).isTrue();

        assertThat(start().ready().lines)
                .as("somebody is there already")
                .noneMatch(line -> line.startsWith("set up: "));
    }

    @Test
    void a_killed_gateway_leaves_its_database_to_the_next() throws Exception {
        Gateway first = start().ready();
        long database =
                processesOf(folder).stream().mapToLong(Long::longValue).min().orElseThrow();
        first.process.destroyForcibly().waitFor();
        assertThat(ProcessHandle.of(database)).isPresent();

        Gateway second = start().ready();

        assertThat(processesOf(folder)).contains(database);
        signal("TERM", second.process.pid());
        assertThat(second.process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(processesOf(folder)).isEmpty();
    }

    @Test
    void a_killed_gateway_takes_its_prometheus_with_it() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/prometheus")),
                "Prometheus is not installed (Debian package prometheus)");
        Gateway first = start("--prometheus", "auto").ready();
        awaitPrometheus(1);
        first.process.destroyForcibly().waitFor();
        awaitPrometheus(0);

        Gateway second = start("--prometheus", "auto").ready();
        awaitPrometheus(1);
        signal("TERM", second.process.pid());
        assertThat(second.process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        awaitPrometheus(0);
    }

    private void awaitPrometheus(int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (prometheus() != count) {
            assertThat(System.nanoTime()).as("too late for " + count).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private long prometheus() throws IOException {
        long found = 0;
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                String line = commandOf(process);
                boolean itself = line.startsWith("/usr/bin/prometheus") && line.contains("path=" + folder);
                found += itself ? 1 : 0;
            }
        }
        return found;
    }

    @Test
    void a_second_gateway_on_one_data_folder_is_told_of_the_first() throws Exception {
        Gateway first = start().ready();

        assertThat(start().refusal())
                .contains(folder.resolve("data").toString(), Long.toString(first.process.pid()), "--data");
    }

    /** The portal's, or one of those for apps. */
    @ParameterizedTest
    @CsvSource({"--port, %1$d, --port 0", "--endpoint-ports, %1$d-%1$d, another range with --endpoint-ports"})
    void a_port_in_use_is_told_with_what_to_choose(String flag, String value, String advice) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Gateway gateway = start(flag, value.formatted(taken.getLocalPort()));

            assertThat(gateway.refusal()).contains("Port " + taken.getLocalPort(), advice);
            assertThat(processesOf(folder))
                    .as("nothing is left of a start that failed")
                    .isEmpty();
        }
    }

    @Test
    void wrong_settings_are_told_all_at_once() throws Exception {
        Gateway gateway = start("--port", "x", "--wrong");

        assertThat(gateway.process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(gateway.process.exitValue()).isEqualTo(2);
        assertThat(gateway.errors()).contains("--port x").contains("--wrong");
    }

    @Test
    void an_unreachable_database_is_told_without_its_password() throws Exception {
        Gateway gateway = start("--db", "postgresql://me:hush-hush@127.0.0.1:9/none");

        assertThat(gateway.refusal()).contains("127.0.0.1:9").doesNotContain("hush-hush");
    }

    private Gateway start(String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(JvmOptions.all());
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.sluice.Main",
                "--data",
                folder.resolve("data").toString()));
        if (!List.of(more).contains("--port")) {
            command.addAll(List.of("--port", "0"));
        }
        if (!List.of(more).contains("--prometheus")) {
            command.addAll(List.of("--prometheus", "off"));
        }
        command.addAll(List.of(more));
        var gateway = new Gateway(new ProcessBuilder(command)
                .redirectError(Files.createTempFile(folder, "err", ".txt").toFile())
                .start());
        started.add(gateway);
        return gateway;
    }

    private static void setUp(int port, String token) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String form = "token=" + token + "&name=ada&password=correct-horse-battery&again=correct-horse-battery";
            socket.getOutputStream()
                    .write(("POST /set-up HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nOrigin: http://127.0.0.1:" + port
                                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                                    + form.length()
                                    + "\r\nConnection: close\r\n\r\n" + form)
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 303");
        }
    }

    private static void signal(String name, long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Processes other than gateways that have this folder in their command or work in it: the database's. */
    private static List<Long> processesOf(Path folder) throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "processes are found by /proc");
        List<Long> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                String line = commandOf(process);
                if (line.contains(folder.toString()) && !line.contains("io.sluice.Main") && line.contains("postgres")) {
                    found.add(Long.parseLong(process.getFileName().toString()));
                }
            }
        }
        return found;
    }

    private static String commandOf(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    private final class Gateway {
        final Process process;
        final List<String> lines = new ArrayList<>();
        private final BufferedReader out;

        Gateway(Process process) {
            this.process = process;
            this.out = process.inputReader(StandardCharsets.UTF_8);
        }

        Gateway ready() throws IOException {
            String line = out.readLine();
            while (line != null && !line.startsWith("ready ")) {
                lines.add(line);
                line = out.readLine();
            }
            assertThat(line).as("the ready line; errors: " + errors()).isNotNull();
            lines.add(line);
            return this;
        }

        int port() {
            return Integer.parseInt(lines.getLast().replaceAll(".*:", ""));
        }

        /** The one line on standard error of a gateway that does not start. */
        String refusal() throws Exception {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(1);
            List<String> told =
                    errors().lines().filter(line -> line.startsWith("sluice: ")).toList();
            assertThat(told).as(errors()).hasSize(1);
            return told.getFirst();
        }

        String errors() throws IOException {
            var all = new StringBuilder();
            try (var files = Files.newDirectoryStream(folder, "err*")) {
                for (Path file : files) {
                    all.append(Files.readString(file));
                }
            }
            return all.toString();
        }
    }
}
