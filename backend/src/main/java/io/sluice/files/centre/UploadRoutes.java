package io.sluice.files.centre;

import io.sluice.files.space.Space;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.uploads.Intake;
import io.sluice.files.uploads.Upload;
import io.sluice.files.uploads.Uploads;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Files that come in pieces, by the tus protocol 1.0 (https://tus.io/protocols/resumable-upload): each into the home of who sends it. */
final class UploadRoutes {
    private static final String UPLOADS = "/api/v2/uploads";
    private static final String ONE = UPLOADS + "/:upload";
    private static final String VERSION = "1.0.0";
    private static final String PIECE = "application/offset+octet-stream";
    /** Between the name of a share and the number of an upload into it. */
    private static final String IN = "~";

    private static final long LONGEST = 1L << 44;
    /** Connections of one person that send at the same time. */
    private static final int MOST_LINES = 8;
    /** What each of them takes of the memory. */
    private static final long LINE = 1 << 20;

    private final Spaces spaces;
    private final Worker worker;
    private final CentreMetrics metrics;
    private final Intake intake = new Intake();
    private final Turns lines;

    UploadRoutes(Spaces spaces, Worker worker, CentreMetrics metrics) {
        this.spaces = spaces;
        this.worker = worker;
        this.metrics = metrics;
        this.lines = new Turns(
                "uploading", "You are sending " + MOST_LINES + " files at once already.", MOST_LINES, LINE, metrics);
        metrics.watch(intake::open);
    }

    List<Route> routes() {
        return List.of(
                Route.of(HttpMethod.OPTIONS, UPLOADS, call -> Future.succeededFuture(options()))
                        .forAnyone(),
                Route.post(UPLOADS, call -> tus(call, () -> begin(call))).scope("files:write"),
                Route.of(HttpMethod.HEAD, ONE, call -> tus(call, () -> look(call)))
                        .scope("files:write"),
                Route.of(HttpMethod.PATCH, ONE, call -> tus(call, () -> take(call)))
                        .scope("files:write")
                        .streaming(),
                Route.delete(ONE, call -> tus(call, () -> remove(call))).scope("files:write"));
    }

    private static Reply options() {
        return Reply.nothing()
                .header("Tus-Resumable", VERSION)
                .header("Tus-Version", VERSION)
                .header("Tus-Extension", "creation,checksum,termination,expiration")
                .header("Tus-Checksum-Algorithm", "sha1,sha256,md5")
                .header("Tus-Max-Size", Long.toString(LONGEST));
    }

    private static Future<Reply> tus(Call call, Callable<Future<Reply>> step) {
        if (!call.header("Tus-Resumable").map(VERSION::equals).orElse(false)) {
            return Future.succeededFuture(
                    said(412, "Send Tus-Resumable: " + VERSION + ".").header("Tus-Version", VERSION));
        }
        try {
            return step.call().map(reply -> reply.header("Tus-Resumable", VERSION));
        } catch (Exception e) {
            return Future.failedFuture(e);
        }
    }

    private static Reply said(int status, String message) {
        return Reply.json(Map.of("code", "InvalidParametersError", "message", message))
                .status(status);
    }

    /** What is done with the uploads of who asks. */
    private interface Step<T> {
        T take(Uploads uploads) throws Exception;
    }

    private <T> Future<T> with(Call call, Step<T> step) {
        return with(call, into(call), step);
    }

    private <T> Future<T> with(Call call, String into, Step<T> step) {
        return worker.run(call.caller().id(), () -> {
            Space space = spaces.of(call.caller(), into);
            if (!space.writable()) {
                throw new Refused(Refused.Why.NOT_ALLOWED, "");
            }
            return step.take(new Uploads(space));
        });
    }

    /** Into whose files something that has begun goes: its number says so. */
    private static String into(Call call) {
        String number = call.path("upload");
        int at = number.lastIndexOf(IN);
        return at < 0 ? call.caller().name() : number.substring(0, at);
    }

    private static String id(Call call) {
        return call.path("upload").substring(call.path("upload").lastIndexOf(IN) + 1);
    }

    private Future<Reply> begin(Call call) {
        long length = number(call, "Upload-Length")
                .orElseThrow(() -> Problem.invalid("Send Upload-Length, the size of the file in bytes."));
        if (length > LONGEST) {
            throw Problem.of(Problem.Kind.TOO_LARGE, "No file may have more than " + LONGEST + " bytes.");
        }
        Place place = place(call);
        boolean replaces = metadata(call, "replace").map("true"::equals).orElse(false);
        String into = metadata(call, "space")
                .filter(name -> !name.isEmpty())
                .orElse(call.caller().name());
        String prefix = into.equals(call.caller().name()) ? "" : into + IN;
        return with(call, into, uploads -> {
                    spaces.room(call.caller(), into, length, 1);
                    Upload begun = uploads.begin(place, length, replaces);
                    spaces.changed(call.caller(), into, length, 1);
                    return begun;
                })
                .map(upload -> about(upload, Reply.nothing().status(201))
                        .header("Location", UPLOADS + "/" + prefix + upload.id()));
    }

    /** The path in the home; clients that know only a name put it there. */
    private static Place place(Call call) {
        String path =
                metadata(call, "path").or(() -> metadata(call, "filename")).orElse("");
        try {
            Place place = Place.of(path);
            if (!place.isRoot()) {
                return place;
            }
        } catch (Place.Unspeakable unspeakable) {
            throw Problem.invalid(String.valueOf(unspeakable.getMessage()));
        }
        throw Problem.invalid("Send Upload-Metadata with path (or filename) and where the file is to be, in base64.");
    }

    /** As bytes, each one character. */
    private static Optional<String> metadata(Call call, String key) {
        for (String pair : call.header("Upload-Metadata").orElse("").split(",")) {
            String[] words = pair.strip().split(" ", 2);
            if (words[0].equals(key)) {
                try {
                    byte[] value = Base64.getDecoder().decode(words.length > 1 ? words[1].strip() : "");
                    return Optional.of(new String(value, java.nio.charset.StandardCharsets.ISO_8859_1));
                } catch (IllegalArgumentException e) {
                    throw Problem.invalid("The value of " + key + " in Upload-Metadata is not base64.");
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Long> number(Call call, String header) {
        return call.header(header).map(text -> {
            if (!text.matches("\\d{1,18}")) {
                throw Problem.invalid(header + " is a number of bytes.");
            }
            return Long.parseLong(text);
        });
    }

    private static Reply about(Upload upload, Reply reply) {
        Instant expires = Instant.ofEpochMilli(upload.touched()).plus(Uploads.LIFE);
        return reply.header("Upload-Offset", Long.toString(upload.offset()))
                .header("Upload-Length", Long.toString(upload.length()))
                .header(
                        "Upload-Expires",
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(expires.atOffset(ZoneOffset.UTC)));
    }

    private static Intake.Key key(Call call, Upload upload) {
        return new Intake.Key(call.caller().id(), upload.id());
    }

    /** It is the asker's own: whoever asks anew has lost the line that brought it. */
    private Future<Reply> alone(Call call, Function<Upload, Future<Reply>> step) {
        Context context = worker.context();
        return with(call, uploads -> uploads.find(id(call)))
                .compose(known -> intake.alone(
                        context,
                        key(call, known),
                        () -> with(call, uploads -> uploads.find(known.id())).compose(step)));
    }

    /** All that is told to have come is in its place, or it is told why it is not: a client asks no more after it. */
    private Future<Reply> look(Call call) {
        return alone(
                call,
                found -> with(call, uploads -> uploads.finish(found.id()))
                        .map(upload -> about(upload, Reply.nothing().status(200))));
    }

    private Future<Reply> remove(Call call) {
        return alone(
                call,
                found -> with(call, uploads -> {
                    uploads.remove(found.id());
                    spaces.changed(call.caller(), into(call), -found.length(), -1);
                    return Reply.nothing();
                }));
    }

    private Future<Reply> take(Call call) {
        if (!call.header("Content-Type").map(PIECE::equals).orElse(false)) {
            return Future.succeededFuture(said(415, "Send the piece as " + PIECE + "."));
        }
        long offset = number(call, "Upload-Offset")
                .orElseThrow(() -> Problem.invalid("Send Upload-Offset, where the piece begins."));
        Intake.Checksum checksum = checksum(call);
        if (checksum != null && !checksum.isKnown()) {
            return Future.succeededFuture(said(400, "A checksum is sha1, sha256 or md5."));
        }
        long who = call.caller().id();
        lines.enter(who);
        return alone(call, upload -> taken(call, upload, offset, checksum)).onComplete(over -> lines.leave(who));
    }

    private Future<Reply> taken(Call call, Upload upload, long offset, Intake.@Nullable Checksum checksum) {
        if (upload.offset() != offset) {
            return Future.succeededFuture(
                    about(upload, said(409, "The next piece begins at " + upload.offset() + ".")));
        }
        long announced = number(call, "Content-Length").orElse(0L);
        if (announced > upload.length() - offset) {
            throw Problem.invalid("The piece is longer than what is missing of the file, which is "
                    + (upload.length() - offset) + " bytes.");
        }
        if (upload.placed()) {
            return Future.succeededFuture(about(upload, Reply.nothing()));
        }
        long who = call.caller().id();
        var piece = new Intake.Piece(worker.context(), call.incoming(), call::isGone, checksum);
        return worker.run(who, () -> new Uploads(spaces.of(call.caller(), into(call))))
                .compose(uploads -> intake.take(key(call, upload), uploads, upload, piece, worker.of(who)))
                .recover(fault -> Future.failedFuture(broken(call, fault)))
                .compose(end -> end == Intake.End.OTHER_CHECKSUM
                        ? Future.succeededFuture(said(460, "The piece is not what its checksum says. Send it again."))
                        : with(call, uploads -> {
                            Upload now = uploads.find(upload.id());
                            metrics.taken(now.offset() - offset);
                            return about(now, Reply.nothing());
                        }));
    }

    /** A line that breaks is nobody's fault, and nobody hears the answer. */
    private static Throwable broken(Call call, Throwable fault) {
        return call.isGone()
                ? Problem.invalid("The line broke. Ask where the upload stands, and go on from there.")
                : fault;
    }

    private static Intake.@Nullable Checksum checksum(Call call) {
        String[] words = call.header("Upload-Checksum").orElse("").split(" ", 2);
        if (words.length < 2) {
            return null;
        }
        try {
            return new Intake.Checksum(words[0], Base64.getDecoder().decode(words[1].strip()));
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("Upload-Checksum is the name of an algorithm and the checksum in base64.");
        }
    }
}
