package io.sluice.endpoints.ssh.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Exec;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FileServiceTest {

    /** A program that never says anything. */
    private static Exec silent(CompletableFuture<Void> ended) {
        var stream = Proxy.newProxyInstance(
                FileServiceTest.class.getClassLoader(),
                new Class<?>[] {ReadStream.class},
                (proxy, method, arguments) -> proxy);
        return (Exec) Proxy.newProxyInstance(
                FileServiceTest.class.getClassLoader(), new Class<?>[] {Exec.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("end")) {
                        ended.complete(null);
                    }
                    return switch (method.getName()) {
                        case "output", "errors" -> stream;
                        case "exit" -> io.vertx.core.Promise.promise().future();
                        default -> null;
                    };
                });
    }

    @Test
    void a_session_that_breaks_in_whatever_way_ends_and_so_does_its_program() throws Exception {
        var ended = new CompletableFuture<Void>();
        var service = new FileService(
                silent(ended),
                piece -> {
                    throw new OutOfMemoryError("as if");
                },
                1);
        Future<Integer> served = service.serve();
        service.taker().take(Buffer.buffer(new byte[] {0, 0, 0, 5, 1, 0, 0, 0, 3}));
        assertThat(served.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isEqualTo(1);
        assertThat(ended).succeedsWithin(10, TimeUnit.SECONDS);
    }
}
