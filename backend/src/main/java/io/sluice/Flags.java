package io.sluice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What can be said to {@code ./sluice up}, and how: as a flag, or as a variable. What it means is told by {@link Settings}. */
final class Flags {
    /** A flag, its variable ({@code SLUICE_} and its name) and its sentence in the help. */
    private record Flag(String name, String value, String byDefault, String help) {
        String variable() {
            return "SLUICE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
        }

        boolean isSwitch() {
            return value.isEmpty();
        }
    }

    private static final List<Flag> FLAGS = List.of(
            new Flag("port", "PORT", "8080", "where to listen; 0 takes any free port"),
            new Flag("host", "ADDRESS", "127.0.0.1", "the address to listen on"),
            new Flag("data", "DIR", ".sluice", "where everything is kept"),
            new Flag(
                    "db",
                    "URL",
                    "",
                    "an existing PostgreSQL (15 or newer) instead of the embedded one:"
                            + " postgresql://user:password@host/name"),
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
                    "docker-disk",
                    "SIZE",
                    "",
                    "that a task may write in its container beside its folders, where the engine's storage can limit"
                            + " that"),
            new Flag(
                    "docker-registries",
                    "NAMES",
                    "",
                    "registries on this machine that jobs in Docker may name, comma-separated: localhost:5000"),
            new Flag(
                    "docker-without-firewall",
                    "",
                    "",
                    "start jobs in Docker also while the firewall that keeps them from this machine can not be set"),
            new Flag(
                    "simulate-devices",
                    "SPEC",
                    "",
                    "devices that do not exist, to try things out: 8xAscend910B,4xH100"),
            new Flag(
                    "user-ids",
                    "RANGE",
                    "100000-165535",
                    "that nobody on this machine has: each user's tasks run with one of their own, where the gateway is root"),
            new Flag(
                    "allow-shared-process-engine",
                    "",
                    "",
                    "let every user run processes as the gateway's own user, who must trust one another"),
            new Flag(
                    "prometheus",
                    "URL",
                    "auto",
                    "a Prometheus that reads /metrics here and keeps the history: http://host:9090; auto: one that the"
                            + " gateway runs itself where the program prometheus is in PATH; off: none"),
            new Flag("prometheus-disk", "SIZE", "5g", "that the history of the gateway's own Prometheus takes at most"),
            new Flag("prometheus-days", "COUNT", "30", "that it reaches back at most"),
            new Flag(
                    "grafana",
                    "URL",
                    "",
                    "a Grafana whose panels stand beside the built-in charts (docs/telemetry.md says how to set it up):"
                            + " http://127.0.0.1:3000"),
            new Flag(
                    "url",
                    "URL",
                    "",
                    "by which browsers reach the portal, for links in mail and webhooks; else the address of the ready line"),
            new Flag(
                    "smtp",
                    "URL",
                    "",
                    "a mail server: smtp://user@host:587 or smtps://user@host; its password is SLUICE_SMTP_PASSWORD"),
            new Flag("mail-from", "ADDRESS", "sluice@localhost", "whom mail is from"),
            new Flag(
                    "webhook-networks",
                    "RANGES",
                    "",
                    "to which webhooks may lead beside public addresses, comma-separated: 10.0.0.0/8"),
            new Flag("submissions-per-hour", "COUNT", "1000", "of jobs by one user"),
            new Flag("calls-per-minute", "COUNT", "600", "of the API from one address, by programs"),
            new Flag("lists-per-minute", "COUNT", "60", "of jobs by one user, through the API"),
            new Flag("log-limit", "SIZE", "10g", "of one task's log; beyond it the middle goes"),
            new Flag("logs-total", "SIZE", "100g", "of all finished logs; beyond it the oldest go"),
            new Flag("log-days", "COUNT", "90", "after which a finished log goes"),
            new Flag(
                    "s3-stores",
                    "NAME=URL,…",
                    "",
                    "stores of objects that jobs may have data from and bring it to, the usual one first:"
                            + " lab=https://minio.lab:9000 (docs/data.md)"),
            new Flag(
                    "data-hosts",
                    "HOST[:PORT],…",
                    "",
                    "inside hosts that data of jobs may come from by HTTP and git, beside public ones (docs/data.md)"),
            new Flag(
                    "data-ca",
                    "FILE",
                    "",
                    "certificates (PEM) of who vouches for these, beside those that Java trusts"),
            new Flag("data-size", "SIZE", "100g", "that one address of the web may bring a job"),
            new Flag("data-minutes", "COUNT", "720", "within which it has to have come"),
            new Flag(
                    "files-quota",
                    "SIZE",
                    "",
                    "that one user may keep in home and outputs, where nothing else is said"),
            new Flag("files-count", "COUNT", "", "of files, folders and links, the same"),
            new Flag("files-quota-bars", "", "", "who keeps more can not submit jobs until something is deleted"),
            new Flag(
                    "apps-domain",
                    "DOMAIN",
                    "",
                    "beneath which every endpoint has a name, as all names beneath it lead here; localhost where only this"
                            + " machine connects; none: endpoints live inside of the portal's address, those that can"),
            new Flag(
                    "endpoint-ports",
                    "RANGE",
                    "",
                    "where there are no names: ports of which every endpoint that is open has one, as 18000-18199"),
            new Flag(
                    "ssh-port",
                    "PORT",
                    "",
                    "where tasks are reached by SSH; 0 takes any free port, off none; 2222 where only this machine"
                            + " connects, if it is free"),
            new Flag(
                    "streams-per-user", "COUNT", "50", "of live connections: pages, logs that are followed, downloads"),
            new Flag("connections-per-address", "COUNT", "1000", "at once"),
            new Flag("help", "", "", "show this"));

    private Flags() {}

    /** By the flag's name what was said, or what holds where nothing was; what can not be understood is added to the faults. */
    static Map<String, String> values(String[] arguments, Map<String, String> environment, List<String> faults) {
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
        for (Flag flag : FLAGS) {
            values.putIfAbsent(flag.name(), flag.byDefault());
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

    static String help() {
        String flags = FLAGS.stream()
                .map(flag -> String.format(
                        "  %-30s %s%s",
                        "--" + flag.name() + (flag.isSwitch() ? "" : " " + flag.value()),
                        flag.help(),
                        flag.byDefault().isEmpty() ? "" : " (default " + flag.byDefault() + ")"))
                .collect(Collectors.joining("\n"));
        return "usage: ./sluice up [flags]\n\n" + flags
                + "\n\n"
                + "Each flag is a variable too: --tls-cert is SLUICE_TLS_CERT. SLUICE_ADMIN_PASSWORD makes the first"
                + " administrator, named admin,\n"
                + "without a set-up link. SLUICE_SMTP_PASSWORD is the mail server's. SLUICE_GRAFANA_TOKEN is what Grafana shows"
                + " the gateway (otherwise made and kept in grafana.token of the data folder),\n"
                + "SLUICE_METRICS_TOKEN what a Prometheus on another machine shows at /metrics.";
    }
}
