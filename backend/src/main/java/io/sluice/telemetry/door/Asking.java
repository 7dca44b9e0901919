package io.sluice.telemetry.door;

import io.sluice.telemetry.history.Breaker;
import io.sluice.telemetry.history.Upstream;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Asks Prometheus; while it has not answered some questions in a row it is left alone, and whoever asks is told so at once. */
final class Asking {
    private static final Duration LATER = Duration.ofSeconds(30);

    private final Upstream upstream;
    private final Breaker breaker;
    private final DoorMetrics metrics;

    Asking(Upstream upstream, LongSupplier clock, DoorMetrics metrics) {
        this.upstream = upstream;
        this.breaker = new Breaker(clock);
        this.metrics = metrics;
    }

    boolean isThere() {
        return upstream.isThere();
    }

    Future<Upstream.Answer> ask(HttpMethod method, String path, List<Map.Entry<String, String>> form) {
        if (breaker.isOpen()) {
            metrics.refused();
            return Future.failedFuture(Problem.unavailable(
                    "Prometheus has answered none of the last questions. It is asked again within half a minute.",
                    new IOException("not asked"),
                    LATER));
        }
        return upstream.ask(method, path, form)
                .onSuccess(answer -> breaker.succeeded())
                .onFailure(failure -> {
                    if (isSilence(failure)) {
                        breaker.failed();
                    }
                });
    }

    /** An answer that is too long is one, of a question that asks for much; and who waits behind others here was not asked at all. */
    private static boolean isSilence(Throwable failure) {
        return !(failure instanceof Upstream.TooLong) && !(failure instanceof ConnectionPoolTooBusyException);
    }
}
