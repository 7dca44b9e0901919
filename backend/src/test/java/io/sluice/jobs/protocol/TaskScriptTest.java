package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskScriptTest {
    private static final String STRICT = """
            set -o errexit
            set -o nounset
            [ -z "${BASH_VERSION:-}" ] && ! (set -o pipefail) 2>/dev/null || set -o pipefail
            """;

    private record Ran(int exitCode, String output) {}

    private static String script(String text) {
        JobSpec spec = Texts.spec(text);
        return TaskScript.of(spec, spec.roles().getFirst());
    }

    /** As an engine does: bash reads the script from a file or a pipe, and has no terminal. */
    private static Ran run(String script) throws IOException, InterruptedException {
        return run("bash", script);
    }

    private static Ran run(String shell, String script) throws IOException, InterruptedException {
        Process bash = new ProcessBuilder(shell, "-c", script)
                .redirectErrorStream(true)
                .start();
        bash.getOutputStream().close();
        String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Ran(bash.exitValue(), output);
    }

    private static String commands(String... commands) {
        var list = new StringBuilder();
        for (String command : commands) {
            list.append("      - ").append(command).append('\n');
        }
        return Texts.LEAST_V2.replace("      - echo hello\n", list);
    }

    @Test
    void commands_of_protocol_2_are_trimmed_joined_and_strict() {
        assertThat(script(commands("'  cd /tmp  '", "\"echo a\\n\""))).isEqualTo(STRICT + "cd /tmp\necho a\n");
    }

    @Test
    void a_launcher_starts_the_last_command_and_the_others_run_before_it() {
        String text = commands("pip install x", "python train.py --note \"it's <% $parameters.note %>\"")
                + "extras: {sluice: {distributed: {launcher: card}}}\nparameters: {note: don't}\n";
        assertThat(script(text)).isEqualTo(STRICT + """
                pip install x
                "${BASH:-sh}" /pod/launch 9<<'SLUICE_END'
                python train.py --note "it's don't"
                SLUICE_END
                """);
        assertThat(script(text.replace("card", "plain"))).doesNotContain("/pod/launch");
    }

    @Test
    void a_shell_that_is_not_bash_runs_protocol_2_as_strictly_as_it_can() throws Exception {
        String script = script(commands("echo begun", "\"echo $((1 + 1))\"", "\"false\"", "echo not reached"));
        assertThat(run("sh", script)).isEqualTo(new Ran(1, "begun\n2\n"));
        assertThat(run("bash", script)).isEqualTo(new Ran(1, "begun\n2\n"));
        assertThat(run("bash", script(commands("\"false | true\"", "echo not reached"))))
                .isEqualTo(new Ran(1, ""));
    }

    @Test
    void a_command_of_protocol_1_runs_as_it_is_written() {
        String text = Texts.LEAST_V1.replace("echo hello", "  false; echo $NOT_SET <% $parameters.a %> ");
        assertThat(script(text)).isEqualTo("  false; echo $NOT_SET <% $parameters.a %> ");
    }

    @Test
    void a_failing_command_an_unset_variable_and_a_broken_pipe_end_protocol_2() throws Exception {
        assertThat(run(script(commands("\"false\"", "echo not reached")))).isEqualTo(new Ran(1, ""));
        assertThat(run(script(commands("echo $SURELY_NOT_SET", "echo not reached")))
                        .exitCode())
                .isNotZero();
        assertThat(run(script(commands("(exit 3) | cat", "echo not reached")))).isEqualTo(new Ran(3, ""));
    }

    @Test
    void the_active_deployment_stands_around_the_commands() {
        JobSpec spec = Texts.spec(Texts.V2);
        assertThat(TaskScript.of(spec, spec.role("ps_server"))).doesNotContain("echo remote");
        String local = TaskScript.of(spec, spec.role("worker"));
        assertThat(local).containsSubsequence("mkdir -p data\n", "export TOKEN", "python train.py", "ls data\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<% $parameters.model %> | resnet50",
                "<%$parameters.model%> | resnet50",
                "<% $parameters.batch %>-<% $parameters.rate %> | 64-0.1",
                "<% $parameters.layers[1] %> | 2",
                "<% $parameters.layers %> | 1,2,3",
                "<% $parameters.nested.deep.value %> | found",
                "<% $parameters.nested %> | <% $parameters.nested %>",
                "<% $parameters.none %> | <% $parameters.none %>",
                "<% $parameters.layers[9] %> | <% $parameters.layers[9] %>",
                "<% model %> | <% model %>",
                "<% $nothing.x %> | <% $nothing.x %>",
                "<% $data.name %> | cifar",
                "<% $data.uri[1] %> | https://data.lab/labels.txt",
                "<% $output.uri %> | hdfs://lab/model",
                "<% $script.version %> | abc123",
                "<% $secrets.token %> | <% $secrets.token %>",
                "<% $parameters.model | <% $parameters.model"
            })
    void parameters_are_put_in_and_unknown_names_stay(String placeholder, String expected) {
        String text = Texts.V2.replace("export TOKEN=<% $secrets.token %>", "'echo " + placeholder + "'");
        assertThat(TaskScript.of(Texts.spec(text), Texts.spec(text).role("worker")))
                .contains("echo " + expected + "\n");
    }

    @Test
    void data_script_and_output_are_those_of_the_role() {
        String text = Texts.V2.replace("sleep infinity", "'echo <% $data.name %> <% $parameters.model %>'");
        JobSpec spec = Texts.spec(text);
        assertThat(TaskScript.of(spec, spec.role("ps_server"))).contains("echo <% $data.name %> resnet50");
    }

    @Test
    void a_parameter_is_never_read_as_a_placeholder_of_another() {
        String text = commands("echo <% $parameters.a %>")
                + "parameters: {a: '<% $parameters.b %> <% $secrets.s %>', b: no}\nsecrets: {s: yes it is}\n";
        assertThat(script(text)).isEqualTo(STRICT + "echo <% $parameters.b %> <% $secrets.s %>\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<% $", "<% $parameters.", "<%", "<% $a ", "<% $a[1]", "%> <%", "<% $a.", " "})
    void no_command_takes_long_to_fill(String piece) {
        String command = piece.repeat(100_000) + "a".repeat(300_000) + " ".repeat(300_000);
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> assertThat(Secrets.render(command, Map.of("a", "b"))).isEqualTo(command));
    }

    @Test
    void parameters_reach_the_image() {
        JobSpec spec = Texts.spec(Texts.LEAST_V2.replace("uri: ubuntu", "uri: ubuntu:<% $parameters.tag %>")
                + "parameters: {tag: 24.04}\n");
        assertThat(TaskScript.image(spec, spec.roles().getFirst())).isEqualTo("ubuntu:24.04");
    }

    /** Two prerequisites and a plugin around a command, each telling its turn. */
    private static String surrounded(String command, String policy) {
        String prerequisite =
                "  - {name: %s, type: script, plugin: com.microsoft.pai.runtimeplugin.cmd, failurePolicy: "
                        + policy
                        + ", callbacks: [{event: taskStarts, commands: ['echo start-%s', 'cd /', 'export LEAK=1']},"
                        + " {event: taskSucceeds, commands: ['echo end-%s']}]}\n";
        return Texts.LEAST_V2
                        .replace(
                                "taskRoles:",
                                prerequisite.replace("%s", "one") + prerequisite.replace("%s", "two") + "taskRoles:")
                        .replace("    dockerImage: base", "    dockerImage: base\n    prerequisites: [one, two]")
                        .replace("- echo hello", "- " + command)
                + "extras: {com.microsoft.pai.runtimeplugin: [{plugin: cmd, parameters:"
                + " {preCommands: [echo start-three], postCommands: [echo end-three]}}]}\n";
    }

    @Test
    void what_starts_first_ends_last() throws Exception {
        assertThat(run(script(surrounded("echo ${LEAK:-main}", "fail"))))
                .isEqualTo(new Ran(0, "start-one\nstart-two\nstart-three\nmain\nend-three\nend-two\nend-one\n"));
    }

    @Test
    void after_a_failure_nothing_is_done_that_was_meant_for_success() throws Exception {
        assertThat(run(script(surrounded("exit 7", "fail"))))
                .isEqualTo(new Ran(7, "start-one\nstart-two\nstart-three\n"));
    }

    @Test
    void a_command_that_ends_early_with_success_has_succeeded() throws Exception {
        assertThat(run(script(surrounded("exit 0", "fail"))).output()).endsWith("end-three\nend-two\nend-one\n");
    }

    @Test
    void a_failure_before_the_start_ends_the_task_unless_it_is_ignored() throws Exception {
        String failing = surrounded("echo main", "fail").replace("'echo start-one'", "'exit 4'");
        assertThat(run(script(failing))).isEqualTo(new Ran(4, ""));
        String ignored = surrounded("echo main", "ignore").replace("'echo start-one'", "'exit 4'");
        assertThat(run(script(ignored)).output()).startsWith("start-two\nstart-three\nmain\n");
        String goesOn = surrounded("echo main", "ignore").replace("'echo start-one'", "'false', 'echo went-on'");
        assertThat(run(script(goesOn)).output()).startsWith("went-on\nstart-two\n");
    }

    @Test
    void a_prerequisite_starts_after_those_that_it_requires() {
        String text = surrounded("echo main", "fail")
                .replace("prerequisites: [one, two]", "prerequisites: [one]")
                .replace("{name: one, type: script,", "{name: one, type: script, require: [two],")
                .replace("{name: two, type: script,", "{name: two, type: script, require: [one],");
        assertThat(script(text)).containsSubsequence("echo start-two", "echo start-one", "echo main");
    }

    @Test
    void a_plugin_of_other_roles_is_left_out() {
        JobSpec spec = Texts.spec(Texts.V2);
        assertThat(TaskScript.of(spec, spec.role("worker")))
                .contains("echo before", "echo after")
                .doesNotContain("git.lab");
        assertThat(TaskScript.of(spec, spec.role("ps_server")))
                .contains("'git' 'clone' '--depth=1' '--' 'https://git.lab/it'\\''s' '/code'")
                .doesNotContain("echo before");
    }

    @Test
    void no_command_can_end_its_part_early() throws Exception {
        String text = surrounded(
                "|-\n          echo one\n          SLUICE_END() { echo two; }\n          SLUICE_END", "fail");
        assertThat(run(script(text)).output()).contains("start-three\none\ntwo\nend-three\n");
    }

    @Test
    void a_command_still_reads_from_where_the_task_does() throws Exception {
        assertThat(run(script(surrounded("'wc -c; echo read'", "fail"))).output())
                .contains("0\nread\n");
    }
}
