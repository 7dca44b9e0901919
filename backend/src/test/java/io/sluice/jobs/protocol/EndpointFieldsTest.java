package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.protocol.apps.Apps;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EndpointFieldsTest {
    private static final Apps APPS = new Apps(
            Map.of("board", new Apps.App(true, Set.of("logdir", "title")), "port", new Apps.App(false, Set.of())));

    private static Read read(String endpoints, Apps apps) {
        return Protocols.read(Texts.LEAST_V2 + "\nextras: {sluice: {endpoints: [" + endpoints + "]}}\n", apps);
    }

    private static List<String> faults(String endpoints) {
        return read(endpoints, APPS) instanceof Read.Refused refused
                ? refused.faults().stream()
                        .map(fault -> fault.path().replace("extras.sluice.endpoints", "") + " " + fault.key())
                        .toList()
                : List.of();
    }

    @Test
    void everything_that_can_not_be_had_is_told_at_once() {
        assertThat(
                        faults(
                                "bord, {recipe: prot, port: 80}, {recipe: board, options: {logdri: /x, title: null}, port: 8080}"))
                .containsExactly(
                        "[0] choice",
                        "[1].recipe choice",
                        "[2].options.logdri unknown.near",
                        "[2].options.title noValue",
                        "[2].port endpointPortGiven");
    }

    @Test
    void a_port_is_one_that_a_task_may_have() {
        assertThat(faults("{recipe: port, port: 80}")).containsExactly("[0].port endpointPort");
        assertThat(faults("{recipe: port, port: 65536}")).containsExactly("[0].port endpointPort");
        assertThat(faults("{recipe: port, port: 'a b'}")).containsExactly("[0].port endpointPort");
        assertThat(faults("{recipe: port, port: 1024}, {recipe: port, name: web, port: http}"))
                .isEmpty();
    }

    @Test
    void options_have_a_length_and_no_control_characters() {
        assertThat(faults("{recipe: board, options: {logdir: \"a\\u0007b\", title: '" + "x".repeat(1_001) + "'}}"))
                .containsExactly("[0].options.logdir endpointOption", "[0].options.title endpointOption");
        assertThat(faults("{recipe: board, options: {logdir: /logs, title: 3}}"))
                .isEmpty();
    }

    @Test
    void it_can_be_shared_from_the_beginning() {
        assertThat(faults("{recipe: board, shared: [ann, Bob.2]}")).isEmpty();
        assertThat(faults("{recipe: board, shared: ['not a name']}")).containsExactly("[0].shared[0] endpointShared");
    }

    @Test
    void two_of_one_name_and_a_task_that_is_not_there_are_told() {
        assertThat(faults("board, {recipe: port, name: board}, {recipe: port, index: 9999}"))
                .containsExactly("[1] endpointTwice", "[2].index outside");
    }

    @Test
    void where_apps_are_not_known_any_is_taken() {
        assertThat(read("{recipe: gone, options: {x: y}, port: 80}", Apps.ANY)).isInstanceOf(Read.Accepted.class);
    }

    @Test
    void a_plugin_s_port_that_does_nothing_is_told_of() {
        var read = Protocols.read(
                Texts.LEAST_V2
                        + "\nextras: {com.microsoft.pai.runtimeplugin: [{plugin: tensorboard, parameters: {port: 6006, logdir: {a: /a}}}]}\n");
        assertThat(((Read.Accepted) read).warnings()).containsExactly(Read.Warning.TENSORBOARD_PORT);
    }
}
