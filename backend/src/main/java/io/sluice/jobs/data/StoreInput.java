package io.sluice.jobs.data;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.Stored;
import io.sluice.files.stores.Stores;
import io.sluice.files.tree.Place;
import io.sluice.jobs.data.Landing.Announced;
import io.sluice.jobs.data.Landing.Coming;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Crew;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** An input out of a store: all objects below a place, as files below a folder. */
final class StoreInput implements Input {
    /** Far more than one folder is good for. */
    static final long MOST = 1_000_000;

    private static final int NAMED = 3;
    /** What may come between the counting and the fetching, and has room in what is kept free. */
    private static final long MORE_BYTES = 64L << 20;

    private static final long MORE_FILES = 1_000;
    /** So often one object may change while it is fetched. */
    private static final int CHANGES = 3;

    private final StoreLine store;
    private final Stores.Place place;
    private final Care care;
    private final long most;

    /** Of what was counted, and has not come: bytes, and files. */
    private final AtomicLong bytesLeft = new AtomicLong();

    private final AtomicLong filesLeft = new AtomicLong();

    /** @param most that it may have */
    StoreInput(StoreLine store, Stores.Place place, Care care, long most) {
        this.most = most;
        this.store = store;
        this.place = place;
        this.care = care;
    }

    @Override
    public Amount survey() throws IOException {
        long files = 0;
        long bytes = 0;
        long unfit = 0;
        List<String> named = new ArrayList<>();
        Deque<String> above = new ArrayDeque<>();
        String next = null;
        do {
            var page = page(next);
            for (Stored object : page.objects()) {
                if (path(object).isEmpty()) {
                    unfit++;
                    if (named.size() < NAMED) {
                        named.add(shown(object.key()));
                    }
                }
                clash(above, object);
                files++;
                bytes += object.size();
            }
            next = page.next();
            if (files > most) {
                throw new StoreFault(
                        StoreFault.Why.REFUSED,
                        "There are more than " + most + " objects at " + place + ". Pack them, or name less.");
            }
        } while (next != null);
        if (unfit > 0) {
            throw new StoreFault(
                    StoreFault.Why.REFUSED,
                    unfit + " of the objects at " + place + " have names that no file can have here, as "
                            + String.join(", ", named) + ". Rename them, or name a prefix without them.");
        }
        if (files == 0) {
            throw new StoreFault(
                    StoreFault.Why.NO_OBJECT, "There is nothing at " + place + ". Look at the spelling of the prefix.");
        }
        bytesLeft.set(bytes + MORE_BYTES);
        filesLeft.set(files + MORE_FILES);
        return new Amount(files, bytes);
    }

    private static String shown(String key) {
        return "“" + key.replaceAll("(?U)\\p{Cntrl}", "?") + "”";
    }

    /** @param above the files with whose names this one's begins: stores list in the order of names */
    private void clash(Deque<String> above, Stored object) throws StoreFault {
        String key = object.key();
        while (!above.isEmpty() && !key.startsWith(above.element())) {
            above.pop();
        }
        for (String file : above) {
            // what the prefix itself names lies beneath the folder under its last name
            String here = file.equals(place.prefix()) ? file + "/" + file.substring(file.lastIndexOf('/') + 1) : file;
            if (key.equals(here) || key.startsWith(here + "/")) {
                throw new StoreFault(
                        StoreFault.Why.REFUSED,
                        shown(file) + " and " + shown(key) + " in s3://"
                                + place.store().name() + "/" + place.bucket()
                                + " would be one name here"
                                + (key.equals(here) ? "" : ", which would have to be a file and a folder at once")
                                + ". Rename one, or name a prefix with one of them.");
            }
        }
        if (!isFolder(object)) {
            above.push(key);
        }
    }

    private StoreLine.Page page(@Nullable String next) throws IOException {
        return care.of(() -> store.list(place, next));
    }

    /** Where an object lies beneath the folder of its input; empty: nowhere, its name is none that a file can have. */
    private Optional<Place> path(Stored object) {
        String key = object.key();
        String rest = key.equals(place.prefix())
                ? key.substring(key.lastIndexOf('/') + 1)
                : place.prefix().isEmpty() ? key : key.substring(place.prefix().length() + 1);
        boolean folder = isFolder(object);
        String path = folder && !rest.isEmpty() ? rest.substring(0, rest.length() - 1) : rest;
        if (folder && path.isEmpty()) {
            return Optional.of(Place.ROOT);
        }
        if (path.isEmpty() || path.startsWith("/") || path.endsWith("/") || path.contains("//")) {
            return Optional.empty();
        }
        try {
            return Optional.of(Place.of(Place.raw(path)));
        } catch (Place.Unspeakable e) {
            return Optional.empty();
        }
    }

    /** As tools make them that show stores as folders. */
    private static boolean isFolder(Stored object) {
        return object.key().endsWith("/") && object.size() == 0;
    }

    @Override
    public void fetch(Landing landing, Crew crew) throws IOException {
        String next = null;
        try {
            do {
                var page = page(next);
                for (Stored object : page.objects()) {
                    crew.take(() -> one(landing, object));
                }
                next = page.next();
            } while (next != null);
        } finally {
            crew.end();
        }
    }

    private void one(Landing landing, Stored object) throws IOException {
        Place at = path(object)
                .orElseThrow(
                        () -> new StoreFault(
                                StoreFault.Why.CHANGED,
                                "Objects have come to " + place
                                        + " whose names no file can have here. Submit the job again when it has come to rest."));
        if (isFolder(object)) {
            draw(0);
            landing.folder(at);
            return;
        }
        Optional<Stored> now = Optional.of(object);
        for (int left = CHANGES; now.isPresent(); left--) {
            Stored wanted = now.get();
            draw(wanted.size());
            try {
                land(landing, at, wanted);
                return;
            } catch (StoreFault changed) {
                bytesLeft.addAndGet(wanted.size());
                filesLeft.incrementAndGet();
                boolean another = changed.why() == StoreFault.Why.CHANGED || changed.why() == StoreFault.Why.NO_OBJECT;
                if (!another || left == 0) {
                    throw changed;
                }
                // as it is now; what has gone since it was listed is not missed
                now = care.of(() -> store.look(place, object.key()));
            }
        }
    }

    /** What was counted has its room; what has come since has none. */
    private void draw(long bytes) throws StoreFault {
        if (bytesLeft.addAndGet(-bytes) < 0 || filesLeft.decrementAndGet() < 0) {
            throw new StoreFault(
                    StoreFault.Why.REFUSED,
                    "More is at " + place
                            + " than was counted before the fetching began. Submit the job again when it has come to rest.");
        }
    }

    private void land(Landing landing, Place at, Stored object) throws IOException {
        landing.land(at, new Announced(object.etag(), object.size(), object.changed()), from -> {
            var coming = store.read(place, object, from);
            return new Coming(coming.body(), coming.tellsDigest() ? object.etag() : null);
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
