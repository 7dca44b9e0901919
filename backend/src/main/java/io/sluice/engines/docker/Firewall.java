package io.sluice.engines.docker;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps tasks from what this machine itself offers on its addresses, and from the metadata services of clouds. Docker keeps
 * their networks apart, and knows no rule for these.
 */
final class Firewall {

    /** How the names of the tasks' bridges begin; no other interface is touched. */
    static final String BRIDGES = "slu";

    private static final Logger log = System.getLogger(Firewall.class.getName());
    private static final String CHAIN = "SLUICE-TASKS";
    private static final String FROM_TASKS = BRIDGES + "+";
    private static final int SECONDS = 10;
    private static final String NAMES = "53";

    /** Where clouds tell a machine what is for it alone. Some answer there what names mean, too: that is for tasks as well. */
    private static final List<String> METADATA = List.of("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32");

    private static final String OPEN =
            "tasks can reach what this machine offers on other addresses than 127.0.0.1, because %s";

    private final String networks;
    private final boolean may;
    private final DockerMetrics metrics;
    private volatile String note = OPEN.formatted("the engine has not answered yet");

    Firewall(String networks, boolean may, DockerMetrics metrics) {
        this.networks = networks;
        this.may = may;
        this.metrics = metrics;
    }

    /** One line for the user. */
    String note() {
        return note;
    }

    /** Puts the rules in their places where they are not; a restart of the engine or of a firewall may have taken them away. */
    synchronized void keep() {
        if (!may) {
            note = OPEN.formatted("only root can set a firewall's rules, and the gateway is not root");
            return;
        }
        try {
            chain();
            first("INPUT", List.of("-i", FROM_TASKS, "-j", CHAIN));
            for (var address : METADATA) {
                for (var by : List.of("tcp", "udp")) {
                    first(
                            "DOCKER-USER",
                            List.of("-i", FROM_TASKS, "-d", address, "-p", by, "!", "--dport", NAMES, "-j", "DROP"));
                }
            }
            note = "tasks reach neither this machine nor one another's networks";
        } catch (IOException e) {
            metrics.fault("firewall");
            log.log(Level.WARNING, "engine=open cause=\"{0}\"", e.getMessage());
            note = OPEN.formatted("iptables can not be used: " + e.getMessage());
        } catch (InterruptedException e) {
            log.log(Level.DEBUG, "engine=closed");
        }
    }

    /** Answers to what the gateway itself asks of a task pass; everything else from a task to this machine does not. */
    private void chain() throws IOException, InterruptedException {
        if (!holds(List.of("-n", "-L", CHAIN))) {
            run(List.of("-N", CHAIN));
        }
        for (var rule : List.of(
                List.of("-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED", "-j", "RETURN"),
                List.of("-s", networks, "-j", "DROP"))) {
            if (!holds(with("-C", rule))) {
                run(with("-A", rule));
            }
        }
    }

    private void first(String chain, List<String> rule) throws IOException, InterruptedException {
        var check = new ArrayList<>(List.of("-C", chain));
        check.addAll(rule);
        if (!holds(check)) {
            var insert = new ArrayList<>(List.of("-I", chain, "1"));
            insert.addAll(rule);
            run(insert);
        }
    }

    private static List<String> with(String verb, List<String> rule) {
        var words = new ArrayList<>(List.of(verb, CHAIN));
        words.addAll(rule);
        return words;
    }

    private static boolean holds(List<String> words) throws IOException, InterruptedException {
        return said(words) == null;
    }

    private static void run(List<String> words) throws IOException, InterruptedException {
        var fault = said(words);
        if (fault != null) {
            throw new IOException(fault);
        }
    }

    /** Null when it was done, else what it said. */
    private static @org.jspecify.annotations.Nullable String said(List<String> words)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("iptables", "-w", "5"));
        command.addAll(words);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("iptables did not answer within " + SECONDS + " s");
        }
        try (var out = process.inputReader()) {
            var said = out.readLine();
            return process.exitValue() == 0 ? null : String.valueOf(said);
        }
    }
}
