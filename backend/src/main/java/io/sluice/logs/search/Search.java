package io.sluice.logs.search;

import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.GoOn;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One search through one log, told as it goes. */
public final class Search {
    /** What a core's own cache holds, with what the kernel copies it from. */
    static final int PIECE = 256 << 10;

    private static final long PROGRESS = 128L << 20;
    private static final int LOOK_BACK = 64 << 10;

    /** Hears of the search, from its thread. */
    public interface Listener {
        void match(Match match) throws IOException;

        void progress(long offset) throws IOException;
    }

    /** How a search ended: at the log's end, at its limit of matches, or out of time. */
    public enum Why {
        END,
        LIMIT,
        DEADLINE
    }

    /**
     * @param next where to go on; null at the end
     * @param upTo where it ended: what is before has been searched, from where it began
     */
    public record Outcome(
            Why why, long matches, long scanned, @Nullable Long next, long upTo) {}

    private final Bytes log;
    private final List<Gaps.Gap> gaps;
    private final Query query;
    private final Finder finder;
    private final Excerpt excerpt;
    private final Listener listener;
    private final byte[] piece = new byte[PIECE];
    private final Shown shown;
    /** Whether the next piece begins a line. */
    private boolean begins = true;

    private long matches;
    private long scanned;
    private long reported;
    private long told;

    /** @throws IllegalArgumentException that says what is wrong with the query */
    public Search(Bytes log, List<Gaps.Gap> gaps, Query query, Listener listener) {
        this.log = log;
        this.gaps = gaps;
        this.query = query;
        this.finder = Finder.of(query);
        this.excerpt = new Excerpt(log, query.context());
        this.listener = listener;
        this.shown = new Shown(query.plain() ? PIECE : 0);
        this.reported = query.from();
    }

    /** What is wrong with a query is found before anything is answered. */
    public static void check(Query query) {
        if (Finder.of(query).overlap() < 0) {
            throw new IllegalArgumentException("A search needs a text.");
        }
    }

    /** @param goOn asked after every piece, and within one where an expression takes long */
    public Outcome run(GoOn goOn) throws IOException {
        long end = Math.min(query.until(), log.size());
        long offset = query.from() == 0 ? 0 : lineOf(query.from());
        told = offset;
        while (offset < end) {
            if (!goOn.goesOn()) {
                return brokenOff(Why.DEADLINE, Math.max(offset, reported));
            }
            Gaps.Gap hole = Gaps.next(gaps, offset);
            if (hole != null && hole.from() <= offset) {
                offset = hole.to();
                begins = true;
                continue;
            }
            long until = hole == null ? end : Math.min(end, hole.from());
            int length = log.fill(offset, piece, (int) Math.min(PIECE, until - offset));
            if (length == 0) {
                break; // the log has become shorter
            }
            int whole = offset + length < until ? wholeLines(length) : length;
            boolean ends = offset + whole >= until || piece[whole - 1] == '\n';
            if (query.plain()) {
                shown.of(piece, whole, ends);
            }
            int looked = look(offset, whole, ends, goOn);
            scanned += looked;
            if (matches >= query.limit()) {
                return brokenOff(Why.LIMIT, reported);
            }
            if (looked < whole) {
                return brokenOff(Why.DEADLINE, Math.max(offset + looked, reported));
            }
            // a line that does not end within the piece: what may have been cut is looked at again
            offset += ends ? whole : again(whole);
            begins = ends || (begins && query.plain() && shown.length() == 0);
            tell(offset);
        }
        return new Outcome(Why.END, matches, scanned, null, Math.max(query.from(), Math.min(end, offset)));
    }

    private void tell(long offset) throws IOException {
        if (offset - told >= PROGRESS) {
            told = offset;
            listener.progress(offset);
        }
    }

    /** Where in the piece the next one begins. */
    private int again(int whole) {
        if (!query.plain()) {
            return Math.max(1, whole - finder.overlap());
        }
        int from = shown.length() - finder.overlap();
        if (from > 0) {
            return Math.max(1, shown.place(from));
        }
        // hardly anything but escape sequences: the search must get on
        int last = shown.length() == 0 ? 0 : shown.place(shown.length() - 1);
        return last > whole / 2 ? last : shown.end();
    }

    /** Where the line begins that this is in, so that it is seen whole: what begins before {@code from} is not told all the same. */
    private long lineOf(long from) throws IOException {
        Gaps.Gap hole = Gaps.next(gaps, from);
        if (hole != null && hole.from() <= from) {
            return from;
        }
        int length = (int) Math.min(LOOK_BACK, from - Gaps.endBefore(gaps, from));
        int count = log.fill(from - length, piece, length);
        for (int at = count; at > 0; at--) {
            if (piece[at - 1] == '\n') {
                return from - length + at;
            }
        }
        if (length < LOOK_BACK) {
            return from - length;
        }
        begins = false;
        return from - 1; // what is before it tells that no line begins here
    }

    private Outcome brokenOff(Why why, long next) {
        return new Outcome(why, matches, scanned, next, next);
    }

    private int wholeLines(int length) {
        for (int at = length; at > length / 2; at--) {
            if (piece[at - 1] == '\n') {
                return at;
            }
        }
        return length;
    }

    /** The answer is how much of the piece was looked at. */
    private int look(long offset, int length, boolean ends, GoOn goOn) throws IOException {
        if (!query.plain()) {
            return finder.find(
                    piece,
                    new Finder.Piece(length, begins, ends),
                    goOn,
                    (start, end) -> match(offset + start, offset + end));
        }
        int looked = finder.find(
                shown.bytes(),
                new Finder.Piece(shown.length(), begins, ends),
                goOn,
                (start, end) -> match(offset + shown.place(start), offset + shown.place(end - 1) + 1));
        return looked == shown.length() ? length : shown.place(looked);
    }

    private boolean match(long start, long end) throws IOException {
        if (start < reported) {
            return true;
        }
        reported = end;
        matches++;
        listener.match(excerpt.of(start, (int) (end - start)));
        return matches < query.limit();
    }
}
