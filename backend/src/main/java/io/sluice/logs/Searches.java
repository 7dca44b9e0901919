package io.sluice.logs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.logs.search.Match;
import io.sluice.logs.search.Query;
import io.sluice.logs.search.Search;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Searches that answer as they find, in lines of JSON. */
final class Searches {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BY_DEFAULT = 1_000;
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Duration SLOWEST_READER = Duration.ofSeconds(5);
    private static final int FULL = 64 << 10;

    private final Logs logs;

    Searches(Logs logs) {
        this.logs = logs;
    }

    Future<Reply> search(Call call) {
        Query query = query(call);
        long user = call.caller().id();
        return logs.log(call.caller(), Asked.task(call))
                .map(log -> Reply.stream(response -> run(user, log, query, response.setChunked(true)))
                        .header("Content-Type", "application/x-ndjson")
                        .header("Content-Encoding", "identity"));
    }

    private static Query query(Call call) {
        try {
            var query = new Query(
                    call.query("grep").orElse(""),
                    Asked.flag(call, "regex", false),
                    Asked.flag(call, "case", true),
                    Asked.flag(call, "plain", false),
                    Asked.number(call, "offset").orElse(0L),
                    Asked.number(call, "until").orElse(Long.MAX_VALUE),
                    count(call, "limit", BY_DEFAULT, Query.MOST_MATCHES),
                    count(call, "context", 0, Query.MOST_CONTEXT));
            Search.check(query);
            return query;
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static int count(Call call, String name, int byDefault, int most) {
        long count = Asked.number(call, name).orElse((long) byDefault);
        if (count > most || (count == 0 && byDefault > 0)) {
            throw Problem.invalid(name + " is a number up to " + most + ".");
        }
        return (int) count;
    }

    private Future<Void> run(long user, Log log, Query query, HttpServerResponse response) {
        return logs.turns()
                .run(user, turn -> {
                    var writer = new Writer(response, turn);
                    writer.send(); // the headers: the reader knows at once that it has begun
                    long deadline = System.nanoTime() + DEADLINE.toNanos();
                    try (var reader = log.open()) {
                        var outcome = new Search(reader.bytes(), reader.gaps(), query, writer).run(() -> {
                            turn.pass();
                            return System.nanoTime() < deadline && !response.closed();
                        });
                        logs.metrics()
                                .searched(
                                        response.closed()
                                                ? "cancelled"
                                                : outcome.why().name().toLowerCase(Locale.ROOT),
                                        outcome.scanned());
                        writer.end(outcome);
                        return outcome;
                    }
                })
                .compose(done -> response.end());
    }

    /** Collects lines on the search's thread, and waits until the reader has taken them. */
    private static final class Writer implements Search.Listener {
        private final HttpServerResponse response;
        private final Turns.Turn turn;
        private Buffer lines = Buffer.buffer();
        private long sent = System.nanoTime();

        Writer(HttpServerResponse response, Turns.Turn turn) {
            this.response = response;
            this.turn = turn;
        }

        @Override
        public void match(Match match) throws IOException {
            var line = new LinkedHashMap<String, @Nullable Object>();
            line.put("offset", match.offset());
            line.put("length", match.length());
            line.put("start", match.start());
            line.put("text", match.text());
            if (match.cut()) {
                line.put("cut", true);
            }
            if (!match.before().isEmpty()) {
                line.put("before", match.before());
            }
            if (!match.after().isEmpty()) {
                line.put("after", match.after());
            }
            add(line);
            if (lines.length() > FULL || System.nanoTime() - sent > TimeUnit.MILLISECONDS.toNanos(50)) {
                send();
            }
        }

        @Override
        public void progress(long offset) throws IOException {
            add(Map.of("progress", offset));
            send();
        }

        void end(Search.Outcome outcome) throws IOException {
            var line = new LinkedHashMap<String, @Nullable Object>();
            line.put("end", true);
            line.put("matches", outcome.matches());
            line.put("scanned", outcome.scanned());
            line.put("next", outcome.next());
            line.put("upTo", outcome.upTo());
            line.put("why", outcome.why().name().toLowerCase(Locale.ROOT));
            add(line);
            send();
        }

        private void add(Map<String, ? extends @Nullable Object> line) throws IOException {
            lines.appendBytes(JSON.writeValueAsBytes(line)).appendByte((byte) '\n');
        }

        private void send() throws IOException {
            Buffer full = lines;
            lines = Buffer.buffer();
            sent = System.nanoTime();
            turn.off(() -> response.write(full)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(SLOWEST_READER.toSeconds(), TimeUnit.SECONDS));
        }
    }
}
