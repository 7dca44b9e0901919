package io.sluice.files.centre;

import io.sluice.files.quota.Tally;
import io.sluice.files.space.Bin;
import io.sluice.files.space.Copying;
import io.sluice.files.space.Merging;
import io.sluice.files.space.Search;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.BadArchive;
import io.sluice.files.unpacking.Unpacking;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Looking at files and moving them about. A path stands in the query: names hold what no path of an address may hold. */
final class FileRoutes {
    private static final String READ = "files:read";
    private static final String WRITE = "files:write";
    private static final String FILES = "/api/v2/files/:user";
    private static final int PAGE = 200;
    private static final int LONGEST_PAGE = 1_000;

    private final Spaces spaces;
    private final Worker worker;
    private final Operations operations;

    private final CentreMetrics metrics;
    /** Archives that take much memory to be unpacked. */
    private final Turns heavyOnes;

    FileRoutes(Spaces spaces, Worker worker, Operations operations, CentreMetrics metrics) {
        this.operations = operations;
        this.metrics = metrics;
        this.heavyOnes = new Turns(
                "unpacking", "You are having an archive of this kind unpacked already.", 1, Unpacking.HEAVY, metrics);
        this.spaces = spaces;
        this.worker = worker;
    }

    List<Route> routes() {
        return Stream.concat(
                        Stream.of(
                                        Route.get(FILES, this::look),
                                        Route.get(FILES + "/search", this::search),
                                        Route.get(FILES + "/bin", this::bin),
                                        Route.get(FILES + "/operations/:operation", operations::look))
                                .map(route -> route.scope(READ)),
                        Stream.of(
                                        Route.delete(FILES, this::delete),
                                        Route.post(FILES + "/folder", this::make),
                                        Route.post(FILES + "/move", this::move),
                                        Route.post(FILES + "/copy", this::copy),
                                        Route.post(FILES + "/unpack", this::unpack),
                                        Route.delete(FILES + "/operations/:operation", operations::stop),
                                        Route.post(FILES + "/bin/:deleted", this::restore),
                                        Route.delete(FILES + "/bin/:deleted", this::forget))
                                .map(route -> route.scope(WRITE)))
                .toList();
    }

    /** What is done in the space that is asked for. */
    @FunctionalInterface
    private interface Step {
        Reply take(Space space) throws Exception;
    }

    private Future<Reply> in(Call call, Step step) {
        return worker.run(call.caller().id(), () -> step.take(spaces.of(call.caller(), call.path("user"))));
    }

    private void room(Call call, long bytes, long files) {
        spaces.room(call.caller(), call.path("user"), bytes, files);
    }

    private void changed(Call call, long bytes, long files) {
        spaces.changed(call.caller(), call.path("user"), bytes, files);
    }

