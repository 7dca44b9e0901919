package io.sluice.logs.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.LogFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SearchTest {
    @TempDir
    private Path folder;

    private final List<Match> found = new ArrayList<>();

    private Search.Outcome search(byte[] log, Query query, List<Gaps.Gap> gaps) throws IOException {
        Path file = folder.resolve("log");
        Files.write(file, log);
        found.clear();
        try (Bytes bytes = new LogFile(file).open()) {
            return new Search(bytes, gaps, query, new Search.Listener() {
                        @Override
                        public void match(Match match) {
                            found.add(match);
                        }

                        @Override
                        public void progress(long offset) {}
                    })
                    .run(() -> true);
        }
    }

    private List<Long> offsets(String log, String text, boolean regex, boolean matchCase) throws IOException {
        search(
                log.getBytes(StandardCharsets.ISO_8859_1),
                new Query(text, regex, matchCase, 0, Long.MAX_VALUE, 10_000, 0),
                List.of());
        return found.stream().map(Match::offset).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ab", "loss=[0-9]+", "^b+a", "a$", "b.{0,3}a", "(abc|cab)x?", "ba+b"})
    void matches_are_those_of_a_slower_search(String expression) throws IOException {
        var random = new Random(expression.hashCode());
        var log = new StringBuilder();
        for (int at = 0; at < 3_000_000; at++) {
            log.append("abc\n        loss=1".charAt(random.nextInt(18)));
        }
        List<Long> expected = new ArrayList<>();
        long begin = 0;
        for (String line : log.toString().split("\n", -1)) {
            var matcher = Pattern.compile(expression).matcher(line);
            while (matcher.find()) {
                expected.add(begin + matcher.start());
            }
            begin += line.length() + 1;
        }
        assertThat(offsets(log.toString(), expression, true, true))
                .isEqualTo(expected.subList(0, Math.min(10_000, expected.size())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "ab",
                "e\u0000",
                "aAbB",
                "loss=1",
                "Traceback (most",
                "\u00c3",
                "a much longer text than a step"
            })
    void a_text_is_found_wherever_it_stands(String text) throws IOException {
        var random = new Random(text.hashCode());
        for (boolean matchCase : new boolean[] {true, false}) {
            if (!matchCase && text.equals("\u00c3")) {
                continue; // no capital and small letter of one byte
            }
            for (int length = 0; length < 300; length++) {
                var log = new StringBuilder();
                while (log.length() < length) {
                    log.append(
                            random.nextInt(6) == 0
                                    ? text
                                    : "" + text.charAt(random.nextInt(text.length())) + (char) random.nextInt(128));
                }
                String all = new String(log.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
                String one = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
                List<Long> expected = new ArrayList<>();
                for (int at = 0; at <= all.length() - one.length(); ) {
                    boolean fits = all.regionMatches(!matchCase, at, one, 0, one.length());
                    if (fits) {
                        expected.add((long) at);
                    }
                    at += fits ? one.length() : 1;
                }
                assertThat(offsets(all, text, false, matchCase)).isEqualTo(expected);
            }
        }
    }

    @Test
    void a_text_is_found_across_pieces_of_a_line_without_end() throws IOException {
        for (int shift = -6; shift < 6; shift++) {
            String log = "x".repeat(Search.PIECE + shift) + "needle" + "x".repeat(100);
            assertThat(offsets(log, "needle", false, true)).containsExactly((long) Search.PIECE + shift);
            assertThat(offsets(log, "NEEDLE", false, false)).containsExactly((long) Search.PIECE + shift);
            assertThat(offsets(log, "ne+dle", true, true)).containsExactly((long) Search.PIECE + shift);
        }
    }

    @Test
    void a_long_match_is_found_wherever_it_stands_in_a_line_without_end() throws IOException {
        for (int place : new int[] {0, 1_040, 7_600, 8_000, 61_000, 262_000, 262_143, 300_000}) {
            String log = "-".repeat(place) + "abcdef0123".repeat(100) + "-".repeat(300_000);
            assertThat(offsets(log, "[a-f0-9]{1000}", true, true)).containsExactly((long) place);
            assertThat(offsets(log, "(abcdef0123){100}", true, true)).containsExactly((long) place);
            assertThat(offsets(log, "\\Q" + "abcdef0123".repeat(90) + "\\E", true, true))
                    .isNotEmpty();
        }
    }

    @Test
    void a_line_begins_and_ends_once_however_long_it_is() throws IOException {
        String line = "ab ".repeat(200_000);
        assertThat(offsets(line + "\n" + line + "\nab", "^ab", true, true)).containsExactly(0L, 600_001L, 1_200_002L);
        assertThat(offsets(line + "\n" + line + "\nab", "b $", true, true)).containsExactly(599_998L, 1_199_999L);
        assertThat(offsets("xab".repeat(100_000), "\\bab", true, true)).isEmpty();
        assertThat(offsets("x".repeat(700_000) + "abx" + "x".repeat(700_000), "ab\\b", true, true))
                .isEmpty();
        var middle = new Query("^ab", true, true, 300_000, Long.MAX_VALUE, 10, 0);
        search(line.getBytes(StandardCharsets.UTF_8), middle, List.of());
        assertThat(found).isEmpty();
        search(line.getBytes(StandardCharsets.UTF_8), new Query("ab", true, true, 300_000, 300_010, 10, 0), List.of());
        assertThat(found.stream().map(Match::offset)).containsExactly(300_000L, 300_003L, 300_006L);
    }

    @ParameterizedTest
    @CsvSource({
        "loss 1.1, false, 'loss ~[32m1.1~[0m', 0, 13",
        "^loss 1\\.1$, true, '~[1;31mloss ~[38;2;1;2;3m1~[0m.1~[K', 7, 25",
        "see it, false, '~]8;;https://example.org/see it~\\see it~]8;;~\\', 33, 6",
        "done, false, 'do~(B~[mne', 0, 10",
        "title, false, '~]0;title~[0m', -1, 0",
        "32m, false, 'loss ~[32m1.1~[0m', -1, 0",
        "ab, false, 'a~[1~[2~[3mb', 0, 12",
        "text, false, '~]0;endless|text', 12, 4",
        "m, false, '~[|m', 3, 1"
    })
    void what_is_seen_is_found_and_what_only_colours_it_is_not(
            String text, boolean regex, String log, long offset, int length) throws IOException {
        String printed = log.replace('~', '\u001b').replace('|', '\n');
        search(
                printed.getBytes(StandardCharsets.UTF_8),
                new Query(text, regex, true, true, 0, Long.MAX_VALUE, 10, 0),
                List.of());
        if (offset < 0) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).hasSize(1);
            assertThat(found.getFirst().offset()).isEqualTo(offset);
            assertThat(found.getFirst().length()).isEqualTo(length);
        }
    }

    @Test
    void what_is_seen_is_found_as_in_a_log_without_colours_however_long_its_lines_are() throws IOException {
        for (int lineLength : new int[] {100, 1_000_000}) {
            var random = new Random(lineLength);
            var seen = new StringBuilder();
            var log = new StringBuilder();
            List<Long> places = new ArrayList<>();
            while (seen.length() < 700_000) {
                if (random.nextInt(9) == 0) {
                    log.append(List.of("\u001b[0m", "\u001b[38;5;200m", "\u001b]8;;http://a.bc/abc\u0007", "\u001b(B")
                            .get(random.nextInt(4)));
                }
                places.add((long) log.length());
                char next = random.nextInt(lineLength) == 0 ? '\n' : "abc".charAt(random.nextInt(3));
                seen.append(next);
                log.append(next);
            }
            for (String text : List.of("abcabc", "abbbac", "ccc")) {
                List<Long> expected = new ArrayList<>();
                for (int at = seen.indexOf(text); at >= 0; at = seen.indexOf(text, at + text.length())) {
                    expected.add(places.get(at));
                }
                for (boolean regex : new boolean[] {false, true}) {
                    search(
                            log.toString().getBytes(StandardCharsets.UTF_8),
                            new Query(text, regex, true, true, 0, Long.MAX_VALUE, 10_000, 0),
                            List.of());
                    assertThat(found.stream().map(Match::offset).toList())
                            .isEqualTo(expected.subList(0, Math.min(10_000, expected.size())));
                }
            }
        }
    }

    @Test
    void a_log_of_hardly_anything_but_escapes_is_searched_in_time() throws IOException {
        byte[] log = ("\u001b[1m".repeat(2_000_000) + "seen").getBytes(StandardCharsets.UTF_8);
        var outcome = search(log, new Query("seen", true, true, true, 0, Long.MAX_VALUE, 10, 0), List.of());
        assertThat(found.getFirst().offset()).isEqualTo(log.length - 4);
        assertThat(outcome.scanned()).isLessThan(2L * log.length);
    }

    @Test
    void a_search_begins_and_ends_where_it_is_told_and_leaves_holes_out() throws IOException {
        byte[] log = "one two one two one two one".getBytes(StandardCharsets.UTF_8);
        var query = new Query("one", false, true, 1, 20, 100, 0);
        assertThat(search(log, query, List.of()).why()).isEqualTo(Search.Why.END);
        assertThat(found.stream().map(Match::offset)).containsExactly(8L, 16L);
        search(log, query, List.of(new Gaps.Gap(6, 12, Gaps.SIZE_LIMIT, 0, null)));
        assertThat(found.stream().map(Match::offset)).containsExactly(16L);
    }

    @ParameterizedTest
    @CsvSource({
        "(?i)error, an ERROR",
        "ab(?i)error, an abERROR",
        "(?i:error) here, an ERROR here",
        "\\x41BCD, an ABCD",
        "\\101BCD, an ABCD",
        "\\pLbcd, an abcd",
        "\\PLbcd, an 1bcd",
        "[[:digit:]]bcd, an 1bcd",
        "[^[:space:]]bcd, an 1bcd",
        "[]a]bcd, an ]bcd",
        "[\\]]bcd, an ]bcd",
        "1bcd\u4e2d?e, an 1bcde",
        "\\Q1b\\E?cd, an 1cd"
    })
    void whatever_an_expression_is_written_with_its_matches_are_found(String expression, String line)
            throws IOException {
        byte[] log = ("before\n" + line + "\n").getBytes(StandardCharsets.UTF_8);
        search(log, new Query(expression, true, true, 0, Long.MAX_VALUE, 10, 0), List.of());
        assertThat(found.stream().map(Match::offset)).containsExactly(10L);
    }

    /** As a viewer does when a log has grown: it begins a little before the end of the last search. */
    @Test
    void a_search_that_begins_within_a_line_tells_what_one_from_the_beginning_tells_there() throws IOException {
        String log = "first needle\nxx needle needle\n" + "aaaa".repeat(20) + "\nneedle";
        for (String text : new String[] {"^needle", "needle$", "needle", "aa", "e+"}) {
            List<Long> all = offsets(log, text, true, true);
            for (long from = 0; from <= log.length(); from++) {
                long begin = from;
                search(
                        log.getBytes(StandardCharsets.UTF_8),
                        new Query(text, true, true, begin, Long.MAX_VALUE, 1_000, 0),
                        List.of());
                assertThat(found.stream().map(Match::offset))
                        .as("%s from %d", text, begin)
                        .isEqualTo(
                                all.stream().filter(offset -> offset >= begin).toList());
            }
        }
    }

    @Test
    void a_search_that_begins_behind_a_hole_begins_there() throws IOException {
        byte[] log = "one\0\0\0\0\0two one".getBytes(StandardCharsets.UTF_8);
        var hole = List.of(new Gaps.Gap(3, 8, Gaps.SIZE_LIMIT, 0, null));
        for (int from : new int[] {5, 8, 9}) {
            search(log, new Query("^two|one", true, true, from, Long.MAX_VALUE, 10, 0), hole);
            assertThat(found.stream().map(Match::offset)).isEqualTo(from == 9 ? List.of(12L) : List.of(8L, 12L));
        }
    }

    @Test
    void a_match_shows_its_line_and_those_around_it() throws IOException {
        byte[] log = "first\nsecond\nthe third\nfourth\nfifth\n".getBytes(StandardCharsets.UTF_8);
        search(log, new Query("third", false, true, 0, Long.MAX_VALUE, 10, 1), List.of());
        assertThat(found)
                .containsExactly(new Match(17, 5, 13, "the third", false, List.of("second"), List.of("fourth")));
        search(log, new Query("first", false, true, 0, Long.MAX_VALUE, 10, 3), List.of());
        assertThat(found.getFirst().before()).isEmpty();
        assertThat(found.getFirst().after()).containsExactly("second", "the third", "fourth");
    }

    @Test
    void an_endless_line_is_shown_in_part() throws IOException {
        byte[] log = ("x".repeat(100_000) + "needle" + "y".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
        byte[] end = ("x".repeat(100_000) + "needle\n").getBytes(StandardCharsets.UTF_8);
        for (int context : new int[] {0, 2}) {
            var query = new Query("needle", false, true, 0, Long.MAX_VALUE, 10, context);
            search(log, query, List.of());
            assertThat(found.getFirst().cut()).isTrue();
            assertThat(found.getFirst().text()).contains("needle").hasSizeLessThan(2_100);
            search(end, query, List.of());
            assertThat(found.getFirst().cut()).isTrue();
        }
    }

    @Test
    void expressions_that_explode_elsewhere_take_linear_time_here() throws IOException {
        String log = "a".repeat(5_000) + "!\n";
        assertThat(offsets(log.repeat(20), "(a+)+$", true, true)).isEmpty();
        assertThat(offsets(log.repeat(20), "(a|aa)+b", true, true)).isEmpty();
        assertThat(offsets(log.repeat(20), "(.*a){12}b", true, true)).isEmpty();
    }

    @Test
    void an_expression_that_takes_long_asks_often_whether_to_go_on() throws IOException {
        byte[] log = "a".repeat(Search.PIECE).getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve("long");
        Files.write(file, log);
        var query = new Query("(a?){99}(a?){99}(a?){99}b", true, true, 0, Long.MAX_VALUE, 10, 0);
        int[] asked = new int[1];
        try (Bytes bytes = new LogFile(file).open()) {
            var outcome = new Search(bytes, List.of(), query, NOBODY).run(() -> asked[0]++ < 3);
            assertThat(outcome.why()).isEqualTo(Search.Why.DEADLINE);
            assertThat(outcome.next()).isBetween(1L, 30_000L);
            assertThat(outcome.upTo()).isEqualTo(outcome.next());
            assertThat(outcome.scanned()).isLessThan(30_000);
        }
    }

    @Test
    void the_end_tells_how_far_the_log_was_searched() throws IOException {
        byte[] log = "one two one\n".repeat(10).getBytes(StandardCharsets.UTF_8);
        var all = new Query("one", false, true, 24, Long.MAX_VALUE, 100, 0);
        assertThat(search(log, all, List.of()).upTo()).isEqualTo(120);
        var hole = List.of(new Gaps.Gap(30, 60, Gaps.SIZE_LIMIT, 0, null));
        assertThat(search(log, all, hole).upTo()).isEqualTo(120);
        assertThat(search(log, new Query("one", false, true, 24, 50, 100, 0), List.of())
                        .upTo())
                .isEqualTo(50);
        assertThat(search(log, new Query("one", false, true, 500, Long.MAX_VALUE, 100, 0), List.of())
                        .upTo())
                .isEqualTo(500);
    }

    private static final Search.Listener NOBODY = new Search.Listener() {
        @Override
        public void match(Match match) {}

        @Override
        public void progress(long offset) {}
    };

    @ParameterizedTest
    @ValueSource(strings = {"(", "[a", "a{2,1}", "(?=a)", "a\\1", "((a{1000}){1000}){1000}", "*a", "\\"})
    void an_expression_that_can_not_be_is_refused_with_a_reason(String expression) {
        assertThatThrownBy(() -> Search.check(new Query(expression, true, true, 0, Long.MAX_VALUE, 10, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expression");
    }

    @Test
    void a_faulty_expression_is_told_as_it_was_written() {
        for (boolean matchCase : new boolean[] {true, false}) {
            assertThatThrownBy(() -> Search.check(new Query("(ab", true, matchCase, 0, Long.MAX_VALUE, 10, 0)))
                    .hasMessageStartingWith("The expression can not be read: missing closing ) in (ab. Its syntax");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "loss=[0-9]+, loss=",
        "colou?r, colo",
        "abc|abd, ''",
        "(abc)def, def",
        "a{3}xyz, xyz",
        "abc{2}, ''",
        "x+abc\\.txt, abc.txt",
        "[abc]def], def]",
        "(?i)abcdef, ''",
        "(?:abc)def, def",
        "(?P<iii>abc)def, def",
        "[[:digit:]]def, def",
        "\\x41bcd, bcd",
        "\\x{41}bcd, bcd",
        "\\101bcd, bcd",
        "\\pLbcd, bcd",
        "\\p{Greek}bcd, bcd",
        "abcd\ud83d\ude00?e, abcd",
        "\\d+abcd\\b, abcd",
        "\\Qabc\\Edef, def"
    })
    void a_text_that_every_match_holds_is_found_before(String expression, String literal) {
        assertThat(new Expression(expression).literal()).isEqualTo(literal);
    }
}
