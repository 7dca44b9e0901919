package io.sluice.logs;

import io.sluice.logs.files.Gaps;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bytes of a log: whole, in ranges, followed, searched, compressed; and OpenPAI's list of logs. */
final class LogRoutes {
    static final String READ = "jobs:read";
    static final String TASK =
            "/api/v2/jobs/:job/attempts/:attempt/taskRoles/:role/taskIndex/:index/attempts/:taskAttempt";
    private static final long OPENPAI_TAIL = 16_384;
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Logs logs;
    private final Searches searches;

    LogRoutes(Logs logs) {
        this.logs = logs;
        this.searches = new Searches(logs);
    }

    List<Route> routes() {
        return List.of(
                Route.get(TASK + "/log", this::log).scope(READ).speaks(Logs.SUBPROTOCOL),
                Route.get(TASK + "/log.gz", this::compressed).scope(READ),
                Route.get(TASK + "/logs", this::list).scope(READ));
    }

    private Future<Reply> log(Call call) {
        if ("websocket".equalsIgnoreCase(call.header("Upgrade").orElse(""))) {
            return socket(call);
        }
        if (call.query("grep").isPresent()) {
            return searches.search(call);
        }
        Asked asked = Asked.of(call);
        boolean follow = Asked.flag(call, "follow", false);
        return found(call)
                .compose(log -> logs.worker().run(() -> follow ? following(log, asked) : answer(call, log, asked)));
    }

    private Future<Log> found(Call call) {
        return logs.log(call.caller(), Asked.task(call));
    }

    private Future<Reply> socket(Call call) {
        Asked asked = Asked.of(call);
        var pace = Asked.pace(call);
        return found(call)
                .compose(log -> logs.worker().run(() -> {
                    long begin = begin(log, asked);
                    return Reply.socket(
                            (socket, channel) -> logs.tails().follow(log.followed(), begin, pace, socket, channel));
                }));
    }

    private static long begin(Log log, Asked asked) throws IOException {
        try (var reader = log.open()) {
            return asked.begin(log, reader.size());
        }
    }

    private Reply following(Log log, Asked asked) throws IOException {
        long size;
        List<Gaps.Gap> gaps;
        try (var reader = log.open()) {
            size = reader.size();
            gaps = reader.gaps();
        }
        long begin = asked.begin(log, size);
        return begin > size
                ? beyond(size)
                : plain(
                        Reply.quietStream(
                                response -> logs.tails().follow(log.followed(), begin, response.setChunked(true))),
                        log,
                        size,
                        begin,
                        gaps);
    }

    private Reply answer(Call call, Log log, Asked asked) throws IOException {
        long size;
        List<Gaps.Gap> gaps;
        try (var reader = log.open()) {
            size = reader.size();
            gaps = reader.gaps();
        }
        String tag = log.isEnded() ? "\"" + log.task().id() + "-" + size + "\"" : null;
        if (tag != null && call.header("If-None-Match").filter(tag::equals).isPresent()) {
            return Reply.nothing().status(304).header("ETag", tag);
        }
        Optional<Range> range = call.header("Range")
                .filter(header ->
                        call.header("If-Range").map(known -> known.equals(tag)).orElse(true))
                .flatMap(Range::parse);
        Reply reply = range.isPresent() ? part(log, range.get(), size, gaps) : whole(call, log, asked, size, gaps);
        return tag == null ? reply : reply.header("ETag", tag);
    }

