package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Started;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.placement.Waiting.Why;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that ask for ports: the machine has 4 processors and 10,000 ports. */
class PortsTest {
    private final ScriptedEngine engine = new ScriptedEngine(1, 4, 0);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @Test
    void more_ports_than_a_machine_has_are_told_and_keep_nobody_out() {
        String greedy = ports("greedy", 1, 4, many(11));
        assertThat(Objects.requireNonNull(fit(greedy)).why()).isEqualTo(Why.NEVER_PORTS);
        desk.submit("ada", greedy);
        desk.submit("ada", ports("crowd", 4, 1, many(3)));
        waits("greedy", Why.NEVER_PORTS);
        waits("crowd", Why.NEVER_PORTS);
        assertThat(waiting("greedy").outages().getFirst().reason())
                .contains("11002 ports")
                .contains("10000");
        assertThat(waiting("crowd").outages().getFirst().reason())
                .contains("12008 ports")
                .contains("10000");
        desk.submit("ada", ports("all", 1, 4, many(1)));
        desk.running(1);
    }

    @Test
    void ports_that_others_have_are_waited_for() {
        desk.submit("ada", ports("first", 1, 1, many(6)));
        String first = desk.running(1).getFirst();
        String second = ports("second", 1, 1, many(5));
        assertThat(Objects.requireNonNull(fit(second)).why()).isEqualTo(Why.PORTS);
        desk.submit("ada", second);
        waits("second", Why.PORTS);
        assertThat(waiting("second").outages().getFirst().reason())
                .contains("ports")
                .contains("node");
        engine.end(first, 0);
        desk.eventually(() -> engine.starts.size() == 2);
    }

    @Test
    void a_port_that_each_of_its_tasks_wants_can_be_had_once_on_a_machine() {
        String web = "{\"label\": \"web\", \"beginAt\": 8090}";
        assertThat(Objects.requireNonNull(fit(ports("two", 2, 1, web))).why()).isEqualTo(Why.NEVER_PORTS);
        desk.submit("ada", ports("two", 2, 1, web));
        waits("two", Why.NEVER_PORTS);
        assertThat(waiting("two").outages().getFirst().reason())
                .contains("Port 8090")
                .contains("2 times");
        assertThat(fit(ports("one", 1, 4, web))).isNull();
        desk.submit("ada", ports("one", 1, 4, web));
        desk.running(1);
    }

    @Test
    void who_asks_for_the_gateways_own_port_fails_once_and_is_told() {
        engine.refusal = task -> new Started.Refused(Started.Reason.PORT_OWN, "port 8080 is the gateway's own");
        desk.submit("ada", ports("own", 1, 1, "{\"label\": \"web\", \"beginAt\": 8080}"));
        Job done = desk.finished("ada", "own");
        assertThat(done.exitCode()).isEqualTo(Exit.CREATION_REFUSED);
        assertThat(done.retries()).isZero();
        assertThat(desk.detail("ada", "own").attempt().exit())
                .isNotNull()
                .extracting(Exit::message)
                .isEqualTo("port 8080 is the gateway's own");
    }

    @Test
    void who_was_given_the_gateways_own_port_by_chance_gets_another() {
        var refused = new AtomicInteger();
        engine.refusal = task -> refused.getAndIncrement() == 0
                ? new Started.Refused(Started.Reason.PORT_OWN, "port 20000 is the gateway's own")
                : null;
        desk.submit("ada", JobsTest.one("lucky", 1, 0));
        engine.end(desk.running(1).getFirst(), 0);
        assertThat(desk.finished("ada", "lucky").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    /** Why it would wait, null: it would start. */
    private @Nullable Waiting fit(String text) {
        var spec = ((Read.Accepted) Protocols.read(text)).spec();
        return desk.jobs().fit(Desk.caller("ada"), spec).await().waiting();
    }

    private Waiting waiting(String name) {
        return Objects.requireNonNull(desk.job("ada", name).waiting());
    }

    private void waits(String name, Why why) {
        desk.eventually(() -> {
            Waiting waiting = desk.job("ada", name).waiting();
            return waiting != null && waiting.why() == why;
        });
    }

    private static String many(int thousands) {
        return IntStream.range(0, thousands)
                .mapToObj(number -> "{\"label\": \"p" + number + "\", \"portNumber\": 1000}")
                .collect(Collectors.joining(","));
    }

    private static String ports(String name, int tasks, int cpus, String ports) {
        return JobsTest.job(name, "", """
                {"name": "main", "taskNumber": %d, "cpuNumber": %d, "memoryMB": 100, "command": "true", "portList": [%s]}
                """.formatted(tasks, cpus, ports));
    }
}
