package io.sluice;

import io.netty.util.NetUtil;
import io.sluice.endpoints.Endpoints;
import io.sluice.endpoints.road.Names;
import io.sluice.engines.docker.DockerEngine;
import io.sluice.engines.process.ProcessEngine;
import io.sluice.logs.Logs;
import io.sluice.telemetry.Telemetry;
import io.sluice.web.Web;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the flags and variables say, checked as a whole: a wrong value refuses to start with every fault at once. */
record Settings(
        Path data,
        @Nullable String database,
        @Nullable String administratorPassword,
        Web.Settings web,
        String engine,
        DockerEngine.Settings docker,
        String simulatedDevices,
        boolean sharedProcesses,
        int submissionsPerHour,
        int listsPerMinute,
        Logs.Settings logs,
        Endpoints.Settings endpoints,
        Telemetry.Settings telemetry,
        String failpoint) {
    /** Reading ends in one of these. */
    sealed interface Read {}

    record Right(Settings settings) implements Read {}

    record Wrong(List<String> faults) implements Read {}

    record Help(String text) implements Read {}

    /** {@code --rehearse}: for the build, which keeps what the JVM learns from it. */
    record Rehearse() implements Read {}

    /** A flag, its variable ({@code SLUICE_} and its name) and its sentence in the help. */
    private record Flag(String name, String value, String byDefault, String help) {
        String variable() {
            return "SLUICE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
        }

        boolean isSwitch() {
            return value.isEmpty();
        }
    }

    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,5})([kmgtKMGT])");

    private static final List<Flag> FLAGS = List.of(
            new Flag("port", "PORT", "8080", "where to listen; 0 takes any free port"),
            new Flag("host", "ADDRESS", "127.0.0.1", "the address to listen on"),
            new Flag("data", "DIR", ".sluice", "where everything is kept"),
            new Flag(
                    "db",
                    "URL",
                    "",
                    "an existing PostgreSQL (15 or newer) instead of the embedded one: postgresql://user:password@host/name"),
            new Flag("tls-cert", "FILE", "", "certificate chain (PEM); read again when it changes"),
            new Flag("tls-key", "FILE", "", "its private key (PEM)"),
            new Flag(
                    "plain-http",
                    "",
                    "",
                    "allow other machines to connect without TLS, because a proxy in front has it"),
            new Flag(
                    "trusted-proxies",
                    "ADDRESSES",
                    "",
                    "proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, comma-separated"),
            new Flag("engine", "KIND", "auto", "what runs tasks: docker, process, or auto: Docker where it answers"),
            new Flag(
                    "docker-host",
                    "URL",
                    "",
                    "the Docker engine: unix:///var/run/docker.sock, or tcp:// with certificates"),
            new Flag("docker-certs", "DIR", "", "ca.pem, cert.pem and key.pem for an engine that is reached by TLS"),
            new Flag(
                    "docker-networks",
                    "RANGE",
                    "198.19.0.0/16",
                    "addresses that nothing else here uses, for the networks of jobs in Docker"),
            new Flag(
                    "simulate-devices",
                    "SPEC",
                    "",
                    "devices that do not exist, to try things out: 8xAscend910B,4xH100"),
            new Flag(
                    "allow-shared-process-engine",
                    "",
                    "",
                    "let every user run processes as the gateway's own user, who must trust one another"),
            new Flag(
                    "prometheus",
                    "URL",
                    "",
                    "a Prometheus that reads /metrics here and keeps the history: http://host:9090"),
            new Flag("submissions-per-hour", "COUNT", "1000", "of jobs by one user"),
            new Flag("lists-per-minute", "COUNT", "60", "of jobs by one user, through the API"),
            new Flag("log-limit", "SIZE", "10g", "of one task's log; beyond it the middle goes"),
            new Flag("logs-total", "SIZE", "100g", "of all finished logs; beyond it the oldest go"),
            new Flag("log-days", "COUNT", "90", "after which a finished log goes"),
            new Flag(
                    "apps-domain",
                    "DOMAIN",
                    "",
                    "beneath which every endpoint has a name, as all names beneath it lead here; localhost where only this"
                            + " machine connects"),
            new Flag(
                    "endpoint-ports",
                    "RANGE",
                    "",
                    "where there are no names: ports of which every endpoint that is open has one, as 18000-18199"),
            new Flag(
                    "streams-per-user", "COUNT", "50", "of live connections: pages, logs that are followed, downloads"),
            new Flag("connections-per-address", "COUNT", "1000", "at once"),
            new Flag("help", "", "", "show this"));

    static Read read(String[] arguments, Map<String, String> environment) {
        if (arguments.length == 1 && arguments[0].equals("--rehearse")) {
            return new Rehearse();
        }
        List<String> faults = new ArrayList<>();
        Map<String, String> values = values(arguments, environment, faults);
        if (values.containsKey("help")) {
            return new Help(help());
        }
        Settings settings = settings(values, environment, faults);
        return faults.isEmpty() ? new Right(settings) : new Wrong(faults);
    }

    private static Map<String, String> values(
            String[] arguments, Map<String, String> environment, List<String> faults) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Flag flag : FLAGS) {
            // an empty variable is what a compose file makes of one that is not set
            Optional.<@Nullable String>ofNullable(environment.get(flag.variable()))
                    .filter(value -> !value.isBlank())
                    .ifPresent(value -> put(flag, value, flag.variable(), values, faults));
        }
        var rest = new ArrayList<>(Arrays.asList(arguments));
        while (!rest.isEmpty()) {
            take(rest, values, faults);
        }
        return values;
    }

    private static void take(List<String> rest, Map<String, String> values, List<String> faults) {
        String argument = rest.removeFirst();
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        Optional<Flag> known =
                FLAGS.stream().filter(flag -> name.equals("--" + flag.name())).findFirst();
        if (known.isEmpty()) {
            faults.add("There is no setting " + argument + ". ./sluice up --help lists them all.");
        } else if (equals >= 0) {
            put(known.get(), argument.substring(equals + 1), name, values, faults);
        } else if (known.get().isSwitch()) {
            values.put(known.get().name(), "true");
        } else if (rest.isEmpty()) {
            faults.add(name + " needs a value: " + name + " " + known.get().value());
        } else {
            put(known.get(), rest.removeFirst(), name, values, faults);
        }
    }

    private static void put(Flag flag, String value, String said, Map<String, String> values, List<String> faults) {
        if (value.isBlank()) {
            faults.add(said + " is empty. Give it a value, or leave it out.");
        } else if (!flag.isSwitch()) {
            values.put(flag.name(), value);
        } else if (value.equals("true")) {
            values.put(flag.name(), value);
        } else if (value.equals("false")) {
            values.remove(flag.name());
        } else {
            faults.add(said + " is on or off: give true or false, not " + value + ".");
        }
    }

    private static Settings settings(Map<String, String> values, Map<String, String> environment, List<String> faults) {
        for (Flag flag : FLAGS) {
            values.putIfAbsent(flag.name(), flag.byDefault());
        }
        Path data = Path.of(text(values, "data")).toAbsolutePath().normalize();
        Path certificate = file(values, "tls-cert", faults);
        Path key = file(values, "tls-key", faults);
        if ((certificate == null) != (key == null)) {
            faults.add("--tls-cert and --tls-key belong together: give both, or none.");
        }
        String host = text(values, "host");
        if (!isLoopback(host)
                && certificate == null
                && text(values, "plain-http").isEmpty()) {
            faults.add("--host " + host
                    + " lets other machines connect, and passwords would travel unencrypted. Give --tls-cert and"
                    + " --tls-key, or --plain-http if a proxy in front speaks TLS.");
        }
        String password = environment.get("SLUICE_ADMIN_PASSWORD");
        String tree = environment.get("SLUICE_DEV");
        String devices = devices(values, faults);
        Web.Settings plain = Web.Settings.of(host, port(values, faults), data.resolve("logs"));
        return new Settings(
                data,
                text(values, "db").isEmpty() ? null : text(values, "db"),
                password == null || password.isEmpty() ? null : password,
                plain.tls(certificate, key)
                        .trusting(proxies(values, faults))
                        .developing(tree == null || tree.isEmpty() ? null : Path.of(tree))
                        .limits(
                                count(values, "connections-per-address", faults),
                                count(values, "streams-per-user", faults)),
                text(values, "engine"),
                docker(values, environment, data, devices, faults),
                devices,
                !text(values, "allow-shared-process-engine").isEmpty(),
                count(values, "submissions-per-hour", faults),
                count(values, "lists-per-minute", faults),
                logs(values, data, faults),
                new Endpoints.Settings(
                        data.resolve("recipes"),
                        Names.read(
                                text(values, "apps-domain"),
                                text(values, "endpoint-ports"),
                                host,
                                isLoopback(host),
                                faults)),
                Telemetry.Settings.usual().prometheus(address(values, "prometheus", faults)),
                environment.getOrDefault("SLUICE_FAILPOINT", ""));
    }

    private static Logs.Settings logs(Map<String, String> values, Path data, List<String> faults) {
        long limit = size(values, "log-limit", faults);
        if (limit < Logs.Settings.LEAST) {
            faults.add("--log-limit is at least " + (Logs.Settings.LEAST >> 20) + "m.");
        }
        return new Logs.Settings(
                data,
                limit,
                size(values, "logs-total", faults),
                Duration.ofDays(count(values, "log-days", faults)),
                Logs.Settings.of(data).settled());
    }

    private static @Nullable URI address(Map<String, String> values, String name, List<String> faults) {
        String text = text(values, name);
        if (text.isEmpty()) {
            return null;
        }
        try {
            URI address = new URI(text);
            if (address.getHost() != null && Set.of("http", "https").contains(String.valueOf(address.getScheme()))) {
                return address;
            }
        } catch (URISyntaxException e) {
            faults.add("--" + name + " " + text + " is no address: " + e.getReason() + ".");
            return null;
        }
        faults.add("--" + name + " " + text + " is no address. Give one like http://127.0.0.1:9090.");
        return null;
    }

    private static long size(Map<String, String> values, String name, List<String> faults) {
        Matcher size = SIZE.matcher(text(values, name));
        if (size.matches()) {
            return Long.parseLong(size.group(1))
                    << (10 * " kmgt".indexOf(size.group(2).toLowerCase(Locale.ROOT)));
        }
        faults.add("--" + name + " " + text(values, name) + " is no size. Give a number with k, m, g or t, like 10g.");
        return Logs.Settings.LEAST;
    }

    private static String devices(Map<String, String> values, List<String> faults) {
        String engine = text(values, "engine");
        if (!List.of("auto", "process", "docker").contains(engine)) {
            faults.add("--engine " + engine + " is not known. Give auto, process or docker.");
        }
        String devices = text(values, "simulate-devices");
        try {
            new ProcessEngine.Settings(Path.of("."), List.of(), devices, null).devices();
        } catch (IllegalArgumentException e) {
            faults.add("--simulate-devices: " + e.getMessage());
        }
        return devices;
    }

    /** {@code DOCKER_HOST} and {@code DOCKER_CERT_PATH} count as they do for Docker's own command. */
    private static DockerEngine.Settings docker(
            Map<String, String> values,
            Map<String, String> environment,
            Path data,
            String devices,
            List<String> faults) {
        String host = text(values, "docker-host");
        String usual = environment.getOrDefault("DOCKER_HOST", "");
        String certificates = text(values, "docker-certs");
        String usualCertificates = environment.getOrDefault("DOCKER_CERT_PATH", "");
        boolean asked = !host.isEmpty() || text(values, "engine").equals("docker");
        String folder = certificates.isEmpty() ? usualCertificates : certificates;
        var docker = new DockerEngine.Settings(
                data.resolve("engine").resolve("docker"),
                !host.isEmpty() ? host : usual.isEmpty() ? "unix:///var/run/docker.sock" : usual,
                folder.isEmpty() ? null : Path.of(folder).toAbsolutePath(),
                data.resolve("homes"),
                data.resolve("gdata"),
                faults.isEmpty()
                        ? new ProcessEngine.Settings(Path.of("."), List.of(), devices, null).devices()
                        : List.of(),
                Path.of("/"),
                text(values, "docker-networks"));
        try {
            docker.check();
        } catch (IllegalArgumentException e) {
            // what only the surroundings say is no fault of whoever did not ask for Docker
            if (asked || !certificates.isEmpty()) {
                faults.add("Docker: " + e.getMessage());
            }
        }
        return docker;
    }

    private static int count(Map<String, String> values, String name, List<String> faults) {
        String count = text(values, name);
        if (count.matches("[1-9]\\d{0,8}")) {
            return Integer.parseInt(count);
        }
        faults.add("--" + name + " " + count + " is no count. Give a number from 1.");
        return 1;
    }

    private static String text(Map<String, String> values, String name) {
        return values.getOrDefault(name, "").strip();
    }

    private static int port(Map<String, String> values, List<String> faults) {
        String port = text(values, "port");
        if (port.matches("\\d{1,5}") && Integer.parseInt(port) < 65_536) {
            return Integer.parseInt(port);
        }
        faults.add("--port " + port + " is no port. Give a number from 0 (any free one) to 65535.");
        return 0;
    }

    private static @Nullable Path file(Map<String, String> values, String name, List<String> faults) {
        String path = text(values, name);
        if (path.isEmpty()) {
            return null;
        }
        if (!Files.isReadable(Path.of(path))) {
            faults.add("--" + name + " " + path
                    + " can not be read. Check that the file is there and that this user may read it.");
        }
        return Path.of(path).toAbsolutePath();
    }

    private static Set<String> proxies(Map<String, String> values, List<String> faults) {
        return Arrays.stream(text(values, "trusted-proxies").split(","))
                .map(String::strip)
                .filter(proxy -> !proxy.isEmpty())
                .map(proxy -> proxy(proxy, faults))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** As a connection's own address is written, so that ::1 is found again. */
    private static String proxy(String proxy, List<String> faults) {
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(proxy);
        if (address == null) {
            faults.add("--trusted-proxies " + proxy
                    + " is no address. Give addresses like 10.0.0.2 or ::1, separated by commas.");
            return proxy;
        }
        return address.getHostAddress();
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
    }

    private static String help() {
        String flags = FLAGS.stream()
                .map(flag -> String.format(
                        "  %-30s %s%s",
                        "--" + flag.name() + (flag.isSwitch() ? "" : " " + flag.value()),
                        flag.help(),
                        flag.byDefault().isEmpty() ? "" : " (default " + flag.byDefault() + ")"))
                .collect(Collectors.joining("\n"));
        return "usage: ./sluice up [flags]\n\n" + flags
                + "\n\nEach flag is a variable too: --tls-cert is SLUICE_TLS_CERT. SLUICE_ADMIN_PASSWORD makes the first administrator,"
                + " named admin,\nwithout a set-up link.";
    }
}
