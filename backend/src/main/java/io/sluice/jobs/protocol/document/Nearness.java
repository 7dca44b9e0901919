package io.sluice.jobs.protocol.document;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which name somebody may have meant who slipped. */
public final class Nearness {
    private Nearness() {}

    public static @Nullable String of(String unknown, Collection<String> known) {
        String best = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(bare(unknown), bare(candidate));
            if (distance < least && distance <= Math.max(1, candidate.length() / 4)) {
                best = candidate;
                least = distance;
            }
        }
        return best;
    }

    private static String bare(String key) {
        String bare = key.toLowerCase(Locale.ROOT).replaceAll("[-_ .]", "");
        return bare.length() > 60 ? bare.substring(0, 60) : bare;
    }

    /** Insertions, deletions, replacements and swaps of neighbours. */
    private static int distance(String a, String b) {
        int[][] steps = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                steps[i][j] = step(steps, a, b, i, j);
            }
        }
        return steps[a.length()][b.length()];
    }

    private static int step(int[][] steps, String a, String b, int i, int j) {
        if (i == 0 || j == 0) {
            return i + j;
        }
        int replaced = steps[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
    }
}
