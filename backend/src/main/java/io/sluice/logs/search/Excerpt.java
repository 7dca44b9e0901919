package io.sluice.logs.search;

import io.sluice.logs.files.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is shown around a match. */
final class Excerpt {
    private static final int AROUND = 1_000;
    private static final int CONTEXT = 16 << 10;

    private final Bytes log;
    private final int context;
    private final byte[] window;

    Excerpt(Bytes log, int context) {
        this.log = log;
        this.context = context;
        this.window = new byte[2 * (AROUND + CONTEXT) + 4 * AROUND];
    }

    Match of(long offset, int length) throws IOException {
        int margin = context == 0 ? AROUND + 1 : CONTEXT; // one more tells whether the line is cut
        long begin = Math.max(0, offset - margin);
        int shown = Math.min(length, AROUND);
        int count = log.fill(begin, window, (int) (offset - begin) + shown + margin);
        int match = (int) (offset - begin);
        int start = match;
        while (start > 0 && match - start < AROUND && window[start - 1] != '\n') {
            start--;
        }
        int end = match;
        while (end < count && end < match + shown + AROUND && window[end] != '\n') {
            end++;
        }
        boolean cut =
                (start > 0 && window[start - 1] != '\n') || (end < count && window[end] != '\n') || length > shown;
        return new Match(
                offset,
                length,
                begin + start,
                text(start, end),
                cut,
                context == 0 ? List.of() : before(start, begin == 0),
                context == 0 ? List.of() : after(end, count));
    }

    private List<String> before(int end, boolean whole) {
        List<String> lines = new ArrayList<>();
        int stop = end - 1; // the newline before the match's own line
        while (stop > 0 && lines.size() < context) {
            int start = stop;
            while (start > 0 && window[start - 1] != '\n') {
                start--;
            }
            if (start == 0 && !whole) {
                break;
            }
            lines.add(text(start, Math.min(stop, start + AROUND)));
            stop = start - 1;
        }
        Collections.reverse(lines);
        return lines;
    }

    private List<String> after(int end, int count) {
        List<String> lines = new ArrayList<>();
        int start = end + 1;
        while (start < count && lines.size() < context) {
            int stop = start;
            while (stop < count && window[stop] != '\n') {
                stop++;
            }
            lines.add(text(start, Math.min(stop, start + AROUND)));
            start = stop + 1;
        }
        return lines;
    }

    private String text(int from, int to) {
        return new String(window, from, to - from, StandardCharsets.UTF_8);
    }
}
