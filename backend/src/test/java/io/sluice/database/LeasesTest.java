package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A network between us and the server that swallows what it should carry and tells nobody. */
class LeasesTest {

    private static final Vertx vertx = Vertx.vertx();
    private static final TestDatabase test = TestDatabase.fresh(vertx);
    private static final List<NetSocket> carried = new ArrayList<>();
    private static NetServer network;

    @BeforeAll
    static void carry() {
        NetClient client = vertx.createNetClient();
        var server = URI.create(test.url());
        network = vertx.createNetServer()
                .connectHandler(near -> {
                    near.pause();
                    carried.add(near);
                    client.connect(server.getPort(), server.getHost()).onSuccess(far -> {
                        carried.add(far);
                        near.handler(far::write).closeHandler(gone -> far.close());
                        far.handler(near::write).closeHandler(gone -> near.close());
                        near.resume();
                    });
                })
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterAll
    static void close() {
        test.close();
        vertx.close().await();
    }

    @Test
    void a_connection_that_went_dead_silently_is_given_up_and_a_new_one_works_at_once() {
        var url = test.url().replaceFirst("@[^/]*/", "@127.0.0.1:" + network.actualPort() + "/");
        var settings = new Database.Settings(test.settings().data(), url, 3, 10, Duration.ofSeconds(1));
        var database = Database.open(vertx, settings).await();
        ask(database, 3);
        vertx.runOnContext(now -> carried.forEach(socket -> socket.handler(swallowed -> {})));

        assertThatThrownBy(() -> ask(database, 3)).matches(Database::isUnavailable);
        ask(database, 3);
        assertThat(database.gauges().lent()).isZero();
        database.close().await();
    }

    private static void ask(Database database, int times) {
        Future.all(IntStream.range(0, times).mapToObj(n -> database.check()).toList())
                .await();
    }
}
