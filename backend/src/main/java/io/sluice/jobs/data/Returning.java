package io.sluice.jobs.data;

import io.sluice.files.Files;
import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.Stored;
import io.sluice.files.stores.Stores;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import io.sluice.jobs.data.back.Brought;
import io.sluice.jobs.data.back.Leaving;
import io.sluice.jobs.data.back.Unfinished;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Crew;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/** Brings an attempt's outputs back, each time those files of which the store has not this version. */
final class Returning extends Errand {
    private static final int MOST = 1_000_000;
    /** What was written to so lately may not be whole. */
    private static final long FRESH_MILLIS = 3_000;
    /** Of what is left out, that many are named, each with so many characters. */
    private static final int NAMED = 10;

    private static final int LONGEST = 200;
    /** Beside the name of an output: what the store has was compared. */
    private static final String LISTED = "listed";
    /** What stores take, in bytes. */
    private static final int LONGEST_KEY = 1_024;

    /** Opens the store of a place. */
    @FunctionalInterface
    interface Opener {
        StoreLine open(Stores.Place place) throws IOException;
    }

    /** Finds what an address means. */
    @FunctionalInterface
    interface Finder {
        Stores.Place find(String address) throws IOException;
    }

    private final Files files;
    private final Executor threads;
    private final Finder finder;
    private final Opener opener;
    private final boolean last;
    /** By output and path. */
    private final Brought brought;
    /** What of it is still so. */
    private final Brought now = new Brought();

    private final Unfinished unfinished;

    /** @param last nothing writes there any more: all has to go, and what can not is a failure */
    Returning(
            Asked asked,
            Care care,
            List<Progress> all,
            Files files,
            Executor threads,
            Finder finder,
            Opener opener,
            boolean last,
            Brought brought,
            Unfinished unfinished) {
        super(asked, care, all);
        this.files = files;
        this.threads = threads;
        this.finder = finder;
        this.opener = opener;
        this.last = last;
        this.brought = brought;
        this.unfinished = unfinished;
    }

    @Override
    String remark() {
        return last ? Outgoing.KEPT : "";
    }

    boolean isLast() {
        return last;
    }

    @Override
    void work() throws Exception {
        Path root = care.of(() -> files.output(asked.userId(), asked.user(), asked.name()));
        try (Folder top = Folder.open(root, Owner.of(root))) {
            for (Progress one : all) {
                one.state = Transfer.State.MOVING;
                Stores.Place place = finder.find(one.address);
                try (StoreLine store = care.of(() -> opener.open(place))) {
                    output(top, one, place, store);
                }
                one.state = last ? Transfer.State.DONE : Transfer.State.WAITING;
            }
        }
        brought.become(now);
    }

