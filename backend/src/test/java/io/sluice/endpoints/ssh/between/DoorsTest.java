package io.sluice.endpoints.ssh.between;

import static org.assertj.core.api.Assertions.assertThatNoException;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.gang.GangFolders;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoorsTest {
    @TempDir
    private Path data;

    @Test
    void closing_them_is_no_fault() {
        Vertx vertx = Vertx.vertx();
        var doors = new Doors(
                vertx, new GangFolders(data), new Visits(), new CollectorRegistry(), () -> Future.succeededFuture(22));
        doors.begin();
        assertThatNoException().isThrownBy(() -> doors.close().await());
        vertx.close().await();
    }
}
