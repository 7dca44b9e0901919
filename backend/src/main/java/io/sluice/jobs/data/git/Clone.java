package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.tree.Place;
import io.sluice.jobs.Folders;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.Source;
import io.sluice.jobs.data.web.WebLine;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/** One commit of a repository, as files. Its pack lies in a folder of the gateway's own until they are landed. */
final class Clone implements Source {
    private static final System.Logger log = System.getLogger(Clone.class.getName());
    private static final long MOST_FILES = 1_000_000;
    /** So much more than the files it takes to keep the pack, once as it comes and once unpacked. */
    private static final int COPIES = 2;

    private final Repositories repositories;
    private final WebLine line;
    private final Wanted wanted;
    private final Path scratch;
    private final Repositories.Room room;
    private final Care care;
    private final LongConsumer came;
    private final Limits.Span span;
    private @Nullable Unpacked unpacked;

    Clone(
            Repositories repositories,
            WebLine line,
            Wanted wanted,
            Path scratch,
            Repositories.Room room,
            Care care,
            LongConsumer came) {
        this.repositories = repositories;
        this.line = line;
        this.wanted = wanted;
        this.scratch = scratch;
        this.room = room;
        this.care = care;
        this.came = came;
        this.span = line.limits().begin();
    }

    @Override
    public boolean isFresh() {
        return true;
    }

    @Override
    public Amount count() throws IOException {
        Repositories.forget(scratch);
        Folders.made(scratch);
        Path pack = scratch.resolve("coming");
        var remote = new Remote(line, wanted, span);
        Remote.Found found = care.of(() -> {
            Remote.Found now = remote.look();
            come(remote, now, pack);
            return now;
        });
        var whole = repositories.inTurn(care, span, () -> {
            PackLook.at(pack, line.limits(), care);
            return Unpacked.of(scratch.resolve("objects"), pack, found.id(), this::isOff);
        });
        unpacked = whole;
        Files.delete(pack);
        log.log(Level.INFO, "repository={0} commit={1}", wanted, whole.id());
        return amount(whole);
    }

    private void come(Remote remote, Remote.Found found, Path pack) throws IOException {
        long fits = Math.max(0, room.bytes()) / COPIES;
        long most = Math.min(line.limits().bytes(), fits);
        try (var out = Files.newOutputStream(pack)) {
            remote.fetch(found, out, most, came);
        }
    }

    private boolean isOff() {
        try {
            care.goOn();
            return span.isOver();
        } catch (Care.LeftOff e) {
            return true;
        }
    }

    private Amount amount(Unpacked whole) throws IOException {
        var count = new Count();
        whole.each(count);
        return new Amount(count.files, count.bytes);
    }

    /** Counts what would be landed, and no further than that may be. */
    private final class Count implements Unpacked.Visitor {
        private long files;
        private long bytes;

        @Override
        public void folder(Place place) throws IOException {
            add(0);
        }

        @Override
        public void link(Place place, String leads) throws IOException {
            add(0);
        }

        @Override
        public void file(Place place, ObjectId id, long size, boolean program) throws IOException {
            add(size);
        }

        private void add(long size) throws IOException {
            care.goOn();
            bytes += size;
            if (++files > MOST_FILES) {
                throw new StoreFault(
                        Why.REFUSED,
                        wanted + " has more than " + MOST_FILES + " files. Pack them, or fetch it in the commands.");
            }
            line.limits().check(wanted.toString(), bytes);
        }
    }

    @Override
    public void each(Taker taker) throws IOException {
        Unpacked whole = Objects.requireNonNull(unpacked, "counted before it is handed on");
        whole.each(new Unpacked.Visitor() {
            @Override
            public void folder(Place place) throws IOException {
                taker.folder(place);
            }

            @Override
            public void link(Place place, String leads) throws IOException {
                taker.link(place, leads);
            }

            @Override
            public void file(Place place, ObjectId id, long size, boolean program) throws IOException {
                care.goOn();
                taker.file(place, id.name(), size, whole.time(), at -> from(whole, id, at));
                if (program) {
                    taker.permit(place);
                }
            }
        });
    }

    private static InputStream from(Unpacked whole, ObjectId id, long at) throws IOException {
        InputStream in = whole.open(id);
        in.skipNBytes(at);
        return in;
    }

    @Override
    public void close() throws IOException {
        if (unpacked != null) {
            unpacked.close();
        }
        Repositories.forget(scratch);
    }
}
