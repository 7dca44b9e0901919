package io.sluice.endpoints.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.endpoints.ssh.TaskChannel.Kind;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;

class ConnectionsTest {

    @Test
    @SuppressWarnings("NullAway") // nobody is connected whose standing would be asked for
    void a_port_that_needs_a_program_counts_as_one() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            var limits = Ssh.Limits.USUAL;
            var connections =
                    new Connections(vertx, null, limits, new SshMetrics(new CollectorRegistry(), "sluice_ssh"));
            var guest = new Guest(
                    1,
                    "ann",
                    false,
                    "SHA256:x",
                    null,
                    false,
                    Address.parse("train").orElseThrow());
            for (int i = 1; i < limits.programs(); i++) {
                assertThat(connections.reserve(guest, Kind.LOOPBACK)).isTrue();
            }
            assertThat(connections.reserve(guest, Kind.COMMAND)).isTrue();
            assertThat(connections.reserve(guest, Kind.LOOPBACK)).isFalse();
            assertThat(connections.reserve(guest, Kind.SHELL)).isFalse();
            assertThat(connections.reserve(guest, Kind.PORT)).isTrue();
            connections.release(guest, Kind.LOOPBACK);
            assertThat(connections.reserve(guest, Kind.SHELL)).isTrue();
            connections.close();
        } finally {
            vertx.close().await();
        }
    }
}