    static Map<String, Object> entry(Space.Entry entry) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Found found = entry.found();
        shown.put(
                "name", entry.place().isRoot() ? "" : Place.shown(entry.place().name()));
        shown.put("path", entry.place().encoded());
        shown.put("kind", found.kind().name().toLowerCase(Locale.ROOT));
        shown.put("size", found.isFile() ? found.size() : null);
        shown.put("modified", found.changed());
        shown.put("etag", found.version());
        return shown;
    }

    private Future<Reply> look(Call call) {
        Place place = Asked.place(call, "path");
        int most = Asked.count(call, "limit", PAGE, LONGEST_PAGE);
        return in(call, space -> {
            Map<String, Object> shown = entry(space.entry(place));
            shown.put("writable", space.writable());
            if ("folder".equals(shown.get("kind"))) {
                Space.Page page = space.list(place, call.queryBytes("after").orElse(null), most);
                shown.put(
                        "entries",
                        page.entries().stream().map(FileRoutes::entry).toList());
                shown.put("next", page.next() == null ? null : Place.encoded(page.next()));
                shown.put("total", page.total());
            }
            return Reply.json(shown);
        });
    }

    private Future<Reply> search(Call call) {
        Place place = Asked.place(call, "path");
        String words = call.query("name")
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> Problem.invalid("Say what to find, as in ?name=model."));
        return in(call, space -> {
            Search.Found found = Search.find(space, place, words);
            return Reply.json(Map.of(
                    "entries", found.entries().stream().map(FileRoutes::entry).toList(), "whole", found.whole()));
        });
    }

    private Future<Reply> make(Call call) {
        Place place = Asked.place(call, "path");
        return in(call, space -> {
            room(call, 0, 1);
            space.make(place);
            changed(call, 0, 1);
            return Reply.json(entry(space.entry(place))).status(201);
        });
    }

    private Future<Reply> move(Call call) {
        Place from = Asked.place(call, "path");
        Place to = Asked.target(call);
        boolean replaces = Asked.flag(call, "replace");
        return in(call, space -> {
            space.move(from, to, replaces);
            return Reply.json(entry(space.entry(to)));
        });
    }

    private static String version(Space space, Place place) throws IOException {
        return space.entry(place).found().version();
    }

    /** What has the name by now may be another, while the one that had it is still going. */
    private static long number(Space space, Place place) throws IOException {
        return space.entry(place).found().number();
    }

    private Future<Reply> copy(Call call) {
        Place from = Asked.place(call, "path");
        Place to = Asked.target(call);
        return operations.run(
                call,
                Operations.What.stoppable(
                        space -> "copy " + from.encoded() + " " + to.encoded() + " " + version(space, from)),
                (space, moved) -> {
                    Space.Entry source = space.entry(from);
                    Tally all = source.found().isFolder()
                            ? Tally.of(space.folder(from)).plus(new Tally(0, 1))
                            : new Tally(source.found().size(), 1);
                    room(call, all.bytes(), all.files());
                    Copying.copy(space, from, to, moved);
                    changed(call, all.bytes(), all.files());
                },
                space -> Reply.json(entry(space.entry(to))).status(201));
    }

    private Future<Reply> unpack(Call call) {
        Place from = Asked.place(call, "path");
        Place to = Asked.unpacked(call, from);
        Merging.Collisions collisions = Asked.collisions(call);
        if (to.isRoot() && collisions == null) {
            throw Problem.invalid(
                    "Say which new folder it goes into, or with collisions=keep what becomes of two files of one name.");
        }
        return operations.run(
                call,
                new Operations.What(
                        space -> "unpack " + from.encoded() + " " + to.encoded() + " " + collisions + " "
                                + version(space, from),
                        true,
                        collisions != null),
                (space, moved) -> {
                    var room = new Room(call, space);
                    try {
                        Unpacking.unpack(space, from, to, collisions, room, moved);
                        room.settle(collisions != null);
                    } catch (IOException | RuntimeException e) {
                        room.giveBack(e);
                        throw e;
                    } finally {
                        room.leave();
                    }
                },
                space -> Reply.json(entry(space.entry(to))).status(201));
    }

    private Future<Reply> delete(Call call) {
        Place place = Asked.place(call, "path");
        if (Asked.flag(call, "forever")) {
            return operations.run(
                    call,
                    new Operations.What(
                            space -> "destroy " + place.encoded() + " " + number(space, place), false, true),
                    (space, moved) -> {
                        new Bin(space).destroy(place, moved);
                        spaces.removed(call.caller(), call.path("user"));
                    },
                    space -> Reply.nothing());
        }
        return in(call, space -> {
            new Bin(space).put(place);
            return Reply.nothing();
        });
    }

    private Future<Reply> bin(Call call) {
        return in(call, space -> {
            List<Map<String, Object>> all = (space.writable() ? new Bin(space).list() : List.<Bin.Deleted>of())
                    .stream().map(FileRoutes::deleted).toList();
            return Reply.json(Map.of("deleted", all, "days", FileCentre.BIN_LIFE.toDays()));
        });
    }

    private static Map<String, Object> deleted(Bin.Deleted deleted) {
        Map<String, Object> shown = entry(new Space.Entry(deleted.from(), deleted.found()));
        shown.put("id", deleted.id());
        shown.put("deleted", deleted.deleted());
        return shown;
    }

    private Future<Reply> restore(Call call) {
        return in(call, space -> {
            Place place = new Bin(space).restore(call.path("deleted"));
            return Reply.json(entry(space.entry(place)));
        });
    }

    private Future<Reply> forget(Call call) {
        String deleted = call.path("deleted");
        return operations.run(
                call,
                new Operations.What(space -> "forget " + deleted, false, false),
                (space, moved) -> {
                    new Bin(space).forget(deleted, moved);
                    spaces.removed(call.caller(), call.path("user"));
                },
                space -> Reply.nothing());
    }

    /** What is unpacked counts as it comes: nobody knows before how much it is. */
    private final class Room implements Unpacking.Room {
        private final Call call;
        private final Space space;
        private long bytes;
        private long files;
        private boolean heavy;

        Room(Call call, Space space) {
            this.call = call;
            this.space = space;
        }

        @Override
        public void take(long moreBytes, long moreFiles) throws IOException {
            if (moreBytes > space.root().toFile().getUsableSpace()) {
                throw new Refused(Refused.Why.FULL, "");
            }
            room(call, moreBytes, moreFiles);
            changed(call, moreBytes, moreFiles);
            bytes += moreBytes;
            files += moreFiles;
        }

        @Override
        public void heavy() {
            heavyOnes.enter(call.caller().id());
            heavy = true;
        }

        /** @param merged with what was there: how much there is now is to be counted */
        void settle(boolean merged) {
            if (merged) {
                spaces.removed(call.caller(), call.path("user"));
            }
            metrics.unpacked("");
        }

        void giveBack(Exception why) {
            changed(call, -bytes, -files);
            metrics.unpacked(why instanceof BadArchive bad ? bad.why().code() : "failed");
        }

        void leave() {
            if (heavy) {
                heavyOnes.leave(call.caller().id());
            }
        }
    }
}
