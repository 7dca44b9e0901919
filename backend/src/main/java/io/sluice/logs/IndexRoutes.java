package io.sluice.logs;

import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.GoOn;
import io.sluice.logs.files.LineIndex;
import io.sluice.logs.files.TimeIndex;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a log stands; where in it a time or a line is, and the other way round. */
final class IndexRoutes {
    private static final long POINTS = 500;
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Logs logs;

    IndexRoutes(Logs logs) {
        this.logs = logs;
    }

    List<Route> routes() {
        return List.of(
                Route.get(LogRoutes.TASK + "/log/state", this::state).scope(LogRoutes.READ),
                Route.get(LogRoutes.TASK + "/log/times", this::times).scope(LogRoutes.READ),
                Route.get(LogRoutes.TASK + "/log/lines", this::lines).scope(LogRoutes.READ));
    }

    /** What a socket says first, for those whose sockets something on the way blocks. */
    private Future<Reply> state(Call call) {
        return found(call)
                .compose(log -> logs.worker().run(() -> {
                    try (var reader = log.open()) {
                        Map<String, @Nullable Object> state = new LinkedHashMap<>();
                        state.put("size", reader.size());
                        state.put("state", log.isEnded() ? "ended" : "running");
                        state.put("exitCode", log.isEnded() ? log.exitCode() : null);
                        state.put("gaps", reader.gaps());
                        return Reply.json(state);
                    }
                }));
    }

    private Future<Reply> times(Call call) {
        Optional<Instant> at = Asked.time(call, "at");
        Optional<Long> offset = Asked.number(call, "offset");
        long from = Asked.number(call, "from").orElse(0L);
        long to = Asked.number(call, "to").orElse(Long.MAX_VALUE);
        int most = Math.toIntExact(Math.min(2_000, Asked.number(call, "points").orElse(POINTS)));
        return found(call)
                .compose(log -> logs.worker().run(() -> {
                    TimeIndex times = log.times();
                    if (at.isPresent()) {
                        return Reply.json(
                                Map.of("offset", times.offsetAt(at.get().toEpochMilli())));
                    }
                    return offset.isPresent() ? Reply.json(times.timeOf(offset.get())) : points(log, from, to, most);
                }));
    }

    private static Reply points(Log log, long from, long to, int most) throws IOException {
        try (Bytes bytes = log.file().open()) {
            return Reply.json(Map.of(
                    "size",
                    bytes.size(),
                    "gaps",
                    log.file().gaps().all(),
                    "points",
                    log.times().points(from, to, most).stream()
                            .map(point -> new long[] {point.offset(), point.time()})
                            .toList()));
        }
    }

    private Future<Reply> lines(Call call) {
        Optional<Long> line = Asked.number(call, "line");
        Optional<Long> offset = Asked.number(call, "offset");
        if (line.isPresent() == offset.isPresent()
                || line.filter(number -> number == 0).isPresent()) {
            throw Problem.invalid("Give either line, from 1, or offset.");
        }
        return found(call)
                .compose(log -> logs.turns().run(call.caller().id(), turn -> {
                    long deadline = System.nanoTime() + DEADLINE.toNanos();
                    try (Bytes bytes = log.file().open()) {
                        return Reply.json(place(log, bytes, line.orElse(null), offset.orElse(0L), () -> {
                            turn.pass();
                            return System.nanoTime() < deadline;
                        }));
                    } catch (LineIndex.Unfinished e) {
                        logs.metrics().refused("line_index_deadline");
                        throw Problem.of(
                                Problem.Kind.TOO_SLOW,
                                "Counting the lines takes longer than " + DEADLINE.toSeconds()
                                        + " s. It goes on where it stopped: ask again.");
                    }
                }));
    }

    private static Map<String, Long> place(Log log, Bytes bytes, @Nullable Long line, long offset, GoOn goOn)
            throws IOException {
        LineIndex index = log.file().lines();
        long place = line == null ? Math.min(offset, bytes.size()) : index.offset(bytes, line, goOn);
        var answer = new LinkedHashMap<String, Long>();
        answer.put("line", line == null ? index.line(bytes, place, goOn) : line);
        answer.put("offset", place);
        return answer;
    }

    private Future<Log> found(Call call) {
        return logs.log(call.caller(), Asked.task(call));
    }
}