    private void output(Folder top, Progress one, Stores.Place place, StoreLine store) throws IOException {
        if (!top.has(one.name)) {
            return;
        }
        compare(top, one, place, store);
        one.files.set(0);
        one.bytes.set(0);
        Crew crew = new Crew(threads);
        try (Walk walk = new Walk(top.folder(one.name), MOST)) {
            try {
                for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                    if (step.found().isFile()) {
                        file(walk, crew, one, place, store, step);
                    } else if (!step.found().isFolder() && last) {
                        walk.leave(
                                step.place(),
                                new Refused(Refused.Why.NOT_A_FILE, step.place().name()));
                    }
                }
            } catch (Refused refused) {
                throw refused.why() == Refused.Why.TOO_MANY ? tooMany(one) : refused;
            } finally {
                crew.end();
            }
            if (last && !walk.leftOut().isEmpty()) {
                one.message = "Left out, as links, pipes, what can not be read and names that no store takes: "
                        + walk.leftOut().stream()
                                .limit(NAMED)
                                .map(path -> path.length() > LONGEST ? path.substring(0, LONGEST) + "…" : path)
                                .collect(Collectors.joining(", "))
                        + (walk.leftOut().size() > NAMED ? " and others" : "");
            }
        }
        one.allFiles = one.files.get();
        one.allBytes = one.bytes.get();
    }

    private static IOException tooMany(Progress one) {
        return new IOException("/output/" + one.name + " has more than " + MOST
                + " files and folders, and no more are brought back. Let the job pack them.");
    }

    /**
     * Finds what the store has already of what is here: another gateway has brought it, or an attempt before. The list may be long, and none of
     * it is kept.
     */
    private void compare(Folder top, Progress one, Stores.Place place, StoreLine store) throws IOException {
        if (!brought.has(one.name, LISTED)) {
            Crew crew = new Crew(threads);
            try {
                String next = null;
                int met = 0;
                do {
                    String from = next;
                    var page = care.of(() -> store.list(place, from));
                    for (Stored object : page.objects()) {
                        compare(top, one, new Sending(store, place, object.key(), ""), object, crew);
                    }
                    met += page.objects().size();
                    next = page.next();
                } while (next != null && met < MOST);
            } finally {
                crew.end();
            }
            brought.add(one.name, LISTED);
        }
        now.add(one.name, LISTED);
    }

    private void compare(Folder top, Progress one, Sending sending, Stored object, Crew crew) throws IOException {
        Stores.Place place = sending.place();
        String path = place.prefix().isEmpty()
                ? object.key()
                : object.key()
                        .substring(
                                Math.min(object.key().length(), place.prefix().length() + 1));
        try {
            Place file = Place.of(Place.raw(path));
            if (file.isRoot() || !key(place, file).equals(object.key())) {
                return;
            }
            try (Folder own = top.folder(one.name);
                    Folder above = own.folder(file.above())) {
                Found found = above.found(file.name());
                if (found.isFile() && found.size() == object.size()) {
                    compare(
                            one.name + "/" + String.join("/", file.names()),
                            above.read(file.name()),
                            sending,
                            object,
                            crew);
                }
            }
        } catch (Place.Unspeakable | Refused nothing) {
            return; // none of what is here has that name
        }
    }

    private void compare(String path, OpenFile open, Sending sending, Stored object, Crew crew) throws IOException {
        take(crew, open, () -> {
            if (leaving(sending, open).is(object)) {
                brought.add(path, open.found().version());
            }
        });
    }

    /** With a file that is closed when it is done with. */
    private static void take(Crew crew, OpenFile open, Crew.Work work) throws IOException {
        try {
            crew.take(() -> {
                try (open) {
                    work.run();
                }
            });
        } catch (IOException e) {
            open.close();
            throw e;
        }
    }

    private Leaving leaving(Sending sending, OpenFile open) {
        return new Leaving(
                sending.store(),
                sending.place(),
                sending.key(),
                open.channel(),
                unfinished.of(asked.job(), asked.userId()),
                care);
    }

    private void file(Walk walk, Crew crew, Progress one, Stores.Place place, StoreLine store, Walk.Step step)
            throws IOException {
        Found found = step.found();
        String path = one.name + "/" + String.join("/", step.place().names());
        boolean fresh = !last && System.currentTimeMillis() - found.changed() < FRESH_MILLIS;
        if (fresh) {
            return;
        }
        if (brought.has(path, found.version())) {
            now.add(path, found.version());
            count(one, found.size());
            return;
        }
        String key;
        OpenFile open;
        try {
            key = key(place, step.place());
            open = step.folder().read(step.place().name());
        } catch (Refused refused) {
            if (last) {
                walk.leave(step.place(), refused);
            }
            return;
        }
        take(crew, open, () -> send(one, new Sending(store, place, key, path), open));
    }

    private record Sending(StoreLine store, Stores.Place place, String key, String path) {}

    private void send(Progress one, Sending sending, OpenFile open) throws IOException {
        try {
            leaving(sending, open).send();
        } catch (StoreFault fault) {
            if (!last && fault.why() == StoreFault.Why.BROKEN) {
                return; // somebody writes to it
            }
            throw fault;
        }
        // of what was written meanwhile the next round brings the rest
        if (open.channel().size() == open.found().size()) {
            brought.add(sending.path(), open.found().version());
            now.add(sending.path(), open.found().version());
        }
        count(one, open.found().size());
    }

    private static void count(Progress one, long bytes) {
        one.files.incrementAndGet();
        one.bytes.addAndGet(bytes);
    }

    private static String key(Stores.Place place, Place file) throws IOException {
        String path = String.join("/", file.names());
        String text = new String(path.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        if (!Place.raw(text).equals(path)) { // no text in UTF-8
            throw new Refused(Refused.Why.NOT_ALLOWED, file.name());
        }
        String key = place.prefix().isEmpty() ? text : place.prefix() + "/" + text;
        if (key.getBytes(StandardCharsets.UTF_8).length > LONGEST_KEY) {
            throw new Refused(Refused.Why.NOT_ALLOWED, file.name());
        }
        return key;
    }
}
