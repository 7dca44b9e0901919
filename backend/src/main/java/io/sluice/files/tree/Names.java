package io.sluice.files.tree;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The names in a folder, in the order of their bytes: a page of them costs no more memory than it has. */
public final class Names implements AutoCloseable {
    private final DirectoryStream<Path> stream;

    /**
     * @param more whether there are others behind the last one
     * @param total of the whole folder
     */
    public record Page(List<String> names, boolean more, int total) {}

    Names(DirectoryStream<Path> stream) {
        this.stream = stream;
    }

    /** @param after the last name of the page before; null: from the first */
    public static Page page(Folder folder, @Nullable String after, int most) throws IOException {
        return page(folder, after, most, "");
    }

    /** @param without a name that is passed over as if it were not there */
    public static Page page(Folder folder, @Nullable String after, int most, String without) throws IOException {
        try (Names names = folder.names()) {
            return names.page(after, most, without);
        }
    }

    /** All of them, if they are not too many. */
    public static List<String> all(Folder folder, int most) throws IOException {
        Page page = page(folder, null, most);
        if (page.more()) {
            throw new Refused(Refused.Why.TOO_MANY, "");
        }
        return page.names();
    }

    private Page page(@Nullable String after, int most, String without) throws IOException {
        var least = new Least(most);
        int total = 0;
        Path begin = null;
        Path passed = null;
        try {
            for (Path entry : stream) {
                if (total == 0 && passed == null) {
                    String folder = Objects.requireNonNull(entry.getParent()).toString();
                    begin = after == null ? null : Place.path(folder, after);
                    passed = without.isEmpty() ? entry.getParent() : Place.path(folder, without);
                }
                if (entry.equals(passed)) {
                    continue;
                }
                total++;
                if (begin == null || entry.compareTo(begin) > 0) {
                    least.add(entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return new Page(least.names(), least.more, total);
    }

    /** The first of many, whatever order they come in: bytes are compared, and only what is kept is decoded. */
    private static final class Least {
        private final int most;
        private final PriorityQueue<Path> kept;
        private boolean more;

        Least(int most) {
            this.most = most;
            this.kept = new PriorityQueue<>(Math.max(1, Math.min(most, 1_024)), Collections.reverseOrder());
        }

        void add(Path entry) {
            if (kept.size() < most) {
                kept.add(entry);
                return;
            }
            more = true;
            if (most > 0 && entry.compareTo(kept.element()) < 0) {
                kept.remove();
                kept.add(entry);
            }
        }

        List<String> names() {
            return kept.stream().sorted().map(Place::name).toList();
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
