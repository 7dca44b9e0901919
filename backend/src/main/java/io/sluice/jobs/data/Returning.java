package io.sluice.jobs.data;

import io.sluice.files.Files;
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
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Crew;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Brings an attempt's outputs back, each time those files of which the store has not this version. */
final class Returning extends Errand {
    private static final int MOST = 1_000_000;
    /** What was written to so lately may not be whole. */
    private static final long FRESH_MILLIS = 3_000;
    /** Of what is left out, that many are named, each with so many characters. */
    private static final int NAMED = 10;

    private static final int LONGEST = 200;
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
    /** Which version of each file the store has, by output and path, as far as this gateway has seen to it. */
    private final Map<String, String> brought;

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
            Map<String, String> brought) {
        super(asked, care, all);
        this.files = files;
        this.threads = threads;
        this.finder = finder;
        this.opener = opener;
        this.last = last;
        this.brought = brought;
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
    }

    private void output(Folder top, Progress one, Stores.Place place, StoreLine store) throws IOException {
        if (!top.has(one.name)) {
            return;
        }
        Map<String, Stored> there = listed(one, place, store);
        one.files.set(0);
        one.bytes.set(0);
        Crew crew = new Crew(threads);
        try (Walk walk = new Walk(top.folder(one.name), MOST)) {
            try {
                for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                    if (step.found().isFile()) {
                        file(walk, crew, one, place, store, there, step);
                    } else if (!step.found().isFolder() && last) {
                        walk.leave(
                                step.place(),
                                new Refused(Refused.Why.NOT_A_FILE, step.place().name()));
                    }
                }
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

    /** What another gateway has brought there; what this one has, it knows. */
    private Map<String, Stored> listed(Progress one, Stores.Place place, StoreLine store) throws IOException {
        Map<String, Stored> all = new HashMap<>();
        if (brought.containsKey(one.name)) {
            return all;
        }
        String next = null;
        do {
            String from = next;
            var page = care.of(() -> store.list(place, from));
            page.objects().forEach(object -> all.put(object.key(), object));
            next = page.next();
        } while (next != null && all.size() < MOST);
        brought.put(one.name, "");
        return all;
    }

    private void file(
            Walk walk,
            Crew crew,
            Progress one,
            Stores.Place place,
            StoreLine store,
            Map<String, Stored> there,
            Walk.Step step)
            throws IOException {
        Found found = step.found();
        String path = one.name + "/" + String.join("/", step.place().names());
        boolean fresh = !last && System.currentTimeMillis() - found.changed() < FRESH_MILLIS;
        if (fresh) {
            return;
        }
        if (found.version().equals(brought.get(path))) {
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
        try {
            crew.take(() -> send(one, new Sending(store, place, key, path, there.get(key)), open));
        } catch (IOException e) {
            open.close();
            throw e;
        }
    }

    private record Sending(
            StoreLine store,
            Stores.Place place,
            String key,
            String path,
            @Nullable Stored there) {}

    private void send(Progress one, Sending sending, OpenFile open) throws IOException {
        try (open) {
            care.of(() -> {
                new Leaving(sending.store(), sending.place(), sending.key(), open.channel(), care)
                        .send(sending.there());
                return sending;
            });
            // of what was written meanwhile the next round brings the rest
            if (open.channel().size() == open.found().size()) {
                brought.put(sending.path(), open.found().version());
            }
            count(one, open.found().size());
        }
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