    private Reply part(Log log, Range range, long size, List<Gaps.Gap> gaps) {
        Optional<Range.Slice> slice = range.of(size);
        if (slice.isEmpty()) {
            return beyond(size);
        }
        long from = slice.get().from();
        Gaps.Gap hole = Gaps.next(gaps, from);
        if (hole != null && hole.from() <= from) {
            throw Problem.of(
                    Problem.Kind.GONE,
                    "Bytes " + hole.from() + " to " + hole.to() + " of this log are gone: " + hole.why()
                            + ". Ask for what is before or after.");
        }
        // a part may be shorter than what was asked for; it says so itself
        long to = hole == null ? slice.get().to() : Math.min(slice.get().to(), hole.from());
        return plain(bytes(log, from, to), log, size, from, gaps)
                .status(206)
                .header("Content-Length", Long.toString(to - from))
                .header("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + size);
    }

    private Reply whole(Call call, Log log, Asked asked, long size, List<Gaps.Gap> gaps) throws IOException {
        long from = asked.begin(log, size);
        if (from > size) {
            return beyond(size);
        }
        long to = asked.length().map(length -> Math.min(size, from + length)).orElse(size);
        Gaps.Gap hole = Gaps.next(gaps, from);
        boolean isWhole = hole == null || hole.from() >= to;
        // never the file of many gzip members as a coding: browsers read the first and drop the others without a word
        Reply reply = named(call, log, ".txt", plain(bytes(log, from, to), log, size, from, gaps));
        return isWhole ? reply.header("Content-Length", Long.toString(to - from)) : reply;
    }

    private Future<Reply> compressed(Call call) {
        return found(call)
                .compose(log -> logs.worker().run(() -> {
                    long size;
                    boolean isWhole;
                    try (var reader = log.open()) {
                        size = reader.size();
                        isWhole = Gaps.next(reader.gaps(), 0) == null;
                    }
                    Path packed = isWhole ? log.file().compressed() : null;
                    Reply reply = Reply.stream(response -> Download.write(
                            () -> packed == null ? Download.compressing(log, 0, size) : Download.whole(log, packed),
                            logs.worker(),
                            response));
                    reply = packed == null ? reply : reply.header("Content-Length", Long.toString(Files.size(packed)));
                    return reply.header("Content-Type", "application/gzip")
                            .header("Content-Encoding", "identity")
                            .header("Content-Disposition", "attachment; filename=\"" + log.downloadName() + ".gz\"");
                }));
    }

    private Reply bytes(Log log, long from, long to) {
        return Reply.stream(response -> Download.write(() -> Download.range(log, from, to), logs.worker(), response));
    }

    private static Reply plain(Reply reply, Log log, long size, long offset, List<Gaps.Gap> gaps) {
        return reply.header("Content-Type", TEXT)
                .header(
                        "Content-Encoding",
                        "identity") // so that nobody compresses it on the way: ranges are of the log
                .header("Accept-Ranges", "bytes")
                .header("X-Log-Size", Long.toString(size))
                .header("X-Log-State", log.isEnded() ? "ended" : "running")
                .header("X-Log-Offset", Long.toString(offset))
                .header("X-Log-Gaps", Integer.toString(gaps.size()))
                .header("X-Log-Gone", Long.toString(Gaps.gone(gaps)));
    }

    private static Reply named(Call call, Log log, String ending, Reply reply) {
        return Asked.flag(call, "download", false)
                ? reply.header("Content-Disposition", "attachment; filename=\"" + log.downloadName() + ending + "\"")
                : reply;
    }

    private static Reply beyond(long size) {
        return Reply.json(Map.of(
                        "code",
                        "InvalidParametersError",
                        "message",
                        "The log has " + size + " bytes; what is asked for is past its end."))
                .status(416)
                .header("Content-Range", "bytes */" + size);
    }

    /** OpenPAI's list. Here both streams are one, in the order in which they were printed; its clients look for either by its name. */
    private Future<Reply> list(Call call) {
        boolean tail = isTrue(call.query("tail-mode").orElse(null))
                || isTrue(call.query("tailMode").orElse(null));
        return found(call).map(log -> {
            String uri = "/rest-server" + log.path() + "/log" + (tail ? "?tail=" + OPENPAI_TAIL : "");
            return Reply.json(Map.of(
                    "locations",
                    Stream.of("all", "stdout", "stderr")
                            .map(name -> Map.of("name", name, "uri", uri))
                            .toList()));
        });
    }

    private static boolean isTrue(@Nullable String text) {
        return "true".equals(text);
    }
}
