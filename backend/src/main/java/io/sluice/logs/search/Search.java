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
    private long matches;
    private long scanned;
    private long reported;

    /** @throws IllegalArgumentException that says what is wrong with the query */
    public Search(Bytes log, List<Gaps.Gap> gaps, Query query, Listener listener) {
        this.log = log;
        this.gaps = gaps;
        this.query = query;
        this.finder = Finder.of(query);
        this.excerpt = new Excerpt(log, query.context());
        this.listener = listener;
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
        long told = offset;
        while (offset < end) {
            if (!goOn.goesOn()) {
                return brokenOff(Why.DEADLINE, Math.max(offset, reported));
            }
            Gaps.Gap hole = Gaps.next(gaps, offset);
            if (hole != null && hole.from() <= offset) {
                offset = hole.to();
                continue;
            }
            long until = hole == null ? end : Math.min(end, hole.from());
            int length = log.fill(offset, piece, (int) Math.min(PIECE, until - offset));
            int whole = offset + length < until ? wholeLines(length) : length;
            int looked = look(offset, whole, goOn);
            scanned += looked;
            if (looked < whole || matches >= query.limit()) {
                return matches >= query.limit()
                        ? brokenOff(Why.LIMIT, reported)
                        : brokenOff(Why.DEADLINE, Math.max(offset + looked, reported));
            }
            // a line that does not end within the piece: what may have been cut is looked at again
            offset += whole < length || offset + length >= until ? whole : Math.max(1, whole - finder.overlap());
            if (length == 0) {
                break; // the log has become shorter
            }
            if (offset - told >= PROGRESS) {
                told = offset;
                listener.progress(offset);
            }
        }
        return new Outcome(Why.END, matches, scanned, null, Math.max(query.from(), Math.min(end, offset)));
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
        return length < LOOK_BACK ? from - length : from;
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
    private int look(long offset, int length, GoOn goOn) throws IOException {
        return finder.find(piece, length, goOn, (start, end) -> {
            if (offset + start < reported) {
                return true;
            }
            reported = offset + end;
            matches++;
            listener.match(excerpt.of(offset + start, end - start));
            return matches < query.limit();
        });
    }
}
