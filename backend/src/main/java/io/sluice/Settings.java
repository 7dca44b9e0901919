package io.sluice;

import io.netty.util.NetUtil;
import io.sluice.endpoints.Endpoints;
import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.ssh.Ssh;
import io.sluice.engines.docker.DockerSettings;
import io.sluice.engines.process.ProcessEngine;
import io.sluice.files.quota.Quotas;
import io.sluice.files.stores.Stores;
import io.sluice.identity.numbers.Numbers;
import io.sluice.jobs.data.web.Authorities;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.WebLine;
import io.sluice.logs.Logs;
import io.sluice.telemetry.Telemetry;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.telemetry.own.OwnPrometheus;
import io.sluice.web.Web;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the flags and variables say, checked as a whole: a wrong value refuses to start with every fault at once.
 *
 * @param devices how those are watched that there are; simulated ones stand in their place
 */
record Settings(
        Path data,
        @Nullable String database,
        @Nullable String administratorPassword,
        Web.Settings web,
        String engine,
        DockerSettings docker,
        String simulatedDevices,
        DeviceWatch.Settings devices,
        boolean sharedProcesses,
        Numbers.Range userIds,
        Quotas.Settings quota,
        Stores stores,
        WebLine.Settings dataWeb,
        int submissionsPerHour,
        int listsPerMinute,
        Logs.Settings logs,
        Endpoints.Settings endpoints,
        Telemetry.Settings telemetry,
        @Nullable URI url,
        String failpoint) {
    /** Reading ends in one of these. */
    sealed interface Read {}

    record Right(Settings settings) implements Read {}

    record Wrong(List<String> faults) implements Read {}

    record Help(String text) implements Read {}

    /** {@code --rehearse}: for the build, which keeps what the JVM learns from it. */
    record Rehearse() implements Read {}

    private static final Pattern REGISTRY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]*(:\\d{1,5})?");
    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,5})([kmgtKMGT])");

    static Read read(String[] arguments, Map<String, String> environment) {
        if (arguments.length == 1 && arguments[0].equals("--rehearse")) {
            return new Rehearse();
        }
        List<String> faults = new ArrayList<>();
        Map<String, String> values = Flags.values(arguments, environment, faults);
        if (!text(values, "help").isEmpty()) {
            return new Help(Flags.help());
        }
        Settings settings = settings(values, environment, faults);
        return faults.isEmpty() ? new Right(settings) : new Wrong(faults);
    }

    private static Settings settings(Map<String, String> values, Map<String, String> environment, List<String> faults) {
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
        var watched = DeviceWatch.Settings.usual(environment.getOrDefault("PATH", ""));
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
                                count(values, "streams-per-user", faults),
                                count(values, "calls-per-minute", faults)),
                text(values, "engine"),
                docker(values, environment, data, devices, faults),
                devices,
                devices.isEmpty() ? watched : watched.withoutTools(),
                !text(values, "allow-shared-process-engine").isEmpty(),
                userIds(values, faults),
                quota(values, faults),
                Stores.read(text(values, "s3-stores"), faults),
                dataWeb(values, faults),
                count(values, "submissions-per-hour", faults),
                count(values, "lists-per-minute", faults),
                logs(values, data, faults),
                new Endpoints.Settings(
                        data.resolve("recipes"),
                        Names.read(
                                text(values, "apps-domain"),
                                text(values, "endpoint-ports"),
                                host,
                                plain.port(),
                                isLoopback(host),
                                faults),
                        ssh(values, host, data, faults)),
                Telemetry.Settings.of(data)
                        .prometheus(prometheus(values, faults), ownPrometheus(values, environment, data, faults))
                        .reader(token(environment, "SLUICE_METRICS_TOKEN", faults))
                        .grafana(grafana(values, environment, faults))
                        .notices(Mailing.read(values, environment, faults)),
                address(values, "url", faults),
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

    private static WebLine.Settings dataWeb(Map<String, String> values, List<String> faults) {
        return new WebLine.Settings(
                Hosts.read(text(values, "data-hosts"), faults),
                new Limits(
                        size(values, "data-size", faults), Duration.ofMinutes(count(values, "data-minutes", faults))),
                Authorities.read(file(values, "data-ca", faults), faults));
    }

    private static Quotas.Settings quota(Map<String, String> values, List<String> faults) {
        return new Quotas.Settings(
                text(values, "files-quota").isEmpty() ? 0 : size(values, "files-quota", faults),
                text(values, "files-count").isEmpty() ? 0 : count(values, "files-count", faults),
                !text(values, "files-quota-bars").isEmpty());
    }

    private static Numbers.Range userIds(Map<String, String> values, List<String> faults) {
        try {
            return Numbers.Range.read(text(values, "user-ids"));
        } catch (IllegalArgumentException e) {
            faults.add("--user-ids: " + e.getMessage());
            return new Numbers.Range(1, 1);
        }
    }

    private static @Nullable URI prometheus(Map<String, String> values, List<String> faults) {
        return Set.of("auto", "off").contains(text(values, "prometheus"))
                ? null
                : address(values, "prometheus", faults);
    }

    /** Where one is installed, and neither another was named nor none wanted. */
    private static OwnPrometheus.@Nullable Settings ownPrometheus(
            Map<String, String> values, Map<String, String> environment, Path data, List<String> faults) {
        long bytes = size(values, "prometheus-disk", faults);
        int days = count(values, "prometheus-days", faults);
        return text(values, "prometheus").equals("auto")
                ? OwnPrometheus.found(environment.getOrDefault("PATH", ""))
                        .map(program -> new OwnPrometheus.Settings(program, data.resolve("prometheus"), bytes, days))
                        .orElse(null)
                : null;
    }

    private static Telemetry.@Nullable GrafanaSettings grafana(
            Map<String, String> values, Map<String, String> environment, List<String> faults) {
        URI address = address(values, "grafana", faults);
        String token = token(environment, "SLUICE_GRAFANA_TOKEN", faults);
        if (address != null && !Set.of("", "/", "/grafana", "/grafana/").contains(String.valueOf(address.getPath()))) {
            faults.add("--grafana " + address + " ends in a path. Grafana serves below /grafana/ (serve_from_sub_path ="
                    + " true), so give its address without one, like http://127.0.0.1:3000.");
        }
        return address == null ? null : new Telemetry.GrafanaSettings(address, token);
    }

    /** What a program shows that is no user. No flag: whoever may see processes sees flags. */
    private static @Nullable String token(Map<String, String> environment, String name, List<String> faults) {
        String token = environment.getOrDefault(name, "").strip();
        if (!token.isEmpty() && !token.matches("[\\x21-\\x7e]{20,200}")) {
            faults.add(name + " has 20 to 200 letters, digits and signs, as openssl rand -hex 24 prints them.");
        }
        return token.isEmpty() ? null : token;
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
    private static DockerSettings docker(
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
        var docker = new DockerSettings(
                data.resolve("engine").resolve("docker"),
                !host.isEmpty() ? host : usual.isEmpty() ? "unix:///var/run/docker.sock" : usual,
                folder.isEmpty() ? null : Path.of(folder).toAbsolutePath(),
                data.resolve("homes"),
                data.resolve("gdata"),
                data.resolve("data"),
                faults.isEmpty()
                        ? new ProcessEngine.Settings(Path.of("."), List.of(), devices, null).devices()
                        : List.of(),
                Path.of("/"),
                text(values, "docker-networks"),
                text(values, "docker-disk").isEmpty() ? 0 : size(values, "docker-disk", faults),
                new DockerSettings.Fence(
                        Services.of(text(values, "db"), text(values, "prometheus"), text(values, "grafana")),
                        registries(values, faults),
                        !text(values, "docker-without-firewall").isEmpty()));
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

    private static List<String> registries(Map<String, String> values, List<String> faults) {
        List<String> names = Arrays.stream(text(values, "docker-registries").split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
        names.stream()
                .filter(name -> !REGISTRY.matcher(name).matches())
                .forEach(name -> faults.add("--docker-registries " + name
                        + " is no registry. Give names like localhost:5000, without http:// and without a path."));
        return names;
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

    private static Ssh.@Nullable Settings ssh(Map<String, String> values, String host, Path data, List<String> faults) {
        String port = text(values, "ssh-port");
        boolean number = port.matches("\\d{1,5}") && Integer.parseInt(port) < 65_536;
        if (!port.isEmpty() && !number && !port.equals("off")) {
            faults.add("--ssh-port " + port + " is no port. Give a number from 0 (any free one) to 65535, or off.");
        }
        return port.equals("off") || (port.isEmpty() && !isLoopback(host))
                ? null
                : new Ssh.Settings(host, number ? Integer.valueOf(port) : null, data, Ssh.Limits.USUAL);
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
}
