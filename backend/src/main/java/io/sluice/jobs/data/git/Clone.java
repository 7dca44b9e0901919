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

    private final Repositories repositories;
    private final WebLine line;
    private final Wanted wanted;
    private final Path scratch;
    private final Reserved reserved;
    private final Care care;
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
        this.reserved = new Reserved(room, came, wanted);
        this.care = care;
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
        var remote = new Remote(line, wanted, span, care);
        Remote.Found found = care.of(() -> {
            Remote.Found now = remote.look();
            come(remote, now, pack);
            return now;
        });
        return repositories.inTurn(care, span, () -> {
            PackLook.at(pack, line.limits(), care);
            Unpacked whole = whole(pack, found.id());
            unpacked = whole;
            Files.delete(pack);
            reserved.end();
            log.log(Level.INFO, "repository={0} commit={1}", wanted, whole.id());
            return amount(whole);
        });
    }

    private Unpacked whole(Path pack, String id) throws IOException {
        try {
            return Unpacked.of(scratch.resolve("objects"), pack, id, this::isOff);
        } catch (IOException e) {
            step(); // what was left off, or for which there is no more time, is not at fault
            throw e;
        }
    }

    private void come(Remote remote, Remote.Found found, Path pack) throws IOException {
        try (var out = Files.newOutputStream(pack)) {
            remote.fetch(found, out, line.limits().bytes(), reserved);
        }
    }

    private void step() throws IOException {
        care.goOn();
        span.check(wanted.toString());
    }

    private boolean isOff() {
        try {
            step();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private Amount amount(Unpacked whole) throws IOException {
        var count = new Count();
        whole.each(count);
        return new Amount(count.all - count.folders, count.bytes);
    }

    /** Counts what would be landed, and no further than that may be. */
    private final class Count implements Unpacked.Visitor {
        private long all;
        private long folders;
        private long bytes;

        @Override
        public void enter() throws IOException {
            folders++;
            add(0);
        }

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
            step();
            bytes += size;
            if (++all > repositories.mostFiles()) {
                throw new StoreFault(
                        Why.REFUSED,
                        wanted + " has more than " + repositories.mostFiles()
                                + " files and folders. Pack them, or fetch it in the commands.");
            }
            line.limits().check(wanted.toString(), bytes);
        }
    }

    @Override
    public void each(Taker taker) throws IOException {
        Unpacked whole = Objects.requireNonNull(unpacked, "counted before it is handed on");
        whole.each(new Handing(whole, taker));
    }

    /** Hands on what there is, one after the other. */
    private final class Handing implements Unpacked.Visitor {
        private final Unpacked whole;
        private final Taker taker;

        Handing(Unpacked whole, Taker taker) {
            this.whole = whole;
            this.taker = taker;
        }

        @Override
        public void enter() throws IOException {
            step();
        }

        @Override
        public void folder(Place place) throws IOException {
            step();
            taker.folder(place);
        }

        @Override
        public void link(Place place, String leads) throws IOException {
            step();
            taker.link(place, leads);
        }

        /** In turn, where it can be in memory as a whole. That takes nobody long: what is larger comes out of the pack piece by piece. */
        @Override
        public void file(Place place, ObjectId id, long size, boolean program) throws IOException {
            step();
            if (size > PackLook.MOST_HELD) {
                take(place, id, size);
            } else {
                repositories.inTurn(care, span, () -> take(place, id, size));
            }
            if (program) {
                taker.permit(place);
            }
        }

        private Place take(Place place, ObjectId id, long size) throws IOException {
            taker.file(place, id.name(), size, whole.time(), at -> from(whole, id, at));
            return place;
        }
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
