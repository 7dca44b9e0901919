package io.sluice.files.centre;

import io.sluice.files.packing.Packing;
import io.sluice.files.sending.Part;
import io.sluice.files.sending.Pieces;
import io.sluice.files.sending.Sending;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.uploads.Receiving;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What stands in files: as bytes, and folders as one file; and small files anew, as an editor writes them. */
final class ContentRoutes {
    private static final String CONTENT = "/api/v2/files/:user/content";
    private static final int LONGEST_TEXT = 4 << 20;
    /** Of one person's at once. */
    private static final int MOST_ZIPS = 2;
    /** What one takes of the memory when it is full. */
    private static final long ZIP = 32 << 20;

    /** Of one person's at once. */
    private static final int MOST_FILES = 32;
    /** Of the heap: as much may lie beside it, and TLS has all of these once more. */
    private static final int PIECES = 4;

    private static final int MOST_TARS = 4;
    /** With what lies beside the heap. */
    private static final long TAR = 1 << 20;
    /** As pictures, and nothing that could be more than one: it comes from whoever had a hand in the file. */
    private static final Map<String, String> PICTURES = Map.of(
            "png",
            "image/png",
            "jpg",
            "image/jpeg",
            "jpeg",
            "image/jpeg",
            "gif",
            "image/gif",
            "webp",
            "image/webp",
            "bmp",
            "image/bmp");

    private final Spaces spaces;
    private final Worker worker;
    private final CentreMetrics metrics;
    private final Turns zips;
    private final Turns tars;
    private final Turns files;
    private final Pieces pieces;

    ContentRoutes(Spaces spaces, Worker worker, CentreMetrics metrics) {
        this.zips = new Turns(
                "zips", "You are fetching " + MOST_ZIPS + " folders as zip at once already.", MOST_ZIPS, ZIP, metrics);
        this.tars = new Turns(
                "tars", "You are fetching " + MOST_TARS + " folders as tar at once already.", MOST_TARS, TAR, metrics);
        this.pieces = new Pieces(Runtime.getRuntime().maxMemory() / PIECES, metrics::lessened);
        metrics.watch(pieces);
        this.files = new Turns(
                "files",
                "You are fetching " + MOST_FILES + " files at once already.",
                MOST_FILES,
                pieces.readers(),
                metrics);
        this.spaces = spaces;
        this.worker = worker;
        this.metrics = metrics;
    }

    List<Route> routes() {
        return List.of(
                Route.get(CONTENT, this::content).scope("files:read"),
                Route.put(CONTENT, this::write).scope("files:write").bodyLimit(LONGEST_TEXT));
    }

    private Future<Reply> content(Call call) {
        Place place = Asked.place(call, "path");
        return sent(
                call, call.caller(), call.path("user"), place, call.query("as").orElse(""));
    }

    /** @param owner by whose rights it is read, to be sent to who asks */
    Future<Reply> sent(Call call, Caller owner, String whose, Place place, String as) {
        return worker.run(call.caller().id(), () -> {
            Space space = spaces.of(owner, whose);
            if (space.entry(place).found().isFolder()) {
                return packed(call, whose, space, place, as);
            }
            try (OpenFile file = space.read(place)) {
                return bytes(call, space, place, file.found(), as);
            }
        });
    }

    private Reply packed(Call call, String whose, Space space, Place place, String as) {
        String name = place.isRoot() ? whose : Place.shown(place.name());
        String top = Place.raw(name.startsWith("@") ? name.substring(1) : name);
        return switch (as) {
            case "", "zip" ->
                streamed(
                        call,
                        () -> inTurn(
                                zips,
                                call.caller().id(),
                                () -> new Packed(Packing.zip(space.folder(place), top, without(place)))),
                        "application/zip",
                        name + ".zip");
            case "tar" ->
                streamed(
                        call,
                        () -> inTurn(
                                tars,
                                call.caller().id(),
                                () -> new Packed(Packing.tar(space.folder(place), top, without(place)))),
                        "application/x-tar",
                        name + ".tar");
            default -> throw Problem.invalid("A folder comes as zip or as tar.");
        };
    }

    /** Where a source is opened, once there is somebody to send it to. */
    @FunctionalInterface
    private interface Opening {
        Sending.Source open() throws IOException;
    }

