package io.sluice.telemetry.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Node;
import io.sluice.telemetry.observe.Observation;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of the page of the cluster is sent again. */
class MachinesTest {
    private final Machines machines = new Machines(new Trend());

    private static Observation at(int second, int cpus) {
        var ports = new Node.Ports(20_000, 29_999);
        var node = new Node("n1", "10.0.0.1", cpus, 1_000, List.of(), ports, true, "", true, "", null);
        return new Observation(Instant.ofEpochSecond(second), List.of(node), List.of(), List.of(), List.of());
    }

    @Test
    void a_round_that_comes_while_the_page_is_drawn_is_shown_by_the_next() {
        Observation first = at(1, 8);
        machines.take(first);
        var drawn = machines.view(() -> {
            machines.take(at(2, 16));
            return first;
        });
        assertThat(drawn.grouped().of()).isSameAs(first);
        assertThat(machines.isNewer("n1", drawn.cursor())).isTrue();
        var next = machines.view(() -> at(2, 16));
        assertThat(machines.isNewer("n1", next.cursor())).isFalse();
    }
}
