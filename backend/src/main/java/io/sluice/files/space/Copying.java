package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** Copies files and folders: made aside, and there at one blow when they are whole. */
public final class Copying {
    private static final int MOST = 100_000;
    private static final long PIECE = 64 << 20;

    /** Hears of it while it goes on. */
    @FunctionalInterface
    public interface Moved {
        void on(long bytes) throws IOException;
    }

    private Copying() {}

    /** What has the name already keeps it. */
    public static void copy(Space space, Place from, Place to, Moved moved) throws IOException {
        space.mustBeWritable();
        if (from.isRoot()) {
            throw new Refused(Refused.Why.NOT_ALLOWED, "");
        }
        space.above(
                from,
                source -> space.above(to, target -> {
                    if (target.has(to.name())) {
                        throw new Refused(Refused.Why.EXISTS, to.name());
                    }
                    try (Folder temporary = space.temporary()) {
                        String name = Space.fresh();
                        try {
                            copy(source, from.name(), temporary, name, moved);
                            temporary.move(name, target, to.name());
                            target.settle();
                        } finally {
                            Removal.ifThere(temporary, name);
                        }
                    }
                    return to;
                }));
    }

    private static void copy(Folder from, String name, Folder to, String other, Moved moved) throws IOException {
        if (!from.found(name).isFolder()) {
            one(from, name, to, other, moved);
            return;
        }
        to.make(other);
        try (Walk walk = new Walk(from.folder(name), MOST);
                Folder top = to.folder(other)) {
            for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                moved.on(0);
                try (Folder above = top.folder(step.place().above())) {
                    if (step.found().isFolder()) {
                        above.make(step.place().name());
                    } else {
                        one(
                                step.folder(),
                                step.place().name(),
                                above,
                                step.place().name(),
                                moved);
                    }
                }
            }
            if (!walk.leftOut().isEmpty()) {
                throw new Refused(
                        Refused.Why.NOT_ALLOWED, Place.raw(walk.leftOut().getFirst()));
            }
        }
    }

    private static void one(Folder from, String name, Folder to, String other, Moved heard) throws IOException {
        if (from.found(name).kind() == Found.Kind.LINK) {
            to.link(/* name= */ other, from, /* other= */ name);
            return;
        }
        try (OpenFile source = from.read(name);
                FileChannel target = to.create(other)) {
            long size = source.channel().size();
            for (long at = 0; at < size; ) {
                long moved = source.channel().transferTo(at, Math.min(PIECE, size - at), target);
                if (moved == 0) {
                    break; // it has become shorter
                }
                at += moved;
                heard.on(moved);
            }
            target.force(false);
            to.permit(other, source.found().mode());
        }
    }
}