    private static Sending.Source inTurn(Turns turns, long who, Opening opening) throws IOException {
        turns.enter(who);
        try {
            return new InTurn(opening.open(), () -> turns.leave(who));
        } catch (IOException | RuntimeException e) {
            turns.leave(who);
            throw e;
        }
    }

    private static String without(Place place) {
        return place.isRoot() ? Space.OWN : "";
    }

    private Reply streamed(Call call, Opening opening, String type, String name) {
        Receiving.Worker own = worker.of(call.caller().id());
        return Reply.stream(response ->
                        own.run(opening::open).compose(source -> Sending.send(source, own, response, metrics::sent)))
                .header("Content-Type", type)
                .header("Content-Encoding", "identity")
                .header("Content-Disposition", attachment(name))
                // what is in it is a stranger's: it is nothing of this portal's wherever it is opened
                .header(
                        "Content-Security-Policy",
                        "sandbox; default-src 'none'; img-src 'self'; frame-ancestors 'none'");
    }

    private static String attachment(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._ -]", "_");
        return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + Place.encoded(Place.raw(name));
    }

    private Reply bytes(Call call, Space space, Place place, Found found, String as) {
        String etag = "\"" + found.version() + "\"";
        if (call.header("If-None-Match").map(etag::equals).orElse(false)) {
            return Reply.nothing().status(304).header("ETag", etag);
        }
        Asked.Range range = Asked.range(call, found.size(), etag);
        if (range != null && range.from() >= range.to()) {
            return Reply.json(Map.of(
                            "code",
                            "InvalidParametersError",
                            "message",
                            "The file has " + found.size() + " bytes; what is asked for is past its end."))
                    .status(416)
                    .header("ETag", etag)
                    .header("Content-Range", "bytes */" + found.size());
        }
        long from = range == null ? 0 : range.from();
        long to = range == null ? found.size() : range.to();
        Reply reply = streamed(
                        call,
                        () -> inTurn(
                                files, call.caller().id(), () -> new Part(space.read(place), found, from, to, pieces)),
                        type(place, as),
                        Place.shown(place.name()))
                .header("Content-Length", Long.toString(to - from))
                .header("Accept-Ranges", "bytes")
                .header("ETag", etag);
        reply = as.equals("picture") ? reply.header("Content-Disposition", "inline") : reply;
        return range == null
                ? reply
                : reply.status(206).header("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + found.size());
    }

    private static String type(Place place, String as) {
        String name = place.name();
        String end = name.substring(name.lastIndexOf('.') + 1).toLowerCase(java.util.Locale.ROOT);
        return as.equals("picture")
                ? Optional.<@Nullable String>ofNullable(PICTURES.get(end))
                        .orElseThrow(() -> Problem.invalid("This is no picture that is shown here."))
                : "application/octet-stream";
    }

    private Future<Reply> write(Call call) {
        Place place = Asked.place(call, "path");
        byte[] content = call.body().getBytes();
        boolean fresh = call.header("If-None-Match").map("*"::equals).orElse(false);
        String version = fresh
                ? ""
                : call.header("If-Match").map(etag -> etag.replace("\"", "")).orElse(null);
        return worker.run(call.caller().id(), () -> {
            Space space = spaces.of(call.caller(), call.path("user"));
            long before = space.sizeOf(place);
            long more = content.length - Math.max(0, before);
            spaces.room(call.caller(), call.path("user"), more, before < 0 ? 1 : 0);
            Found found = space.write(place, content, version);
            spaces.changed(call.caller(), call.path("user"), more, before < 0 ? 1 : 0);
            metrics.taken(content.length);
            return Reply.json(FileRoutes.entry(new Space.Entry(place, found)))
                    .header("ETag", "\"" + found.version() + "\"");
        });
    }

    /** A folder that is packed on its way. */
    private record Packed(Packing packing) implements Sending.Source {
        @Override
        public Sending.@Nullable Piece next() throws IOException {
            byte[] piece = packing.next();
            return piece == null ? null : Sending.Piece.of(piece);
        }

        @Override
        public void close() throws IOException {
            packing.close();
        }
    }

    /** Another has its turn when it is closed. */
    private record InTurn(Sending.Source source, Runnable over) implements Sending.Source {
        @Override
        public Sending.@Nullable Piece next() throws IOException {
            return source.next();
        }

        @Override
        public void close() throws IOException {
            try {
                source.close();
            } finally {
                over.run();
            }
        }
    }
}
