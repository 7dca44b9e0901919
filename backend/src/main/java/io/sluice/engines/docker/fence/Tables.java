package io.sluice.engines.docker.fence;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Asks a machine's packet filter, by its program. Rules stand in the table that is asked before the one in which Docker has its own: Docker takes
 * the way to {@code DOCKER-USER} away and puts it back with every network that it makes, and what is sent in between passes.
 */
record Tables(String program) {

    private static final String TABLE = "mangle";
    private static final int SECONDS = 10;

    /** What it said, a line each. */
    private record Answer(int code, List<String> said) {}

    /** Puts a chain in its place where it is not. */
    void chain(String name) throws IOException, InterruptedException {
        if (ask(List.of("-n", "-L", name)).code() != 0) {
            run(List.of("-N", name));
        }
    }

    List<String> rules(String chain) throws IOException, InterruptedException {
        return ask(List.of("-S", chain)).said();
    }

    void first(String chain, String... rule) throws IOException, InterruptedException {
        put("-I", chain, List.of(rule));
    }

    void last(String chain, String... rule) throws IOException, InterruptedException {
        put("-A", chain, List.of(rule));
    }

    void remove(String chain, String... rule) throws IOException, InterruptedException {
        run(words("-D", chain, List.of(rule)));
    }

    /** Takes a rule away where it is. */
    void without(String chain, String... rule) throws IOException, InterruptedException {
        if (ask(words("-C", chain, List.of(rule))).code() == 0) {
            remove(chain, rule);
        }
    }

    private void put(String verb, String chain, List<String> rule) throws IOException, InterruptedException {
        if (ask(words("-C", chain, rule)).code() != 0) {
            run(words(verb, chain, rule));
        }
    }

    private static List<String> words(String verb, String chain, List<String> rule) {
        var words = new ArrayList<>(List.of(verb, chain));
        words.addAll(rule);
        return words;
    }

    private void run(List<String> words) throws IOException, InterruptedException {
        var answer = ask(words);
        if (answer.code() != 0) {
            throw new IOException(
                    answer.said().isEmpty()
                            ? program + " failed"
                            : answer.said().getFirst());
        }
    }

    private Answer ask(List<String> words) throws IOException, InterruptedException {
        var command = new ArrayList<>(Arrays.asList(program, "-w", "5", "-t", TABLE));
        command.addAll(words);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        try (var out = process.inputReader()) {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(program + " did not answer within " + SECONDS + " s");
            }
            return new Answer(process.exitValue(), out.lines().toList());
        }
    }
}
